"""Samples of a report as what they are: pictures, texts, rows of a table."""

import base64
from collections.abc import Sequence

import numpy as np

from engine.files.png import png_bytes
from engine.query.results.mask_sample import MaskSample
from engine.query.results.request import BoxSample, ResultReport, SequenceSample
from engine.report.content import RunResults
from engine.report.wording import Words, html, number_text
from engine.spec.data import FieldInfo, SampleView

_MOST_CELLS = 12
_MOST_LETTERS = 400
_SHOWN_SIDE = 120  # pixels on the page
_PICTURE_AXES = 3
_LIKELY = 0.5  # of a box that is drawn
_FEW = 4  # numbers of a sample that has many
_BOX_COLORS = ((11, 117, 109), (194, 87, 26))  # true, found
_MASK_COLORS = tuple((37 * n % 200 + 55, 91 * n % 200 + 40, 151 * n % 200 + 30) for n in range(256))

Size = tuple[int, int, int]
"""Height, width and channels."""


def sample_table(results: RunResults, words: Words) -> str:
    """Return the worst samples as a table, a row for each."""
    report, samples = results.report, results.samples
    if report is None or samples is None or not results.numbers:
        return ""
    rows = [
        (html(sample.index), *_cells(report, number, sample, words), _loss(report, number))
        for number, sample in zip(results.numbers, samples.samples, strict=False)
    ]
    heads = [words("No."), words("Sample"), words("Target"), words("Prediction"), words("Loss")]
    head = "".join(f"<th>{each}</th>" for each in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<table class="samples"><tr>{head}</tr>{body}</table>'


Sample = SampleView | MaskSample | BoxSample | SequenceSample


def _cells(report: ResultReport, number: int, sample: Sample, words: Words) -> tuple[str, str, str]:
    """Return what a sample is, what is true of it and what is predicted, as HTML."""
    match sample:
        case SampleView():
            true = _value(report, report.targets, number)
            found = _value(report, report.predictions, number) + _chance(report, number)
            return _look(report.fields, sample), true, found
        case SequenceSample():
            picture = f"{_image(*_planes(sample))}<br>" if sample.pixels else ""
            predicted = sample.written or sample.prediction
            return picture + _text(sample.text), _text(sample.truth), _text(predicted)
        case MaskSample():
            true = _image(*_mask(sample.truth, sample.size))
            found = _image(*_mask(sample.prediction, sample.size))
            iou = words("IoU {value}", value=number_text(report.ious[number]))
            return _image(*_planes(sample)), true, f"{found}<br>{iou}"
        case BoxSample():
            pixels, size = _planes(sample)
            likely = [box.corners for box in sample.found if box.score >= _LIKELY]
            true = _boxed(pixels, size, [box.corners for box in sample.truth], 0)
            found = _boxed(pixels, size, likely, 1)
            return _image(pixels, size), _image(true, size, 3), _image(found, size, 3)


def _look(fields: Sequence[FieldInfo], sample: SampleView) -> str:
    """Return the inputs of a sample: its picture, its text, or its row."""
    parts: list[str] = []
    for field in fields:
        if field.role != "input":
            continue
        picture = _picture(field, sample)
        if picture:
            parts.append(picture)
        elif field.name in sample.texts:
            parts.append(_text(sample.texts[field.name]))
        elif not sample.row and field.name in sample.values:
            values = sample.values[field.name]
            names = field.columns or (field.name,) * len(values)
            told = [
                f"{html(name)} = {html(number_text(value))}"
                for name, value in zip(names[:_MOST_CELLS], values[:_MOST_CELLS], strict=False)
            ]
            parts.append(", ".join(told) + (", …" if len(values) > _MOST_CELLS else ""))
    cells = [
        f"{html(name)} = {html(_cell(value))}" for name, value in sample.row.items() if value != ""
    ]
    if cells:
        parts.append(", ".join(cells[:_MOST_CELLS]) + (", …" if len(cells) > _MOST_CELLS else ""))
    return "<br>".join(parts)


def _cell(value: float | str | None) -> str:
    return number_text(value) if isinstance(value, int | float) else value or "–"


def _picture(field: FieldInfo, sample: SampleView) -> str:
    """Return a field as a picture, where it is one."""
    given = sample.pictures.get(field.name)
    if given is not None:
        values = np.frombuffer(given.content, np.dtype(given.dtype)).reshape(given.shape)
    elif field.kind == "image" and field.name in sample.values:
        values = np.asarray(sample.values[field.name], np.float32)
        if len(field.shape) != _PICTURE_AXES or min(field.shape) < 1:
            return ""
        values = values.reshape(field.shape)
    else:
        return ""
    values = values if len(values) in (1, 3) else values[:1]
    if values.dtype != np.uint8:
        values = np.nan_to_num(values)
        low, high = float(values.min()), float(values.max())
        low, high = (0.0, 1.0) if low >= 0 and high <= 1 else (low, max(high, low + 1e-12))
        values = ((values - low) / (high - low) * 255).round().astype(np.uint8)
    channels, height, width = values.shape
    return _image(values.transpose(1, 2, 0).tobytes(), (height, width, channels))


def _image(pixels: bytes, size: Size, channels: int = 0) -> str:
    """Return a picture whose pixels stand row by row, enlarged where it is small."""
    height, width, kept = size
    png = base64.b64encode(png_bytes(pixels, (height, width, channels or kept))).decode()
    shown = round(_SHOWN_SIDE * width / max(height, width, 1))
    return f'<img alt="" width="{max(shown, 1)}" src="data:image/png;base64,{png}">'


def _planes(sample: MaskSample | BoxSample | SequenceSample) -> tuple[bytes, Size]:
    """Return the pixels of a sample, which stand channel by channel, row by row."""
    channels, height, width = sample.picture_size
    array = np.frombuffer(sample.pixels, np.uint8).reshape(channels, height, width)
    return array.transpose(1, 2, 0).tobytes(), (height, width, channels)


def _mask(classes: bytes, size: tuple[int, int]) -> tuple[bytes, Size]:
    """Return the classes of pixels as colors: none is black."""
    numbers = np.frombuffer(classes, np.int16)
    table = np.asarray(_MASK_COLORS, np.uint8)
    colors = np.where(numbers[:, None] < 0, 0, table[numbers % len(table)])
    return colors.astype(np.uint8).tobytes(), (*size, 3)


def _boxed(pixels: bytes, size: Size, corners: Sequence[Sequence[float]], kind: int) -> bytes:
    """Return a picture with boxes around what is in it."""
    height, width, channels = size
    picture = np.frombuffer(pixels, np.uint8).reshape(size)
    picture = np.repeat(picture, 3, axis=2) if channels == 1 else picture.copy()
    for left, top, right, bottom in corners:
        x1, x2 = (min(max(round(x * width), 0), width - 1) for x in (left, right))
        y1, y2 = (min(max(round(y * height), 0), height - 1) for y in (top, bottom))
        picture[y1 : y2 + 1, [x1, x2]] = _BOX_COLORS[kind]
        picture[[y1, y2], x1 : x2 + 1] = _BOX_COLORS[kind]
    return picture.tobytes()


def _text(text: str) -> str:
    return html(text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…")


def _value(report: ResultReport, values: Sequence[float], number: int) -> str:
    """Return a target or a prediction: the name of the class, or the numbers."""
    if not values:
        return ""
    if report.task != "regression":
        return html(report.classes[int(values[number])])
    own = values[number * report.outputs : (number + 1) * report.outputs]
    names = report.names if len(report.names) == len(own) else ()
    told = [
        f"{html(names[at])} = {html(number_text(value))}" if names else html(number_text(value))
        for at, value in enumerate(own[: max(len(names), _FEW)])
    ]
    return ", ".join(told[:_MOST_CELLS]) + (", …" if len(told) < len(own) else "")


def _chance(report: ResultReport, number: int) -> str:
    return f" ({report.chances[number]:.0%})" if report.chances else ""


def _loss(report: ResultReport, number: int) -> str:
    return html(number_text(report.losses[number])) if number < len(report.losses) else ""
