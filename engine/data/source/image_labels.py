"""Tables and lists of labels beside pictures: a row a picture, with the name of its file and its
label.
"""

import csv
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from engine.data.read.column_name import words_in
from engine.data.read.csv_format import delimiter_of, plain_rows
from engine.data.read.encoding import decoded_start
from engine.data.read.picture_suffix import SUFFIXES
from engine.data.read.text import decoded
from engine.diagnostics import DiagnosticError
from engine.files import is_file, is_folder, open_file, read_file

MOST_BYTES = 256 << 20
_SAMPLE = 1 << 16  # bytes that the encoding is taken from
_FILE_WORDS = (
    "file filename file_name filepath file_path image image_id image_name image_path img img_name"
    " path name id picture photo audio sound wav clip recording video movie 文件 文件名 图片"
)
_MEDIA = frozenset(
    ("file", "image", "img", "picture", "photo", "audio", "sound", "clip", "recording", "video")
)
_LABEL_WORDS = (
    "label labels class class_name category target species breed diagnosis y tag 标签 类别"
)
_NUMBER_WORDS = ("target", "y")
_SUFFIXES = (".csv", ".tsv")
_LIST = ".txt"
_ENDINGS = "|".join(suffix.removeprefix(".") for suffix in sorted(SUFFIXES))
_LABEL = r"[^\s,;|]+|[^\s,;|\d][^,;|\t]*"  # several numbers are boxes
_LISTED = re.compile(rf"\"?(.+?\.(?:{_ENDINGS}))\"?\s*[\s,;|]\s*({_LABEL})", re.IGNORECASE)
_LOOKED_AT = 50  # lines of a list
_LEAST_LISTED = 2
_MOST_FOLDERS = 200  # looked into for pictures


def find_table(folder: Path) -> Path | None:
    """Return the table of labels of a folder: the only CSV file in it; of several the only one that
    has a column of files and one of labels, or the one that is called as a table of labels is; else
    the one beside the folder that is called as it is (``train.csv``, ``train_labels.csv``) or
    ``labels.csv``.
    """
    inner = [
        path
        for path in sorted(folder.iterdir())
        if path.suffix.lower() in _SUFFIXES and is_file(path) and not path.name.startswith(".")
    ]
    if not inner:
        names = (f"{folder.name}.csv", f"{folder.name}_labels.csv", "labels.csv")
        beside = (folder.parent / name for name in names)
        return next((path for path in beside if is_file(path)), None)
    fitting = inner if len(inner) == 1 else [path for path in inner if _has_labels(path)]
    if len(fitting) == 1:
        return fitting[0]
    names = ("labels", "train", "train_labels", "annotations", "metadata")
    return next((path for name in names for path in fitting if path.stem.lower() == name), None)


def is_file_word(name: str) -> bool:
    """Return whether a column is called as one of files is (``path``, ``slice_file_name``)."""
    return _word(name) in _FILE_WORDS.split() or bool(words_in(name) & _MEDIA)


def is_label_word(name: str) -> bool:
    """Return whether a column is called as one of labels is."""
    return _word(name) in _LABEL_WORDS.split()


def _has_labels(path: Path) -> bool:
    """Return whether the first row of a table names a column of files and one of labels."""
    try:
        with open_file(path) as stream:
            text = decoded_start(stream.readline(_SAMPLE), path)
    except (OSError, ValueError, DiagnosticError):
        return False
    words = {_word(cell) for cell in text.split(delimiter_of(text))}
    return bool(words & {*_FILE_WORDS.split()} and words & {*_LABEL_WORDS.split()})


def read_labels(path: Path) -> dict[str, str]:
    """Return the labels by the names of files, as they are written; of a name that comes twice the
    first. The columns are found by their heads, else they are the first and the second.

    Raises :class:`DiagnosticError` D066 for what is no such table.
    """
    try:
        text = decoded(read_file(path, MOST_BYTES), path)
        rows = _rows(path, text)
        head = next(rows, [])
        file, label, is_head = label_columns(head)
        labels: dict[str, str] = {}
        for row in rows if is_head else (row for part in ((head,), rows) for row in part):
            if len(row) > max(file, label) and row[file].strip():
                name = written(row[file])
                labels.setdefault(name, row[label].strip())
    except (OSError, ValueError, csv.Error, DiagnosticError) as error:
        raise _unreadable(path, str(error)) from error
    if not labels:
        raise _unreadable(path, "no rows of two columns")
    return labels


def is_image_list(path: Path) -> bool:
    """Return whether a text is a list of pictures: the path of one and its label in each line, with
    a space, tab, comma, semicolon or bar between; a head may be above.
    """
    return bool(first_listed(path))


def listed_folder(path: Path) -> Path:
    """Return the folder that the paths of a list of pictures start from, as most of the first of
    them do: that of the list or one in it, else the one above or one in that.

    Raises :class:`DiagnosticError` D571 where the pictures are in none of them, or outside of it.
    """
    names = [name for name, _ in first_listed(path)]
    for near in (path.parent, path.parent.parent):
        try:
            inner = (each for each in sorted(near.iterdir()) if is_folder(each))
            candidates = (near, *islice(inner, _MOST_FOLDERS))
        except OSError:
            continue
        for folder in candidates:
            if 2 * sum(_is_in(folder, name) for name in names) > len(names):
                return folder
    folder, example = str(path.parent), names[0] if names else ""
    raise DiagnosticError.of(
        "D571", field="data.source.path", file=path.name, folder=folder, example=example
    )


def _is_in(folder: Path, name: str) -> bool:
    return ".." not in name.split("/") and is_file(folder / name)


def first_listed(path: Path) -> list[tuple[str, str]]:
    """Return the first pictures of a list with their labels; nothing for another text."""
    if path.suffix.lower() != _LIST:
        return []
    try:
        with open_file(path) as stream:
            text = decoded_start(stream.read(_SAMPLE), path)
    except (OSError, ValueError, DiagnosticError):
        return []
    lines = [line.strip() for line in text.splitlines()[:_LOOKED_AT] if line.strip()]
    found = [_LISTED.fullmatch(line) for line in lines]
    if found and found[0] is None and label_columns(re.split(r"[\s,;|]+", lines[0]))[2]:
        found = found[1:]
    listed = [(written(match[1]), match[2]) for match in found if match is not None]
    return listed if len(listed) >= max(len(found), _LEAST_LISTED) else []


def _rows(path: Path, text: str) -> Iterator[list[str]]:
    """Return the rows of a table of labels; of a list of pictures two cells each."""
    if path.suffix.lower() != _LIST or not is_image_list(path):
        return plain_rows(text)
    matches = (_LISTED.fullmatch(line.strip()) for line in text.splitlines())
    return ([match[1], match[2]] for match in matches if match is not None)


def written(name: str) -> str:
    """Return a path as the names of pictures are written."""
    return name.strip().replace("\\", "/").removeprefix("./").removeprefix("/")


def label_columns(head: list[str]) -> tuple[int, int, bool]:
    """Return the columns of file and label of a table by its first row, and whether that was a
    head.
    """
    words = [_word(cell) for cell in head]
    files = [at for at, word in enumerate(words) if word in _FILE_WORDS.split()]
    labels = [at for at, word in enumerate(words) if word in _LABEL_WORDS.split()]
    file = files[0] if files else next((at for at in (0, 1) if at not in labels), 0)
    named = [at for at in labels if words[at] not in _NUMBER_WORDS]  # beside which are numbers
    label = (named or labels)[0] if labels else (0 if file else 1)
    return file, label, bool(files or labels)


def _word(cell: str) -> str:
    return cell.strip().strip('"').lower().replace(" ", "_")


def _unreadable(path: Path, detail: str) -> DiagnosticError:
    return DiagnosticError.of("D066", field="data.source.labels", file=str(path), detail=detail)
