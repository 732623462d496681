"""Statistics of the weights, gradients, updates and activations of one step."""

from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from typing_extensions import override

from engine.inspect.observer import Observer
from engine.runs.statistic import BINS, Counts, Floats, Kind, Measure, Sample

_MOST = 4096  # elements that are looked at of a tensor, evenly spaced
_MOST_UNITS = 1 << 16
_CHANNELS_FIRST = (nn.Conv1d, nn.ConvTranspose1d, nn.BatchNorm1d, nn.MaxPool1d, nn.AvgPool1d)


class _Piece(NamedTuple):
    """What is kept of a tensor: some of its ``total`` elements (float32, flat) and what needs more
    of them: the norm and the share of dead units, where they are known (scalars).
    """

    elements: Tensor
    total: int
    norm: Tensor | None = None
    dead: Tensor | None = None


class StatisticsObserver(Observer):
    """Looks at one step; ``sample`` is what it was like. Of a tensor of more than 4,096 elements
    that many are taken, evenly spaced; norms of weights and gradients are those of all elements.
    """

    def __init__(self) -> None:
        self._pieces: dict[tuple[Kind, str], _Piece] = {}
        self._before: dict[str, _Piece] = {}

    @override
    def forward(self, model: nn.Module) -> AbstractContextManager[None]:
        return self._hooked(model)

    @override
    def gradients(self, model: nn.Module) -> None:
        if not self._before:  # an optimizer with a closure moves the weights between two calls
            weights = dict(model.named_parameters())
            self._before = dict(_pieces({name: weights[name].detach() for name in weights}))
        found = {name: w.grad for name, w in model.named_parameters() if w.grad is not None}
        for name, piece in _pieces(found):
            self._pieces[Kind.GRADIENT, name] = piece

    @override
    def updated(self, model: nn.Module, optimizer: Optimizer) -> None:
        for name, weight in model.named_parameters():
            before = self._before.get(name)
            if before is None:
                continue
            self._pieces[Kind.WEIGHT, name] = before
            if weight.requires_grad:
                change = _elements(weight.detach()) - before.elements
                self._pieces[Kind.UPDATE, name] = _Piece(change, before.total)
        self.is_done = True

    def sample(self) -> Sample | None:
        """Return the statistics of the step, computed on the CPU; None where there was nothing.

        The numbers of one tensor are a row of both tables.
        """
        if not self._pieces:
            return None
        keys = tuple(sorted(self._pieces))
        pieces = [self._pieces[key] for key in keys]
        lengths = np.asarray([piece.elements.numel() for piece in pieces])
        flat = torch.cat([piece.elements for piece in pieces]).cpu().numpy()
        numbers, counts = measure(flat, lengths)
        totals = np.asarray([piece.total for piece in pieces])
        numbers[:, Measure.NORM] *= np.sqrt(totals / lengths)
        _put(numbers, Measure.NORM, [piece.norm for piece in pieces])
        _put(numbers, Measure.DEAD, [piece.dead for piece in pieces])
        return Sample(keys, numbers, counts)

    @contextmanager
    def _hooked(self, model: nn.Module) -> Generator[None]:
        handles = [
            module.register_forward_hook(self._hook(name))
            for name, module in model.named_modules()
            if name and next(module.children(), None) is None
        ]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _hook(self, name: str) -> Any:
        def note(module: nn.Module, _inputs: object, output: object) -> None:
            found = output[0] if isinstance(output, tuple) and output else output
            if isinstance(found, Tensor) and found.is_floating_point() and found.numel():
                values = found.detach()
                piece = _Piece(_elements(values), values.numel(), dead=_dead(module, values))
                self._pieces[Kind.ACTIVATION, name] = piece

        return note


def _pieces(tensors: dict[str, Tensor]) -> Iterator[tuple[str, _Piece]]:
    values = {
        name: tensor.coalesce().values() if tensor.is_sparse else tensor
        for name, tensor in tensors.items()
        if tensor.is_floating_point()
    }
    for name, tensor in values.items():
        if tensor.numel():
            yield name, _Piece(_elements(tensor), tensor.numel(), torch.linalg.vector_norm(tensor))


def _elements(tensor: Tensor) -> Tensor:
    """Return some elements as a flat float32 tensor that nothing writes to later."""
    step = -(-tensor.numel() // _MOST)
    if step > 1:
        step |= 1  # an odd step does not stay in one column of a matrix with an even number of them
    return tensor.reshape(-1)[::step].to(torch.float32, copy=True)


def _dead(module: nn.Module, values: Tensor) -> Tensor | None:
    """Return the share of units (channels of images) that are 0 for the whole batch."""
    if values.ndim < 2:
        return None
    is_first = values.ndim > 3 or isinstance(module, _CHANNELS_FIRST)
    units = values.movedim(1 if is_first else -1, 0).flatten(1)
    step = -(-values.numel() // _MOST_UNITS) | 1
    return (units[:, ::step] == 0).all(1).float().mean()


def _put(numbers: Floats, measure: Measure, values: list[Tensor | None]) -> None:
    """Write the scalars that are known into a column."""
    known = {row: value for row, value in enumerate(values) if value is not None}
    if known:
        told = torch.stack([value.float() for value in known.values()]).cpu().numpy()
        numbers[list(known), measure] = told


def measure(flat: Floats, lengths: Any) -> tuple[Floats, Counts]:
    """Return the numbers (float32, tensors x measures) and the histograms (uint16 shares of
    65,535, tensors x bins from the least to the greatest element) of tensors laid end to end.
    """
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    owner = np.repeat(np.arange(len(lengths)), lengths)
    finite = np.isfinite(flat)
    known = np.maximum(np.add.reduceat(finite, starts, dtype=np.int64), 1)
    values = np.where(finite, flat, 0).astype(np.float64)
    low = np.minimum.reduceat(np.where(finite, flat, np.inf), starts)
    high = np.maximum.reduceat(np.where(finite, flat, -np.inf), starts)
    has_any = np.isfinite(low)
    low, high = np.where(has_any, low, 0), np.where(has_any, high, 0)
    mean = np.add.reduceat(values, starts) / known
    squares = np.add.reduceat(values**2, starts)
    apart = np.where(finite, values - mean[owner], 0)
    numbers = np.full((len(lengths), len(Measure)), np.nan, np.float32)
    numbers[:, Measure.MEAN] = mean
    numbers[:, Measure.DEVIATION] = np.sqrt(np.add.reduceat(apart**2, starts) / known)
    numbers[:, Measure.MINIMUM] = low
    numbers[:, Measure.MAXIMUM] = high
    numbers[:, Measure.NORM] = np.sqrt(squares)
    numbers[:, Measure.ZEROS] = np.add.reduceat(flat == 0, starts, dtype=np.int64) / lengths
    numbers[:, Measure.BROKEN] = 1 - np.add.reduceat(finite, starts, dtype=np.int64) / lengths
    width = np.where(high > low, high - low, 1).astype(np.float64)
    place = ((values - low[owner]) * (BINS / width[owner])).astype(np.int64).clip(0, BINS - 1)
    bins = np.bincount((owner * BINS + place)[finite], minlength=len(lengths) * BINS)
    shares = bins.reshape(-1, BINS) / known[:, None]
    return numbers, np.round(shares * 65_535).astype("<u2")
