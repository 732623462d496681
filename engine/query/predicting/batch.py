"""Batches of samples of the user's own, prepared as those of the evaluation of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor
from typing_extensions import override

from engine.data.load.part import BatchIndex, StreamedPart
from engine.data.source.source import Part, Source, Values
from engine.diagnostics import Diagnostic
from engine.spec.data import FieldInfo
from engine.train.precision import in_precision
from engine.train.training import Training
from engine.train.views import Viewed, drawn_part, fixed_views

_IMAGE_AXES = 3


def given_batch(
    training: Training, samples: Sequence[Mapping[str, Tensor]], before: int = 0
) -> Viewed:
    """Return the inputs of a model for some samples, whose values are as the source of the data has
    them: transformed, put together and normalised as in evaluation, on the device; and their other
    views, where the run asks for some. ``before`` is how many samples were read before them.

    Raises :class:`~engine.diagnostics.DiagnosticError` where a transform does not fit, and D080
    where samples of different sizes come together.
    """
    source = _GivenSource(training.data.source, samples, before)
    part = _part(training, source)
    rows = torch.arange(len(samples))
    batch = training.placed_batch(part.batch(BatchIndex(0, 0, 0, rows)))
    chosen = training.spec.test_time
    if not chosen.is_on:
        return Viewed(batch)
    if chosen.kind != "training":
        return Viewed(batch, fixed_views(training, batch))
    like = drawn_part(training)
    drawn = replace(
        part,
        infos=tuple(info for info in like.infos if info.name in part.names),
        preparation=like.preparation,
        scalings=like.scalings,
    )
    seeds = (BatchIndex(training.spec.seed, view, 0, rows) for view in range(1, chosen.views))
    return Viewed(batch, tuple(training.placed_batch(drawn.batch(index)) for index in seeds))


@dataclass(frozen=True, eq=False)
class _GivenSource(Source):
    """Some samples with the fields of a source. What stands for missing targets is never read."""

    like: Source
    given: Sequence[Mapping[str, Tensor]]
    before: int

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        return self.like.infos

    @property
    @override
    def samples(self) -> int:
        return self.before + len(self.given)

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        rows = [self._row(self.given[index - self.before]) for index in indices]
        return {info.name: [row[info.name] for row in rows] for info in self.infos}

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        return [index.to_bytes(8, "little") for index in indices]

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        return ()

    def _row(self, values: Mapping[str, Tensor]) -> dict[str, Tensor]:
        canvas = next(
            (
                values[info.name].shape[-2:]
                for info in self.infos
                if info.kind == "image" and info.name in values
            ),
            torch.Size((0, 0)),
        )
        return {
            info.name: values[info.name] if info.name in values else _nothing(info, canvas)
            for info in self.infos
        }


def _nothing(info: FieldInfo, canvas: torch.Size) -> Tensor:
    """Return what stands for a field that is not given: a text that is not begun, no boxes, no
    mask, else 0.
    """
    dtype: torch.dtype = getattr(torch, info.dtype)
    if info.start is not None:
        return torch.tensor(info.filled(()), dtype=dtype)
    shape = [max(size, 0) for size in info.shape]
    if info.kind in ("mask", "box_masks"):  # as large as the picture that they lie over
        shape[-2:] = canvas
    return torch.zeros(shape, dtype=dtype)


def _part(training: Training, source: _GivenSource) -> StreamedPart:
    """Return samples as a part of the data is prepared, with the inputs of the model alone."""
    data, inputs = training.data, training.input_fields
    like = data.parts["train"]
    infos = like.infos if isinstance(like, StreamedPart) else source.infos
    convert = partial(in_precision, spec=training.spec.compute)
    return StreamedPart(
        source=source,
        indices=torch.arange(source.before, source.samples),
        infos=tuple(info for info in infos if info.name in inputs),
        preparation=data.preparation,
        collation=data.collation,
        scalings=data.scalings,
        converts=dict.fromkeys(inputs, convert),
    )
