"""Collation: how the samples of a batch are put together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from engine.custom.trust import require_trust, set_trust
from engine.data.seed import all_seeded, mixed_seed
from engine.data.source.custom.failure import CustomCall
from engine.data.source.custom.opened import load_named
from engine.data.source.custom.sample import Named, UnusableSampleError, named_tensors
from engine.data.source.source import Values
from engine.data.transform.padding import (
    PaddingField,
    PaddingInfo,
    padding_fields,
    padding_values,
)
from engine.diagnostics import DiagnosticError
from engine.spec.choice import Code
from engine.spec.data import IGNORED, ROW_KINDS, FieldInfo
from engine.spec.run import COLLATES, DataSpec

_FIELD = "data.collate"
_ZERO_KINDS = ("boxes", "box_masks")
_STREAM = 3  # apart from the random numbers of samples


@dataclass(frozen=True)
class Collation:
    """Way to put samples together: ``kind`` is stack, pad or the name of a function of the user's
    code (``data.pad_collate``). It goes to other processes as the text of that. ``padding_info`` is
    what the model is told of the padding, ``fields`` say it, by the name of what is padded.
    """

    kind: str = "stack"
    code: Mapping[str, str] = field(default_factory=dict[str, str])
    loaded: tuple[Callable[[list[Named]], Any], CustomCall] | None = None
    padding_info: PaddingInfo = "none"
    fields: Mapping[str, PaddingField] = field(default_factory=dict[str, PaddingField])

    @property
    def is_custom(self) -> bool:
        """Whether the user's code does it."""
        return self.kind not in COLLATES

    @property
    def allows_sizes(self) -> bool:
        """Whether the samples of a batch may have different sizes."""
        return self.kind != "stack"

    def __getstate__(self) -> dict[str, Any]:
        """Return all but what the user's code made."""
        return {**self.__dict__, "loaded": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what another process of the run sent, where the code was trusted."""
        self.__dict__.update(state)
        set_trust(self.code, trusted=True)

    def padding_fields(self, infos: Sequence[FieldInfo]) -> dict[str, PaddingField]:
        """Return the fields that are added to a batch of samples with some fields; a function of
        the user's adds none.
        """
        return padding_fields(infos, "none" if self.is_custom else self.padding_info)

    def batch(
        self,
        infos: Mapping[str, FieldInfo],
        samples: Mapping[str, Values],
        least: Mapping[str, int],
    ) -> dict[str, Tensor]:
        """Return the values of some samples as a batch, (samples, ...), with the fields that tell
        of its padding. Fields that are ``least`` so long are filled up to that along their first
        axis. Raises as :meth:`together` does.
        """
        batch = {
            name: self.together(infos[name], each, least.get(name, 0))
            for name, each in samples.items()
        }
        return batch | padding_values(self.fields, samples, batch)

    def together(self, info: FieldInfo, values: Values, least: int = 0) -> Tensor:
        """Return the values of a field of some samples, (samples, ...), stacked or padded, those of
        a text that keeps its own length to at least ``least``.

        Raises :class:`DiagnosticError` D080 where they have sizes that do not go together.
        """
        if info.longest:
            return padded(list(values), info.padding, least)
        if isinstance(values, Tensor):
            return values
        shapes = sorted({tuple(value.shape) for value in values})
        if len(shapes) == 1:
            return torch.stack(values)
        is_like = len({len(shape) for shape in shapes}) == 1
        if is_like and info.kind in ROW_KINDS:  # one sample may hold more objects than another
            shapes = sorted({shape[1:] for shape in shapes})
        if is_like and (self.kind == "pad" or len(shapes) == 1):
            return padded(values, _filling(info))
        first, second = (" × ".join(map(str, shape)) for shape in shapes[:2])
        raise DiagnosticError.of("D080", field=_FIELD, name=info.name, first=first, second=second)

    def by_function(
        self, samples: Sequence[Named], index: int, seed: int, epoch: int
    ) -> dict[str, Tensor]:
        """Return what the user's function makes of samples, the first of which is ``index``; its
        random numbers follow from seed, epoch and index.

        Raises :class:`DiagnosticError`: D452 for what it raises, D453 for a batch without a field
        or with another number of rows than samples.
        """
        function, call = self._function()
        with call.reported("D452"), all_seeded(mixed_seed(seed, epoch, index, _STREAM)):
            given = function([dict(sample) for sample in samples])
        try:
            named = named_tensors(given)
        except UnusableSampleError as error:
            found = str(error) if isinstance(given, Mapping) else type(given).__name__
            raise call.refusal("D453", fields=_names(samples), found=found[:100]) from error
        for name in samples[0]:
            value = named.get(name)
            if value is None or value.ndim == 0 or len(value) != len(samples):
                shape = "–" if value is None else " × ".join(map(str, value.shape))
                found = f"“{name[:40]}”: {shape}"
                raise call.refusal("D453", fields=_names(samples), found=found)
        return {name: named[name] for name in samples[0]}

    def _function(self) -> tuple[Callable[[list[Named]], Any], CustomCall]:
        if self.loaded is None:
            object.__setattr__(self, "loaded", load_named(self.kind, self.code, _FIELD))
        assert self.loaded is not None
        return self.loaded


STACK = Collation()


def build_collation(spec: DataSpec, code: Code) -> Collation:
    """Return how the samples of a specification are put together.

    Raises :class:`DiagnosticError` (U027) for code that nobody has trusted.
    """
    found = Collation(spec.collate, padding_info=spec.padding_info)
    if not found.is_custom:
        return found
    require_trust(code)
    return Collation(spec.collate, dict(code))


def padded(values: Sequence[Tensor], filling: float, least: int = 0) -> Tensor:
    """Return tensors of as many axes as one, (values, ...), each filled up at the end of its axes
    to the size of the largest, the first axis to at least ``least``.
    """
    sizes = [max(axis) for axis in zip(*(value.shape for value in values), strict=True)]
    sizes[0] = max(sizes[0], least)
    result = values[0].new_full((len(values), *sizes), filling)
    for row, value in zip(result, values, strict=True):
        row[tuple(slice(size) for size in value.shape)] = value
    return result


def _filling(info: FieldInfo) -> float:
    """Return what fills up a field: what losses leave out in classes, else 0 or its padding."""
    if info.role == "target" and info.dtype == "int64" and info.kind not in _ZERO_KINDS:
        return IGNORED
    return info.padding if info.words else 0


def _names(samples: Sequence[Named]) -> str:
    return ", ".join(samples[0])[:100] if samples else ""
