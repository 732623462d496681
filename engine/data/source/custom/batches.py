"""Batches of an epoch by a batch sampler of the user's code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from msgspec.structs import replace
from torch import Tensor

from engine.data.seed import all_seeded, mixed_seed
from engine.data.source.custom.opened import load_named
from engine.data.source.custom.order import (
    TRIAL_SECONDS,
    TrainingView,
    TrialOverError,
    is_position,
    make_sampler,
)
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.spec.data import BatchCounts

SETTING = "data.batch_sampler"


class EpochBatches(NamedTuple):
    """The batches of an epoch: positions (int64) in the training part, of one batch after the
    other, and how many of them each batch has.
    """

    positions: Tensor
    sizes: tuple[int, ...]


class CustomBatches:
    """The batches of an epoch as the user's batch sampler gives them: from seed and epoch alone,
    where it draws by PyTorch, Python or NumPy. ``count`` is how many an epoch has, always.

    It is made as :func:`engine.data.source.custom.order.make_sampler` does, ``batch_size`` being
    that of the settings.

    Raises :class:`DiagnosticError` as :func:`engine.data.source.custom.opened.load_named` does,
    D520 where the class fails, D549 where it needs classes and there are none, D555 where it does
    not say how many batches there are, or none, and :class:`TrialOverError` where the time is over
    in which it may look at samples.
    """

    def __init__(
        self, name: str, code: Mapping[str, str], view: TrainingView, batch_size: int
    ) -> None:
        cls, self._call = load_named(name, code, SETTING)
        self._view = view
        self._last: tuple[tuple[int, int], EpochBatches] | None = None
        with self._call.reported("D520"), all_seeded(0):
            self.made = make_sampler(cls, self._call, view, {"batch_size": batch_size})
            self._sampler = self.made.sampler
            self.count = len(self._sampler) if hasattr(cls, "__len__") else 0
        if self.count < 1:
            raise self._call.refusal("D555")

    def __call__(self, seed: int, epoch: int) -> EpochBatches:
        """Return the batches of an epoch; those of the last that was asked for are kept.

        Raises :class:`DiagnosticError`: D520 for what the sampler raises, D552 for a batch that is
        none, D553 for another number of batches than it says.
        """
        if self._last is None or self._last[0] != (seed, epoch):
            self._last = (seed, epoch), self._drawn(seed, epoch)
        return self._last[1]

    @property
    def looks_at_samples(self) -> bool:
        """Whether the sampler has asked for a sample so far."""
        return self._view.is_looked_at

    def again(self, seed: int, epoch: int) -> EpochBatches:
        """Return the batches of an epoch, drawn anew. Raises as a call does."""
        self._last = None
        return self(seed, epoch)

    def _drawn(self, seed: int, epoch: int) -> EpochBatches:
        samples = len(self._view)
        found: list[Tensor] = []
        with self._call.reported("D520"), all_seeded(mixed_seed(seed, epoch)):
            if hasattr(self._sampler, "set_epoch"):
                self._sampler.set_epoch(epoch)
            for number, batch in enumerate(self._sampler, 1):
                self._view.require_time()
                if number > self.count:
                    raise self._call.refusal("D553", found=f"> {self.count}", count=self.count)
                found.append(self._batch(batch, number, samples))
        if len(found) != self.count:
            raise self._call.refusal("D553", found=str(len(found)), count=self.count)
        return EpochBatches(torch.cat(found), tuple(map(len, found)))

    def _batch(self, given: Any, number: int, samples: int) -> Tensor:
        is_list = isinstance(given, Sequence) or hasattr(given, "__array__")
        positions = list(given) if is_list and not isinstance(given, str | bytes) else []
        wrong = next((each for each in positions if not is_position(each, samples)), None)
        if wrong is not None or not positions:
            told = given if wrong is None else wrong
            value = str(told)[:40] or type(told).__name__
            raise self._call.refusal("D552", number=number, value=value, samples=samples)
        return torch.tensor([int(each) for each in positions], dtype=torch.int64)

    def problem_again(self) -> Diagnostic:
        """Return that an epoch has other batches the second time (D548)."""
        found = self._call.refusal("D548").problems[0]
        return replace(found, severity=Severity.WARNING)


@dataclass(frozen=True, kw_only=True)
class TriedBatches:
    """What a batch sampler showed where it was tried: what is wrong, and the batches."""

    problems: tuple[Diagnostic, ...] = ()
    found: BatchCounts | None = None


def try_batches(
    name: str, code: Mapping[str, str], view: TrainingView, batch_size: int
) -> TriedBatches:
    """Return what a batch sampler of the user's code shows within a second: one that looks at many
    samples is not waited for. D548 is told as it is of a sampler.
    """
    view.limit(TRIAL_SECONDS)
    try:
        batches = CustomBatches(name, code, view, batch_size)
        first, again = batches(0, 0), batches.again(0, 0)
    except DiagnosticError as error:
        is_over = isinstance(error.__cause__, TrialOverError)
        return TriedBatches(problems=() if is_over else error.problems)
    found = BatchCounts(count=batches.count, least=min(first.sizes), most=max(first.sizes))
    is_same = first.sizes == again.sizes and torch.equal(first.positions, again.positions)
    return TriedBatches(problems=() if is_same else (batches.problem_again(),), found=found)
