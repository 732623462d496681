"""Proposal for a table whose columns name files or hold sentences."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from engine.catalog.spec import Value
from engine.data.read.captions import CAPTION_COLUMNS
from engine.data.read.column_name import (
    CAPTION_WORDS,
    MASK_WORDS,
    NAME_WORDS,
    TARGETS,
    whole,
    words_in,
)
from engine.data.read.enclosed import find_enclosed
from engine.data.read.image import decode_colors, read_bytes
from engine.data.read.nearby import NearbyFiles
from engine.data.read.picture_suffix import SUFFIXES
from engine.data.read.sound import SUFFIXES as SOUND_SUFFIXES
from engine.data.read.text import ENDINGS as TEXT_ENDINGS
from engine.data.read.text import read_text
from engine.data.read.video import SUFFIXES as VIDEO_SUFFIXES
from engine.data.source.file_column import folder_of_files
from engine.data.source.image_labels import is_file_word, is_label_word
from engine.data.source.table_plan import TEXTS
from engine.data.source.text_column import LARGEST_FILE
from engine.diagnostics import DiagnosticError
from engine.files import confined_file, is_file
from engine.query.data.divided_files import folder_of_all
from engine.query.data.text_cut import IDEOGRAPH, cut_settings
from engine.spec.table import ColumnInfo, ColumnKind, TableHead, TableOptions, names_text

_ENDINGS: Mapping[ColumnKind, Collection[str]] = {
    "image": SUFFIXES,
    "array": (".npy", ".npz"),
    "sound": SOUND_SUFFIXES,
    "video": VIDEO_SUFFIXES,
    "textfile": TEXT_ENDINGS,
}
_FEW_COLORS = 32  # of a mask, whose classes they stand for
_SENTENCE_WORDS = 4.0  # in the mean
_IDEOGRAPHS = 2  # of a word, as a rule
_MOST_FOLDERS = 200  # looked into for files
_SHOWN = 200
_WORD = re.compile(r"[^a-z0-9]+")  # is between words of a name
_AUTO = TableOptions()


NamedFiles = dict[ColumnKind, list[Path]]
"""Some of the files that the columns of a table name, by the kind of the column."""


def mixed_settings(
    path: Path, head: TableHead, target: str, options: TableOptions = _AUTO
) -> tuple[dict[str, Value], NamedFiles]:
    """Return the settings of a table by which columns of files and of sentences become inputs, and
    some of these files; nothing where it has no such columns, or their files are not near it.
    ``target`` is the column that the user wants to predict, empty for the one that looks like it:
    masks, or sentences that say what a file shows, unless another column is called as a target is.
    """
    near, is_captions = folder_of_files(path), head.format.kind == "captions"
    folder, named = named_files(path, head, options)
    masks = _masks(named, target)
    settings: dict[str, Value] = {}
    if masks and not target and not _is_called_target(head.target):
        target = settings["target"] = masks[0]
        if masks[1:]:  # the same once more, or what gives it away
            settings["ignored"] = names_text(masks[1:])
    if not masks:
        settings |= _answers(head, named, target)
    target = str(settings.get("target") or target or head.target)
    kinds: dict[str, ColumnKind] = {}
    files: NamedFiles = {}
    for column in head.columns:
        kind = named[column.name][0] if column.name in named else _text_kind(column)
        kind = "mask" if column.name in masks else kind
        kind = "text" if is_captions and column.name == CAPTION_COLUMNS[-1] else kind
        is_answer = column.name == target and kind not in ("mask", *TEXTS)
        if kind is None or is_answer or not column.examples:
            continue
        kinds[column.name] = kind
        if kind not in TEXTS:
            files.setdefault(kind, []).extend(named[column.name][1])
    if not kinds and not _has_inputs(head, target):  # texts that are short are better than nothing
        paths = next((each for each in head.columns if _file_kind(each) is not None), None)
        if paths is not None:
            raise _not_near(path, paths)
        kinds |= {column.name: "text" for column in head.columns if _is_text(column, target)}
    if not kinds:
        return {}, {}
    settings["kinds"] = ", ".join(_listed(name, kind) for name, kind in kinds.items())
    if folder != near:
        settings["folder"] = str(folder)
    texts = [
        text
        for column, cells in zip(head.columns, zip(*head.rows[:_SHOWN], strict=False), strict=False)
        if kinds.get(column.name) in TEXTS
        for text in (_read(folder, cells) if column.name in named else cells)
    ]
    if texts:
        settings |= cut_settings(texts)
    return settings, files


def _not_near(path: Path, column: ColumnInfo) -> DiagnosticError:
    """Return that the files which are all that a table has to learn from are not near it."""
    return DiagnosticError.of(
        "D698",
        field="data.source.folder",
        file=path.name,
        column=column.name,
        value=column.examples[0][:_SHOWN],
    )


def _answers(
    head: TableHead, named: Mapping[str, tuple[ColumnKind, list[Path]]], target: str
) -> dict[str, Value]:
    """Return the settings of what is predicted in a table without masks, where the user has said no
    ``target`` and it is no column that is called so; beside files without what says the same.
    """
    settings: dict[str, Value] = {}
    are_shown = any(kind not in TEXTS for kind, _ in named.values())
    if are_shown and not target and not _is_called_target(head.target):
        target = _caption(head, named)
        settings |= {"target": target} if target else {}
    if not target and not head.target and (target := _translation(head)):
        settings["target"] = target
    return settings | (_without_twins(head, named, target) if are_shown else {})


def _without_twins(head: TableHead, named: Collection[str], target: str) -> dict[str, Value]:
    """Return the settings by which what says the same as the target, in other words, is left out
    beside files: of the names of classes and their numbers the names are predicted, where the user
    has said nothing of a ``target``.
    """
    answer = target or head.target
    at = next((n for n, column in enumerate(head.columns) if column.name == answer), None)
    if at is None:
        return {}
    truths = [row[at] for row in head.rows]
    twins = [
        column
        for index, column in enumerate(head.columns)
        if index != at
        and column.name not in named
        and 1 < len({*truths}) < len(truths)
        and len({*zip(truths, (row[index] for row in head.rows), strict=True)})
        == len({*truths})
        == len({row[index] for row in head.rows})
    ]
    names = [column.name for column in twins]
    words = [each.name for each in twins if is_label_word(each.name) and not each.is_number]
    settings: dict[str, Value] = {}
    if words and not target and head.columns[at].is_number:
        settings["target"] = words[0]
        names = [answer, *(name for name in names if name != words[0])]
    return settings | ({"ignored": names_text(names)} if names else {})


def _translation(head: TableHead) -> str:
    """Return the second of two columns of sentences, where a table has no other columns: what the
    first is translated to; empty for other tables.
    """
    columns = [column for column in head.columns if column.kind not in ("id", "empty")]
    if len(columns) != 2 or any(_text_kind(column) is None for column in columns):
        return ""
    return columns[1].name


def named_files(
    path: Path, head: TableHead, options: TableOptions = _AUTO
) -> tuple[Path, dict[str, tuple[ColumnKind, list[Path]]]]:
    """Return the folder of the files that columns of a table name, at the table or below, else one
    above or in one beside it, and by column their kind and some of them. All lie in the folder of
    the first such column, or below it where they are divided among folders; the names may lack
    their endings in a column that is called as one of files is.
    """
    near = folder = folder_of_files(path)
    named: dict[str, tuple[ColumnKind, list[Path]]] = {}
    for column in head.columns:
        kind, places = _file_kind(column), tuple(column.examples)
        found = None if kind is None else _folder_of(path, head, column)
        if kind is not None and found is None:
            found, places = _elsewhere(near, head, column)
        if kind is None and _may_lack_endings(column):
            found, kind, places = _ended(near, places)
            if found is None:
                found, kind, places = _ended_below(near, head, column)
        if kind is not None and found is not None and found not in (near, near.absolute().parent):
            found, places = _undivided(path, options, column, (found, places))
        if kind is None or found is None or (named and found != folder):
            continue
        folder = found
        named[column.name] = (kind, [folder / each for each in places])
    return folder, named


def _undivided(
    path: Path, options: TableOptions, column: ColumnInfo, found: tuple[Path, tuple[str, ...]]
) -> tuple[Path, tuple[str, ...]]:
    """Return the folder in which, or below which, the files are that all rows of a table name, and
    the places in it of the first ones, which are ``found`` in a folder.
    """
    folder, files = folder_of_all(path, options, column.name, found[0])
    if files is None:
        return found
    return folder, tuple(f"{found[0].name}/{place}" for place in found[1])


def _elsewhere(
    near: Path, head: TableHead, column: ColumnInfo
) -> tuple[Path | None, tuple[str, ...]]:
    """Return the folder below which the files of a column are found by the ends of paths of
    another computer, or by their names in folders below, and their places in it; no folder where
    they are not.
    """
    for folder in _candidates(near):
        files = NearbyFiles(folder)
        places = tuple(files.by_tail(each.replace("\\", "/")) for each in column.examples)
        if all(places):
            return folder, places
    for folder in (near, near.absolute().parent):
        if places := _by_row(folder, head, column):
            return folder, places
    return None, ()


def _by_row(folder: Path, head: TableHead, column: ColumnInfo) -> tuple[str, ...]:
    """Return the places below a folder of files that a column names by their names alone, of equal
    ones those of which another column says the folder; nothing where one is not known.
    """
    at = next(n for n, each in enumerate(head.columns) if each.name == column.name)
    rows = {row[at]: row for row in reversed(head.rows)}
    names = [each.name for each in head.columns if each.name != column.name]
    files = NearbyFiles(folder)
    places = tuple(
        files.by_name(each, dict(zip(names, _without(rows.get(each, ()), at), strict=False)))
        for each in column.examples
    )
    return places if all(places) else ()


def _without(row: Sequence[str], column: int) -> list[str]:
    return [cell for at, cell in enumerate(row) if at != column]


def _may_lack_endings(column: ColumnInfo) -> bool:
    return is_file_word(column.name) and column.kind != "date" and bool(column.examples)


def _ended(
    near: Path, stems: Sequence[str]
) -> tuple[Path | None, ColumnKind | None, tuple[str, ...]]:
    """Return the folder in which files are called so without their endings, their kind and their
    names; nothing where there are none.
    """
    for folder in _candidates(near):
        for kind in ("image", "sound", "video"):
            for ending in sorted(_ENDINGS[kind]):
                if not _is_there(folder, f"{stems[0]}{ending}"):
                    continue
                places = [_with_ending(folder, stem, _ENDINGS[kind]) for stem in stems]
                if all(places):
                    return folder, kind, tuple(places)
    return None, None, ()


def _ended_below(
    near: Path, head: TableHead, column: ColumnInfo
) -> tuple[Path | None, ColumnKind | None, tuple[str, ...]]:
    """Return the folder in folders below which files are called so without their endings, their
    kind and their places; nothing where there are none.
    """
    for folder in (near, near.absolute().parent):
        places = _by_row(folder, head, column)
        for kind in ("image", "sound", "video") if places else ():
            if all(place.lower().endswith(tuple(_ENDINGS[kind])) for place in places):
                return folder, kind, places
    return None, None, ()


def _with_ending(folder: Path, stem: str, endings: Iterable[str]) -> str:
    places = (f"{stem}{ending}" for ending in sorted(endings))
    return next((place for place in places if _is_there(folder, place)), "")


def _is_there(folder: Path, place: str) -> bool:
    parts = place.replace("\\", "/").split("/")
    try:
        return ".." not in parts and not Path(place).is_absolute() and is_file(folder / place)
    except (OSError, ValueError):
        return False


def _masks(named: Mapping[str, tuple[ColumnKind, list[Path]]], target: str) -> list[str]:
    """Return the columns of pictures that are masks: what is to be predicted, else those that are
    called so, or have few colors, beside one of other pictures.
    """
    pictures = {name: files for name, (kind, files) in named.items() if kind == "image"}
    if target in pictures:
        return [target]
    masks = [name for name in pictures if words_in(name) & MASK_WORDS]
    if not masks and len(pictures) > 1:
        masks = [name for name, files in pictures.items() if all(map(_has_few_colors, files))]
    return masks if len(masks) < len(pictures) else []


def _caption(head: TableHead, named: Collection[str]) -> str:
    """Return the first column of sentences that is called as those are which say what files show;
    empty where there is none.
    """
    if head.format.kind == "captions":  # which may come again
        return CAPTION_COLUMNS[-1]
    texts = (each for each in head.columns if each.name not in named and _text_kind(each))
    return next((each.name for each in texts if words_in(each.name) & CAPTION_WORDS), "")


def _has_few_colors(file: Path) -> bool:
    try:
        colors = decode_colors(read_bytes(file), str(file))
    except DiagnosticError:
        return False  # told by the source, with all others of its kind
    return len(colors.unique()) <= _FEW_COLORS


def _is_called_target(name: str) -> bool:
    return any(whole(name) in names for names in TARGETS)


def _has_inputs(head: TableHead, target: str) -> bool:
    return any(each.role != "ignored" and each.name != target for each in head.columns)


def _is_text(column: ColumnInfo, target: str) -> bool:
    is_other = column.name != target and not column.is_number
    return is_other and column.kind in ("text", "id") and bool(column.examples)


def _file_kind(column: ColumnInfo) -> ColumnKind | None:
    if column.is_number or column.kind in ("number", "date", "empty") or not column.examples:
        return None
    for kind, known in _ENDINGS.items():
        if all(each.lower().endswith(tuple(known)) for each in column.examples):
            return kind
    return None


def _text_kind(column: ColumnInfo) -> ColumnKind | None:
    if column.is_number or column.kind not in ("text", "id") or not column.examples:
        return None
    if _file_kind(column) is not None or words_in(column.name) & NAME_WORDS:
        return None  # of people and things, which say little
    words = sum(map(_count_words, column.examples)) / len(column.examples)
    return "text" if words >= _SENTENCE_WORDS else None


def _count_words(text: str) -> int:
    """Return about how many words a text has, also where none stand between spaces."""
    return len(text.split()) + len(IDEOGRAPH.findall(text)) // _IDEOGRAPHS


def _folder_of(path: Path, head: TableHead, column: ColumnInfo) -> Path | None:
    """Return the folder, at a table or near it, in which the files of a column are. Of several it
    is that of the table, which is one for all where other columns say in which folder below a file
    is, else the one that is called as the table is.
    """
    near = folder_of_files(path)
    found = folders_with(near, column.examples)
    if len(found) < 2 or found[0] == near:
        return found[0] if found else None
    if _by_row(near, head, column):
        return None
    return next((each for each in found if is_called_as(each, path)), found[0])


def is_called_as(folder: Path, table: Path) -> bool:
    """Return whether a folder is called as a table is (``train`` and ``train_labels.csv``)."""
    return folder.name.lower() in _WORD.split(table.stem.lower())


def folders_with(folder: Path, places: Sequence[str]) -> list[Path]:
    """Return the folders, at a table or near it, in which files of some names are."""
    return [each for each in dict.fromkeys(_candidates(folder)) if _has_all(each, places)]


def _candidates(folder: Path) -> Iterator[Path]:
    """Yield the folders in which files of a table may be: its own, those in it, the one above, and
    those beside it.
    """
    for near in (folder, folder.absolute().parent):
        yield near
        try:
            inner = [each for each in sorted(near.iterdir()) if each.is_dir()]
        except OSError:
            continue
        yield from inner[:_MOST_FOLDERS]


def _has_all(folder: Path, places: Sequence[str]) -> bool:
    parts = [place.replace("\\", "/") for place in places]
    if any(".." in part.split("/") or Path(part).is_absolute() for part in parts):
        return False
    files = (folder / part for part in parts)
    return all(file.is_file() or find_enclosed(file) is not None for file in files)


def _read(folder: Path, places: Iterable[str]) -> Iterator[str]:
    """Yield the texts of files in a folder; what is wrong with others is told by the source."""
    for place in places:
        file = confined_file(folder, place.replace("\\", "/"))
        if file is not None:
            with suppress(DiagnosticError):
                yield read_text(file, limit=LARGEST_FILE)


def _listed(name: str, kind: ColumnKind) -> str:
    """Return a column with its kind as an entry of a list with commas between."""
    pair = f"{name}={kind}"
    return '"' + pair.replace('"', '""') + '"' if any(sign in name for sign in ',"\n') else pair
