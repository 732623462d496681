"""What a request to a prediction service holds: each input as people and programs name it."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence

from engine.data.load.form_lookup import stored_white, white_of
from engine.data.load.load import LoadedData
from engine.data.read.file_form import ArrayForm
from engine.data.read.mask_form import MaskForm
from engine.data.read.picture_form import PictureForm
from engine.data.read.row import MISSING_NAME, NumberCell
from engine.data.read.sound import SoundForm
from engine.data.read.video import VideoForm
from engine.data.source.array_form import RowsForm
from engine.data.source.row_form import RowForm
from engine.data.source.stored_picture import picture_form
from engine.export.read_text import InputReading

_FILES: Mapping[type, str] = {
    PictureForm: "picture",
    MaskForm: "mask",
    SoundForm: "sound",
    VideoForm: "video",
    ArrayForm: "array",
}
_MOST_CHOICES = 500

ServiceField = dict[str, object]
"""A field as ``service.json`` has it: its name, ``kind``, whether it is a file, whether it is
required, and what else its kind tells.
"""


def service_fields(
    readings: Sequence[InputReading], data: LoadedData | None
) -> tuple[ServiceField, ...]:
    """Return what a sample is made of, in order: an entry for each input, and of a table for each
    column. ``data`` tell how a picture becomes one that is stored as numbers.
    """
    found: dict[str, ServiceField] = {}
    for reading in readings:
        if reading.axes:
            continue
        form = reading.form
        fields = _cells(form) if isinstance(form, RowForm) else iter((_field(reading, data),))
        for field in fields:
            found.setdefault(str(field["name"]), field)
    return tuple(found.values())


def curl_example(fields: Sequence[ServiceField]) -> str:
    """Return a command that asks a service at ``{url}``."""
    url = "{url}/predict"
    files = [field["is_file"] or bool(field.get("picture")) for field in fields]
    if any(files):
        given = (
            f"{field['name']}={'@FILE' if is_file else _example(field)}"
            for field, is_file in zip(fields, files, strict=True)
        )
        return f"curl {' '.join(f'-F {shlex.quote(each)}' for each in given)} {url}"
    sample = {str(field["name"]): _example(field) for field in fields}
    content = json.dumps(sample, ensure_ascii=False)
    return f"curl -H 'Content-Type: application/json' -d {shlex.quote(content)} {url}"


def _field(reading: InputReading, data: LoadedData | None) -> ServiceField:
    kind = _FILES.get(type(reading.form), "text" if reading.is_text else "numbers")
    field: ServiceField = {
        "name": reading.key,
        "kind": kind,
        "is_file": kind in _FILES.values(),
        "is_required": True,
        "is_drawn": isinstance(reading.form, PictureForm) and reading.form.mode == "gray",
    }
    if kind != "numbers":
        encoding = {"contentEncoding": "base64"} if field["is_file"] else {}
        return {**field, "schema": {"type": "string", **encoding}}
    shape = reading.field.shape
    schema: dict[str, object] = {"type": "number"}
    for size in reversed(shape):
        sizes = {} if size < 0 else {"minItems": size, "maxItems": size}
        schema = {"type": "array", "items": schema, **sizes}
    is_strict = not isinstance(reading.form, RowsForm)  # one of an array is put into shape
    picture = None if data is None else _picture(reading, data)
    schema = schema if is_strict else {"type": "array"}
    encoded = {"type": "string", "contentEncoding": "base64"}
    return {
        **field,
        "shape": list(shape),
        "is_strict": is_strict,
        "columns": list(reading.columns),
        "picture": picture,
        "is_drawn": bool(picture) and picture["mode"] == "L",
        "schema": {"anyOf": [schema, encoded]} if picture else schema,
    }


def _picture(reading: InputReading, data: LoadedData) -> dict[str, object] | None:
    """Return how a picture becomes the numbers of an input; None for what is no picture."""
    form = picture_form(reading.field)
    if form is None:
        return None
    name, is_channels_last = reading.field.name, False
    white = stored_white(data.source, name)
    if white is None:
        white = white_of(data.examples("train", 1)[name])
    if isinstance(reading.form, RowsForm):
        white, is_channels_last = white * reading.form.scale, reading.form.is_channels_last
    mode = "L" if form.mode == "gray" else "RGB"
    return {"mode": mode, "size": form.size, "white": white, "channels_last": is_channels_last}


def _cells(form: RowForm) -> Iterator[ServiceField]:
    for column, kind in form.kinds.items():
        numbers = [
            cell for cell in form.features if isinstance(cell, NumberCell) and cell.column == column
        ]
        choices = [each for each in form.choices(column) if each != MISSING_NAME]
        schema: dict[str, object] = {"type": ["string", "number", "null"]}
        yield {
            "name": column,
            "kind": "cell",
            "of": "number" if any(cell.kind == "number" for cell in numbers) else kind,
            "choices": choices if len(choices) <= _MOST_CHOICES else [],
            "is_file": False,
            "is_required": any(cell.fill is None for cell in numbers),
            "schema": schema | ({"examples": choices[:3]} if choices else {}),
        }


def _example(field: ServiceField) -> object:
    match field["kind"]:
        case "cell":
            choices = field["choices"]
            assert isinstance(choices, list)
            return choices[0] if choices else 1 if field["of"] == "number" else ""
        case "numbers":
            shape = field["shape"]
            assert isinstance(shape, list)
            example: object = 0
            for size in reversed(shape):
                example = [example] * (2 if size < 0 else min(size, 3))
            return example
        case _:
            return "TEXT"
