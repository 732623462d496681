"""L1 and L2 penalties: the size of the weights as a part of the loss."""

from collections.abc import Iterator

from torch import Tensor, nn
from typing_extensions import override

from engine.spec.run import RunSpec
from engine.spec.technique import PenaltySpec
from engine.train.technique.base import StepContext, Technique

MATRIX = 2  # axes: what has fewer is a bias, or scales and shifts


class Penalty(Technique):
    """Adds ``l1`` Σ|w| + ``l2`` Σw² to the loss of a training step. Frozen parameters are left out.

    The record and the curves show the loss without it, as in validation.
    """

    def __init__(self, spec: PenaltySpec) -> None:
        self._spec = spec

    @override
    def configure(self, spec: RunSpec) -> None:
        self._spec = spec.penalty

    @override
    def loss(self, loss: Tensor, step: StepContext) -> Tensor:
        for weight in self._penalized(step.model):
            if self._spec.l1:
                loss = loss + self._spec.l1 * weight.abs().sum()
            if self._spec.l2:
                loss = loss + self._spec.l2 * weight.square().sum()
        return loss

    def _penalized(self, model: nn.Module) -> Iterator[nn.Parameter]:
        for parameter in model.parameters():
            is_wanted = parameter.ndim >= MATRIX or not self._spec.weights_only
            if parameter.requires_grad and is_wanted:
                yield parameter
