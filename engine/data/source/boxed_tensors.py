"""Source of pictures in memory with boxes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from typing_extensions import override

from engine.data.source.box_table import BoxTable
from engine.data.source.boxes.check import check_boxes
from engine.data.source.field import TensorField, box_infos
from engine.data.source.source import Part, Source, Values
from engine.diagnostics import Diagnostic
from engine.spec.data import FieldInfo, Task


@dataclass(frozen=True, kw_only=True)
class BoxedTensorSource(Source):
    """Pictures of one size in memory, with any number of boxes each; never changed."""

    pictures: TensorField
    table: BoxTable
    classes: tuple[str, ...]
    task: Task = "classification"

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        return (self.pictures.info, *box_infos(self.classes))

    @property
    @override
    def samples(self) -> int:
        return len(self.pictures.values)

    @override
    def boxes(self) -> BoxTable:
        return self.table

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        index = torch.as_tensor(indices, dtype=torch.int64)
        picture = self.pictures.values.index_select(0, index)
        return {self.pictures.info.name: picture, **self.table.read(indices)}

    @override
    def column(self, name: str) -> Tensor | None:
        return self.pictures.values if name == self.pictures.info.name else None

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        return [self.pictures.key(index) + self.table.key(index) for index in indices]

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        return check_boxes(self.table, self.classes, indices)
