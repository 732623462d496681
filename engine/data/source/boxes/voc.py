"""Reader of Pascal VOC: an XML file a picture, with an ``object`` for each box.

Of strangers' XML only elements and their text are read: no entity is defined or resolved, nothing
is fetched, and depth, size and number are bounded.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.parsers import expat

from engine.data.source.boxes.found import (
    FoundBoxes,
    NamedPicture,
    damaged,
    malformed,
    numbers_of,
    read_boxes,
)
from engine.diagnostics import DiagnosticError

MOST_BYTES = 16 << 20
VocOrigin = Literal["auto", "one", "zero"]
VOC_ORIGINS: tuple[VocOrigin, ...] = ("auto", "one", "zero")
"""What corners count from: found from all boxes, 1 with the last pixel inside, or 0."""

_DEEPEST = 16
_LONGEST_TEXT = 4096
_MOST_OBJECTS = 100_000
_SIDES = ("xmin", "ymin", "xmax", "ymax")
_LARGEST = 1 << 20  # pixels


@dataclass
class _Object:
    name: str = ""
    sides: dict[str, str] = field(default_factory=dict[str, str])
    line: int = 0


@dataclass
class _Annotation:
    """What is read of a file: ``line`` is where the parser is."""

    file: Path
    size: dict[str, str] = field(default_factory=dict[str, str])
    objects: list[_Object] = field(default_factory=list[_Object])
    file_name: str = ""
    _path: list[str] = field(default_factory=list[str])
    _text: str = ""

    def read(self, content: bytes) -> None:
        """Parse the content of the file."""
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        parser.CharacterDataHandler = self._add_text
        parser.StartElementHandler = lambda name, _: self._start(parser, name)
        parser.EndElementHandler = lambda _: self._end(parser)
        try:
            parser.Parse(content, True)  # noqa: FBT003 - expat's way to say that this is all
        except expat.ExpatError as error:
            raise malformed(self.file, error.lineno, str(error)) from error
        except (ValueError, LookupError) as error:  # an encoding that there is not
            raise malformed(self.file, 1, str(error)) from error

    def _refuse(self, *_: object) -> None:
        raise DiagnosticError.of("D300", field="data.source.boxes", file=str(self.file))

    def _start(self, parser: expat.XMLParserType, name: str) -> None:
        self._path.append(name)
        self._text = ""
        if len(self._path) > _DEEPEST:
            raise damaged(self.file, parser.CurrentLineNumber, f"<{name}>")
        if self._path[1:] == ["object"]:
            self.objects.append(_Object(line=parser.CurrentLineNumber))
            if len(self.objects) > _MOST_OBJECTS:
                raise damaged(self.file, parser.CurrentLineNumber, f"> {_MOST_OBJECTS} <object>")

    def _add_text(self, text: str) -> None:
        if len(self._text) < _LONGEST_TEXT:
            self._text += text

    def _end(self, parser: expat.XMLParserType) -> None:
        text = self._text.strip()
        match self._path[1:]:
            case ["filename"]:
                self.file_name = text
            case ["size", side]:
                self.size[side] = text
            case ["object", "name"]:
                self.objects[-1].name = text
            case ["object", "bndbox", side]:
                self.objects[-1].sides[side] = text
                self.objects[-1].line = parser.CurrentLineNumber
            case _:
                pass
        self._path.pop()
        self._text = ""


def read_voc(
    files: Iterable[tuple[Path, str]], found: FoundBoxes, origin: VocOrigin = "auto"
) -> None:
    """Take the boxes of files in; each is named by its path below the data, with slashes.

    Pascal VOC counts pixels from 1 and names the last one inside, other programs write corners
    counted from 0: where ``origin`` says neither, they are corners if a box of any file begins at 0
    or has a fraction.

    Raises :class:`DiagnosticError`: D288 for a line that is no box, D402 for what is no XML, D300
    for one that defines entities; what :func:`~engine.data.source.boxes.found.read_boxes` does.
    """
    first, counts_from_one = len(found.corners), True
    for file, name in files:
        annotation = _Annotation(file)
        annotation.read(read_boxes(file, MOST_BYTES))
        size = (_pixels(annotation.size.get("height")), _pixels(annotation.size.get("width")))
        called = annotation.file_name or name.rpartition("/")[2]
        picture = found.add_picture(NamedPicture(called, name, size))
        for each in annotation.objects:
            missing = next((side for side in _SIDES if side not in each.sides), None)
            if missing or not each.name:
                raise damaged(file, each.line, f"<{missing or 'name'}>")
            corners = numbers_of((each.sides[side] for side in _SIDES), file, each.line)
            counts_from_one &= min(corners[:2]) >= 1 and all(map(float.is_integer, corners))
            found.add_box(picture, corners, found.label_of(each.name))
    if counts_from_one if origin == "auto" else origin == "one":
        for at in range(first, len(found.corners), 4):
            found.corners[at] -= 1
            found.corners[at + 1] -= 1


def _pixels(text: str | None) -> int:
    value = (text or "").strip()
    return int(value) if value.isdecimal() and len(value) < 8 and int(value) < _LARGEST else 0
