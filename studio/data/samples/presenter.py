"""Views of samples: rows of a table, tiles of a gallery, points of the plane."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from engine.diagnostics import sentence
from engine.spec.browse import (
    CONFIDENCE,
    CORRECT,
    EDIT,
    INDEX,
    IOU,
    LEARNED,
    LOSS,
    PART,
    PREDICTION,
    SECONDS,
    Cell,
    ColumnValues,
    SampleColumn,
    SampleColumns,
    SampleDetails,
    SamplePicture,
    SamplePictures,
    SampleRow,
    predicted_number,
)
from studio.data.samples.details import DetailsView
from studio.data.samples.state import (
    column_title,
    edit_title,
    is_never,
    never_title,
    plane_columns,
    value_title,
)
from studio.i18n import translate
from studio.process.desktop import MEDIA_STARTS
from studio.view.data import keypoint_view, split_title
from widgets.images.view_model import BoxView, ImageView, KeypointView, MaskView
from widgets.paged.view_model import PagedRow
from widgets.plots.curve_data import finite_bounds
from widgets.plots.view_model import PointsView
from widgets.tables import view_model as tables
from widgets.tables.format import one_line, short_number, size_text
from widgets.tables.trend import Trend
from widgets.tables.view_model import ColumnView

_NO_CLASS = 255  # of the pixels of a mask
_FEW = 32  # numbers of a field, or boxes, that are told
_BOX_FIELDS = ("boxes", "labels", "masks")


def present_columns(listed: SampleColumns) -> tuple[ColumnView, ...]:
    """Return the columns of the table."""
    return tuple(_column(column) for column in listed.columns)


def sortable_keys(listed: SampleColumns) -> frozenset[str]:
    """Return the columns that samples can be sorted by."""
    return frozenset(column.key for column in listed.columns if column.is_cheap)


def present_rows(listed: SampleColumns, rows: Sequence[SampleRow]) -> tuple[PagedRow, ...]:
    """Return samples as rows, with what stands below their pictures."""
    label = _told_below(listed)
    edit, correct, prediction, seconds = (
        next((at for at, column in enumerate(listed.columns) if column.key == key), None)
        for key in (EDIT, CORRECT, PREDICTION, SECONDS)
    )
    return tuple(
        PagedRow(
            id=row.index,
            cells=tuple(
                _shown(column, cell)
                for column, cell in zip(listed.columns, row.cells, strict=False)
            ),
            label="" if label is None else _short(listed.columns[label], row.cells[label]),
            sublabel=" · ".join(_below(row, edit, correct, prediction, seconds)),
            tip=_tip(row, label, correct, prediction) or _sentence(listed, row, label),
            is_muted=edit is not None and row.cells[edit] == "excluded",
        )
        for row in rows
    )


def _below(
    row: SampleRow,
    edit: int | None,
    correct: int | None,
    prediction: int | None,
    seconds: int | None,
) -> list[str]:
    """Return what stands below a sample, what is looked for first: its prediction where it is
    wrong, number, duration and edit; the numbers are those of the columns.
    """
    words = [f"#{row.index}"]
    if correct is not None and prediction is not None and row.cells[correct] == "no":
        words.insert(0, f"→ {_text(row.cells[prediction])}")
    duration = None if seconds is None else row.cells[seconds]
    if duration:
        words.append(translate("Samples", "{number} s").format(number=_text(duration)))
    kind = None if edit is None else row.cells[edit]
    if isinstance(kind, str):
        words.append(edit_title(kind))
    return words


def _sentence(listed: SampleColumns, row: SampleRow, label: int | None) -> str:
    """Return the sentence that is to be predicted, which there is little room for."""
    return _text(row.cells[label]) if label is not None and _is_sentence(listed, label) else ""


def _tip(row: SampleRow, label: int | None, correct: int | None, prediction: int | None) -> str:
    """Return in words what the prediction of a sample is; the numbers are those of the columns."""
    if label is None or correct is None or prediction is None or row.cells[correct] != "no":
        return ""
    text = translate("Samples", "Label: {label}\nPredicted: {prediction}")
    return text.format(label=_text(row.cells[label]), prediction=_text(row.cells[prediction]))


def present_pictures(
    sheet: Sequence[SamplePictures], language: str
) -> tuple[dict[int, ImageView | None], dict[int, str]]:
    """Return the pictures of samples by their indices, and why some have none."""
    pictures = {each.index: _first_picture(each.pictures) for each in sheet}
    tips = {each.index: sentence(each.problems[0], language) for each in sheet if each.problems}
    return pictures, tips


def picture_view(picture: SamplePicture) -> ImageView:
    """Return a picture as it is drawn; of a mask each class has a gray of its own."""
    shape = (picture.height, picture.width, picture.channels)
    pixels = np.frombuffer(picture.pixels, np.uint8).reshape(shape).transpose(2, 0, 1)
    if picture.kind == "mask":
        return ImageView(pixels=pixels.astype(np.float32), minimum=0.0, maximum=0.0)
    return ImageView(pixels=pixels)


def present_values(key: str, found: ColumnValues) -> tuple[tuple[str, str], ...]:
    """Return the values of a category, each with the text that is shown."""
    return tuple(
        (value, f"{value_title(key, value)} ({count:,})")
        for value, count in zip(found.values, found.counts, strict=True)
    )


def present_details(listed: SampleColumns, found: SampleDetails, language: str) -> DetailsView:
    """Return one sample in full: what is a text or a picture by itself, all else as facts."""
    texts = {f"data.{name}": text for name, text in found.texts.items()}
    files = {f"data.{each}" for each in listed.pictures}
    long = [
        (column.name, texts[column.key])
        for column in listed.columns
        if column.kind == "text" and column.key in texts and column.key not in files
    ]
    facts = [
        (column_title(column), texts.get(column.key) or cell_text(column, cell))
        for column, cell in zip(listed.columns, found.cells, strict=False)
        if (column.name, texts.get(column.key, "")) not in long and column.key != INDEX
    ]
    boxes = _box_facts(found)
    facts += boxes
    for name, shape in found.shapes.items():
        if math.prod(shape) > 1 and not (boxes and name in _BOX_FIELDS):
            facts.append((name, " × ".join(map(str, shape)) + _numbers(found.values.get(name, ()))))
    for name, tokens in found.tokens.items():
        title = translate("Samples", "{name}, tokens").format(name=name)
        facts.append((title, " · ".join(token.text for token in tokens)))
    return DetailsView(
        title=translate("Samples", "Sample {number}").format(number=f"{found.index:,}"),
        facts=tuple(facts),
        pictures=_detail_pictures(found.pictures),
        texts=tuple(long),
        problem=sentence(found.problems[0], language) if found.problems else "",
        has_file=bool(found.files),
        is_played=any(PurePath(file).suffix.lower() in MEDIA_STARTS for file in found.files[:1]),
    )


def _box_facts(found: SampleDetails) -> list[tuple[str, str]]:
    """Return the boxes of a sample as the model gets them, by the names of their classes."""
    classes = next((each.classes for each in found.pictures if each.kind == "image"), ())
    corners, labels = (found.values.get(name, ()) for name in _BOX_FIELDS[:2])
    rows = [corners[at : at + 4] for at in range(0, len(corners), 4)]
    pairs = list(zip(labels, rows, strict=False))[:_FEW] if classes else []
    return [
        (
            classes[int(label)] if 0 <= label < len(classes) else f"{label:g}",
            f"{left:.4g}, {top:.4g} – {right:.4g}, {bottom:.4g}",
        )
        for label, (left, top, right, bottom) in pairs
    ]


def _detail_pictures(pictures: Sequence[SamplePicture]) -> tuple[tuple[str, ImageView], ...]:
    """Return the pictures of a sample by field, a mask over the first of them."""
    first = _first_picture(pictures)
    others = ((each.field, picture_view(each)) for each in pictures[1:] if each.kind == "image")
    return () if first is None else ((pictures[0].field, first), *others)


def _numbers(values: Sequence[float]) -> str:
    """Return the first of the numbers of a field."""
    if not values:
        return ""
    more = " …" if len(values) > _FEW else ""
    return ": " + " ".join(f"{value:.4g}" for value in values[:_FEW]) + more


def present_plane(
    listed: SampleColumns, rows: Sequence[SampleRow], classes: tuple[str, ...]
) -> PointsView | None:
    """Return samples as points of the plane, where the model reads two numbers and nothing else;
    ``classes`` are those of the target, empty where that is a number.
    """
    plane = plane_columns(listed)
    if plane is None:
        return None
    target = _label_at(listed)
    cells = [[row.cells[at] for at in plane] for row in rows]
    xy = np.array([[_number(cell) for cell in pair] for pair in cells], np.float64).reshape(-1, 2)
    targets = [None if target is None else row.cells[target] for row in rows]
    numbers = None
    if target is not None and listed.columns[target].kind == "number":
        numbers = np.array([_number(cell) for cell in targets], np.float64)
        classes = ()
    places = {name: at for at, name in enumerate(classes)}
    return PointsView(
        xy=xy,
        classes=np.array([places.get(_text(cell), 0) for cell in targets], np.int64),
        numbers=numbers,
        span=None if numbers is None or not len(numbers) else finite_bounds(numbers),
        labels=classes,
        x_label=listed.columns[plane[0]].name,
        y_label=listed.columns[plane[1]].name,
    )


def as_text(listed: SampleColumns, rows: Sequence[SampleRow]) -> str:
    """Return samples as lines of a table, columns parted by tabs."""
    lines = ["\t".join(column_title(column) for column in listed.columns)]
    lines += ["\t".join(map(_plain, row.cells)) for row in rows]
    return "\n".join(lines) + "\n"


def cell_text(column: SampleColumn, cell: Cell) -> str:
    """Return a cell in words."""
    if column.kind == "size" and isinstance(cell, int | float):
        return size_text(cell)
    if column.key == PART:
        return _part_title(cell)
    if column.kind in ("edit", "truth") and isinstance(cell, str):
        return value_title(column.key, cell)
    return never_title() if is_never(column, cell) else _text(cell)


def _plain(cell: Cell) -> str:
    return _text(cell).replace("\t", " ").replace("\n", " ")


def _column(column: SampleColumn) -> ColumnView:
    kinds = {"number": "number", "size": "size", "series": "trend"}
    roles = {
        "input": translate("Samples", "An input of the model"),
        "target": translate("Samples", "What the model has to predict"),
        "weight": translate("Samples", "How much the loss of the sample counts"),
    }
    is_text = column.kind == "text"
    help_text = roles.get(column.role, "")
    own = {
        EDIT: translate("Samples", "How you changed the sample; its file stays as it is"),
        LOSS: translate(
            "Samples",
            "What the sample alone costs the trained model; high for hard samples and wrong labels",
        ),
        PREDICTION: translate("Samples", "What the trained model predicts"),
        CONFIDENCE: translate("Samples", "The probability that the model gives to its prediction"),
        CORRECT: translate("Samples", "Whether the prediction is the label"),
        IOU: translate("Samples", "How well the predicted mask covers the true one, from 0 to 1"),
        LEARNED: translate(
            "Samples",
            "The step from which on every prediction of the training was right; “never” if the "
            "last one was wrong. Training samples only. High for hard samples and wrong labels.",
        ),
    }
    key = PREDICTION if predicted_number(column.key) else column.key
    help_text = own.get(key, help_text)
    if not column.is_cheap:
        known = translate("Samples", "Its values are only known when a sample is read.")
        help_text = f"{help_text}\n{known}".strip()
    return ColumnView(
        key=column.key,
        title=column_title(column),
        kind="count" if column.key in (INDEX, LEARNED) else kinds.get(column.kind, "text"),  # pyright: ignore[reportArgumentType]
        help=help_text,
        width=30 if column.kind == "series" else 0,
        is_elastic=is_text and column.role != "",
    )


def _label_at(listed: SampleColumns) -> int | None:
    """Return the column of the target: that with categories before others; no files of masks."""
    targets = [at for at, column in enumerate(listed.columns) if column.role == "target"]
    named = [at for at in targets if listed.columns[at].kind == "category"]
    plain = [at for at in targets if listed.columns[at].kind == "number"]
    written = [at for at in targets if _is_sentence(listed, at)]
    return next(iter((*named, *plain, *written)), None)


def _told_below(listed: SampleColumns) -> int | None:
    """Return the column that stands below the pictures: none where the target is several numbers,
    of which the first alone says nothing.
    """
    columns = [column for column in listed.columns if column.role == "target"]
    at = _label_at(listed)
    is_one_of_many = len([column for column in columns if column.kind == "number"]) > 1
    is_number = at is not None and listed.columns[at].kind == "number"
    return None if is_number and is_one_of_many else at


def _is_sentence(listed: SampleColumns, at: int) -> bool:
    column = listed.columns[at]
    return column.kind == "text" and column.name not in listed.pictures


def _shown(column: SampleColumn, cell: Cell) -> tables.Cell:
    if column.key == PART:
        return _part_title(cell)
    if column.kind in ("edit", "truth") and isinstance(cell, str):
        return value_title(column.key, cell)
    if isinstance(cell, tuple):
        return Trend.of(cell[-1], cell) if cell else None
    if is_never(column, cell):
        return never_title()
    return one_line(cell) if isinstance(cell, str) else cell


def _part_title(cell: Cell) -> str:
    return split_title(cell) if isinstance(cell, str) else translate("Samples", "none")


def _first_picture(pictures: Sequence[SamplePicture]) -> ImageView | None:
    """Return the first picture of a sample, with its mask, boxes or points over it, where known."""
    if not pictures:
        return None
    # What is to be predicted stands behind what the model is given.
    mask = next((each for each in reversed(pictures) if each.kind == "mask"), None)
    first, view = pictures[0], picture_view(pictures[0])
    if first.kind == "image" and first.classes:
        corners = np.asarray(first.boxes, np.float64).reshape(-1, 4)
        numbers = np.asarray(first.labels, np.int64)
        overlay = BoxView(
            classes=first.classes, corners=corners, numbers=numbers, shapes=_shapes(first)
        )
        return replace(view, overlay=overlay)
    if first.points:
        return replace(view, overlay=_points(first))
    if mask is None or mask is first:
        return view
    numbers = np.frombuffer(mask.pixels, np.uint8).reshape(mask.height, mask.width)
    truth = np.where(numbers == _NO_CLASS, -1, numbers.astype(np.int16))
    return replace(view, overlay=MaskView(classes=mask.classes, truth=truth))


def _points(picture: SamplePicture) -> KeypointView:
    return keypoint_view(
        picture.names, truth=[value for point in picture.points for value in point]
    )


def _shapes(picture: SamplePicture) -> NDArray[np.uint8] | None:
    """Return which box each pixel of a picture belongs to, where that is known."""
    if not picture.shapes:
        return None
    return np.frombuffer(picture.shapes, np.uint8).reshape(picture.height, picture.width)


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, tuple):
        return " ".join(f"{number:.6g}" for number in cell)
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


def _short(column: SampleColumn, cell: Cell) -> str:
    return short_number(_text(cell)) if column.kind == "number" else _text(cell)


def _number(cell: Cell) -> float:
    try:
        return float(cell)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError):
        return float("nan")
