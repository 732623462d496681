"""Observer of one step: statistics of its weights, gradients, updates and activations."""

from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.inspect.observer import HasState, Observer
from engine.runs.record.statistic import BINS, Counts, Floats, Kind, Sample, Statistic

_MOST = 4096  # elements that are sampled of a tensor, evenly spaced
_MOST_UNITS = 1 << 16
_CHANNELS_FIRST = (nn.Conv1d, nn.ConvTranspose1d, nn.BatchNorm1d, nn.MaxPool1d, nn.AvgPool1d)


class _Piece(NamedTuple):
    """Sample of a tensor: some of its ``total`` elements (float32, flat), and scalars that need all
    of them: the norm and the share of dead units, where they were computed.
    """

    elements: Tensor
    total: int
    norm: Tensor | None = None
    dead: Tensor | None = None


class StatisticsObserver(Observer):
    """Observes one step; ``sample`` has its statistics. Of a tensor of more than 4,096 elements
    that many are taken, evenly spaced; norms of weights and gradients are those of all elements.
    ``spent_s`` is the time that the CPU spent on it.
    """

    def __init__(self) -> None:
        self.spent_s = 0.0
        self._pieces: dict[tuple[Kind, str], _Piece] = {}
        self._before: dict[str, _Piece] = {}

    @override
    def forward(self, model: nn.Module) -> AbstractContextManager[None]:
        return self._hooked(model)

    @override
    def gradients(self, model: nn.Module) -> None:
        with self._timed():
            if not self._before:  # an optimizer with a closure moves the weights between two calls
                weights = dict(model.named_parameters())
                self._before = dict(_pieces({name: weights[name].detach() for name in weights}))
            grads = {name: w.grad for name, w in model.named_parameters() if w.grad is not None}
            for name, piece in _pieces(grads):
                self._pieces[Kind.GRADIENT, name] = piece

    @override
    def updated(self, model: nn.Module, optimizer: HasState) -> None:
        with self._timed():
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
        numbers[:, Statistic.NORM] *= np.sqrt(totals / lengths)
        _set_column(numbers, Statistic.NORM, [piece.norm for piece in pieces])
        _set_column(numbers, Statistic.DEAD, [piece.dead for piece in pieces])
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
            first = output[0] if isinstance(output, tuple) and output else output
            if isinstance(first, Tensor) and first.is_floating_point() and first.numel():
                with self._timed():
                    values = first.detach()
                    piece = _Piece(_elements(values), values.numel(), dead=_dead(module, values))
                    self._pieces[Kind.ACTIVATION, name] = piece

        return note

    @contextmanager
    def _timed(self) -> Generator[None]:
        start = perf_counter()
        yield
        self.spent_s += perf_counter() - start


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
    step = -(-values.numel() // _MOST_UNITS) | 1
    if values.ndim > 3 or isinstance(module, _CHANNELS_FIRST):
        channels = values.reshape(*values.shape[:2], -1)
        batch, _, width = channels.shape
        index = torch.arange(0, batch * width, step, device=values.device)
        rows = channels[index // width, :, index % width]  # copies only these
    else:
        rows = values.flatten(0, -2)[::step]
    return (rows == 0).all(0).float().mean()


def _set_column(numbers: Floats, measure: Statistic, values: list[Tensor | None]) -> None:
    """Write the scalars that were computed into a column."""
    scalars = {row: value for row, value in enumerate(values) if value is not None}
    if scalars:
        stacked = torch.stack([value.float() for value in scalars.values()]).cpu().numpy()
        numbers[list(scalars), measure] = stacked


def measure(flat: Floats, lengths: Any) -> tuple[Floats, Counts]:
    """Return the numbers (float32, tensors x measures) and the histograms (uint16 shares of
    65,535, tensors x bins from the least to the greatest element) of tensors laid end to end.
    """
    starts = _starts(lengths)
    finite = np.isfinite(flat)
    finite_counts = np.add.reduceat(finite, starts, dtype=np.int64)
    numbers = np.full((len(lengths), len(Statistic)), np.nan, np.float32)
    numbers[:, : Statistic.ZEROS] = 0
    numbers[:, Statistic.ZEROS] = np.add.reduceat(flat == 0, starts, dtype=np.int64) / lengths
    numbers[:, Statistic.BROKEN] = 1 - finite_counts / lengths
    counts = np.zeros((len(lengths), BINS), "<u2")
    has_any = finite_counts > 0
    if has_any.any():
        rest = flat if finite.all() else flat[finite]
        numbers[has_any, : Statistic.ZEROS], counts[has_any] = _measure_finite(
            rest, finite_counts[has_any]
        )
    return numbers, counts


def _measure_finite(flat: Floats, lengths: Any) -> tuple[Floats, Counts]:
    """Return the statistics before ``ZEROS``, and the histograms, of finite elements only.

    Computed in place where possible: a run waits for it.
    """
    starts = _starts(lengths)
    low, high = np.minimum.reduceat(flat, starts), np.maximum.reduceat(flat, starts)
    values = flat.astype(np.float64)
    squares = np.add.reduceat(np.square(values), starts)
    mean = np.add.reduceat(values, starts) / lengths
    deviation = values - np.repeat(mean, lengths)
    variance = np.add.reduceat(np.square(deviation, out=deviation), starts) / lengths
    numbers = np.stack([mean, np.sqrt(variance), low, high, np.sqrt(squares)], axis=1)
    least = low.astype(np.float64)
    width = np.where(high > low, high - least, 1)
    values -= np.repeat(least, lengths)
    values *= np.repeat(BINS / width, lengths)
    bin_index = values.astype(np.intp)
    np.minimum(bin_index, BINS - 1, out=bin_index)
    bin_index += np.repeat(np.arange(len(lengths)) * BINS, lengths)
    bins = np.bincount(bin_index, minlength=len(lengths) * BINS).reshape(-1, BINS)
    shares = np.round(bins / lengths[:, None] * 65_535)
    return numbers.astype(np.float32), shares.astype("<u2")


def _starts(lengths: Any) -> Any:
    """Return where each of some tensors that are laid end to end begins."""
    return np.cumsum(lengths) - lengths
