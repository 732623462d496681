"""Files of predictions, written block by block as they come."""

import csv
import io
import tempfile
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Protocol, cast

import msgspec
import numpy as np
from typing_extensions import override

from engine.diagnostics import DiagnosticError
from engine.files.csv_cell import plain_cell
from engine.query.predicting.block import MATRICES, Block, OutColumn
from engine.query.predicting.request import PredictionFormat

_PIECE = 1 << 20


class Target(Protocol):
    """What takes the bytes of a file."""

    def write(self, data: bytes, /) -> int:
        """Write and return how many bytes were taken."""
        ...


class Writer(ABC):
    """Writes blocks of one table to a target; :meth:`close` writes what is left."""

    def __init__(self, target: Target) -> None:
        self._target = target

    @abstractmethod
    def add(self, block: Block) -> None:
        """Write rows, whose columns are those of the first block."""

    def close(self) -> None:  # noqa: B027 - most write all at once
        """Write what is left."""

    def discard(self) -> None:  # noqa: B027 - as above
        """Let go of what waits to be written."""

    def _put(self, data: bytes) -> None:
        self._target.write(data)


class CsvWriter(Writer):
    """Comma-separated values in UTF-8, numbers with all digits that tell them apart."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._is_begun = False

    @override
    def add(self, block: Block) -> None:
        text = io.StringIO(newline="")
        rows = csv.writer(text)
        if not self._is_begun:
            rows.writerow([plain_cell(column.name) for column in block])
        rows.writerows(zip(*map(cells_of, block), strict=True))
        # A spreadsheet takes it for another encoding without the mark.
        self._put(text.getvalue().encode("utf-8" if self._is_begun else "utf-8-sig", "replace"))
        self._is_begun = True


class JsonLinesWriter(Writer):
    """An object a line; numbers that JSON does not know are null."""

    @override
    def add(self, block: Block) -> None:
        names = [column.name for column in block]
        columns = [_values(column) for column in block]
        for row in zip(*columns, strict=True):
            self._put(msgspec.json.encode(dict(zip(names, row, strict=True))) + b"\n")


class ParquetWriter(Writer):
    """A Parquet file, by pyarrow. Raises :class:`DiagnosticError` P062 where that is not there."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        try:
            self._arrow: Any = import_module("pyarrow")
            self._parquet: Any = import_module("pyarrow.parquet")
        except ImportError as error:
            raise DiagnosticError.of("P062", detail=str(error)) from error
        self._file: Any = self._arrow.PythonFile(_Whole(target), mode="w")
        self._writer: Any = None

    @override
    def add(self, block: Block) -> None:
        columns = {
            column.name: self._arrow.array(
                column.values
                if isinstance(column.values, np.ndarray)
                else [text.encode("utf-8", "replace").decode() for text in column.values]
            )
            for column in block
        }
        table = self._arrow.table(columns)
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)

    @override
    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


class NumpyWriter(Writer):
    """One array with a row for each sample: probabilities, or numbers that are predicted."""

    def __init__(self, target: Target, folder: Path) -> None:
        super().__init__(target)
        self._array = _Grown(folder)

    @override
    def add(self, block: Block) -> None:
        self._array.add(_matrices(block)[_main_group(block)])

    @override
    def close(self) -> None:
        self._array.write(self._target)

    @override
    def discard(self) -> None:
        self._array.close()


class NumpyZipWriter(Writer):
    """An array for each column, or group of columns, and the names of those in a group."""

    def __init__(self, target: Target, folder: Path) -> None:
        super().__init__(target)
        self._folder = folder
        self._arrays: dict[str, _Grown] = {}
        self._texts: dict[str, list[str]] = {}
        self._names: dict[str, list[str]] = {}

    @override
    def add(self, block: Block) -> None:
        for name, values in _matrices(block).items():
            if name not in self._arrays:
                self._arrays[name] = _Grown(self._folder)
            self._arrays[name].add(values)
        for column in block:
            if not isinstance(column.values, np.ndarray):
                self._texts.setdefault(column.name, []).extend(column.values)
            elif column.group and not self._names.get(column.group):
                names = [each.name for each in block if each.group == column.group]
                self._names[column.group] = [
                    name.removeprefix(f"{column.group}_") for name in names
                ]

    @override
    def discard(self) -> None:
        for array in self._arrays.values():
            array.close()

    @override
    def close(self) -> None:
        with zipfile.ZipFile(cast("IO[bytes]", _Whole(self._target)), "w") as archive:
            for name, array in self._arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                    array.write(cast("Target", stream))
            texts = self._texts | {
                f"{name}_names": names for name, names in self._names.items() if len(names) > 1
            }
            for name, values in texts.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                    np.lib.format.write_array(
                        stream, np.array([*values, ""])[:-1], allow_pickle=False
                    )


def open_writer(form: PredictionFormat, target: Target, folder: Path) -> Writer:
    """Return what writes a format; ``folder`` is where rows may wait whose number comes first in
    the file. Raises :class:`DiagnosticError` P062 where a package is missing.
    """
    match form:
        case "csv":
            return CsvWriter(target)
        case "jsonl":
            return JsonLinesWriter(target)
        case "parquet":
            return ParquetWriter(target)
        case "npy":
            return NumpyWriter(target, folder)
        case "npz":
            return NumpyZipWriter(target, folder)


def cells_of(column: OutColumn) -> list[str]:
    """Return the values of a column as cells, numbers with all digits that tell them apart."""
    if isinstance(column.values, np.ndarray):
        return [str(value) for value in column.values]
    return [plain_cell(text) for text in column.values]


class _Whole:
    """A target as pyarrow and zipfile want a file that is written from start to end."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self.closed = False

    def write(self, data: bytes) -> int:
        """Write all of it: the target says no more than that."""
        content = bytes(data)
        self._target.write(content)
        return len(content)

    def flush(self) -> None:
        """Do nothing: the target is flushed by who owns it."""

    def close(self) -> None:
        """Write no more."""
        self.closed = True

    def readable(self) -> bool:
        """Return that nothing is read."""
        return False

    def writable(self) -> bool:
        """Return that all is written."""
        return True

    def seekable(self) -> bool:
        """Return that it only grows."""
        return False


class _Grown:
    """An array that grows by rows, which wait in a file of no name until their number is known."""

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - close does it
        self._rows = 0
        self._shape: tuple[int, ...] = ()
        self._dtype = np.dtype(np.float32)

    def add(self, values: np.ndarray) -> None:
        """Add rows."""
        self._rows += len(values)
        self._shape, self._dtype = values.shape[1:], values.dtype
        self._file.write(np.ascontiguousarray(values).tobytes())

    def write(self, target: Target) -> None:
        """Write the array with its header."""
        header = io.BytesIO()
        described = {
            "descr": np.lib.format.dtype_to_descr(self._dtype),
            "fortran_order": False,
            "shape": (self._rows, *self._shape),
        }
        np.lib.format.write_array_header_1_0(header, described)
        target.write(header.getvalue())
        self._file.seek(0)
        while piece := self._file.read(_PIECE):
            target.write(piece)

    def close(self) -> None:
        """Let go of the rows."""
        self._file.close()


def _main_group(block: Block) -> str:
    """Return the group of columns that the one array of a file has."""
    return next(column.group for column in block if column.group in MATRICES)


def _matrices(block: Block) -> dict[str, np.ndarray]:
    """Return the numbers of a block: of a group one array, of shape (rows, columns)."""
    grouped: dict[str, list[np.ndarray]] = {}
    for column in block:
        if isinstance(column.values, np.ndarray):
            grouped.setdefault(column.group or column.name, []).append(column.values)
    alone = {column.name for column in block if not column.group}
    return {
        name: values[0] if name in alone else np.stack(values, axis=1)
        for name, values in grouped.items()
    }


def _values(column: OutColumn) -> Sequence[str | float | int | None]:
    if not isinstance(column.values, np.ndarray):
        return [text.encode("utf-8", "replace").decode() for text in column.values]
    if column.values.dtype == np.float32:
        return [float(str(value)) for value in column.values]
    return column.values.tolist()
