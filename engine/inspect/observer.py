"""Observer of training steps: the points of a step at which it is called."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from torch import Tensor, nn

NOTHING: AbstractContextManager[None] = nullcontext()


class HasState(Protocol):
    """An optimizer, or several: ``state`` is what is kept of each parameter."""

    @property
    def state(self) -> Mapping[Tensor, Mapping[str, object]]:
        """What is kept of each parameter."""
        raise NotImplementedError


class Observer:
    """Observes steps. Its methods are called in the order in which they stand here, on the thread
    that trains; an optimizer with a closure goes forward and backward several times a step. None
    may change a number that training computes with, nor draw from the default generators.
    """

    is_done: bool = False  # needs no more steps: removed after this one

    def begin(self, batch: Mapping[str, Tensor]) -> None:
        """Observe the batch of the step, by field."""

    def forward(self, model: nn.Module) -> AbstractContextManager[None]:
        """Return the context in which model and loss are computed."""
        del model
        return NOTHING

    def built(self, terms: Sequence[Tensor], model: nn.Module) -> None:
        """Observe the graph of the loss, before its backward pass frees saved tensors."""

    def backward(self) -> AbstractContextManager[None]:
        """Return the context in which the backward pass runs."""
        return NOTHING

    def gradients(self, model: nn.Module) -> None:
        """Observe the gradients, before they are clipped and used."""

    def updated(self, model: nn.Module, optimizer: HasState) -> None:
        """Observe the weights after the optimizer's step."""
