"""Subject of a check: data with its split, and what of it the checks look at."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from engine.data.preview import split_or_whole
from engine.data.read.row import MISSING_NAME
from engine.data.source.source import Part, Source
from engine.data.source.table import TableSource
from engine.data.source.table_column import CodeColumn
from engine.data.split.split import part_numbers
from engine.spec.choice import NO_CODE, Code
from engine.spec.data import FieldInfo
from engine.spec.run import DataSpec

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]

BLOCK = 1024
"""Samples between two looks at the clock."""

_MOST_COLUMNS = 2000


@dataclass(frozen=True, kw_only=True)
class InputColumn:
    """A column of the inputs by its name: numbers (float64, not finite for a missing one), or codes
    of categories (int64, -1 for a missing one).
    """

    name: str
    values: NDArray[Any]
    is_category: bool

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Whether the value of a sample is missing."""
        return self.values < 0 if self.is_category else ~np.isfinite(self.values)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Data that is examined. ``indices`` are the samples of each part, none where the split is
    wrong; ``is_weighted`` says that the loss makes up for rare classes, ``code`` is the user's own,
    which the data may be of.
    """

    spec: DataSpec
    source: Source
    indices: Mapping[Part, Tensor] = field(default_factory=dict[Part, Tensor])
    is_weighted: bool = False
    code: Code = field(default_factory=dict[str, str])

    @property
    def samples(self) -> int:
        """The number of samples."""
        return self.source.samples

    @cached_property
    def parts(self) -> NDArray[np.int8]:
        """The number of the part of each sample, -1 without one."""
        return part_numbers(self.samples, self.indices).numpy().astype(np.int8)

    @cached_property
    def is_included(self) -> NDArray[np.bool_]:
        """Whether each sample is in a part: those that the user left out are not looked at."""
        return self.parts >= 0 if self.indices else np.ones(self.samples, bool)

    @cached_property
    def label(self) -> FieldInfo | None:
        """The field of classes, with one for each sample."""
        return next(
            (i for i in self.source.infos if i.kind == "class" and i.role == "target"), None
        )

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes."""
        return self.label.classes if self.label is not None else ()

    @property
    def box_classes(self) -> tuple[str, ...]:
        """The names of the classes of boxes."""
        return next((i.classes for i in self.source.infos if i.kind == "box_classes"), ())

    @cached_property
    def labels(self) -> Indices | None:
        """The class of each sample, -1 for one that is out of range or left out; None without
        classes.
        """
        values = None if self.label is None else self.source.column(self.label.name)
        if values is None or values.numel() != self.samples:
            return None
        numbers = values.flatten().numpy().astype(np.int64)
        is_valid = (numbers >= 0) & (numbers < len(self.classes)) & self.is_included
        return np.where(is_valid, numbers, -1)

    @cached_property
    def numbers(self) -> Numbers | None:
        """The number that is predicted for each sample; None where it is not a single one."""
        targets = [info for info in self.source.infos if info.role == "target"]
        if self.label is not None or len(targets) != 1 or targets[0].kind != "scalar":
            return None
        values = self.source.column(targets[0].name)
        if values is None or values.numel() != self.samples:
            return None
        return values.flatten().numpy().astype(np.float64)

    @property
    def has_targets(self) -> bool:
        """Whether the targets of all samples are known without reading them."""
        return self.labels is not None or self.numbers is not None

    @cached_property
    def picture(self) -> FieldInfo | None:
        """The field of pictures among the inputs."""
        return self._input("image")

    @cached_property
    def sound(self) -> FieldInfo | None:
        """The field of sounds among the inputs."""
        return self._input("sound")

    @cached_property
    def video(self) -> FieldInfo | None:
        """The field of videos among the inputs."""
        return self._input("video")

    def _input(self, kind: str) -> FieldInfo | None:
        return next((i for i in self.source.infos if i.kind == kind and i.role == "input"), None)

    def has_files(self, field: FieldInfo) -> bool:
        """Return whether there are files that a field is made of."""
        return self.samples > 0 and self.source.file(field.name, 0) is not None

    def files(self, field: FieldInfo) -> Iterator[Path | None]:
        """Yield the file that a field is made of for each sample; None for one that is excluded."""
        for index in range(self.samples):
            yield self.source.file(field.name, index) if self.is_included[index] else None

    @cached_property
    def width(self) -> int:
        """The number of columns that :meth:`columns` gives."""
        if isinstance(self.source, TableSource):
            return len(self.source.columns)
        return min(sum(len(info.columns) for info in self._vectors), _MOST_COLUMNS)

    def columns(self) -> Iterator[InputColumn]:
        """Yield the columns of the inputs one by one, those of a table before gaps are filled."""
        if isinstance(self.source, TableSource):
            yield from map(_of_table, self.source.columns)
            return
        pairs = [(info, at) for info in self._vectors for at in range(len(info.columns))]
        for info, at in pairs[:_MOST_COLUMNS]:
            values = self.source.column(info.name)
            if values is not None:
                column = values.reshape(len(values), -1)[:, at].numpy()
                is_category = info.kind == "categories"
                column = column.astype(np.int64 if is_category else np.float64)
                yield InputColumn(name=info.columns[at], values=column, is_category=is_category)

    @cached_property
    def _vectors(self) -> list[FieldInfo]:
        return [
            info
            for info in self.source.infos
            if info.role == "input"
            and info.kind in ("vector", "categories")
            and self.source.column(info.name) is not None
        ]


def open_subject(spec: DataSpec, code: Code = NO_CODE, *, is_weighted: bool = False) -> Subject:
    """Return the data of a specification to be examined, without parts where the split is wrong:
    that is told elsewhere. ``code`` is the user's own. Raises :class:`DiagnosticError` for data
    that cannot be loaded.
    """
    source, indices, _ = split_or_whole(spec, code)
    return Subject(spec=spec, source=source, indices=indices, is_weighted=is_weighted, code=code)


def _of_table(column: Any) -> InputColumn:
    if not isinstance(column, CodeColumn):
        return InputColumn(name=column.name, values=column.values.numpy(), is_category=False)
    codes = column.codes.numpy()
    if column.values and column.values[-1] == MISSING_NAME:
        codes = np.where(codes == len(column.values) - 1, -1, codes)
    return InputColumn(name=column.name, values=codes, is_category=True)
