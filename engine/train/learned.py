"""The step at which each training sample was learnt.

A sample is learnt at the first step from which on each prediction that training makes of it is
right, to the end; one whose last prediction is wrong is not learnt. These are the predictions of
the training steps themselves, before their update of the weights, as in Toneva et al., "An
Empirical Study of Example Forgetting during Deep Neural Network Learning" (ICLR 2019), section 3:
nothing is computed twice. What is kept are 4 bytes a sample.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from engine.data.load.load import LoadedData
from engine.spec.run import COLLATES, RunSpec
from engine.train.comparison import Comparison
from engine.train.losses import Batch, Outputs

NEVER = 0
"""What stands for a sample that is not learnt; steps count from 1."""
_PENDING = 1 << 16  # numbers of predictions that are taken up together
_NONE = np.iinfo(np.int32).max
_EVEN = 0.5  # the probability of either class
_SINCE = "since"


class LearnedSteps:
    """Keeps since which step the training samples are predicted rightly. ``order`` gives the
    positions (int64) in the part of the samples of an epoch (from 0), which come in batches of
    ``batch_size``.

    The result does not depend on where the run was interrupted.
    """

    def __init__(
        self,
        comparison: Comparison,
        samples: int,
        batch_size: int,
        order: Callable[[int], Tensor],
    ) -> None:
        self._comparison = comparison
        self._batch_size = batch_size
        self._order_of = order
        self._order = np.empty(0, np.int64)
        self._since = np.full(samples, NEVER, np.int32)
        self._is_whole = True  # from the first step of the run on
        self._pending: list[tuple[int, int, Tensor, Tensor]] = []
        self._numbers = 0

    def epoch_started(self, epoch: int) -> None:
        """Begin with an epoch (from 0), or go on with it."""
        self._take_up()
        self._order = self._order_of(epoch).cpu().numpy()

    def observe(self, seen: Sequence[tuple[Outputs, Batch]], batch: int, step: int) -> None:
        """Note the predictions of a step (from 1), whose batches are those of the epoch from number
        ``batch`` on. Which of them are right is seen for those of many steps at once.
        """
        if not self._is_whole:
            return
        for number, (outputs, values) in enumerate(seen, batch):
            pair = self._comparison.pick(outputs, values)
            if pair is not None:
                self._pending.append((number, step, *pair))
                self._numbers += pair[0].numel()
        if self._numbers >= _PENDING:
            self._take_up()

    def state_dict(self) -> dict[str, object]:
        """Return the step since which each sample of the part is predicted rightly, int32 of shape
        (samples,), :data:`NEVER` for none; nothing where that is not known from the start of the
        run.
        """
        self._take_up()
        return {_SINCE: torch.from_numpy(self._since.copy())} if self._is_whole else {}

    def load_state_dict(self, state: dict[str, object]) -> None:
        """Go on from a state. Of a run that kept none before, or whose data has another number of
        samples now, nothing is noted any more. Raises :class:`ValueError` for what is no state.
        """
        self._pending, self._numbers = [], 0
        since = learned_steps(state)
        self._is_whole = since is not None and len(since) == len(self._since)
        if since is not None and self._is_whole:
            self._since = since.cpu().numpy().copy()

    def _take_up(self) -> None:
        """Bring the steps up to date with the predictions that were noted, which are those of one
        epoch. A sample may be among them several times.
        """
        if not self._pending:
            return
        numbers, steps_of, predicted, target = zip(*self._pending, strict=True)
        self._pending, self._numbers = [], 0
        right = self._right(torch.cat(predicted), torch.cat(target)).cpu().numpy()
        lengths = np.array([len(each) for each in target], np.int64)
        starts = np.array(numbers, np.int64) * self._batch_size
        starts -= np.cumsum(lengths, dtype=np.int64) - lengths  # the rows of the batches before
        places = np.repeat(starts, lengths) + np.arange(len(right))
        steps = np.repeat(np.array(steps_of, np.int32), lengths)
        samples, own = np.unique(self._order[places], return_inverse=True)
        wrong = np.zeros(len(samples), np.int32)
        np.maximum.at(wrong, own[~right], steps[~right])  # the last wrong one
        later = right & (steps > wrong[own])
        first = np.full(len(samples), _NONE, np.int32)
        np.minimum.at(first, own[later], steps[later])
        first[first == _NONE] = NEVER
        before = self._since[samples]
        stays = (wrong == 0) & (before != NEVER)
        self._since[samples] = np.where(stays, before, first)

    def _right(self, predicted: Tensor, target: Tensor) -> Tensor:
        predicted, target = self._comparison.prepared(predicted, target)
        is_binary = self._comparison.task == "binary"
        return (predicted > _EVEN if is_binary else predicted.argmax(dim=1)) == target


class LearnedOutputs:
    """Keeps since which step the training samples are predicted rightly, for each output that is
    compared with classes: by their names, the first one without (:mod:`engine.spec.judged`).
    """

    def __init__(self, outputs: Mapping[str, LearnedSteps]) -> None:
        self._outputs = dict(outputs)

    def epoch_started(self, epoch: int) -> None:
        """Begin with an epoch (from 0), or go on with it."""
        for each in self._outputs.values():
            each.epoch_started(epoch)

    def observe(self, seen: Sequence[tuple[Outputs, Batch]], batch: int, step: int) -> None:
        """Note the predictions of a step, as :meth:`LearnedSteps.observe` does."""
        for each in self._outputs.values():
            each.observe(seen, batch, step)

    def state_dict(self) -> dict[str, object]:
        """Return what :func:`learned_steps` finds."""
        states = {name: each.state_dict() for name, each in self._outputs.items()}
        return {_key(name): state[_SINCE] for name, state in states.items() if state}

    def load_state_dict(self, state: dict[str, object]) -> None:
        """Go on from a state, each output as :meth:`LearnedSteps.load_state_dict` does."""
        for name, each in self._outputs.items():
            found = learned_steps(state, name)
            each.load_state_dict({} if found is None else {_SINCE: found})


def _key(output: str) -> str:
    return f"{_SINCE}.{output}" if output else _SINCE


def learned_steps(state: dict[str, object], output: str = "") -> Tensor | None:
    """Return the steps in a state (see :meth:`LearnedSteps.state_dict`) for an output, None where
    there are none. Raises :class:`ValueError` for what is no such state.
    """
    if not state:
        return None
    since = state.get(_key(output))
    if since is None and all(key.partition(".")[0] == _SINCE for key in state):
        return None
    if not isinstance(since, Tensor) or since.dtype != torch.int32 or since.ndim != 1:
        raise ValueError("the steps at which samples were learnt are of another kind")
    return since


def build_learned(
    spec: RunSpec, data: LoadedData, comparisons: Mapping[str, Comparison], processes: int
) -> LearnedOutputs | None:
    """Return what notes when the samples of a run are learnt, for each output where it is to and
    each sample is predicted rightly or not: it has one class and comes as itself, not blended with
    another one, drawn in batches or put together by own code. Of several processes each would know
    some of the samples alone.
    """
    is_itself = spec.data.collate in COLLATES and not spec.data.batch_transforms
    is_itself = is_itself and data.sampler.batches is None
    if not (spec.watch.learned and processes == 1 and is_itself):
        return None
    found = {
        name: LearnedSteps(
            comparison,
            data.samples("train"),
            spec.data.batch_size,
            lambda epoch: data.sampler.order(spec.seed, epoch),
        )
        for name, comparison in comparisons.items()
        if _has_class(data, comparison)
    }
    return LearnedOutputs(found) if found else None


def _has_class(data: LoadedData, comparison: Comparison) -> bool:
    """Return whether each sample has one class that is predicted."""
    field = data.info.field(comparison.field)
    has_class = comparison.task in ("classification", "binary") and comparison.boxes is None
    is_single = field is not None and not comparison.is_mask and math.prod(field.shape) == 1
    return has_class and is_single
