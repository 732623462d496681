"""Source whose data is not there, known by what a run keeps of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from typing_extensions import override

from engine.data.load.source_forms import SourceForms
from engine.data.read.file_form import FileForm
from engine.data.read.tokenizer import SubwordTokenizer
from engine.data.source.array_form import RowsForm
from engine.data.source.row_form import RowForm
from engine.data.source.source import Part, Source, Values
from engine.diagnostics import Diagnostic
from engine.spec.data import FieldInfo, Task


@dataclass(frozen=True, eq=False)
class KeptSource(Source):
    """The forms of a source whose data is not there, and one sample, all of whose values are 0."""

    forms: SourceForms
    task: Task

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        return self.forms.infos

    @property
    @override
    def samples(self) -> int:
        return 1

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        return {
            info.name: torch.zeros(
                len(indices), *self.forms.shapes[info.name], dtype=getattr(torch, info.dtype)
            )
            for info in self.infos
        }

    @override
    def value_names(self, name: str) -> tuple[str, ...]:
        return self.forms.value_names.get(name, ())

    @override
    def column_of(self, name: str) -> str:
        return self.forms.columns.get(name, name)

    @override
    def file_form(self, name: str) -> FileForm | None:
        return self.forms.files.form(name)

    @override
    def array_form(self, name: str) -> RowsForm | None:
        return self.forms.arrays.get(name)

    @property
    @override
    def row_form(self) -> RowForm | None:
        return None if self.forms.row is None else self.forms.row.form

    @override
    def tokenizers(self) -> dict[str, SubwordTokenizer]:
        return {name: SubwordTokenizer(content) for name, content in self.forms.tokenizers.items()}

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        return [index.to_bytes(8, "little") for index in indices]

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        return ()
