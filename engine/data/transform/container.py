"""Containers of transforms: which of their steps are applied is drawn for each sample, with the
random numbers that the containers of torchvision draw; exported files carry them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import torch


class RandomApply:
    """All steps, with the probability ``p``, or none."""

    def __init__(self, steps: Sequence[Any], p: float = 0.5) -> None:
        self.steps, self.p = steps, p

    def draw(self) -> list[Any]:
        """Return the steps to apply, in order."""
        return [] if torch.rand(1) >= self.p else list(self.steps)


class RandomChoice:
    """One of the steps, each with a probability in proportion to its number in ``p`` (kept as
    ``weights``); None: all are as probable.
    """

    def __init__(self, steps: Sequence[Any], p: Sequence[float] | None = None) -> None:
        self.steps, self.weights = steps, p
        weights = [1] * len(steps) if p is None else p
        self.p = [weight / sum(weights) for weight in weights]

    def draw(self) -> list[Any]:
        """Return the step to apply."""
        return [self.steps[int(torch.multinomial(torch.tensor(self.p), 1))]]


class RandomOrder:
    """All steps, in a random order."""

    def __init__(self, steps: Sequence[Any]) -> None:
        self.steps = steps

    def draw(self) -> list[Any]:
        """Return the steps to apply, in order."""
        return [self.steps[number] for number in torch.randperm(len(self.steps)).tolist()]


def drawn(steps: Sequence[Any]) -> Iterator[Any]:
    """Yield steps one after the other, of a container those that it draws once it is reached."""
    for step in steps:
        if isinstance(step, RandomApply | RandomChoice | RandomOrder):
            yield from drawn(step.draw())
        else:
            yield step
