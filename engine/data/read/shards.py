"""Reader of data set folders of Hugging Face: a table in several Parquet or Arrow files.

``save_to_disk`` writes ``state.json``, which lists the files of a part, and ``dataset_info.json``
with the names of classes; ``dataset_dict.json`` lists parts, each a folder. A folder as it comes
from the hub has files such as ``data/train-00000-of-00002.parquet``.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, repeat
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np

from engine.data.read.block import TableBuilder
from engine.data.read.cell import Head, Table, block_rows, unique_names
from engine.data.read.features import Features, decode_info
from engine.data.read.foreign import Belonging, foreign_head, read_foreign
from engine.data.read.natural import natural_key
from engine.data.read.stream import require_size
from engine.decoding import decode_json
from engine.diagnostics import DiagnosticError
from engine.files import UNDECODABLE, confined_file, is_folder, read_file
from engine.spec.table import TableFormat, TableOptions

PART_COLUMN = "split"
"""What the column is called that says to which part a row belongs, where there are several."""

_FIELD = "data.source.path"
_LONGEST = 16 << 20  # bytes of a description
_MOST_SHARDS = 10_000
_ENDINGS = (".parquet", ".arrow")
_NUMBERED = re.compile(r"(.+?)-\d{5}-of-\d{5}(?:-[0-9a-f]+)?")


_Description = TypeVar("_Description", bound=msgspec.Struct)


class _Parts(msgspec.Struct):
    splits: tuple[str, ...]


class _File(msgspec.Struct):
    filename: str


class _State(msgspec.Struct):
    files: tuple[_File, ...] = msgspec.field(name="_data_files")


class Shard(NamedTuple):
    """A file with rows of a part, which may have no name; ``features`` are what the description
    beside it says of its columns.
    """

    part: str
    file: Path
    features: Features = MappingProxyType({})

    def belonging(self, folder: Path) -> Belonging:
        """Return what the data set in a folder says of the file."""
        return Belonging(self.features, self.file.relative_to(folder).as_posix())


def find_shards(folder: Path) -> tuple[Shard, ...]:
    """Return the files of a data set in a folder, part by part; none where it is no such folder."""
    parts = _read(folder / "dataset_dict.json", _Parts)
    if parts is not None:
        found = (
            Shard(part, shard.file)
            for part in parts.splits
            if (inner := _folder_below(folder, part)) is not None
            for shard in _saved(inner)
        )
        return tuple(islice(found, _MOST_SHARDS))
    return tuple(islice(_saved(folder), _MOST_SHARDS)) or _published(folder)


def shards_head(folder: Path, options: TableOptions, count: int) -> Head:
    """Return the first rows of the data set in a folder. Raises as :func:`read_shards` does."""
    shards = _required(folder)
    shard = shards[0]
    first = foreign_head(shard.file, "parquet", options, count, shard.belonging(folder))
    before = [shard.part] if _has_parts(shards) else []
    rows = [[*before, *row] for row in first.rows[:count]]
    complete = first.is_complete and len(shards) == 1
    return Head(TableFormat(kind="shards"), _names(first.names, shards), rows, complete)


def read_shards(folder: Path, form: TableFormat) -> Table:
    """Return all rows of the data set in a folder, with the column :data:`PART_COLUMN` where there
    are several parts. Numbers of classes become their names, as far as these are known.

    Raises ``DiagnosticError``: D443 for a folder without files of a data set, D444 where these have
    other columns, and what :func:`~engine.data.read.foreign.read_foreign` does.
    """
    shards = _required(folder)
    before: tuple[str, ...] = ()
    has_parts = _has_parts(shards)
    builder: TableBuilder | None = None
    waiting: list[list[str]] = []
    size, done, letters = 1, 0, 0
    for shard in shards:
        table = read_foreign(shard.file, TableFormat(kind="parquet"), shard.belonging(folder))
        letters += sum(len(block.text) for column in table.columns for block in column.blocks)
        require_size(folder, letters)
        if builder is None:
            before = table.names
            builder, size = TableBuilder(_names(before, shards)), block_rows(len(before) + 1)
        if table.names != before:
            raise DiagnosticError.of("D444", field=_FIELD, file=str(shard.file))
        columns = [column.cells() for column in table.columns]
        parts = [repeat(shard.part, table.rows)] if has_parts else []
        rows = chain(waiting, map(list, zip(*parts, *columns, strict=True)))
        while len(waiting := list(islice(rows, size))) == size:
            builder.add(waiting, np.arange(done + 1, done + size + 1, dtype=np.int64))
            done += size
    assert builder is not None
    if waiting:
        builder.add(waiting, np.arange(done + 1, done + len(waiting) + 1, dtype=np.int64))
    return builder.table(form)


def _required(folder: Path) -> tuple[Shard, ...]:
    shards = find_shards(folder)
    if not shards:
        raise DiagnosticError.of("D443", field=_FIELD, folder=str(folder))
    return tuple(shard._replace(features=_info(shard)) for shard in shards)


def _has_parts(shards: Sequence[Shard]) -> bool:
    return len({shard.part for shard in shards}) > 1


def _names(names: Sequence[str], shards: Sequence[Shard]) -> tuple[str, ...]:
    """Return the names of the columns, that of the part before the others where there are some."""
    return unique_names((PART_COLUMN, *names)) if _has_parts(shards) else tuple(names)


def _info(shard: Shard) -> Features:
    try:
        return decode_info(read_file(shard.file.parent / "dataset_info.json", _LONGEST))
    except OSError:
        return {}


def _saved(folder: Path) -> Iterator[Shard]:
    """Yield the files that the description of a part lists, as far as they are in its folder."""
    state = _read(folder / "state.json", _State)
    for each in () if state is None else state.files:
        file = confined_file(folder, each.filename)
        if file is not None:
            yield Shard("", file)


def _published(folder: Path) -> tuple[Shard, ...]:
    """Return the files of a folder of Parquet or Arrow files, or of ``data`` in it."""
    for root in (folder, folder / "data"):
        try:
            names = [entry.name for entry in islice(root.iterdir(), _MOST_SHARDS)]
        except OSError:
            continue
        chosen = sorted((name for name in names if name.endswith(_ENDINGS)), key=natural_key)
        parts = [_part_of(name) for name in chosen]
        order = dict.fromkeys(parts)
        files = (
            (part, confined_file(root, name)) for part, name in zip(parts, chosen, strict=True)
        )
        found = [Shard(part, file) for part, file in files if file is not None]
        if found:
            return tuple(shard for part in order for shard in found if shard.part == part)
    return ()


def _part_of(name: str) -> str:
    stem = name.rpartition(".")[0]
    match = _NUMBERED.fullmatch(stem)
    return match[1] if match else stem


def _folder_below(folder: Path, name: str) -> Path | None:
    is_plain = name not in ("", ".", "..") and not set(name) & set("/\\:\0")
    return folder / name if is_plain and is_folder(folder / name) else None


def _read(file: Path, kind: type[_Description]) -> _Description | None:
    try:
        return decode_json(read_file(file, _LONGEST), kind)
    except (OSError, ValueError, *UNDECODABLE):
        return None
