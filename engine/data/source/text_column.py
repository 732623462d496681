"""Column of a table that holds texts, or names files with one each: fields of their tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from torch import Tensor

from engine.catalog.spec import Value
from engine.data.read.cell import MISSING, Table
from engine.data.read.listening import tell_progress
from engine.data.read.text import LARGEST_TEXT, read_text
from engine.data.source.file_column import FilePaths, file_paths
from engine.data.source.parameter import int_param
from engine.data.source.source import Values
from engine.data.source.text_corpus import Corpus, Form, text_corpus
from engine.data.source.text_samples import form_info, form_values
from engine.data.source.version import FileVersion, file_version
from engine.diagnostics import DiagnosticError
from engine.spec.data import FieldInfo
from engine.spec.table import ColumnInfo

LARGEST_FILE = 64 << 20
"""Bytes of a file with one text: a sample is some hundred tokens of it."""

_LOOKED_AT = 1_000  # files whose size and time say whether texts are as they were read


@dataclass(frozen=True, kw_only=True)
class TextFiles(FilePaths):
    """Files with a text each; ``versions`` are those of some of them when they were read."""

    versions: tuple[FileVersion, ...]

    def are_current(self) -> bool:
        """Return whether the files that are looked at are as they were."""
        return _versions(self) == self.versions


@dataclass(frozen=True, eq=False, kw_only=True)
class TextField:
    """A column of texts of ``length`` tokens, or at most as many where each ``keeps_length``, in a
    form: one that is generated has two fields. ``files`` are those that the column names, where the
    texts do not stand in it.
    """

    name: str
    column: str
    corpus: Corpus
    length: int
    form: Form = "plain"
    keeps_length: bool = False
    files: TextFiles | None = None

    @property
    def info(self) -> FieldInfo:
        """The field of the form."""
        return form_info(
            self.corpus, self.name, self.length, self.form, keeps_length=self.keeps_length
        )

    def read(self, indices: Sequence[int]) -> Values:
        """Return the texts of some samples."""
        return form_values(
            self.corpus, indices, self.length, self.form, keeps_length=self.keeps_length
        )


def text_fields(
    table: Table,
    info: ColumnInfo,
    *,
    field: str,
    root: Path,
    rows: Tensor,
    params: Mapping[str, Value],
) -> tuple[TextField, ...]:
    """Return the fields of a column of texts for some rows (int64) of a table: its tokens, or those
    before and after each of them where they are to be generated. ``field`` is what the field is
    called, ``root`` the folder of files that the column may name.

    Raises :class:`DiagnosticError`: D315 and D316 as columns of files do, and with the row what is
    wrong with a file (:func:`read_text`), D572 for files that are too large together.
    """
    is_generated = info.role == "target"
    name = "target" if is_generated else field
    texts, files = _texts(table, info, root, rows)
    lengths = np.array([len(text) for text in texts], np.int64)
    ends = np.cumsum(lengths + 1) - 1
    spans = np.stack((ends - lengths, ends), axis=1)
    corpus = text_corpus(params, "\n".join(texts), spans, name=name, is_generated=is_generated)
    text = TextField(
        name=name,
        column=info.name,
        corpus=corpus,
        length=int_param(params, "length"),
        keeps_length=params["fill"] == "batch",
        files=files,
    )
    if not is_generated:
        return (text,)
    return replace(text, name="previous", form="previous"), replace(text, form="next")


def _texts(
    table: Table, info: ColumnInfo, root: Path, rows: Tensor
) -> tuple[list[str], TextFiles | None]:
    """Return the text of each row, and the files that they are in, if they are in any."""
    if info.kind == "textfile":
        places = file_paths(table, info.name, root, rows)
        versions = _versions(places)  # before: what is changed meanwhile is read again
        files = TextFiles(
            column=places.column,
            root=root,
            places=places.places,
            lines=places.lines,
            told=places.told,
            versions=versions,
        )
        return _read(places), files
    cells = table.column(info.name)
    texts = [cells.cell(row) for row in rows.tolist()]
    return ["" if text in MISSING else text for text in texts], None


def _read(files: FilePaths) -> list[str]:
    """Return the text of each file; one that several rows name is read once."""
    found: dict[str, str] = {}
    texts: list[str] = []
    room = LARGEST_TEXT
    for index, place in enumerate(files.places):
        tell_progress(files.root, index, "files", len(files.places))
        if place not in found:
            try:
                found[place] = read_text(files.path(index), limit=LARGEST_FILE)
            except DiagnosticError as error:
                raise files.with_row(index, error) from error
        texts.append(found[place])
        room -= len(found[place])
        if room < 0:
            raise DiagnosticError.of(
                "D572", field="data.source.kinds", column=files.column, limit=LARGEST_TEXT >> 20
            )
    return texts


def _versions(files: FilePaths) -> tuple[FileVersion, ...]:
    step = max(len(files.places) // _LOOKED_AT, 1)
    return tuple(file_version(files.path(at)) for at in range(0, len(files.places), step))
