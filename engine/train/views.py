"""Test-time augmentation: what a model says about several views of each sample, as one answer.

Views are functions of seed, sample and number of the view alone: view k of ``training`` draws what
epoch k of the training would draw for the sample.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional
from typing_extensions import override

from engine.data.load.blended import BlendedPart
from engine.data.load.loader import BatchPlan
from engine.data.load.part import BatchIndex, StreamedPart
from engine.data.source.source import Part
from engine.diagnostics import DiagnosticError
from engine.spec.data import PIXEL_KINDS
from engine.spec.distillation import Match, matched_outputs
from engine.spec.view_rule import FIELD
from engine.train.losses import Batch, Outputs
from engine.train.training import Training

_FLIPS = ((-1,), (-2,), (-2, -1))
_CROPS = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (0.5, 0.5))
"""Where a crop lies, as shares of the room that it leaves above it and to its left."""
_PICTURES = 4  # axes of a batch of them
_HALF = (torch.float16, torch.bfloat16)


class Viewed(NamedTuple):
    """A batch, and the same samples as they look in the other views."""

    batch: Batch
    others: Sequence[Batch] = ()


@dataclass(frozen=True, kw_only=True)
class _ViewPlan(BatchPlan):
    """Each batch of an order in all views but the first, one after the other."""

    views: int

    @override
    def __iter__(self) -> Iterator[BatchIndex]:
        for index in super().__iter__():
            for view in range(1, self.views):
                yield index._replace(epoch=view)


def viewed_batches(training: Training, part: Part, *, is_on: bool = True) -> Iterator[Viewed]:
    """Yield all samples of a part on the device, in order, with the views that the run asks for.
    Raises :class:`DiagnosticError` R595 where its training draws nothing.
    """
    chosen, batches = training.spec.test_time, training.part_batches(part)
    if not (is_on and chosen.is_on):
        yield from map(Viewed, batches)
    elif chosen.kind == "training":
        data = replace(drawn_part(training), indices=training.data.indices[part])
        plan = _ViewPlan(
            order=torch.arange(len(data)),
            size=training.spec.data.batch_size,
            seed=training.spec.seed,
            views=chosen.views,
        )
        drawn = training.batches_of(data, plan)
        for batch in batches:
            yield Viewed(batch, tuple(islice(drawn, chosen.views - 1)))
    else:
        yield from (Viewed(batch, fixed_views(training, batch)) for batch in batches)


def drawn_part(training: Training) -> StreamedPart:
    """Return the training samples as they are drawn. Raises :class:`DiagnosticError` R595 where
    nothing is drawn.
    """
    data = training.data.training
    data = data.part if isinstance(data, BlendedPart) else data
    if isinstance(data, StreamedPart):
        return data
    raise DiagnosticError.of("R595", field=FIELD)


def fixed_views(training: Training, batch: Batch) -> tuple[Batch, ...]:
    """Return a batch in the views that are not drawn but the first: its pictures are others."""
    chosen = training.spec.test_time
    infos = {info.name: info for info in training.data.info.fields}
    names = [name for name in training.input_fields if infos[name].kind in PIXEL_KINDS]
    pictures = {name: batch[name] for name in names if batch[name].ndim == _PICTURES}
    change = _flipped if chosen.kind == "flips" else _cropped
    return tuple(
        {**batch, **{name: change(values, view) for name, values in pictures.items()}}
        for view in range(chosen.views - 1)
    )


def _flipped(pictures: Tensor, view: int) -> Tensor:
    return pictures.flip(_FLIPS[view])


def _cropped(pictures: Tensor, view: int) -> Tensor:
    """Return 7/8 of each side, as large as before."""
    size = pictures.shape[-2:]
    height, width = (max(1, side * 7 // 8) for side in size)
    down, right = _CROPS[view]
    top, left = int((size[0] - height) * down), int((size[1] - width) * right)
    cut = pictures[..., top : top + height, left : left + width]
    return functional.interpolate(cut, size=size, mode="bilinear", antialias=False)


def over_views(training: Training, viewed: Viewed, forward: Callable[[Batch], Outputs]) -> Outputs:
    """Return what a model says about a batch: the mean over its views, of probabilities where the
    loss takes scores of classes (given back as their logarithms), else of the numbers.
    """
    first = forward(viewed.batch)
    if not viewed.others:
        return first
    answers = [first, *map(forward, viewed.others)]
    names = training.loss.terms[0].output_names
    matches = matched_outputs(training.spec, training.code)
    if isinstance(first, Tensor):
        return _mean(
            [each for each in answers if isinstance(each, Tensor)], _match(names[0], matches)
        )
    columns = zip(*answers, strict=True)
    return tuple(
        _mean(values, _match(name, matches)) for name, values in zip(names, columns, strict=True)
    )


def _match(name: str, matches: dict[str, Match]) -> Match:
    return matches.get(name, "values")


def _mean(values: Sequence[Tensor], match: Match) -> Tensor:
    together = torch.stack(list(values))
    if together.dtype in _HALF:
        together = together.float()
    if match == "classes":
        return together.log_softmax(dim=2).logsumexp(dim=0) - math.log(len(values))
    if match == "binary":
        chances = functional.logsigmoid(together), functional.logsigmoid(-together)
        return chances[0].logsumexp(dim=0) - chances[1].logsumexp(dim=0)
    return together.mean(dim=0)
