"""Samples on a decision surface: where they lie on its plane, and what they are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace as replace_field

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from engine.runs.record.surface import Surface
from engine.spec.data import PADDING_KINDS, DataInfo, FieldInfo, PreviewInfo, SampleView
from engine.spec.plane import PlaneAxis, axis_name, plane_axes
from studio.i18n import translate
from studio.view.data import PICTURE_KINDS, present_images, present_rows
from widgets.images.view_model import ImageView
from widgets.plots.curve_data import finite_bounds
from widgets.plots.view_model import PointsView, RingView

LETTERS = "ABC"
_MOST_FACTS = 12
_LONGEST = 160  # letters of a sentence


def shown_classes(info: DataInfo, surface: Surface | None) -> tuple[int, ...]:
    """Return the numbers of the classes that a surface has, in the order of its outputs."""
    count = len(info.target.classes) if info.target else 0
    if surface is None or not surface.is_classified:
        return tuple(range(count))
    return surface.classes or tuple(range(max(count, surface.outputs)))


def column_points(
    info: DataInfo,
    fields: Sequence[FieldInfo],
    preview: PreviewInfo,
    surface: Surface | None,
    *,
    axes: Sequence[PlaneAxis] = (),
    output: int = 0,
) -> PointsView | None:
    """Return training samples by the two columns of a plane; None where they have none."""
    axes = (surface.plane.axes if surface else ()) or tuple(axes) or plane_axes(fields)[:2]
    samples = [each for each in preview.samples if all(axis.field in each.values for axis in axes)]
    if len(axes) < len("xy") or not samples:
        return None
    xy = np.asarray(
        [[each.values[axis.field][axis.column] for axis in axes] for each in samples], np.float64
    )
    targets = [_target(info, sample, output) for sample in samples]
    return _points(info, surface, xy, targets, tuple(axis_name(fields, axis) for axis in axes))


def sample_points(info: DataInfo, surface: Surface) -> PointsView:
    """Return the three samples that a plane is laid through."""
    xy = np.asarray([(point.x, point.y) for point in surface.points], np.float64)
    names = (
        translate("Surface", "Distance from A toward B"),
        translate("Surface", "Distance at a right angle, toward C"),
    )
    return _points(info, surface, xy, [point.target for point in surface.points], names)


def _points(
    info: DataInfo,
    surface: Surface | None,
    xy: NDArray[np.float64],
    targets: Sequence[float | None],
    names: tuple[str, ...],
) -> PointsView:
    target = info.target
    order: Mapping[int, int] = {}
    labels: tuple[str, ...] = ()
    if target is not None and target.classes:  # also beside numbers, as of a discriminator
        numbers = shown_classes(info, surface)
        order = {number: place for place, number in enumerate(numbers)}
        labels = tuple(class_name(target, number) for number in numbers)
    classes = [order.get(int(each), -1) if each is not None else -1 for each in targets]
    values = None
    if not labels and all(each is not None for each in targets):
        values = np.asarray(targets, np.float64)
    return PointsView(
        xy=xy,
        classes=np.asarray(classes if labels else [0] * len(xy), np.int64),
        numbers=values,
        span=None if values is None else finite_bounds(values),
        labels=labels,
        x_label=names[0],
        y_label=names[1],
        dates=(names[0] in info.date_columns, names[1] in info.date_columns),
    )


def class_name(target: FieldInfo, number: int) -> str:
    """Return the name of a class; its number where it has none."""
    return target.classes[number] if 0 <= number < len(target.classes) else str(number)


def present_rings(surface: Surface) -> tuple[RingView, ...]:
    """Return the samples that a plane is laid through as rings."""
    texts = LETTERS if surface.plane.kind == "samples" else (f"#{surface.plane.samples[0]}",)
    return tuple(
        RingView(x=point.x, y=point.y, text=text)
        for point, text in zip(surface.points, texts, strict=False)
    )


def present_thumbnails(
    info: DataInfo, surface: Surface, looked: PreviewInfo
) -> tuple[ImageView, ...]:
    """Return the samples of a plane as pictures, where they are some."""
    samples = _of(surface, looked)
    images = present_images(info, PreviewInfo(split="", samples=samples)) if samples else ()
    if surface.plane.kind != "samples":
        return images
    return tuple(
        replace_field(image, label=f"{letter}: {image.label}" if image.label else letter)
        for letter, image in zip(LETTERS, images, strict=False)
    )


def present_samples(info: DataInfo, surface: Surface, looked: PreviewInfo) -> str:
    """Return what is in the samples of a plane, a paragraph each."""
    paragraphs: list[str] = []
    letters = LETTERS if surface.plane.kind == "samples" else ("",)
    fields = tuple(
        replace(each, columns=looked.names.get(each.name, each.columns)) for each in info.fields
    )
    times = {each.index: time for each, time in zip(looked.samples, looked.times, strict=False)}
    for letter, sample in zip(letters, _of(surface, looked), strict=False):
        title = translate("Surface", "Sample {number}").format(number=sample.index)
        head = f"{letter}: {title}" if letter else title
        when = [_when(times[sample.index], looked.time_kind)] if sample.index in times else []
        facts = _facts(replace(info, fields=fields), sample, is_series=bool(looked.times))
        paragraphs.append("\n".join((head, *when, *facts)))
    return "\n\n".join(paragraphs)


def _when(time: str, kind: str) -> str:
    """Return what the window of a time series predicts first."""
    text = translate("Surface", "Predicts from {time}")
    if kind == "row":
        text = translate("Surface", "Predicts from row {time}")
    return text.format(time=time)


def _of(surface: Surface, looked: PreviewInfo) -> tuple[SampleView, ...]:
    known = {sample.index: sample for sample in looked.samples}
    return tuple(known[point.sample] for point in surface.points if point.sample in known)


def _facts(info: DataInfo, sample: SampleView, *, is_series: bool) -> list[str]:
    """Return the numbers and texts of a sample, the first ones of many; of a series the last."""
    small = tuple(
        field
        for field in info.fields
        if field.kind not in (*PICTURE_KINDS, *PADDING_KINDS)
        and (field.name in sample.values or field.name in sample.texts)
    )
    if not small:
        return []
    table = present_rows(replace(info, fields=small), PreviewInfo(split="", samples=(sample,)))
    cells = list(zip(table.columns, table.rows[0].cells, strict=True))[1:]
    shown = cells[-_MOST_FACTS:] if is_series else cells[:_MOST_FACTS]
    facts = [
        f"{column.title}: {_shortened(cell) if isinstance(cell, str) else f'{cell:.4g}'}"
        for column, cell in shown
        if isinstance(cell, str | int | float)
    ]
    if len(shown) == len(cells):
        return facts
    return ["…", *facts] if is_series else [*facts, "…"]


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _target(info: DataInfo, sample: SampleView, output: int) -> float | None:
    target = info.target
    values = sample.values.get(target.name, ()) if target else ()
    place = 0 if target is not None and target.classes else output
    return values[place] if place < len(values) else None
