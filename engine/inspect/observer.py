"""What may look into a training step, and the places of a step at which it may."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

from torch import Tensor, nn
from torch.optim import Optimizer

NOTHING: AbstractContextManager[None] = nullcontext()


class Observer:
    """Looks into steps. Its methods are called in the order in which they stand here, on the
    thread that trains; an optimizer with a closure goes forward and backward several times a step.
    None may change a number that training computes with, nor draw from the default generators.
    """

    is_done: bool = False  # has seen all it wanted: taken out after the step

    def begin(self, batch: Mapping[str, Tensor]) -> None:
        """Look at the batch of the step, by field."""

    def forward(self, model: nn.Module) -> AbstractContextManager[None]:
        """Return what model and loss are computed in."""
        del model
        return NOTHING

    def built(self, terms: Sequence[Tensor], model: nn.Module) -> None:
        """Look at the graph under the loss, before its backward pass frees what it keeps."""

    def backward(self) -> AbstractContextManager[None]:
        """Return what the backward pass runs in."""
        return NOTHING

    def gradients(self, model: nn.Module) -> None:
        """Look at the gradients, before they are clipped and used."""

    def updated(self, model: nn.Module, optimizer: Optimizer) -> None:
        """Look at the weights after the optimizer's step."""
