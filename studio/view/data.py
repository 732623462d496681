"""Views of the chosen data: counts, class balance, and samples as pictures, points or rows."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.query.request import Split
from engine.spec.browse import NEW
from engine.spec.data import (
    IGNORED,
    PADDING_KINDS,
    Cell,
    DataInfo,
    FieldInfo,
    PreviewInfo,
    Reason,
    SampleView,
)
from engine.spec.day import day_text
from engine.spec.defaults import has_labels
from engine.spec.statistics import PixelCounts
from engine.spec.vocabulary import MARKS
from studio.i18n import filled, listed, translate
from studio.view.played import PLAYED_KINDS, played_view
from studio.view.wording import metric_text, number_text
from studio.window.page import EmptyView
from widgets.images.view_model import BoxView, ImageView, KeypointView, MaskView, Overlay
from widgets.plots.view_model import BarsView, PointsView
from widgets.tables.view_model import ColumnView, RowView, TableData

PICTURE_KINDS = ("image", *PLAYED_KINDS)
"""The kinds of fields whose samples are shown as pictures."""

PARTS: tuple[Split, ...] = ("train", "validation", "test")
"""The parts of the data."""
PART_NAMES = (*PARTS, NEW)
"""What the numbers of the parts in a map mean."""
_MOST_PLACES = 200  # of a field, a column each
_TEXT = -1  # the place of a sentence, as it was written


def loading_view() -> EmptyView:
    """Return what a page says until the first samples are there."""
    return EmptyView(
        title=translate("Data", "Loading…"),
        text=translate("Data", "Loading data for the first time takes a few seconds."),
    )


def split_title(name: str) -> str:
    """Return the name of a part in the user's words; :data:`NEW` is for what is in none of a run,
    since it came later.
    """
    return {
        "train": translate("Data", "Training"),
        "validation": translate("Data", "Validation"),
        "test": translate("Data", "Test"),
        NEW: translate("Data", "Not in this run"),
    }[name]


def present_facts(info: DataInfo) -> tuple[tuple[str, str], ...]:
    """Return facts about the data: samples, parts, fields."""
    facts = [
        (translate("Data", "Samples"), f"{info.samples:,}"),
        (translate("Data", "Task"), _task_text(info)),
    ]
    facts += [(split_title(split.name), f"{split.samples:,}") for split in info.splits]
    if info.left_out:
        facts.append((translate("Data", "Not used"), left_out_text(info)))
    facts += [(field.name, _field_text(field)) for field in info.fields]
    return tuple(facts)


def left_out_text(info: DataInfo) -> str:
    """Return how many samples of the files are not used, and why."""
    texts: dict[Reason, str] = {
        "missing": translate("Data", "{count} with missing values"),
        "filtered": translate("Data", "{count} filtered out"),
        "damaged": translate("Data", "{count} damaged {count|file|files}"),
        "excluded": translate("Data", "{count} excluded"),
        "unassigned": translate("Data", "{count} in no split"),
    }
    return listed(filled(texts[each.reason], count=f"{each.count:,}") for each in info.left_out)


def label_classes(info: DataInfo | None) -> tuple[str, ...]:
    """Return the classes that a sample can be given; none where its target is no single class."""
    fields = () if info is None else info.fields
    return next((each.classes for each in fields if each.kind == "class" and not each.shape), ())


def _task_text(info: DataInfo) -> str:
    """Return what is to be learned, also where a class of each pixel, box or token is."""
    kind = "" if info.target is None else info.target.kind
    if kind == "mask":
        return translate("Data", "segmentation")
    if kind == "box_classes":
        return translate("Data", "object detection")
    if kind == "sequence" and info.task == "classification":
        inputs = [field for field in info.fields if field.role == "input"]
        if len(inputs) == 1:
            return translate("Data", "language model")
        return translate("Data", "sequence to sequence")
    if has_labels(info):
        return translate("Data", "several labels")
    return {
        "classification": translate("Data", "classification"),
        "binary": translate("Data", "two classes"),
        "regression": translate("Data", "regression"),
    }[info.task]


def present_balance(
    info: DataInfo, pixels: Sequence[PixelCounts] = (), *, is_of_run: bool = False
) -> BarsView:
    """Return the samples, the boxes or the ``pixels``, where these were counted, of each class in
    each part; where the target is a number, how they are spread over its values. ``is_of_run`` says
    that the parts are those of a run and not of the next one.
    """
    target = info.target
    if target is not None and info.value_edges:
        name = target.columns[0] if target.columns else target.name
        bars = _present_values(name, info)
        return replace(bars, title=_of_run(bars.title)) if is_of_run else bars
    if target is not None and target.kind == "mask" and pixels:
        return BarsView(
            labels=target.classes,
            values=tuple(
                tuple(round(100 * n / max(sum(part.classes), 1), 3) for n in part.classes)
                for part in pixels
            ),
            groups=tuple(split_title(part.part) for part in pixels),
            title=translate("Data", "Pixels per class, in percent of those that have one"),
        )
    labelled = [(split.name, split.label_counts) for split in info.splits if split.label_counts]
    if target is not None and labelled:
        title = translate("Data", "Samples with each label")
        return _counted(title, target.columns, labelled, is_of_run=is_of_run)
    parts = [(split.name, split.class_counts) for split in info.splits if split.class_counts]
    if target is None or not parts:
        return BarsView(labels=(), values=(), empty_text=_uncounted(target))
    title = translate("Data", "Samples per class")
    if target.kind == "box_classes":
        title = translate("Data", "Boxes per class")
    labels = target.classes or tuple(str(i) for i in range(len(parts[0][1])))
    return _counted(title, labels, parts, is_of_run=is_of_run)


def _counted(
    title: str,
    labels: tuple[str, ...],
    parts: Sequence[tuple[str, Sequence[int]]],
    *,
    is_of_run: bool,
) -> BarsView:
    """Return counts by label of some parts as bars."""
    return BarsView(
        labels=labels,
        values=tuple(tuple(map(float, counts)) for _, counts in parts),
        groups=tuple(split_title(part) for part, _ in parts),
        title=_of_run(title) if is_of_run else title,
    )


def _of_run(title: str) -> str:
    return translate("Data", "{title}, by the splits of the run").format(title=title)


def _uncounted(target: FieldInfo | None) -> str:
    """Return why there are no bars for the classes of a target."""
    if target is None:
        return translate("Data", "The data has no target, so there are no classes to count.")
    if target.kind == "mask":
        return translate("Data", "Each pixel has a class. Their numbers are not known yet.")
    if target.kind == "sequence":
        return translate("Data", "The target is a text, so there are no classes to count.")
    if target.classes:
        return translate(
            "Data", "The class of a sample is known when it is read, so classes are not counted."
        )
    numbers = math.prod(target.shape)
    if numbers > 1:
        return translate(
            "Data", "The target is {count} numbers, so there are no classes to count."
        ).format(count=f"{numbers:,}")
    return translate("Data", "The target is a number, so there are no classes to count.")


def _present_values(name: str, info: DataInfo) -> BarsView:
    edges = info.value_edges
    middles = [(low + high) / 2 for low, high in itertools.pairwise(edges)]
    is_date = name in info.date_columns
    return BarsView(
        labels=tuple(
            day_text(middle) if is_date else number_text(middle, digits=3) for middle in middles
        ),
        values=tuple(tuple(map(float, split.value_counts)) for split in info.splits),
        groups=tuple(split_title(split.name) for split in info.splits),
        title=translate("Data", "Samples by {name}").format(name=name),
    )


def present_images(info: DataInfo, preview: PreviewInfo) -> tuple[ImageView, ...]:
    """Return the samples as pictures, where there is a field of images, sounds or videos; else
    nothing.
    """
    field = next((field for field in info.fields if field.kind in PICTURE_KINDS), None)
    if field is None:
        return ()
    views = []
    if all(field.name in sample.pictures for sample in preview.samples):
        return _pictures(info, preview, field)
    if any(field.name not in sample.values for sample in preview.samples):
        return ()  # samples of the data before
    if field.kind in PLAYED_KINDS:
        return tuple(
            replace(
                played_view(field, sample.values[field.name], _label(info, sample)),
                sublabel=f"#{sample.index}",
            )
            for sample in preview.samples
        )
    arrays = [np.asarray(s.values[field.name], np.float32) for s in preview.samples]
    low = min((float(array.min()) for array in arrays), default=0.0)
    high = max((float(array.max()) for array in arrays), default=1.0)
    for sample, array in zip(preview.samples, arrays, strict=True):
        views.append(
            ImageView(
                pixels=array.reshape(field.shape),
                label=_label(info, sample),
                sublabel=f"#{sample.index}",
                minimum=low,
                maximum=high,
                overlay=_mask(info, sample) or _drawn(info, sample, field),
            )
        )
    return tuple(views)


def _pictures(info: DataInfo, preview: PreviewInfo, field: FieldInfo) -> tuple[ImageView, ...]:
    """Return the samples as the pictures that were made of them."""
    pictures = [sample.pictures[field.name] for sample in preview.samples]
    arrays = [np.frombuffer(each.content, each.dtype).reshape(each.shape) for each in pictures]
    views = [
        ImageView(pixels=array, label=_label(info, sample), sublabel=f"#{sample.index}")
        for sample, array in zip(preview.samples, arrays, strict=True)
    ]
    if field.kind != "image":
        return tuple(views)
    low = min((float(array.min()) for array in arrays), default=0.0)
    high = max((float(array.max()) for array in arrays), default=1.0)
    return tuple(
        replace(view, minimum=low, maximum=high, overlay=_drawn(info, sample, field))
        for view, sample in zip(views, preview.samples, strict=True)
    )


def _mask(info: DataInfo, sample: SampleView) -> MaskView | None:
    """Return the mask of a sample, where its target is one."""
    target = info.target
    if target is None or target.kind != "mask" or target.name not in sample.values:
        return None
    truth = np.asarray(sample.values[target.name], np.int16).reshape(target.shape)
    return MaskView(classes=target.classes, truth=truth)


def _drawn(info: DataInfo, sample: SampleView, image: FieldInfo) -> Overlay | None:
    """Return the boxes or the points of a sample on its image, where it has some."""
    return _boxes(info, sample, image) or _points(info, sample)


def _points(info: DataInfo, sample: SampleView) -> KeypointView | None:
    """Return the points of a sample, where it has some."""
    field = next((each for each in info.fields if each.point_names), None)
    if field is None or field.name not in sample.values:
        return None
    return keypoint_view(field.point_names, truth=sample.values[field.name])


def keypoint_view(
    names: tuple[str, ...], truth: Sequence[float] = (), prediction: Sequence[float] = ()
) -> KeypointView:
    """Return points in a picture, x and y of each one after the other as shares of its width and
    height; without those that are empty.
    """

    def pairs(values: Sequence[float]) -> NDArray[np.float64] | None:
        return np.asarray(values, np.float64).reshape(-1, 2) if len(values) else None

    return KeypointView(names=names, truth=pairs(truth), prediction=pairs(prediction))


def _boxes(info: DataInfo, sample: SampleView, image: FieldInfo) -> BoxView | None:
    """Return the boxes of a sample on its image, where it has some."""
    boxes = next((field for field in info.fields if field.kind == "boxes"), None)
    labels = next((field for field in info.fields if field.kind == "box_classes"), None)
    if boxes is None or labels is None:
        return None
    numbers = np.asarray(sample.values.get(labels.name, ()), np.int64)
    corners = np.asarray(sample.values.get(boxes.name, ()), np.float64).reshape(-1, 4)
    height, width = image.shape[-2:]
    is_there = numbers != IGNORED
    return BoxView(
        classes=labels.classes,
        corners=corners[is_there] / np.tile([width, height], 2),
        numbers=numbers[is_there],
    )


def colours_text(points: PointsView) -> str:
    """Return which numbers the colours of points mean; empty for classes, which have a legend."""
    if points.span is None:
        return ""
    low, high = (f"{end:.4g}" for end in points.span)
    text = translate("Data", "Target by color: {low} (blue) to {high} (red)")
    return text.format(low=low, high=high)


def present_rows(info: DataInfo, preview: PreviewInfo) -> TableData:
    """Return the samples as a table, a column for each number of a vector; sentences as they were
    written, and rows of a table with the columns of its file.
    """
    written = _written_columns(preview)
    columns = [ColumnView(key="index", title=translate("Data", "No."), kind="count")]
    readers: list[tuple[FieldInfo, int] | str] = []
    for field in info.fields:
        if field.kind in PADDING_KINDS:  # of batches, not of samples
            continue
        if written and _is_of_row(field):
            columns += [each for each in written if each.key not in readers]
            readers += [each.key for each in written if each.key not in readers]
            continue
        size = int(np.prod(field.shape)) if field.shape else 1
        if field.words:
            columns.append(ColumnView(key=field.name, title=field.name, kind="text", width=48))
            readers.append((field, _TEXT))
            continue
        if field.kind in PICTURE_KINDS or size > _MOST_PLACES:
            continue
        for place in range(size):
            title = field.columns[place] if place < len(field.columns) else field.name
            title = f"{title} [{place}]" if size > 1 and not field.columns else title
            kind = "text" if field.classes or field.vocabularies else "number"
            columns.append(ColumnView(key=f"{field.name}.{place}", title=title, kind=kind))
            readers.append((field, place))
    rows = tuple(
        RowView(
            id=str(sample.index),
            cells=(sample.index, *(_shown(sample, reader) for reader in readers)),
        )
        for sample in preview.samples
    )
    return TableData(
        columns=tuple(columns), rows=rows, empty_text=translate("Data", "This split is empty.")
    )


def _written_columns(preview: PreviewInfo) -> tuple[ColumnView, ...]:
    """Return the columns of the file that samples are rows of, as far as inputs come from them;
    nothing for samples of another kind, and for more columns than anybody looks at.
    """
    cells: dict[str, list[Cell]] = {}
    for sample in preview.samples:
        for name, cell in sample.row.items():
            cells.setdefault(name, []).append(cell)
    if len(cells) > _MOST_PLACES:
        return ()
    return tuple(
        ColumnView(
            key=name, title=name, kind="text" if any(isinstance(c, str) for c in of) else "number"
        )
        for name, of in cells.items()
    )


def _is_of_row(field: FieldInfo) -> bool:
    """Return whether a field of rows of a table holds the numbers that their cells became."""
    has_columns = field.kind in ("vector", "categories") and bool(field.columns)
    return field.role == "input" and has_columns


def _shown(sample: SampleView, reader: tuple[FieldInfo, int] | str) -> Cell:
    """Return what a sample has in a column of the file, or in a place of a field."""
    return sample.row.get(reader) if isinstance(reader, str) else _cell(*reader, sample)


def _cell(field: FieldInfo, place: int, sample: SampleView) -> str | float:
    if place == _TEXT:
        return sample.texts.get(field.name, "")
    value = sample.values[field.name][place]
    if field.classes and 0 <= int(value) < len(field.classes):
        return field.classes[int(value)]
    names = field.vocabularies[place] if place < len(field.vocabularies) else ()
    return names[int(value)] if 0 <= int(value) < len(names) else value


def _label(info: DataInfo, sample: SampleView) -> str:
    target = info.target
    if target is None or target.kind in ("mask", "box_classes") or target.point_names:
        return ""
    if target.name not in sample.values:
        return ""  # a picture
    value = _cell(target, 0, sample)
    return value if isinstance(value, str) else metric_text(value)


def _field_text(field: FieldInfo) -> str:
    sizes = ("n" if size < 0 else str(size) for size in field.shape)
    shape = "×".join(sizes) if field.shape else translate("Data", "one number")
    roles = {
        "input": translate("Data", "input"),
        "target": translate("Data", "target"),
        "weight": translate("Data", "weight"),
    }
    text = translate("Data", "{role}, {shape}, {dtype}")
    text = text.format(role=roles[field.role], shape=shape, dtype=field.dtype)
    if field.words:
        count = len(field.words) - len(MARKS)
        if field.unit == "words":
            text += filled(translate("Data", ", {count} {count|word|words}"), count=count)
        else:
            text += filled(translate("Data", ", {count} {count|token|tokens}"), count=count)
    if field.classes:
        text += filled(
            translate("Data", ", {count} {count|class|classes}"), count=len(field.classes)
        )
    return text
