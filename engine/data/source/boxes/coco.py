"""Reader of COCO: a JSON file with pictures, categories and annotations."""

import json
import re
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import msgspec

from engine.data.read.listening import tell_progress
from engine.data.source.boxes.found import (
    TOLD_ROWS,
    FoundBoxes,
    NamedPicture,
    damaged,
    line_of,
    malformed,
    read_boxes,
)
from engine.data.source.boxes.outlines import box_around
from engine.decoding import decode_json

MOST_BYTES = 2 << 30
_POSITION = re.compile(r"\(byte (\d+)\)")
_NO_NUMBERS = (b"NaN", b"Infinity")  # as Python writes what is no number
_CORNERS = 4

_Id = int | str


class _Image(msgspec.Struct, gc=False):
    id: _Id
    file_name: str
    width: float = 0
    height: float = 0


class _Category(msgspec.Struct, gc=False):
    id: _Id
    name: str
    supercategory: str | None = ""


class _Annotation(msgspec.Struct, gc=False):
    image_id: _Id
    category_id: _Id
    bbox: list[float | None] | None = None
    iscrowd: int | bool | None = 0


class _Outlined(_Annotation, gc=False):
    segmentation: msgspec.Raw = msgspec.Raw(b"null")


class _Document(msgspec.Struct):
    images: list[_Image]
    annotations: list[_Annotation]
    categories: list[_Category]


class _OutlinedDocument(_Document):
    annotations: list[_Outlined]  # pyright: ignore[reportIncompatibleVariableOverride] - never changed


def read_coco(file: Path, path: str, found: FoundBoxes) -> None:
    """Take the boxes of a file in, whose path below the data is ``path``: x, y, width and height in
    pixels. Boxes around a crowd are counted and left out; where an annotation has no box, or one of
    what is no number, it is the one around its outline, and without one it is counted. Outlines are
    kept where they are asked for.

    Raises :class:`DiagnosticError`: D301 for what is no such document, D402 for what is no JSON;
    what :func:`~engine.data.source.boxes.found.read_boxes` does.
    """
    document = _decoded(file, _Document if found.outlines is None else _OutlinedDocument)
    if found.outlines is None and any(_lacks_box(each) for each in document.annotations):
        document = _decoded(file, _OutlinedDocument)
    labels = _labels(document, found)
    pictures: dict[_Id, int] = {}
    for image in document.images:
        size = (_pixels(image.height), _pixels(image.width))
        pictures[image.id] = found.add_picture(NamedPicture(image.file_name, path, size))
    count = len(document.annotations)
    for number, each in enumerate(document.annotations):
        if number % TOLD_ROWS == 0:
            tell_progress(file, number, "rows", count)
        picture, label = pictures.get(each.image_id), labels.get(each.category_id)
        if picture is None or label is None or (each.bbox and len(each.bbox) != _CORNERS):
            name, value = "bbox", str(each.bbox)
            if picture is None:
                name, value = "image_id", str(each.image_id)
            elif label is None:
                name, value = "category_id", str(each.category_id)
            raise damaged(file, 0, f"annotations[{number}].{name} = {value}")
        if each.iscrowd:
            found.crowds = found.crowds.plus(found.pictures[picture].name)
            continue
        corners = _corners(each)
        if corners is None:
            found.boxless = found.boxless.plus(found.pictures[picture].name)
            continue
        found.add_box(picture, corners, label)
        if isinstance(each, _Outlined):
            found.add_outline(bytes(each.segmentation))


def _corners(each: _Annotation) -> Sequence[float] | None:
    """Return left, top, right and bottom of an annotation; None where it has neither a box of
    numbers nor an outline.
    """
    box = [] if _lacks_box(each) else [value for value in each.bbox or () if value is not None]
    if box:
        left, top, width, height = box
        return left, top, left + width, top + height
    return box_around(bytes(each.segmentation)) if isinstance(each, _Outlined) else None


def _lacks_box(each: _Annotation) -> bool:
    """Return whether an annotation has no box, or one of what is no number."""
    return not each.bbox or any(value is None or not isfinite(value) for value in each.bbox)


def _decoded(file: Path, kind: type[_Document]) -> _Document:
    content = read_boxes(file, MOST_BYTES).removeprefix(b"\xef\xbb\xbf")
    try:
        return decode_json(_with_nulls(content), kind)
    except (msgspec.ValidationError, RecursionError, MemoryError) as error:
        raise damaged(file, 0, str(error) or type(error).__name__) from error
    except (msgspec.MsgspecError, UnicodeError) as error:
        reason = str(error)
        position = _POSITION.search(reason)
        line = line_of(content, int(position[1]) if position else len(content.rstrip()))
        raise malformed(file, line, reason) from error


def _with_nulls(content: bytes) -> bytes:
    """Return JSON with nothing for each number that is none, which Python writes as NaN: the
    same content where there is no such, or it is no JSON.
    """
    if not any(word in content for word in _NO_NUMBERS):
        return content
    try:
        return msgspec.json.encode(json.loads(content, parse_constant=lambda _: None))
    except (ValueError, RecursionError):
        return content  # whoever decodes it says what is wrong


def _labels(document: _Document, found: FoundBoxes) -> dict[_Id, int]:
    """Return the class of each id: in the order of the ids, of several files by their names."""

    def place(category: _Category) -> tuple[bool, int, str]:
        is_text = isinstance(category.id, str)
        return is_text, 0 if isinstance(category.id, str) else category.id, str(category.id)

    ordered = sorted(document.categories, key=place)
    used = {each.category_id for each in document.annotations}
    # Some programs add a category above all others, which has no boxes.
    above = {each.supercategory for each in ordered}
    kept = [each for each in ordered if each.id in used or each.name not in above]
    return {each.id: found.label_of(each.name) for each in kept}


def _pixels(value: float) -> int:
    return int(value) if 0 < value < 1 << 20 else 0
