"""Stages of a sample as pictures, and a batch whose samples are blended."""

from collections.abc import Iterator, Sequence

import numpy as np

from engine.catalog.spec import EntryGroup
from engine.catalog.text import entry_label
from engine.diagnostics import Diagnostic, sentence
from engine.spec.choice import entry_of_key
from engine.spec.data import DataInfo
from engine.spec.transform import holds_steps
from engine.spec.transform_preview import (
    BatchPreview,
    BlendedSample,
    FieldStage,
    TransformPreview,
    TransformStage,
)
from engine.spec.transform_repair import transform_repairs
from studio.i18n import filled, translate
from studio.view.data import keypoint_view
from studio.view.recipe import RecipeState
from studio.view.wording import metric_text
from widgets.images.overlay import class_colors
from widgets.images.view_model import (
    BoxView,
    ImageView,
    KeypointView,
    MaskView,
    Overlay,
    StageView,
)

_NUMBERS = 4  # of a field that is no picture
_CLASSES = 256  # of a mask that are told apart


def present_stages(
    preview: TransformPreview | None, problem: Diagnostic | None, recipe: RecipeState
) -> tuple[StageView, ...]:
    """Return a sample after each transform, the failing one with what repairs it."""
    if problem is not None:
        title = translate("Transforms", "No sample")
        return (StageView(key="", title=title, error=sentence(problem, recipe.language)),)
    stages = preview.stages if preview else ()
    boxes = _box_count(stages[0]) if stages else 0
    return tuple(_stage(stage, recipe, boxes) for stage in stages)


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
            images=(_image(sample.image),),
            lines=_target_lines(sample),
        )
        for number, sample in enumerate(batch.samples if batch else ())
    )


def _target_lines(sample: BlendedSample) -> tuple[str, ...]:
    if sample.number is not None:
        return (metric_text(sample.number),)
    return tuple(f"{name}  {share:.2f}" for name, share in sample.shares)


def stage_picture(stage: TransformStage, data: DataInfo) -> ImageView | None:
    """Return the first picture of a stage, of an image, a sound or a video, with the mask, the
    boxes or the points that go with it; None where it has none.
    """
    fields = [each for each in stage.fields if each.pixels and each.kind != "mask"]
    if not fields:
        return None
    overlay = _mask(fields[0], stage, data) or _drawn(fields[0], stage, data)
    return _image(fields[0], overlay)


def _mask(image: FieldStage, stage: TransformStage, data: DataInfo) -> MaskView | None:
    """Return the mask of an image, which has as many pixels."""
    mask = next((each for each in stage.fields if each.kind == "mask" and each.pixels), None)
    if mask is None or image.kind != "image" or mask.size[:2] != image.size[:2]:
        return None
    truth = np.frombuffer(mask.pixels, np.uint8).reshape(mask.size[:2]).astype(np.int16)
    classes = next((info.classes for info in data.fields if info.name == mask.name), ())
    return MaskView(classes=classes, truth=np.where(truth < len(classes), truth, -1))


def _stage(stage: TransformStage, recipe: RecipeState, boxes: int) -> StageView:
    """Return a stage of a sample that was read with some ``boxes``."""
    title = translate("Transforms", "As read")
    if stage.number >= 0:
        entry = entry_of_key(EntryGroup.TRANSFORM, stage.name, recipe.graph.code)
        name = entry_label(entry, recipe.language) if entry else stage.name
        title = f"{stage.number + 1}  {name}"
    if stage.problem is not None:
        repairs = list(
            transform_repairs(stage.problem, recipe.spec, recipe.data, recipe.graph.code)
        )
        return StageView(
            key=str(stage.number),
            title=title,
            error=sentence(stage.problem, recipe.language),
            repair=sentence(repairs[0].words, recipe.language) if repairs else "",
        )
    pictures = [field for field in stage.fields if field.pixels and field.kind != "box_masks"]
    nothing = translate("Transforms", "Nothing of it was drawn.")
    return StageView(
        key=str(stage.number),
        title=title,
        images=tuple(_image(each, _drawn(each, stage, recipe.data)) for each in pictures),
        lines=(
            *((nothing,) if holds_steps(stage.name) else ()),
            *_lines(pictures),
            *_box_lines(stage, boxes),
            *_point_lines(stage, recipe.data),
            *(() if pictures else _number_lines(stage)),
        ),
    )


def _box_count(stage: TransformStage) -> int:
    return sum(field.shape[0] for field in stage.fields if field.kind == "boxes")


def _box_lines(stage: TransformStage, read: int) -> Iterator[str]:
    """Yield how many boxes there are, and how many of those that were read are gone."""
    for field in stage.fields:
        if field.kind == "boxes":
            text = translate("Transforms", "{count} {count|box|boxes}")
            if field.shape[0] < read:
                text = translate("Transforms", "{count} {count|box|boxes}, {lost} cut away")
            yield filled(text, count=field.shape[0], lost=read - field.shape[0])


def _point_lines(stage: TransformStage, data: DataInfo | None) -> Iterator[str]:
    """Yield how many points are in the picture, and of how many."""
    points = _points(stage, data)
    if points is not None and points.truth is not None:
        inside = np.all((points.truth >= 0) & (points.truth <= 1), axis=1)
        text = translate("Transforms", "{inside} of {count} {count|point|points} inside")
        yield filled(text, inside=int(inside.sum()), count=len(points.truth))


def _number_lines(stage: TransformStage) -> Iterator[str]:
    """Yield the values of fields that are no pictures."""
    for field in stage.fields:
        shape = "×".join(map(str, field.shape))
        yield " ".join(filter(None, (field.name, shape, field.dtype)))
        shown = ", ".join(f"{value:.3g}" for value in field.values[:_NUMBERS])
        yield shown + ("…" if len(field.values) > _NUMBERS else "")


def _lines(pictures: Sequence[FieldStage]) -> tuple[str, ...]:
    lines: list[str] = []
    for field in pictures:
        shape = "×".join(map(str, field.shape))
        name = f"{field.name} " if len(pictures) > 1 else ""
        lines += [f"{name}{shape}", f"{field.dtype}  {field.low:.3g} … {field.high:.3g}"]
    return tuple(lines)


def _image(field: FieldStage, overlay: Overlay | None = None) -> ImageView:
    height, width, channels = field.size
    pixels = np.frombuffer(field.pixels, np.uint8).reshape(height, width, channels)
    if field.kind == "mask":
        pixels = class_colors(_CLASSES)[pixels[..., 0]]
    return ImageView(
        pixels=np.ascontiguousarray(pixels.transpose(2, 0, 1)),
        label=field.name,
        overlay=overlay if field.kind == "image" else None,
    )


def _drawn(image: FieldStage, stage: TransformStage, data: DataInfo | None) -> Overlay | None:
    """Return the boxes or the points of an image, where it has some."""
    return _boxes(image, stage, data) or _points(stage, data)


def _points(stage: TransformStage, data: DataInfo | None) -> KeypointView | None:
    """Return the points of a sample at a stage, where it has some."""
    infos = () if data is None else data.fields
    names = {info.name: info.point_names for info in infos if info.point_names}
    field = next((each for each in stage.fields if each.name in names), None)
    return None if field is None else keypoint_view(names[field.name], truth=field.values)


def _boxes(image: FieldStage, stage: TransformStage, data: DataInfo | None) -> BoxView | None:
    """Return the boxes of an image, which may be shown with fewer pixels than it has."""
    boxes = next((field for field in stage.fields if field.kind == "boxes"), None)
    if boxes is None:
        return None
    labels = next((field.values for field in stage.fields if field.kind == "box_classes"), ())
    corners = np.asarray(boxes.values, np.float64)
    corners = corners[: len(corners) // 4 * 4].reshape(-1, 4)
    height, width = image.shape[-2:]
    numbers = np.zeros(len(corners), np.int64)
    numbers[: len(labels)] = labels[: len(corners)]
    infos = () if data is None else data.fields
    classes = next((info.classes for info in infos if info.kind == "box_classes"), ())
    masks = next((field for field in stage.fields if field.kind == "box_masks"), None)
    shapes = None if masks is None else np.frombuffer(masks.pixels, np.uint8)
    return BoxView(
        classes=classes,
        corners=corners / np.tile([width, height], 2),
        numbers=numbers,
        shapes=shapes if masks is None or shapes is None else shapes.reshape(masks.size[:2]),
    )
