"""Source of the samples that the user's class has: they are read by it, when a batch needs them."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from msgspec import structs
from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Entry, Value
from engine.custom.trust import set_trust
from engine.data.source.check import check_fields
from engine.data.source.custom.opened import Opened, open_samples
from engine.data.source.custom.order import SETTING, CustomOrder, TrainingView, sampler_problems
from engine.data.source.custom.sample import Named, fitting
from engine.data.source.field import TensorField
from engine.data.source.source import Part, Source, Values, no_values
from engine.diagnostics import Diagnostic, Severity
from engine.graph.code import code_digest
from engine.spec.data import ROW_KINDS, FieldInfo, Task

_HASHED = 16  # samples, about
_IGNORED = -100  # what PyTorch's losses leave out


@dataclass(frozen=True, kw_only=True)
class CustomSource(Source):
    """Samples of the user's class. It goes to other processes as what it is made from, and is made
    there anew: what a class of the user's keeps may not be picklable. ``sized_fields`` are the
    fields with -1 for axes that differ among the first samples, ``text_entries`` the names of what
    the first sample has beside them as text.
    """

    task: Task
    fields: tuple[FieldInfo, ...]
    entry: Entry
    params: Mapping[str, Value]
    code: Mapping[str, str]
    opened: Opened | None = None
    count: int
    parts: Tensor | None = None
    sampler: str = ""
    text_entries: tuple[str, ...] = ()
    sized_fields: tuple[FieldInfo, ...] = ()
    has_sizes: bool = False

    def __getstate__(self) -> dict[str, Any]:
        """Return all but what the user's code made."""
        return {**self.__dict__, "opened": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what another process of the run sent, where the code was trusted."""
        for name, value in state.items():
            object.__setattr__(self, name, value)
        set_trust(self.code, trusted=True)

    @property
    def made(self) -> Opened:
        """What the user's class gave, in this process."""
        if self.opened is None:
            object.__setattr__(self, "opened", open_samples(self.entry, self.params, self.code))
        assert self.opened is not None
        return self.opened

    @override
    def with_sizes(self) -> "CustomSource":
        return replace(self, has_sizes=True, fields=self.sized_fields)

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        return self.fields

    @property
    @override
    def samples(self) -> int:
        return self.count

    @property
    @override
    def is_sequential(self) -> bool:
        return self.made.is_stream

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        return self.read_at(indices, 0, 0)

    @override
    def read_at(self, indices: Sequence[int], seed: int, epoch: int) -> dict[str, Values]:
        if not indices:
            return {info.name: no_values(info) for info in self.fields}
        samples = [self.made.row(index, seed, epoch) for index in indices]
        if self.made.collate is not None:
            batch = self.made.batch(samples, indices[0], seed, epoch)
            if not isinstance(batch, list):
                return self._collated(batch, indices)
            named = batch
        else:
            pairs = zip(samples, indices, strict=True)
            named = [self.made.named(row, index) for row, index in pairs]
        rows = [self._fitted(row, index) for row, index in zip(named, indices, strict=True)]
        return {info.name: self._stacked(info, rows, indices) for info in self.fields}

    @override
    def column(self, name: str) -> Tensor | None:
        is_label = any(info.name == name and info.kind == "class" for info in self.fields)
        return self.made.labels if is_label else None

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        values = self.read(indices)
        return [
            b"".join(values[info.name][at].numpy().tobytes() for info in self.fields)
            for at in range(len(indices))
        ]

    @override
    def content_digest(self) -> str:
        """Return the hash of the code and, where they can be read by number, of some samples."""
        state = hashlib.blake2b(code_digest(self.code).encode(), digest_size=8)
        step = max(self.count // _HASHED, 1)
        for key in [] if self.is_sequential else self.keys(range(0, self.count, step)):
            state.update(key)
        return state.hexdigest()

    @override
    def custom_order(self, training: Tensor) -> Callable[[int, int], Tensor] | None:
        if not self.sampler:
            return None
        return CustomOrder(self.sampler, self.code, TrainingView(self, training))

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        labelled = ((info, self.column(info.name)) for info in self.fields)
        known = [TensorField(info=info, values=each) for info, each in labelled if each is not None]
        problems = (*check_fields(known, indices), *self._told_texts())
        if not self.is_sequential:
            return (*problems, *self._sampler_problems(indices.get("train")))
        params: dict[str, str | int | float] = {"name": self.entry.label, "count": self.count}
        hint = Diagnostic(code="D265", severity=Severity.HINT, field="data.source", params=params)
        return (*problems, hint, *self._idle_sampler())

    def _told_texts(self) -> tuple[Diagnostic, ...]:
        """Return that texts of the samples are left out."""
        if not self.text_entries:
            return ()
        names = ", ".join(self.text_entries)[:100]
        told = self.made.call.refusal("D590", texts=names).problems[0]
        return (structs.replace(told, severity=Severity.HINT),)

    def _idle_sampler(self) -> tuple[Diagnostic, ...]:
        if not self.sampler:
            return ()
        params: dict[str, str | int | float] = {"name": self.sampler, "source": self.entry.label}
        return (Diagnostic(code="D522", severity=Severity.WARNING, field=SETTING, params=params),)

    def _sampler_problems(self, training: Tensor | None) -> tuple[Diagnostic, ...]:
        if not self.sampler or training is None or not len(training):
            return ()
        return sampler_problems(self.sampler, self.code, TrainingView(self, training))

    @override
    def item(self, index: int) -> Any:
        """Return a sample as the user's class gives it. Raises as :meth:`read` does."""
        return self.made.row(index, 0, 0)

    def _fitted(self, named: Named, index: int) -> Named:
        """Return a sample by name as the fields have it."""
        missing = [info.name for info in self.fields if info.name not in named]
        if missing:
            names = ", ".join(info.name for info in self.fields)
            found = f"{', '.join(named)[:45]} ≠ {names[:50]}"
            raise self.made.call.refusal("D263", index=index, found=found)
        return {info.name: fitting(named[info.name], info) for info in self.fields}

    def _stacked(self, info: FieldInfo, rows: Sequence[Named], indices: Sequence[int]) -> Values:
        values = [row[info.name] for row in rows]
        for value, index in zip(values, indices, strict=True):
            self._require_class(info, value, index)
        if info.kind in ROW_KINDS:
            return values  # filled up when a batch is made
        other = next((at for at, v in enumerate(values) if v.shape != values[0].shape), None)
        if other is None:
            return torch.stack(values)
        if info.kind == "image" or self.has_sizes:
            return values  # a Resize makes them alike, or they are padded
        raise self.made.call.refusal(
            "D267",
            field_name=info.name,
            first=indices[0],
            second=indices[other],
            shape=_shown(values[0]),
            other=_shown(values[other]),
        )

    def _collated(self, named: Named, indices: Sequence[int]) -> dict[str, Values]:
        values: dict[str, Values] = {}
        for info in self.fields:
            value = named.get(info.name)
            if value is None or value.ndim == 0 or len(value) != len(indices):
                found = batch_text(info.name, value, len(indices))
                raise self.made.batch_call.refusal("D521", found=found)
            values[info.name] = batched(value, info)
            self._require_class(info, values[info.name], indices[0])
        return values

    def _require_class(self, info: FieldInfo, value: Values, index: int) -> None:
        if not info.classes or not isinstance(value, Tensor) or not value.numel():
            return
        wrong = (value != _IGNORED) & ((value < 0) | (value >= len(info.classes)))
        if bool(wrong.any()):
            raise self.made.call.refusal(
                "D264",
                field_name=info.name,
                index=index,
                value=int(value[wrong][0]),
                classes=len(info.classes),
            )


def batch_text(name: str, value: Tensor | None, samples: int) -> str:
    """Return what is wrong with a batch whose first axis is not its samples."""
    shape = "–" if value is None else _shown(value)
    return f"“{name}” {shape} ≠ {samples} × …"


def batched(value: Tensor, info: FieldInfo) -> Tensor:
    """Return values of several samples as their field has them."""
    if info.kind == "image" and value.ndim == 3:
        value = value[:, None]
    if info.shape == (1,) and value.ndim == 1:
        value = value[:, None]
    return value.to(getattr(torch, info.dtype))


def _shown(value: Tensor) -> str:
    return " × ".join(map(str, value.shape)) or "()"
