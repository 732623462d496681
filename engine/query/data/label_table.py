"""Tables that say something of the files of a folder: of their labels, and of more than one."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.data.read.table import read_head, read_table
from engine.data.source.file_folder import FileFolderSource
from engine.data.source.image_index import ImageIndex
from engine.data.source.image_labels import (
    find_table,
    is_file_word,
    is_label_word,
    label_columns,
    written,
)
from engine.data.source.registry import load_source
from engine.diagnostics import Diagnostic, DiagnosticError, Severity, shortened
from engine.files import is_file, is_folder
from engine.query.data.mixed_proposal import named_files
from engine.query.data.row_role import has_set_column
from engine.query.data.tag_proposal import has_tags, tag_column
from engine.spec.run import Choice
from engine.spec.table import ColumnInfo, ColumnKind, TableHead, names_text

_KINDS: dict[str, ColumnKind] = {
    "image_folder": "image",
    "sound_folder": "sound",
    "video_folder": "video",
}
_SUFFIXES = (".csv", ".tsv")
_MOST_FOLDERS, _MOST_TABLES = 200, 64  # looked into
_MOST_FILES = 200_000  # by whose names a table is known
_LEAST_LABELS = 2
_MOST_COLUMNS = 50  # that may say the folder of a file
_LISTED = 4  # folders in a sentence
_NOTHING = ("id", "empty")  # that a column says of a sample


def with_labels(source: Choice, path: Path, target: str, *, has_kinds: bool = False) -> Choice:
    """Return a folder of files with the table beside them that names them: for its labels, where
    the files lie in no folders of classes; or as that table, where each file has several labels or
    a number in it, its columns are called otherwise than those of labels are or say which part or
    fold a file is of, or the user wants another column (``target``) or says what a column is
    (``has_kinds``).

    Raises :class:`DiagnosticError`: D653 for a column that the table has not, D690 for one that
    cannot be predicted, and what loading the folder does.
    """
    kind = _KINDS.get(source.type)
    if kind is None or "labels" in source.params:
        return source
    try:
        files, used, has_classes = _files(source)
    except DiagnosticError:  # of a table that is read as another one
        if (found := _as_table(path, list(_names_in(path)), target, kind)) is None:
            raise
        return found
    is_whole = has_classes and not used and not target and not has_kinds
    return (
        source
        if is_whole
        else _with_table(source, path, (files, used), target, has_kinds=has_kinds)
    )


def table_over_folders(source: Choice, path: Path) -> tuple[Choice, tuple[Diagnostic, ...]]:
    """Return the table in a folder that names the files in the folders below, as a source, and what
    is told of it, where these folders are no classes: all files that are named lie in one of them,
    or they are but counted (``images_001``, ``images_002``) and no column says the same. Else the
    source as it is.
    """
    kind = _KINDS.get(source.type)
    if kind is None or "labels" in source.params:
        return source, ()
    try:
        loaded = load_source(source)
    except DiagnosticError:  # of a table that is read as another one, or told with the folder
        return source, ()
    if not isinstance(loaded, FileFolderSource) or loaded.index.head.report.table:
        return source, ()
    index = loaded.index
    classes = index.head.classes
    if len(classes) < _LEAST_LABELS or len(index) > _MOST_FILES:
        return source, ()
    folders = _folders_of(index)
    for table in _tables_in(path, classes):
        head = _head(table)
        column = "" if head is None else _file_column(head, {*folders})
        found = None if head is None or not column else _above(table, head, column, kind)
        target = "" if found is None else str(found.params.get("target", ""))
        if found is not None and not _says_folder(table, column, target, folders, classes):
            return found, (_not_classes(table, column, classes),)
    return source, ()


def _tables_in(path: Path, classes: Sequence[str]) -> list[Path]:
    """Return the tables in a folder and, after these, in those of its folders that are no classes
    of files, such as ``meta``.
    """
    inside = [path, *(each for each in sorted(path.iterdir()) if each.name not in classes)]
    folders = [each for each in inside[: _MOST_FOLDERS + 1] if is_folder(each)]
    found = [entry for folder in folders for entry in sorted(folder.iterdir()) if _is_table(entry)]
    return found[:_MOST_TABLES]


def _folders_of(index: ImageIndex) -> dict[str, str]:
    """Return the class folder of the files of each name, with and without its ending, that files in
    one alone have.
    """
    found: dict[str, set[str]] = {}
    for at, label in enumerate(index.arrays["label"].tolist()):
        for name in _known([index.file_name(at)]) if label >= 0 else ():
            found.setdefault(name, set()).add(index.head.classes[label])
    return {name: min(folders) for name, folders in found.items() if len(folders) == 1}


def _says_folder(
    table: Path, column: str, target: str, folders: Mapping[str, str], classes: Sequence[str]
) -> bool:
    """Return whether the folders that the files of a column lie in may be their classes: they have
    names, or the ``target`` of the table says the same, or a column has their very names.
    """
    try:
        read = read_table(table)
    except DiagnosticError:
        return True
    names = (written(cell).rpartition("/")[2] for cell in read.column(column).cells())
    found = [folders.get(name, "") for name in names]
    inside = {folder for folder in found if folder}
    if len(inside) < _LEAST_LABELS:
        return False
    if len({re.sub(r"\d+", "", name) for name in classes}) > 1:
        return True
    for each in read.columns[:_MOST_COLUMNS]:
        pairs = {pair for pair in zip(each.cells(), found, strict=True) if pair[1]}
        is_same = len(pairs) == len({cell for cell, _ in pairs}) == len(inside)
        if is_same and (names_text([each.name]) == target or all(a == b for a, b in pairs)):
            return True
    return False


def _above(table: Path, head: TableHead, column: str, kind: ColumnKind) -> Choice | None:
    """Return a table above the folders of its files as the source; with all of its columns where
    more than one names files.
    """
    if len(named_files(table, head)[1]) > 1:
        return Choice(type="table", params={"path": str(table)})
    wanted = _otherwise(head, column) or _labelled(head, column)
    return _of_table(table, head, wanted, kind)


def _not_classes(table: Path, column: str, classes: Sequence[str]) -> Diagnostic:
    return Diagnostic.of(
        "D712",
        severity=Severity.HINT,
        field="data.source.path",
        file=table.name,
        column=column,
        folders=shortened(classes, _LISTED),
    )


def _with_table(
    source: Choice, path: Path, found: tuple[Sequence[str], str], target: str, *, has_kinds: bool
) -> Choice:
    """Return a folder with the table that it is read with, or with one near it; ``found`` are the
    names of its files and that table.
    """
    kind, (files, used) = _KINDS[source.type], found
    near = _named(path, files, used)
    if near is None:
        return source
    table, head, column = near
    wanted = _wanted(head, target, table) if target else column and _otherwise(head, column)
    if column and not wanted and (has_kinds or has_set_column(head)):  # unknown to a folder
        wanted = _labelled(head, column)
    if wanted and (as_table := _of_table(table, head, wanted, kind)):
        return as_table
    if wanted in ("", _labelled(head, column)):
        return source if used else replace(source, params={**source.params, "labels": str(table)})
    if target:
        raise DiagnosticError.of(
            "D690",
            field="data.source.target",
            file=table.name,
            column=wanted,
            files=column,
            folder=str(path),
        )
    return source


def _named(path: Path, files: Sequence[str], used: str = "") -> tuple[Path, TableHead, str] | None:
    """Return the table that names some files, ``used`` or one near them, with its first rows and
    the column that does; None where there is none.
    """
    table = Path(used) if used else _table_near(path, files)
    head = None if table is None else _head(table)
    return (
        None if table is None or head is None else (table, head, _file_column(head, _known(files)))
    )


def _files(source: Choice) -> tuple[list[str], str, bool]:
    """Return the names of the files of a folder, the table that it is read with, and whether the
    files have classes. Raises what loading the folder does.
    """
    loaded = load_source(source)
    if not isinstance(loaded, FileFolderSource):
        return [], "", True
    index = loaded.index
    files = [index.file_name(at) for at in range(min(len(index), _MOST_FILES))]
    head = index.head
    return files, head.report.table, len(head.classes) >= _LEAST_LABELS


def _names_in(folder: Path) -> Iterator[str]:
    names = (name for _, _, inner in os.walk(folder) for name in inner)
    return islice(names, _MOST_FILES)


def _as_table(path: Path, files: Sequence[str], target: str, kind: ColumnKind) -> Choice | None:
    """Return the table that names files of a folder, as a source; None where there is none."""
    near = _named(path, files)
    if near is None:
        return None
    table, head, column = near
    wanted = _wanted(head, target, table) if target else _otherwise(head, column)
    return _of_table(table, head, wanted or _beside(head, column), kind)


def _otherwise(head: TableHead, files: str) -> str:
    """Return what is predicted by a table, where it is not the one label in words that the reader
    of labels finds by the heads of the columns; ``files`` is the column with their names.
    """
    if wanted := _labels(head, files) or _tags(head) or _numbers(head, files):
        return wanted
    return "" if _labelled(head, files) else _beside(head, files)


def _labelled(head: TableHead, files: str) -> str:
    """Return the column that the reader of labels takes by its head; empty where that is called as
    no label is, or it takes another column for that of the ``files``.
    """
    names = [column.name for column in head.columns]
    file, label, is_head = label_columns(names)
    name = names[min(label, len(names) - 1)]
    is_found = is_head and names[file] == files and is_label_word(name)
    return names_text([name]) if is_found else ""


def _beside(head: TableHead, files: str) -> str:
    """Return the column that labels files: one that is called so, else the first one behind that of
    the files which says something else.
    """
    others = [each for each in head.columns if each.name != files and each.kind not in _NOTHING]
    named = next((each.name for each in others if is_label_word(each.name)), "")
    names = [each.name for each in head.columns]
    behind = (each.name for each in others if names.index(each.name) > names.index(files))
    name = named or next(behind, "") or next((each.name for each in others), "")
    return names_text([name]) if name else ""


def _numbers(head: TableHead, files: str) -> str:
    """Return the columns of numbers that are measured of files: the one that is called as a label
    is, or all others where these are nothing but numbers; empty for another table.
    """
    others = [each for each in head.columns if each.name != files and each.kind != "empty"]
    named = [each for each in others if is_label_word(each.name)]
    chosen = named[:1] or [each for each in others if each.kind != "id"]
    if not chosen or any(each.kind != "number" for each in chosen):
        return ""
    return names_text([each.name for each in chosen])


def _wanted(head: TableHead, target: str, table: Path) -> str:
    """Return the columns that the user wants to predict, as the table calls them."""
    by_lower = {column.name.lower(): column.name for column in head.columns}
    if target in by_lower.values():
        return names_text([target])
    names = [name.strip() for name in target.split(",")]
    absent = next((name for name in names if name.lower() not in by_lower), None)
    if absent is not None:
        raise DiagnosticError.of(
            "D653",
            field="data.source.target",
            file=table.name,
            column=absent[:60],
            columns=", ".join(list(by_lower.values())[:20]),
        )
    return names_text([by_lower[name.lower()] for name in names])


def _labels(head: TableHead, files: str) -> str:
    """Return the columns of labels of which a file has any number: all beside that of the ``files``
    are yes or no, and none is called as a label is; empty for another table.
    """
    others = [each for each in head.columns if each.name != files and each.kind not in _NOTHING]
    if len(others) < _LEAST_LABELS or any(is_label_word(column.name) for column in others):
        return ""
    is_such = len(others) < len(head.columns) and all(map(_is_binary, others))
    return names_text([column.name for column in others]) if is_such else ""


def _tags(head: TableHead) -> str:
    """Return the column of labels of which a file has any number, in one cell; empty for another
    table.
    """
    named = [each.name for each in head.columns if is_label_word(each.name)]
    names = (named[0],) if named else ()
    name = next((each for each in names if has_tags(head, each)), "") or tag_column(head, "")
    return names_text([name]) if name else ""


def _is_binary(column: ColumnInfo) -> bool:
    return column.kind == "binary"


def _of_table(table: Path, head: TableHead, target: str, kind: ColumnKind) -> Choice | None:
    """Return the table as the source, from the files of which something is predicted; None where
    no column names them.
    """
    _, named = named_files(table, head)
    names = [name for name, (found, _) in named.items() if found == kind]
    if not names:
        return None
    params: dict[str, Value] = {
        "path": str(table),
        "target": target,
        "inputs": names_text(names[:1]),
    }
    return Choice(type="table", params=params)


def _table_near(path: Path, files: Sequence[str]) -> Path | None:
    """Return the table that names most of some files: in the folder, in one that lies in it, above
    it or beside it.
    """
    names = _known(files)
    try:
        found = find_table(path)
    except OSError:
        found = None
    tables = [*([] if found is None else [found]), *islice(_tables(path.absolute()), _MOST_TABLES)]
    for table in dict.fromkeys(tables):
        head = _head(table)
        if head is not None and _file_column(head, names):
            return table
    return None


def _known(files: Iterable[str]) -> set[str]:
    """Return the names of files, with and without their endings."""
    return {name for file in files for name in (file, file.rpartition(".")[0])}


def _tables(path: Path) -> Iterator[Path]:
    for near in (path, path.parent):
        try:
            entries = sorted(near.iterdir())
        except OSError:
            continue
        folders = [entry for entry in entries if entry.is_dir()][:_MOST_FOLDERS]
        yield from (entry for entry in entries if _is_table(entry))
        for folder in folders:
            try:
                yield from (entry for entry in sorted(folder.iterdir()) if _is_table(entry))
            except OSError:
                continue


def _is_table(path: Path) -> bool:
    return path.suffix.lower() in _SUFFIXES and not path.name.startswith(".") and is_file(path)


def _head(table: Path) -> TableHead | None:
    """Return the first rows of a table, None for one that cannot be read: it is only looked for."""
    try:
        return read_head(table)
    except DiagnosticError:
        return None


def _file_column(head: TableHead, names: set[str]) -> str:
    """Return the column that names files, most of those in the first rows being among some: that
    says more than what it is called, but for numbers, which may count something else. Empty for
    none.
    """
    ordered = sorted(enumerate(head.columns), key=lambda each: not is_file_word(each[1].name))
    for at, column in ordered:
        cells = {written(row[at]).rpartition("/")[2] for row in head.rows}
        if not is_file_word(column.name):
            cells = {cell for cell in cells if not cell.isdecimal()}
        if cells and 2 * len(cells & names) > len(cells):
            return column.name
    return ""
