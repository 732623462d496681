"""Stages of a sample as pictures, and a batch whose samples are blended."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.catalog.text import entry_label
from engine.diagnostics import Diagnostic, sentence
from engine.spec.transform_preview import (
    BatchPreview,
    BlendedSample,
    FieldStage,
    TransformPreview,
    TransformStage,
)
from engine.spec.transform_repair import transform_repairs
from studio.i18n import translate
from studio.view.recipe import RecipeState
from studio.view.wording import metric_text
from widgets.images.overlay import class_colors
from widgets.images.view_model import ImageView, StageView

_BOX = (255, 96, 0)
_CLASSES = 256  # of a mask that are told apart


def present_stages(
    preview: TransformPreview | None, problem: Diagnostic | None, recipe: RecipeState
) -> tuple[StageView, ...]:
    """Return a sample after each transform, the failing one with what repairs it."""
    if problem is not None:
        title = translate("Transforms", "No sample")
        return (StageView(key="", title=title, error=sentence(problem, recipe.language)),)
    return tuple(_stage(stage, recipe) for stage in (preview.stages if preview else ()))


def present_batch(
    batch: BatchPreview | None, problem: Diagnostic | None, language: str
) -> tuple[StageView, ...]:
    """Return the first samples of a batch, with the shares of their classes."""
    if problem is not None:
        title = translate("Transforms", "No batch")
        return (StageView(key="", title=title, error=sentence(problem, language)),)
    return tuple(
        StageView(
            key="",
            title=translate("Transforms", "Batch [{number}]").format(number=number),
            images=(_image(sample.image, ()),),
            lines=_target_lines(sample),
        )
        for number, sample in enumerate(batch.samples if batch else ())
    )


def _target_lines(sample: BlendedSample) -> tuple[str, ...]:
    if sample.number is not None:
        return (metric_text(sample.number),)
    return tuple(f"{name}  {share:.2f}" for name, share in sample.shares)


def _stage(stage: TransformStage, recipe: RecipeState) -> StageView:
    title = translate("Transforms", "As read")
    if stage.number >= 0:
        entry = catalog().entry(EntryGroup.TRANSFORM, stage.name)
        name = entry_label(entry, recipe.language) if entry else stage.name
        title = f"{stage.number + 1}  {name}"
    if stage.problem is not None:
        repairs = list(transform_repairs(stage.problem, recipe.spec, recipe.data))
        return StageView(
            key=str(stage.number),
            title=title,
            error=sentence(stage.problem, recipe.language),
            repair=sentence(repairs[0].words, recipe.language) if repairs else "",
        )
    pictures = [field for field in stage.fields if field.pixels]
    boxes = [field for field in stage.fields if field.kind == "boxes"]
    return StageView(
        key=str(stage.number),
        title=title,
        images=tuple(_image(field, boxes) for field in pictures),
        lines=_lines(pictures),
    )


def _lines(pictures: Sequence[FieldStage]) -> tuple[str, ...]:
    lines: list[str] = []
    for field in pictures:
        shape = "×".join(map(str, field.shape))
        name = f"{field.name} " if len(pictures) > 1 else ""
        lines += [f"{name}{shape}", f"{field.dtype}  {field.low:.3g} … {field.high:.3g}"]
    return tuple(lines)


def _image(field: FieldStage, boxes: Sequence[FieldStage]) -> ImageView:
    height, width, channels = field.size
    pixels = np.frombuffer(field.pixels, np.uint8).reshape(height, width, channels)
    if field.kind == "mask":
        pixels = class_colors(_CLASSES)[pixels[..., 0]]
    elif boxes:
        pixels = _with_boxes(pixels, field, boxes)
    return ImageView(pixels=np.ascontiguousarray(pixels.transpose(2, 0, 1)), label=field.name)


def _with_boxes(
    pixels: NDArray[np.uint8], field: FieldStage, boxes: Sequence[FieldStage]
) -> NDArray[np.uint8]:
    """Return a picture, which may have fewer pixels than its field, with its boxes drawn."""
    drawn = np.repeat(pixels, 3 // pixels.shape[2], axis=2) if pixels.shape[2] == 1 else pixels
    drawn = drawn.copy()
    down, across = field.shape[-2] / field.size[0], field.shape[-1] / field.size[1]
    for each in boxes:
        numbers = np.asarray(each.values, np.float64)
        for left, top, right, bottom in numbers[: len(numbers) // 4 * 4].reshape(-1, 4):
            rows = np.clip([top / down, (bottom - 1) / down], 0, len(drawn) - 1).astype(int)
            columns = np.clip([left / across, (right - 1) / across], 0, drawn.shape[1] - 1)
            columns = columns.astype(int)
            drawn[rows, columns[0] : columns[1] + 1] = _BOX
            drawn[rows[0] : rows[1] + 1, columns] = _BOX
    return drawn
