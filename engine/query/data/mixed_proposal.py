"""Proposal for a table whose columns name files or hold sentences."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from engine.catalog.spec import Value
from engine.data.read.column_name import NAME_WORDS, words_in
from engine.data.read.image import SUFFIXES
from engine.data.read.sound import SUFFIXES as SOUND_SUFFIXES
from engine.data.read.video import SUFFIXES as VIDEO_SUFFIXES
from engine.spec.table import ColumnInfo, ColumnKind, TableHead

_ENDINGS: Mapping[ColumnKind, Collection[str]] = {
    "image": SUFFIXES,
    "array": (".npy", ".npz"),
    "sound": SOUND_SUFFIXES,
    "video": VIDEO_SUFFIXES,
}
_SENTENCE_WORDS = 4.0  # in the mean
_MOST_FOLDERS = 200  # looked into for files
_STEP, _SHORTEST, _LONGEST = 8, 8, 256  # tokens of a text
_SHOWN = 200


NamedFiles = dict[ColumnKind, list[Path]]
"""Some of the files that the columns of a table name, by the kind of the column."""


def mixed_settings(path: Path, head: TableHead, target: str) -> tuple[dict[str, Value], NamedFiles]:
    """Return the settings of a table by which columns of files and of sentences become inputs, and
    some of these files; nothing where it has no such columns, or their files are not near it.
    """
    kinds: dict[str, ColumnKind] = {}
    settings: dict[str, Value] = {}
    files: NamedFiles = {}
    folder = path.parent
    for column in head.columns:
        if column.name == target or not column.examples:
            continue
        kind = _kind_of(column)
        if kind is not None and kind != "text":
            found = _folder_of(path.parent, column.examples)
            has_files = any(each != "text" for each in kinds.values())
            if found is None or (has_files and found != folder):
                continue
            folder = found
            files.setdefault(kind, []).extend(folder / each for each in column.examples)
        if kind is not None:
            kinds[column.name] = kind
    if not kinds and not _has_inputs(head, target):  # texts that are short are better than nothing
        kinds |= {column.name: "text" for column in head.columns if _is_text(column, target)}
    if not kinds:
        return {}, {}
    settings["kinds"] = ", ".join(_listed(name, kind) for name, kind in kinds.items())
    if folder != path.parent:
        settings["folder"] = str(folder)
    texts = [name for name, kind in kinds.items() if kind == "text"]
    if texts:
        settings["length"] = _length(head, texts)
    return settings, files


def _has_inputs(head: TableHead, target: str) -> bool:
    return any(each.role != "ignored" and each.name != target for each in head.columns)


def _is_text(column: ColumnInfo, target: str) -> bool:
    is_other = column.name != target and not column.is_number
    return is_other and column.kind in ("text", "id") and bool(column.examples)


def _kind_of(column: ColumnInfo) -> ColumnKind | None:
    if column.is_number or column.kind in ("number", "date", "empty"):
        return None
    endings = [Path(each).suffix.lower() for each in column.examples]
    for kind, known in _ENDINGS.items():
        if all(ending in known for ending in endings):
            return kind
    if words_in(column.name) & NAME_WORDS:
        return None  # of people and things, which say little
    words = sum(len(each.split()) for each in column.examples) / len(column.examples)
    return "text" if column.kind in ("text", "id") and words >= _SENTENCE_WORDS else None


def _folder_of(folder: Path, places: Sequence[str]) -> Path | None:
    """Return the folder, at the table or one below, in which files are."""
    try:
        inner = (each for each in sorted(folder.iterdir()) if each.is_dir())
        candidates: Iterable[Path] = [folder, *islice(inner, _MOST_FOLDERS)]
        return next((each for each in candidates if _has_all(each, places)), None)
    except OSError:
        return None


def _has_all(folder: Path, places: Sequence[str]) -> bool:
    parts = [place.replace("\\", "/") for place in places]
    if any(".." in part.split("/") or Path(part).is_absolute() for part in parts):
        return False
    return all((folder / part).is_file() for part in parts)


def _length(head: TableHead, names: Sequence[str]) -> int:
    """Return so many tokens that the longest of the texts that were looked at fits."""
    order = {column.name: at for at, column in enumerate(head.columns)}
    cells = (row[order[name]] for name in names for row in head.rows[:_SHOWN])
    longest = max((len(cell.split()) for cell in cells), default=0)
    return min(max(-(-longest // _STEP) * _STEP, _SHORTEST), _LONGEST)


def _listed(name: str, kind: ColumnKind) -> str:
    """Return a column with its kind as an entry of a list with commas between."""
    pair = f"{name}={kind}"
    return '"' + pair.replace('"', '""') + '"' if any(sign in name for sign in ',"\n') else pair
