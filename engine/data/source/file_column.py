"""Column of a table that names files, each a value of a field of its own.

What is read of a file is a :class:`FileKind`; a further kind is a class of it and a line in
:data:`FILE_KINDS`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import torch
from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.read.captions import find_captions
from engine.data.read.cell import MISSING, Table
from engine.data.read.file_form import ArrayForm, FileForm, read_array
from engine.data.read.fit import Fit
from engine.data.read.image import ColorMode, read_bytes, read_size
from engine.data.read.mask_form import MaskForm
from engine.data.read.picture_form import PictureForm
from engine.data.read.sound import SoundForm, read_sound
from engine.data.read.sound import require_reader as require_sound_reader
from engine.data.read.video import VideoForm, read_video
from engine.data.read.video import require_reader as require_video_reader
from engine.data.source.field import mask_info, plane_info
from engine.data.source.file_search import MOST_COLUMNS, FileSearch, place_notice
from engine.data.source.image_folder import (
    batch_of,
    fit_param,
    image_info,
    mode_param,
    size_param,
)
from engine.data.source.mask_classes import IGNORED_OF_TABLE, mask_classes, require_size_of_picture
from engine.data.source.sound_folder import sound_form, sound_info
from engine.data.source.source import Values, stacked
from engine.data.source.video_folder import video_form, video_info
from engine.diagnostics import NAMED_IN_COLUMN, NAMED_IN_ROW, Diagnostic, DiagnosticError
from engine.files import is_folder
from engine.spec.data import FieldInfo
from engine.spec.table import ColumnInfo, ColumnKind, ColumnRole

_CHANNELS = (1, 3)
_VIDEO_SIDE = 64  # pixels, where pictures keep the size that each has
_SPECTROGRAM: Mapping[str, Value] = {
    "form": "spectrogram",
    "channels": "mono",
    "mels": 64,
    "n_fft": 1024,
    "hop_length": 256,
}

Draw = Callable[[int, int], Sequence[float]]
"""Gives random numbers for a sample, by its index and how many there have to be."""


class FileKind(ABC):
    """What is read of the files of a column, and the field that it makes, by the parameters of a
    table.
    """

    draws = 0
    """How many random numbers in [0, 1) choose what of a file is read in training."""

    def __init__(self, params: Mapping[str, Value]) -> None:
        self._mode: ColorMode = mode_param(params)
        self._size = size_param(params)
        self._fit: Fit = fit_param(params)

    @abstractmethod
    def info(self, name: str, first: Path, role: ColumnRole) -> FieldInfo:
        """Return the field of a column with a role, whose shape may be that of the ``first`` file.
        Raises :class:`DiagnosticError` where that cannot be read.
        """

    def form(self, info: FieldInfo) -> FileForm | None:
        """Return how a file becomes the value of the field, where one of the user's can."""
        del info
        return None

    @abstractmethod
    def read(self, info: FieldInfo, path: Path, drawn: Sequence[float]) -> Tensor:
        """Return the value of a file; ``drawn`` are random numbers, none for the usual choice.
        Raises :class:`DiagnosticError` where it cannot be read.
        """

    def joined(self, info: FieldInfo, values: list[Tensor]) -> Values:
        """Return the values of several files as the field has them."""
        return stacked(values, info)


class PictureFiles(FileKind):
    """Pictures, as those of a folder of pictures: colors, size and how they are fitted to it."""

    @override
    def info(self, name: str, first: Path, role: ColumnRole) -> FieldInfo:
        return image_info(self._mode, self._size, name)

    @override
    def joined(self, info: FieldInfo, values: list[Tensor]) -> Values:
        return batch_of(values, info)

    @override
    def form(self, info: FieldInfo) -> PictureForm:
        return PictureForm(mode=self._mode, size=self._size, fit=self._fit)

    @override
    def read(self, info: FieldInfo, path: Path, drawn: Sequence[float]) -> Tensor:
        return self.form(info).decoded(read_bytes(path), str(path))


class MaskFiles(FileKind):
    """Masks, as those of a folder of pictures with masks: as a target a class for each pixel, as an
    input a plane for each class.
    """

    def __init__(self, params: Mapping[str, Value]) -> None:
        super().__init__(params)
        classes = mask_classes(params, IGNORED_OF_TABLE)
        self._form = MaskForm(classes=classes, size=self._size, fit=self._fit)

    @override
    def info(self, name: str, first: Path, role: ColumnRole) -> FieldInfo:
        of_role = mask_info if role == "target" else plane_info
        return of_role(self._size or (-1, -1), self._form.classes.names, name)

    @override
    def form(self, info: FieldInfo) -> MaskForm | None:
        return None if info.role == "target" else self._form

    @override
    def read(self, info: FieldInfo, path: Path, drawn: Sequence[float]) -> Tensor:
        read = self._form.numbers if info.role == "target" else self._form.value
        return read(read_bytes(path), str(path))


class ArrayFiles(FileKind):
    """Arrays of numbers, all of one shape: a vector, a series, or a picture with its channels."""

    @override
    def info(self, name: str, first: Path, role: ColumnRole) -> FieldInfo:
        shape = tuple(read_array(first).shape)
        is_image = len(shape) == 3 and shape[0] in _CHANNELS
        kind = "image" if is_image else "sequence" if len(shape) == 2 else "vector"
        return FieldInfo(name=name, role="input", kind=kind, shape=shape, dtype="float32")

    @override
    def form(self, info: FieldInfo) -> ArrayForm:
        return ArrayForm(info.shape)

    @override
    def read(self, info: FieldInfo, path: Path, drawn: Sequence[float]) -> Tensor:
        return self.form(info).value(path)


class SoundFiles(FileKind):
    """Sounds as spectrograms, as those of a folder of sounds: rate and seconds."""

    draws = 1

    def __init__(self, params: Mapping[str, Value]) -> None:
        super().__init__(params)
        require_sound_reader()
        self._form = sound_form({**_SPECTROGRAM, **params})

    @override
    def info(self, name: str, first: Path, role: ColumnRole) -> FieldInfo:
        return sound_info(name, self._form)

    @override
    def form(self, info: FieldInfo) -> SoundForm:
        return self._form

    @override
    def read(self, info: FieldInfo, path: Path, drawn: Sequence[float]) -> Tensor:
        return read_sound(path, self._form, *drawn)


class VideoFiles(FileKind):
    """Videos, as those of a folder of videos: frames, size and how they are fitted to it."""

    def __init__(self, params: Mapping[str, Value]) -> None:
        super().__init__(params)
        require_video_reader()
        self._form = video_form({**params, "size": self._size or _VIDEO_SIDE})
        self.draws = self._form.frames

    @override
    def info(self, name: str, first: Path, role: ColumnRole) -> FieldInfo:
        return video_info(name, self._form)

    @override
    def form(self, info: FieldInfo) -> VideoForm:
        return self._form

    @override
    def read(self, info: FieldInfo, path: Path, drawn: Sequence[float]) -> Tensor:
        return read_video(path, self._form, drawn)


FILE_KINDS: Mapping[ColumnKind, type[FileKind]] = {
    "image": PictureFiles,
    "mask": MaskFiles,
    "array": ArrayFiles,
    "sound": SoundFiles,
    "video": VideoFiles,
}
"""What a column of files can hold, by the kind of the column."""


@dataclass(frozen=True, kw_only=True)
class FilePaths:
    """The files in a folder that a column of a table names; ``places`` are their paths in it, one a
    sample, and ``lines`` the rows of the file that name them. ``told`` is how they were found,
    where the paths in the table are others.
    """

    column: str
    root: Path
    places: tuple[str, ...]
    lines: tuple[int, ...]
    told: Diagnostic | None = None

    def path(self, index: int) -> Path:
        """Return the file of a sample."""
        return self.root / self.places[index]

    def with_row(self, index: int, error: DiagnosticError) -> DiagnosticError:
        """Return what is wrong with the file of a sample, with the row and the column that name
        it.
        """
        named = {NAMED_IN_ROW: self.lines[index], NAMED_IN_COLUMN: self.column}
        return DiagnosticError(
            *(msgspec.structs.replace(each, params={**each.params, **named})
              for each in error.problems)
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class FileColumn(FilePaths):
    """A column of files, each a value of a field. ``below`` are the pictures that masks lie
    over.
    """

    info: FieldInfo
    kind: FileKind
    below: "FileColumn | None" = None

    def read(self, indices: Sequence[int], draw: Draw | None = None) -> Values:
        """Return the values of some samples; ``draw`` gives so many random numbers for a sample.

        Raises :class:`DiagnosticError` where a file cannot be read, with the row that names it.
        """
        values: list[Tensor] = []
        for index in indices:
            count = self.kind.draws
            drawn = draw(index, count) if draw is not None and count else ()
            try:
                values.append(self.kind.read(self.info, self.path(index), drawn))
                if self.below is not None:
                    picture = self.below.path(index)
                    path = self.path(index)
                    require_size_of_picture(path, read_size(path), read_size(picture))
            except DiagnosticError as error:
                raise self.with_row(index, error) from error
        return self.kind.joined(self.info, values)


def file_column(
    table: Table, column: ColumnInfo, *, field: str, kind: FileKind, root: Path, rows: Tensor
) -> FileColumn:
    """Return a column of the files below a folder for some rows (int64) of a table, each of which
    is there; ``field`` is what its field is called.

    Raises :class:`DiagnosticError`: those of :func:`file_paths`, and of reading the first file.
    """
    files = file_paths(table, column.name, root, rows)
    return FileColumn(
        info=kind.info(field, files.path(0), column.role),
        column=files.column,
        root=root,
        places=files.places,
        lines=files.lines,
        told=files.told,
        kind=kind,
    )


def file_paths(table: Table, name: str, root: Path, rows: Tensor) -> FilePaths:
    """Return the files below a folder that a column names in some rows (int64) of a table, with or
    without their endings, by the ends of paths of another computer, or in folders below.

    Raises :class:`DiagnosticError`: D315 for a path that leads out of the folder, D316 for a file
    that is missing, with its row.
    """
    every = list(table.column(name).cells())
    search, others = FileSearch(root, table.format.kind), _Others(table, name)
    places: list[str] = []
    missing: list[int] = []
    told: Diagnostic | None = None
    for row in rows.tolist():
        found = search.find(every[row], partial(others.of, row))
        if found.state == "outside":
            raise _told("D315", table, name, row, root)
        if found.state == "missing":
            missing.append(row)
        elif found.told:
            told = told or place_notice(found.told, name, every[row], found.place)
        places.append(found.place)
    if missing:
        raise _told("D316", table, name, missing[0], root, count=len(missing))
    lines = tuple(int(table.lines[row]) for row in rows.tolist())
    return FilePaths(column=name, root=root, places=tuple(places), lines=lines, told=told)


def folder_of_files(path: Path) -> Path:
    """Return the folder below which the files lie that a table names, which is a file or a folder
    of several.
    """
    if is_folder(path):
        return path
    captions = find_captions(path)
    return path.parent if captions is None else captions.root


def has_cell(table: Table, name: str) -> Tensor:
    """Return whether each row of a table has something in a column (bool)."""
    cells = (cell not in MISSING for cell in table.column(name).cells())
    return torch.from_numpy(np.fromiter(cells, bool, table.rows))


class _Others:
    """The other columns of a table that may say the folder of a file: few different values."""

    def __init__(self, table: Table, name: str) -> None:
        self._table = table
        self._name = name

    def of(self, row: int) -> dict[str, str]:
        """Return what a row says in the other columns."""
        columns = self._table.columns[:MOST_COLUMNS]
        return {each.name: each.cell(row) for each in columns if each.name != self._name}


def _told(code: str, table: Table, name: str, row: int, root: Path, **more: int) -> DiagnosticError:
    return DiagnosticError.of(
        code,
        field="data.source.folder",
        row=int(table.lines[row]),
        column=name,
        value=table.column(name).cell(row)[:200],
        folder=str(root),
        **more,
    )
