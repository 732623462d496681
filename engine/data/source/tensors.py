"""Source of tensors in memory, one for each field of all samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from typing_extensions import override

from engine.data.source.array_form import RowsForm
from engine.data.source.check import check_fields
from engine.data.source.field import TensorField, label_field, truth_field
from engine.data.source.identity import Identities, joined, text_identities, value_identities
from engine.data.source.source import Part, Source, Values
from engine.data.source.text import with_training_vocabulary
from engine.diagnostics import Diagnostic
from engine.spec.data import FieldInfo, Task


@dataclass(frozen=True, kw_only=True)
class TensorSource(Source):
    """All samples of a data set in memory; never changed. ``parts`` are those that the data itself
    puts its samples into.
    """

    task: Task
    fields: tuple[TensorField, ...]
    parts: Tensor | None = None

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        return tuple(field.info for field in self.fields)

    @property
    @override
    def samples(self) -> int:
        return len(self.fields[0].values)

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        index = torch.as_tensor(indices, dtype=torch.int64)
        return {field.info.name: field.values.index_select(0, index) for field in self.fields}

    @override
    def column(self, name: str) -> Tensor | None:
        return next((field.values for field in self.fields if field.info.name == name), None)

    @override
    def text(self, name: str, index: int) -> str:
        field = next((field for field in self.fields if field.info.name == name), None)
        return field.texts[index] if field is not None and field.texts else ""

    @override
    def array_form(self, name: str) -> RowsForm | None:
        return next((field.form for field in self.fields if field.info.name == name), None)

    @override
    def relabelled(self, labels: Tensor) -> "TensorSource | None":
        label = class_info(self.infos)
        if label is None:
            return None
        return replace(
            self, fields=tuple(relabelled(field, label, labels) for field in self.fields)
        )

    @override
    def identities(self) -> Identities:
        columns = [
            text_identities(field.texts) if field.texts else value_identities(field.values.numpy())
            for field in self.fields
        ]
        return joined(self.samples, columns)

    @override
    def contents(self, indices: Sequence[int]) -> list[bytes] | None:
        return self.keys(indices)

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        return [b"".join(field.key(index) for field in self.fields) for index in indices]

    @override
    def fitted(self, training: Tensor) -> "TensorSource":
        if not any(field.texts for field in self.fields):
            return self
        fields = tuple(with_training_vocabulary(field, training) for field in self.fields)
        return replace(self, fields=fields)

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        return check_fields(self.fields, indices)


def class_info(infos: Sequence[FieldInfo]) -> FieldInfo | None:
    """Return the class of a sample among the fields, None where it has none or more than one."""
    found = (info for info in infos if info.kind == "class" and info.role == "target")
    return next((info for info in found if info.classes and not info.shape), None)


def relabelled(field: TensorField, label: FieldInfo, labels: Tensor) -> TensorField:
    """Return a field as it is with other classes (int64, one a sample): that of the class, and of
    two classes the truth values.
    """
    if field.info.name == label.name:
        return replace(field, values=labels)
    if field.info.name == "target" and len(label.classes) == 2:
        return replace(field, values=labels.to(field.values.dtype).reshape(field.values.shape))
    return field


def labelled(
    inputs: tuple[TensorField, ...], label: Tensor, classes: tuple[str, ...]
) -> TensorSource:
    """Return inputs with the field ``label`` from class numbers of shape (samples,); with two
    classes also ``target`` for binary losses.
    """
    fields = (*inputs, label_field(label, classes))
    if len(classes) == 2:
        return TensorSource(task="binary", fields=(*fields, truth_field(label)))
    return TensorSource(task="classification", fields=fields)
