"""Tables that say something of the files of a folder: of their labels, and of more than one."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.data.read.table import read_head
from engine.data.source.file_folder import FileFolderSource
from engine.data.source.image_labels import find_table, is_file_word, is_label_word, written
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError
from engine.files import is_file
from engine.query.data.mixed_proposal import named_files
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


def with_labels(source: Choice, path: Path, target: str) -> Choice:
    """Return a folder of files with the table beside them that names them: for its labels, where
    the files lie in no folders of classes; or as that table, where each file has several labels in
    it, or the user wants another column (``target``).

    Raises :class:`DiagnosticError`: D653 for a column that the table has not, and what loading the
    folder does.
    """
    kind = _KINDS.get(source.type)
    if kind is None or "labels" in source.params:
        return source
    loaded = load_source(source)
    if not isinstance(loaded, FileFolderSource):
        return source
    used = loaded.index.head.report.table
    index = loaded.index
    files = [index.file_name(at) for at in range(min(len(index), _MOST_FILES))]
    has_classes = len(loaded.index.head.classes) >= _LEAST_LABELS
    if has_classes and not used and not target:
        return source
    table = Path(used) if used else _table_near(path, files)
    head = None if table is None else _head(table)
    if table is None or head is None:
        return source
    wanted = _wanted(head, target, table) if target else _labels(head) or _tags(head)
    if wanted:
        return _of_table(table, head, wanted, kind) or source
    is_new = not used and any(is_label_word(column.name) for column in head.columns)
    return replace(source, params={**source.params, "labels": str(table)}) if is_new else source


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


def _labels(head: TableHead) -> str:
    """Return the columns of labels of which a file has any number: all beside that of the files are
    yes or no, and none is called as a label is; empty for another table.
    """
    others = [
        column
        for column in head.columns
        if not is_file_word(column.name) and column.kind not in ("id", "empty")
    ]
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
    names = {name for file in files for name in (file, file.rpartition(".")[0])}
    try:
        found = find_table(path)
    except OSError:
        found = None
    tables = [*([] if found is None else [found]), *islice(_tables(path.absolute()), _MOST_TABLES)]
    for table in dict.fromkeys(tables):
        head = _head(table)
        if head is not None and _names_most(head, names):
            return table
    return None


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


def _names_most(head: TableHead, names: set[str]) -> bool:
    """Return whether a column names files, most of those in the first rows being among some."""
    for at, column in enumerate(head.columns):
        if not is_file_word(column.name):
            continue
        cells = {written(row[at]).rpartition("/")[2] for row in head.rows}
        if cells and 2 * len(cells & names) > len(cells):
            return True
    return False
