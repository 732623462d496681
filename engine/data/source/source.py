"""Data of a source: whole tensors in memory, one for each field, with their descriptions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from engine.catalog.spec import Value
from engine.spec.data import FieldInfo, Task

Part = Literal["train", "validation", "test"]


@dataclass(frozen=True, kw_only=True)
class SourceField:
    """One field of all samples: ``values`` has the shape (samples, ...) and the dtype
    of ``info``; ``texts`` are the sentences that its numbers stand for, one a sample.
    """

    info: FieldInfo
    values: Tensor
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SourceData:
    """All samples of a source, before the split and before normalisation; never changed."""

    task: Task
    fields: tuple[SourceField, ...]

    @property
    def samples(self) -> int:
        """The number of samples."""
        return len(self.fields[0].values)


Loader = Callable[[Mapping[str, Value]], SourceData]
"""Makes a source from its parameters, defaults filled in."""
