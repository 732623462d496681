"""Source of a table whose columns name files or hold texts, beside numbers and categories."""

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path

import torch
from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.read.cell import Table
from engine.data.read.file_form import FileForm
from engine.data.read.tokenizer import SubwordTokenizer
from engine.data.seed import drawn_numbers
from engine.data.source.file_column import (
    FILE_KINDS,
    FileColumn,
    file_column,
    folder_of_files,
    has_cell,
)
from engine.data.source.identity import Identities, code_identities, joined
from engine.data.source.path_parts import parts_of_paths
from engine.data.source.row_form import RowForm
from engine.data.source.source import Draws, Omission, Part, Source, Values
from engine.data.source.table import TableSource, table_source
from engine.data.source.table_column import CodeColumn, read_column
from engine.data.source.table_plan import TablePlan
from engine.data.source.text_column import TextField, TextFiles, text_fields
from engine.data.source.text_corpus import text_lengths, used_tokenizers
from engine.data.source.text_samples import blank_files, cut_texts
from engine.data.source.version import file_version
from engine.diagnostics import Diagnostic
from engine.graph.naming import free_name
from engine.spec.data import Cell, DataColumn, FieldInfo, Task
from engine.spec.sample_weight import WEIGHT_FIELD

_TAKEN = (
    *("features", "categories", "label", "previous", "target", WEIGHT_FIELD),
    *("join", "head", "output"),
)
"""The names of the other fields, and of nodes of a first model."""

_FIRST_STREAM = 16  # apart from the random numbers of all else; one for each column
_SAMPLED = 20_000  # files whose size and time are looked at for a version


@dataclass(frozen=True, eq=False, kw_only=True)
class MixedTableSource(Source):
    """Rows of a table: a field for each column of files and of texts, by the name of the column as
    far as that is one in Python, then the fields of ``rows``, the other columns. A text that is to
    be generated is ``previous``, which a decoder reads, and ``target``.

    With ``draws_pieces`` another piece of a long sound, and other frames of a video, are read in
    each epoch; they follow from seed, epoch and index.
    """

    rows: TableSource
    files: tuple[FileColumn, ...]
    texts_of: tuple[TextField, ...]
    draws_pieces: bool = False

    @property
    @override
    def task(self) -> Task:  # pyright: ignore[reportIncompatibleVariableOverride] - read only
        return self.rows.task

    @property
    def generated(self) -> TextField | None:
        """The text that is to be generated, where one is the target."""
        return next((each for each in self.texts_of if each.form == "next"), None)

    @property
    def subject(self) -> str:
        """The column of files that have several texts to generate each; empty where none has."""
        if self.generated is None:
            return ""
        files = (each for each in self.files if each.info.role == "input")
        return next((each.column for each in files if len(set(each.places)) < self.samples), "")

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        own = (*(each.info for each in self.files), *(each.info for each in self.texts_of))
        return (*own, *self.rows.infos)

    @property
    @override
    def samples(self) -> int:
        return self.rows.samples

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        return self._read(indices, {each.info.name: each.read(indices) for each in self.files})

    @override
    def read_field(self, name: str, indices: Sequence[int]) -> Values:
        found = next((each for each in self.files if each.info.name == name), None)
        return super().read_field(name, indices) if found is None else found.read(indices)

    @override
    def read_at(self, indices: Sequence[int], seed: int, epoch: int) -> dict[str, Values]:
        if not self.draws_pieces:
            return self.read(indices)

        def draw(stream: int, index: int, count: int) -> Sequence[float]:
            return drawn_numbers(count, seed, epoch, index, stream)

        return self._read(
            indices,
            {
                each.info.name: each.read(indices, partial(draw, _FIRST_STREAM + number))
                for number, each in enumerate(self.files)
            },
        )

    @override
    def for_training(self) -> "MixedTableSource":
        return replace(self, draws_pieces=any(each.kind.draws for each in self.files))

    @override
    def draws(self, name: str) -> Draws | None:
        for number, each in enumerate(self.files):
            if self.draws_pieces and each.info.name == name and each.kind.draws:
                return Draws(each.kind.draws, _FIRST_STREAM + number)
        return None

    @override
    def column_of(self, name: str) -> str:
        return self._own.get(name, name)

    @override
    def file_form(self, name: str) -> FileForm | None:
        found = next((each for each in self.files if each.info.name == name), None)
        return None if found is None else found.kind.form(found.info)

    @property
    @override
    def row_form(self) -> RowForm | None:
        return self.rows.row_form if self.rows.columns else None

    def _read(self, indices: Sequence[int], values: dict[str, Values]) -> dict[str, Values]:
        """Return the values of all fields of some samples: those of files, and the others."""
        for each in self.texts_of:
            values[each.name] = each.read(indices)
        return values | self.rows.read(indices)

    @override
    def column(self, name: str) -> Tensor | None:
        text = next((each for each in self.texts_of if f"{each.name} length" == name), None)
        if text is not None:
            return text_lengths(text.corpus, text.length)
        return None if name in self._own else self.rows.column(name)

    @override
    def given_parts(self) -> Tensor | None:
        return self._parts

    @cached_property
    def _parts(self) -> Tensor | None:
        """The part of each sample by the paths of its first file that is an input."""
        files = next((each for each in self.files if each.info.role == "input"), None)
        return None if files is None else parts_of_paths(files.places)

    @override
    def subjects(self) -> Tensor | None:
        return self.written_codes(self.subject)

    def field_of(self, column: str) -> str:
        """Return the field that a column of files or texts becomes, the name itself for others."""
        return next((field for field, name in self._own.items() if name == column), column)

    @override
    def written_codes(self, name: str) -> Tensor | None:
        if name not in self._own.values():
            return None
        column = read_column(self.rows.table, name, "id").taken(self.rows.rows)
        return column.codes if isinstance(column, CodeColumn) else None

    @override
    def text(self, name: str, index: int) -> str:
        if name in self._text_files:
            return next(each for each in self.texts_of if each.name == name).corpus.written(index)
        return self.rows.text(self._own.get(name, name), index)

    @override
    def row(self, index: int) -> dict[str, Cell]:
        return self.rows.row(index)

    @override
    def file(self, name: str, index: int) -> Path | None:
        files = (each for each in self.files if each.info.name == name)
        found = self._text_files.get(name) or next(files, None)
        return None if found is None else found.path(index)

    @property
    @override
    def file_columns(self) -> tuple[DataColumn, ...]:
        return self.rows.file_columns

    @property
    @override
    def column_kinds(self) -> Mapping[str, str]:
        return self.rows.column_kinds

    @property
    @override
    def unused(self) -> tuple[str, ...]:
        return self.rows.unused

    @property
    @override
    def left_out(self) -> Mapping[Omission, int]:
        return self.rows.left_out

    @property
    @override
    def sample_numbers(self) -> Tensor:
        return self.rows.sample_numbers

    @override
    def sample_names(self, indices: Sequence[int]) -> list[str]:
        return self.rows.sample_names(indices)

    @override
    def find_samples(self, names: Collection[str]) -> dict[str, int]:
        return self.rows.find_samples(names)

    @override
    def relabelled(self, labels: Tensor) -> "MixedTableSource | None":
        rows = self.rows.relabelled(labels)
        return None if rows is None else replace(self, rows=rows)

    @override
    def identities(self) -> Identities:
        found = [self.rows.identities()]
        for name in self._own.values():
            column = read_column(self.rows.table, name, "id").taken(self.rows.rows)
            if isinstance(column, CodeColumn):
                found.append(code_identities(column.codes.numpy(), column.values))
        return joined(self.samples, found)

    @override
    def contents(self, indices: Sequence[int]) -> list[bytes] | None:
        return self.rows.contents(indices)

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        written = self._written(indices, self._own.values())
        own = zip(written, self.rows.keys(indices), strict=True)
        return [written + row for written, row in own]

    @override
    def input_keys(self, indices: Sequence[int]) -> list[bytes]:
        targets = {each.column for each in self.files if each.info.role == "target"}
        inputs = (column for column in self._own.values() if column not in targets)
        written = self._written(indices, list(inputs))
        own = zip(written, self.rows.input_keys(indices), strict=True)
        return [written + row for written, row in own]

    @override
    def fitted(self, training: Tensor) -> "MixedTableSource":
        rows = training.numpy()
        corpora = {id(each.corpus): each for each in self.texts_of}
        fitted = {key: each.corpus.fitted(rows, each.length) for key, each in corpora.items()}
        texts = tuple(replace(each, corpus=fitted[id(each.corpus)]) for each in self.texts_of)
        return replace(self, rows=self.rows.fitted(training), texts_of=texts)

    @override
    def tokenizers(self) -> dict[str, SubwordTokenizer]:
        found = {each.name: each.corpus.tokens.tokenizer for each in self.texts_of}
        return {name: tokenizer for name, tokenizer in found.items() if tokenizer is not None}

    @override
    def used_tokenizers(self) -> dict[str, str]:
        return used_tokenizers(each.corpus for each in self.texts_of)

    @override
    def is_current(self) -> bool:
        are_there = (file_version(each.path(0))[0] >= 0 for each in self.files)
        return all(are_there) and all(each.are_current() for each in self._text_files.values())

    @override
    def version(self) -> str:
        """Return a hash of the names of all files, and of when some were changed."""
        state = hashlib.blake2b(digest_size=16)
        for each in (*self.files, *self._text_files.values()):
            state.update("\n".join(each.places).encode("utf-8", "surrogatepass"))
            step = max(len(each.places) // _SAMPLED, 1)
            for at in range(0, len(each.places), step):
                state.update(repr(file_version(each.path(at))).encode())
        state.update(repr([each.info for each in self.files]).encode())
        return state.hexdigest() if self.files else ""

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        blank = (
            blank_files(each.files.places, each.corpus)
            for each in self.texts_of
            if each.files is not None and each.form != "previous"  # else twice
        )
        cut = (
            cut_texts(each.corpus, each.column, each.length)
            for each in self.texts_of
            if each.form == "plain"
        )
        told = (each.told for each in (*self.files, *self._text_files.values()))
        found = (each for each in told if each is not None)
        return (
            *found,
            *chain.from_iterable(blank),
            *chain.from_iterable(cut),
            *self.rows.check(indices),
        )

    @property
    def _text_files(self) -> dict[str, TextFiles]:
        """The files of the fields of texts that are read from some."""
        return {each.name: each.files for each in self.texts_of if each.files is not None}

    @property
    def _own(self) -> dict[str, str]:
        """The columns of the fields that this source reads itself."""
        own = {each.info.name: each.column for each in self.files}
        return own | {each.name: each.column for each in self.texts_of}

    def _written(self, indices: Sequence[int], columns: Collection[str]) -> list[bytes]:
        """Return what stands in some columns, and in files of texts that they name."""
        texts = {each.column: each.corpus for each in self.texts_of if each.files is not None}
        keys: list[bytes] = []
        for index in indices:
            cells = [
                texts[name].written(index) if name in texts else self.rows.text(name, index)
                for name in columns
            ]
            parts = [cell.encode("utf-8", "surrogatepass") for cell in cells]
            keys.append(b"".join(len(part).to_bytes(8, "little") + part for part in parts))
        return keys


def mixed_source(
    path: Path, table: Table, plan: TablePlan, params: Mapping[str, Value]
) -> MixedTableSource:
    """Return the rows of a table by a plan that has columns of files or texts. A row that names no
    file is left out, and one without a text to generate; another that is missing is empty.

    Raises ``DiagnosticError``: those of :func:`table_source`, :func:`file_column` and
    :func:`text_fields`.
    """
    is_usable = torch.ones(table.rows, dtype=torch.bool)
    needed = (each for each in plan.texts if each.role == "target" or each.kind == "textfile")
    for info in (*plan.files, *needed):
        is_usable &= has_cell(table, info.name)
    rows = table_source(path, table, plan, is_usable)
    folder = str(params.get("folder") or "").strip()
    root = Path(folder).expanduser() if folder else folder_of_files(path.absolute())
    taken: set[str] = set(_TAKEN)
    names = {info.name: _field_name(info.name, taken) for info in (*plan.files, *plan.texts)}
    files = [
        file_column(
            table,
            info,
            field=names[info.name],
            kind=FILE_KINDS[info.kind](params),
            root=root,
            rows=rows.rows,
        )
        for info in plan.files
    ]
    texts = (
        each
        for info in plan.texts
        for each in text_fields(
            table, info, field=names[info.name], root=root, rows=rows.rows, params=params
        )
    )
    return MixedTableSource(rows=rows, files=_over_pictures(files), texts_of=tuple(texts))


def _over_pictures(files: Sequence[FileColumn]) -> tuple[FileColumn, ...]:
    """Return columns of files, those of masks with the first one of pictures, over which they
    lie.
    """
    pictures = next((each for each in files if each.info.kind == "image"), None)
    return tuple(
        replace(each, below=pictures) if each.info.kind == "mask" else each for each in files
    )


def _field_name(column: str, taken: set[str]) -> str:
    name = re.sub(r"\W+", "_", column).strip("_") or "input"
    name = f"_{name}" if name[0].isdigit() else name
    name = free_name(name, taken)
    taken.add(name)
    return name
