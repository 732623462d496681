"""List of the samples of a run beside exported training code: where each is, and its targets."""

import csv
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from engine.data.load.load import LoadedData
from engine.data.read.enclosed import find_enclosed
from engine.data.source.file_column import folder_of_files
from engine.data.source.row_form import RowForm
from engine.data.source.source import PARTS, Part, Values
from engine.data.transform.chain import POINTS
from engine.diagnostics import DiagnosticError
from engine.export.chain_text import is_drawn, training_chain
from engine.export.job import ExportJob
from engine.export.read_text import InputReading
from engine.export.sampler_text import carried_dataset, looks_at_samples
from engine.files import read_file
from engine.spec.data import ROW_KINDS
from engine.spec.data_root import known_roots, resolved

_MOST_NUMBERS = 20_000_000  # that are written into a list
_LONGEST_TEXT = 1 << 26  # bytes
_AT_ONCE = 16  # samples that are read
_ENCODINGS = ("utf-8-sig", "gb18030", "cp1252")
_DELIMITERS = (",", ";", "\t", "|")
_READ = 1024  # samples in memory that are taken at once
_MOVED = ("mask", POINTS, *ROW_KINDS)
"""Kinds of targets that transforms change with the picture."""

Arrays = dict[str, np.ndarray]
Entry = dict[str, Any]


class TableFile(NamedTuple):
    """A file of values between delimiters in which the rows of the samples stand, and the columns
    that are read of them.
    """

    name: str
    encoding: str
    delimiter: str
    columns: tuple[str, ...]


class SampleList(NamedTuple):
    """The samples of a run with the fields ``carried``: the ``lines`` of a list, what holds for all
    samples and then one a sample, or where nothing of them is in other files, ``arrays``.
    ``example`` is a file that is looked for in the data, the ``table`` one whose rows are (empty
    and None: none is). ``has_index`` tells that they have their index in the data, ``is_whole``
    that all of them is written, as evaluation reads it.
    """

    carried: tuple[str, ...]
    lines: list[str]
    example: str
    table: TableFile | None
    arrays: Arrays | None = None
    has_index: bool = False
    is_whole: bool = False


def sample_list(job: ExportJob, needed: Sequence[str]) -> SampleList | None:
    """Return the list of the samples of a run with the fields ``needed`` besides its inputs; None
    where the data are gone or would make a list of too many numbers.

    Raises :class:`DiagnosticError` where a sample cannot be read.
    """
    if job.data is None or not job.readings:
        return None
    writer = _Writer(job, job.data, needed)
    arrays = writer.arrays() if writer.is_whole else None
    if writer.left < 0:
        return None
    lines = [] if arrays is not None else writer.lines()
    if lines is None:
        return None
    carried = (*writer.inputs, *writer.targets)
    return SampleList(
        carried,
        lines,
        writer.example,
        writer.table,
        arrays,
        has_index=writer.has_index,
        is_whole=writer.is_whole,
    )


class _Writer:
    """Writes each sample down as it is read, before any transform; ``left`` are the numbers that
    may be written yet. ``is_whole`` tells that all of a sample is written.
    """

    def __init__(self, job: ExportJob, data: LoadedData, needed: Sequence[str]) -> None:
        # What tells of padding is no part of a sample: a batch has it.
        readings = [reading for reading in job.readings if not reading.axes]
        self._data, self._source, self._readings = data, data.source, readings
        self.inputs = [reading.field.name for reading in readings]
        wanted = dict.fromkeys([*needed, *_further(data)])
        self.targets = [name for name in wanted if name not in self.inputs]
        params, roots = job.spec.data.source.params, known_roots()
        self._path = Path(resolved(str(params.get("path", "")), roots))
        self._folder: Path | None = None  # below which the files of a table are
        if job.spec.data.source.type == "table":
            given = resolved(str(params.get("folder") or ""), roots)
            self._folder = Path(given) if given else folder_of_files(self._path)
        target = data.info.target
        # Windows over a text and what lies inside other files are no samples that could be found
        # again alone.
        is_of_windows = target is not None and target.kind == "sequence"
        is_alone = any(map(self._is_elsewhere, readings))
        self.is_whole = is_of_windows or not is_alone or any(map(self._is_enclosed, readings))
        kinds = {info.kind for info in data.info.fields}
        self._at_once = 1 if kinds & set(ROW_KINDS) else _AT_ONCE
        self.left = _MOST_NUMBERS
        self.example = ""
        self.has_index = is_drawn(data, self.inputs) or carried_dataset(data) is not None
        self.table = None if self.is_whole else _table_file(data, self._path, readings)

    def _is_elsewhere(self, reading: InputReading) -> bool:
        """Return whether an input is found by its file, its row or what is written there."""
        first = int(self._data.indices["train"][0])
        has_file = self._source.file(reading.field.name, first) is not None
        return has_file or isinstance(reading.form, RowForm) or reading.is_text

    def arrays(self) -> Arrays | None:
        """Return the values of all samples by field with the part of each; None where they have
        different sizes, or would be too many numbers.
        """
        parts: list[Part] = [part for part in PARTS if part in self._data.indices]
        indices = torch.cat([self._data.indices[part] for part in parts])
        arrays: Arrays = {
            "part": np.concatenate(
                [np.full(len(self._data.indices[part]), PARTS.index(part), np.int8)
                 for part in parts]
            )
        }  # fmt: skip
        for name in (*self.inputs, *self.targets):
            values = self._all(name, indices)
            if values is None:
                return None
            arrays[f"field.{name}"] = values
        if self.has_index:
            arrays["index"] = indices.numpy()
        if self._drawn_by is not None:
            arrays["drawn_by"] = self._drawn_by.numpy()
        return arrays

    def _all(self, name: str, indices: Tensor) -> np.ndarray | None:
        column = self._source.column(name)
        found: list[Tensor] = []
        for block in indices.split(_READ):
            if column is not None:
                values = column[block]
            else:
                values = self._source.read_field(name, block.tolist())
            if not isinstance(values, Tensor):
                return None
            if found and values.shape[1:] != found[0].shape[1:]:
                return None
            self.left -= values.numel()
            if self.left < 0:
                return None
            found.append(values)
        return torch.cat(found).numpy()

    @property
    def _drawn_by(self) -> Tensor | None:
        """What the samples of the training are drawn by, in their order."""
        return self._data.sampler.drawn_by

    def lines(self) -> list[str] | None:
        """Return the lines; None where they would be too many numbers."""
        first = self._source.read(self._data.indices["train"][:1].tolist())
        head: Entry = {"dtypes": {name: str(first[name][0].dtype)[6:] for name in first}}
        if self.table is not None:
            head["table"] = self.table._asdict()
        found = [json.dumps(head, ensure_ascii=False)]
        for part in PARTS:
            indices = self._data.indices[part].tolist() if part in self._data.indices else []
            for start in range(0, len(indices), self._at_once):
                entries = self._entries(indices[start : start + self._at_once])
                if part == "train" and self._drawn_by is not None:
                    numbers = self._drawn_by[start : start + self._at_once].tolist()
                    entries = (
                        {**entry, "drawn_by": number}
                        for entry, number in zip(entries, numbers, strict=True)
                    )
                found += [
                    json.dumps({"part": part, **entry}, ensure_ascii=False) for entry in entries
                ]
                if self.left < 0:
                    return None
        return found

    def _entries(self, indices: list[int]) -> Iterator[Entry]:
        read = self._source.read_as(indices)
        values = self._values(read)
        for at, (index, shown) in enumerate(zip(indices, read, strict=True)):
            entry: Entry = {
                "targets": {name: self._packed(name, values[name][at]) for name in self.targets}
            }
            if self.is_whole:
                entry["inputs"] = {
                    name: self._packed(name, values[name][at]) for name in self.inputs
                }
            else:
                raw: Entry = {}
                for reading in self._readings:
                    raw |= self._raw(reading, shown)
                entry["raw"] = raw
            if self.has_index:
                entry["index"] = index
                if shown != index:  # pieces of a file are drawn by the sample that it is of
                    entry["read_as"] = shown
            if self.table is not None:
                entry["row"] = int(self._source.sample_numbers[index])
            yield entry

    def _values(self, indices: list[int]) -> Mapping[str, Values]:
        """Return the values that are written, without reading pictures where that can be."""
        columns = {name: self._source.column(name) for name in self.targets}
        missing = [name for name, each in columns.items() if each is None]
        if self.is_whole or len(missing) > 1:
            return self._source.read(indices)
        read = {name: self._source.read_field(name, indices) for name in missing}
        return {name: each[indices] for name, each in columns.items() if each is not None} | read

    def _raw(self, reading: InputReading, index: int) -> Entry:
        """Return what a raw sample has for an input: a file, a text, the cells of a row, values."""
        name, key = reading.field.name, reading.key
        if isinstance(reading.form, RowForm):
            if self.table is not None:
                return {}
            self.left -= len(reading.form.kinds)
            return {column: self._source.text(column, index) for column in reading.form.kinds}
        if reading.is_text:
            return {key: self._text(name, index)}
        file = self._source.file(name, index)
        if file is not None:
            return {key: self._place("file", self._file_place(name, index, file))}
        return {key: self._packed(name, self._source.read([index])[name][0])}

    def _file_place(self, name: str, index: int, file: Path) -> str:
        """Return where a file is from the folder of the data, or from the table whose rows are
        read: which may name it by a path of another computer, or lie elsewhere.
        """
        if self._folder is None:
            return self._source.text(name, index).replace("\\", "/")
        start = self._folder if self.table is None else self._path.parent
        return os.path.relpath(file, start).replace(os.sep, "/")

    def _is_enclosed(self, reading: InputReading) -> bool:
        file = self._source.file(reading.field.name, 0)
        return file is not None and find_enclosed(file) is not None

    def _place(self, kind: str, place: str) -> Entry:
        self.left -= 1
        self.example = self.example or place
        return {kind: place}

    def _text(self, name: str, index: int) -> str | Entry:
        """Return a text, or the file that holds just it."""
        words = self._source.text(name, index)
        (place,) = self._source.sample_names([index])
        file = self._path / place
        if not place.isdecimal() and file.is_file():
            with suppress(DiagnosticError, OSError, ValueError):
                if read_file(file, _LONGEST_TEXT).decode("utf-8-sig") == words:
                    return self._place("text", place)
        self.left -= len(words) // 4 + 1
        return words

    def _packed(self, name: str, value: Tensor) -> Any:
        """Return a value as numbers; that of many equal neighbors as these and how many."""
        kind = next(info.kind for info in self._data.info.fields if info.name == name)
        if not value.ndim:
            self.left -= 1
            return value.item()
        numbers = value.flatten().tolist()
        if kind in ("mask", "box_masks"):
            runs = [[int(number), len(list(group))] for number, group in groupby(numbers)]
            self.left -= 2 * len(runs)
            return {"shape": list(value.shape), "runs": runs}
        self.left -= len(numbers)
        return {"shape": list(value.shape), "values": numbers}


def _further(data: LoadedData) -> list[str]:
    """Return the fields that the run compares with nothing, and that a sample needs all the same:
    those that random transforms change together, or that own code may look at.
    """
    if data.collation.is_custom or looks_at_samples(data):
        return [info.name for info in data.source.infos]
    chain = training_chain(data)
    if chain is None or not chain.is_random:
        return []
    roles = {info.name: info.role for info in data.source.infos}
    moved = [name for name, kind in chain.kinds.items() if kind in _MOVED]
    return [name for name in (*moved, *chain.labels) if roles[name] == "target"]


def _table_file(data: LoadedData, path: Path, readings: Sequence[InputReading]) -> TableFile | None:
    """Return how Python's ``csv`` reads the table of the samples; None where it has other cells
    than the run read, or is no such file.
    """
    form = next((each.form for each in readings if isinstance(each.form, RowForm)), None)
    if form is None or path.suffix.lower() not in (".csv", ".tsv", ".txt") or not path.is_file():
        return None
    for encoding in _ENCODINGS:
        for delimiter in _DELIMITERS:
            table = TableFile(path.name, encoding, delimiter, tuple(form.kinds))
            if _has_rows(data, path, table):
                return table
    return None


def _has_rows(data: LoadedData, path: Path, table: TableFile) -> bool:
    """Return whether a table has the cells of all samples in the rows that they are numbered by."""
    numbers = data.source.sample_numbers.tolist()
    samples = {number: index for index, number in enumerate(numbers)}
    found = 0
    try:
        with path.open(encoding=table.encoding, newline="") as stream:
            rows = csv.reader(stream, delimiter=table.delimiter)
            head = next(rows, [])
            if not set(table.columns) <= set(head):
                return False
            places = {column: head.index(column) for column in table.columns}
            for number, row in enumerate(rows, start=2):
                index = samples.get(number)
                if index is None:
                    continue
                found += 1
                for column, at in places.items():
                    if at >= len(row) or row[at] != data.source.text(column, index):
                        return False
    except (OSError, ValueError, csv.Error):
        return False
    return found == len(samples)
