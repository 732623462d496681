"""Reader of YOLO: a text file a picture, with a line for each box."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from engine.data.source.boxes.found import (
    MOST_CLASSES,
    FoundBoxes,
    NamedPicture,
    damaged,
    numbers_of,
    read_boxes,
)
from engine.diagnostics import DiagnosticError
from engine.files import read_file

MOST_BYTES = 16 << 20
NAME_FILES = ("data.yaml", "data.yml", "dataset.yaml", "dataset.yml")
"""What a file of YOLO's settings is called."""

LIST_FILES = ("classes.txt", "obj.names", "predefined_classes.txt", "classes.names", "labels.txt")
"""What a list of class names is called."""

_LONGEST_SETTINGS = 4 << 20
_BOX, _RATED, _LEAST_OUTLINE = 5, 6, 7  # words of a line: a box, one with a confidence, an outline
_ENTRY = re.compile(r"\s+(?:-|(\d{1,6})\s*:)\s*(\S.*)")


def read_yolo(files: Iterable[tuple[Path, str]], names: Sequence[str], found: FoundBoxes) -> None:
    """Take the boxes of files in; each is named by its path below the data, with slashes. A line is
    a class number with the center, width and height of a box as shares of the picture, or with the
    corners of an outline, around which the box is drawn. ``names`` are those of the classes; empty
    for their numbers.

    Raises :class:`DiagnosticError`: D288 for a line that is no box, D302 for a class that has no
    name; what :func:`~engine.data.source.boxes.found.read_boxes` does.
    """
    for number, name in enumerate(names):  # of two with one name the second has its number added
        unique = name if name not in found.classes else f"{name} ({number})"
        found.label_of(unique)
    highest = -1
    for file, name in files:
        text = read_boxes(file, MOST_BYTES).decode("utf-8-sig", "replace")
        picture = found.add_picture(NamedPicture(name.rpartition("/")[2], name))
        for line, words in _rows(text):
            label = _label(words[0], names, file, line)
            highest = max(highest, label)
            found.add_box(picture, _corners(words, file, line), label)
    if not names:
        for number in range(highest + 1):
            found.label_of(str(number))


def class_names(folders: Sequence[Path]) -> tuple[str, ...]:
    """Return the names of classes that stand in a file in one of some folders; none without one."""
    for folder in folders:
        for name in NAME_FILES:
            names = yaml_names(_text(folder / name))
            if names:
                return names
        for name in LIST_FILES:
            lines = [line.strip() for line in _text(folder / name).splitlines()]
            names = tuple(line for line in lines if line)
            if names and not any(is_box(line.split()) for line in names):
                return names[:MOST_CLASSES]
    return ()


def yaml_names(text: str) -> tuple[str, ...]:
    """Return the entry ``names`` of YOLO's settings: a list or a table of numbers, on one line or
    on several. Nothing else of the text is read.
    """
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if re.match(r"names\s*:", line)), None)
    if start is None:
        return ()
    head = lines[start].partition(":")[2].strip()
    if head[:1] in ("[", "{"):
        joined = " ".join([head, *(line.strip() for line in lines[start + 1 :])])
        inner = joined[1 : joined.find("]" if head[0] == "[" else "}") % (len(joined) + 1)]
        entries = [_split(each, is_table=head[0] == "{") for each in _between_commas(inner)]
    else:
        entries = list(_listed(lines[start + 1 :]))
    names = [(at if number is None else number, name) for at, (number, name) in enumerate(entries)]
    known = {number: name for number, name in names if number < MOST_CLASSES}
    return tuple(known.get(number, str(number)) for number in range(max(known, default=-1) + 1))


def is_box(words: Sequence[str]) -> bool:
    """Return whether the words of a line are a class number and a box or an outline."""
    if not (words and words[0].isdecimal() and _is_length(len(words))):
        return False
    try:
        return all(math.isfinite(float(word)) for word in words[1:])
    except ValueError:
        return False


def _listed(lines: Sequence[str]) -> Iterator[tuple[int | None, str]]:
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        entry = _ENTRY.match(line if line[:1] != "-" else f" {line}")
        if entry is None:
            return
        yield (int(entry[1]) if entry[1] else None), _bare(entry[2])


def _split(entry: str, *, is_table: bool) -> tuple[int | None, str]:
    number, colon, name = entry.partition(":")
    if is_table and colon and number.strip().isdecimal() and len(number.strip()) < 7:
        return int(number), _bare(name)
    return None, _bare(entry)


def _between_commas(text: str) -> Iterator[str]:
    """Yield the entries between commas that are not in quotation marks."""
    for match in re.finditer(r"""(?:"[^"]*"|'(?:[^']|'')*'|[^,"'])+""", text):
        if match[0].strip():
            yield match[0]


def _bare(text: str) -> str:
    """Return a text without quotation marks, or without the remark behind it."""
    text = text.strip()
    quote = text[:1]
    if quote in ("'", '"') and text.find(quote, 1) > 0:
        return text[1 : text.rfind(quote)].replace("''", "'")
    return re.sub(r"\s+#.*", "", text).strip()


def _text(file: Path) -> str:
    try:
        return read_file(file, _LONGEST_SETTINGS).decode("utf-8-sig", "replace")
    except (OSError, ValueError):
        return ""


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if words:
            yield number, words


def _label(word: str, names: Sequence[str], file: Path, line: int) -> int:
    value = numbers_of((word,), file, line)[0]
    most = len(names) or MOST_CLASSES
    if not value.is_integer() or value < 0:
        raise damaged(file, line, f"“{word}”")
    if value >= most:
        raise DiagnosticError.of(
            "D302", field="data.source.boxes", file=str(file), line=line, value=word, classes=most
        )
    return int(value)


def _corners(words: Sequence[str], file: Path, line: int) -> tuple[float, float, float, float]:
    if not _is_length(len(words)):
        raise damaged(file, line, " ".join(words))
    values = numbers_of(words[1:], file, line)
    if len(words) >= _LEAST_OUTLINE:
        across, down = values[::2], values[1::2]
        return min(across), min(down), max(across), max(down)
    x, y, width, height = values[:4]
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _is_length(count: int) -> bool:
    return count in (_BOX, _RATED) or (count >= _LEAST_OUTLINE and count % 2 == 1)
