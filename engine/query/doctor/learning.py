"""One batch learned by heart, by the phases that train together in a step."""

import copy
import math
import time
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.query.doctor.evidence import Weight
from engine.query.doctor.rules import is_learned
from engine.spec.phase import Turn, turns
from engine.train.losses import Batch, Outputs
from engine.train.optim import needs_closure
from engine.train.training import Training

_STEPS = 40  # on one batch, and more until it is learned
_MOST_STEPS = 200
_MEASURED = 5  # steps whose gradients and changes are looked at
_GUESSED = ("CrossEntropyLoss", "NLLLoss")


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """What came of it: the ``losses`` of the steps, the first before any of them, and what became
    of the weights, none where that first one is not finite; ``expected`` is the loss of guessing.
    """

    phases: tuple[int, ...]
    losses: tuple[float, ...]
    weights: tuple[Weight, ...]
    expected: float | None


def lessons(training: Training, batch: Batch, limit_s: float) -> list[Lesson]:
    """Let the phases learn a batch, each kind of step by itself: one that has other terms of the
    loss than those before it goes on from what they have learned, as an opponent has to; else it
    begins where the model is now.
    """
    found, learned = list[Lesson](), set[int]()
    kinds = turns(training.spec)
    start = copy.deepcopy(training.model.state_dict()) if len(kinds) > 1 else {}
    for turn in kinds:
        training.phases.begin(turn.epoch, turn.step)
        terms = set(training.phases.terms)
        if learned & terms:
            training.model.load_state_dict(start)
            learned = set()
        learned |= terms
        kept = {index: _state_of(training, index) for index in turn.phases if len(kinds) > 1}
        found.append(_lesson(training, batch, turn, limit_s / len(kinds)))
        for index, state in kept.items():
            training.phases.all[index].optimizer.load_state_dict(state)
    return found


def outputs_of(training: Training, batch: Batch) -> Outputs:
    """Return what the model gives for a batch."""
    return training.model(*[batch[field] for field in training.input_fields])


def _state_of(training: Training, index: int) -> dict[str, object]:
    return copy.deepcopy(training.phases.all[index].optimizer.state_dict())


def _lesson(training: Training, batch: Batch, turn: Turn, limit_s: float) -> Lesson:
    training.model.train()
    watch, losses = _Watch(training, turn), list[float]()
    end = time.monotonic() + limit_s
    for step in range(_MOST_STEPS + 1):
        watch.before(is_on=step < _MEASURED)
        losses.append(_step(training, batch))
        if not math.isfinite(losses[-1]):
            break  # and so are the gradients
        watch.after()
        is_late = time.monotonic() > end and step >= _MEASURED
        if is_late or (step >= _STEPS and is_learned(losses)):
            break
    return Lesson(
        phases=turn.phases,
        losses=tuple(losses),
        weights=watch.weights(),
        expected=_expected(training),
    )


def _step(training: Training, batch: Batch) -> float:
    """Take a step of the phases at work; return the loss before it."""

    def closure() -> Tensor:
        training.phases.clear_gradients()
        loss, _ = training.loss(outputs_of(training, batch), batch, training.phases.terms)
        loss.backward()
        return loss.detach()

    if needs_closure(training.optimizer):
        return float(training.optimizer.step(closure))  # pyright: ignore[reportCallIssue, reportArgumentType] - annotated as float, takes the tensor
    loss = float(closure())
    for phase in training.phases.working:
        phase.optimizer.step()
    return loss


class _Watch:
    """Looks at what the first steps do to the weights that they train."""

    def __init__(self, training: Training, turn: Turn) -> None:
        phases = training.phases.all
        self._phase = {id(w): index for index in turn.phases for w in phases[index].weights}
        named = training.model.named_parameters()
        self._named = {name: w for name, w in named if id(w) in self._phase}
        self._norms, self._gradients, self._changes = (
            dict.fromkeys(self._named, 0.0) for _ in range(3)
        )
        self._arrived: set[str] = set()
        self._measured = 0
        self._before: dict[str, Tensor] = {}

    def before(self, *, is_on: bool) -> None:
        """Note the weights before a step that is looked at."""
        self._before = {n: w.detach().clone() for n, w in self._named.items()} if is_on else {}

    def after(self) -> None:
        """Measure what became of them."""
        self._measured += bool(self._before)
        for name, value in self._before.items():
            weight = self._named[name]
            self._norms[name] += float(value.norm())
            self._changes[name] += float((weight.detach() - value).norm())
            if weight.grad is not None:
                self._arrived.add(name)
                self._gradients[name] += float(torch.linalg.vector_norm(weight.grad))

    def weights(self) -> tuple[Weight, ...]:
        """Return the means over the steps that were looked at."""
        return tuple(
            Weight(
                name=name,
                norm=self._norms[name] / self._measured,
                gradient=self._gradients[name] / self._measured if name in self._arrived else None,
                change=self._changes[name] / self._measured,
                phase=self._phase[id(weight)],
            )
            for name, weight in (self._named.items() if self._measured else ())
        )


def _expected(training: Training) -> float | None:
    """Return the loss of giving every class the same probability."""
    terms = [training.spec.losses[number] for number in training.phases.terms]
    classes = training.comparison.classes
    if len(terms) != 1 or not classes or terms[0].weight != 1 or terms[0].loss.params:
        return None
    return math.log(classes) if terms[0].loss.type in _GUESSED else None
