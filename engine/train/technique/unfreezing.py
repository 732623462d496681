"""Unfreezing on a schedule: parameters that are trained from an epoch on."""

from collections.abc import Sequence

from torch import distributed, nn
from typing_extensions import override

from engine.spec.run import RunSpec
from engine.spec.unfreezing import first_epoch, unfreezing_epochs
from engine.train.technique.base import StepContext, Technique

_SEVERAL = ("ddp", "fsdp")


class Unfreezing(Technique):
    """Holds parameters as they are until the epoch that their schedule names: without
    ``requires_grad`` they have no gradient, and the optimizer, which has them from the start, keeps
    no state for them. From then on they begin like any other, with the rate of their group.

    What is held loses its gradient before the step, where it has one: in runs of several processes
    (DDP counts on the parameters that there are at the start), and where the user unfroze it.
    """

    def __init__(self, spec: RunSpec, model: nn.Module) -> None:
        epochs = unfreezing_epochs(spec.unfreezing.schedule) or {}
        starts = {name: first_epoch(name, epochs) for name, _ in model.named_parameters()}
        weights = dict(model.named_parameters())
        self._starts = [(weights[name], start) for name, start in starts.items() if start]
        self._has_all = spec.mode in _SEVERAL or _is_one_of_several()
        self._held: list[nn.Parameter] = []
        self.epoch_started(1)

    @override
    def epoch_started(self, epoch: int) -> None:
        self._held = [weight for weight, start in self._starts if start > epoch]
        if self._has_all:
            return
        for weight, start in self._starts:
            weight.requires_grad_(start <= epoch)
            if start > epoch:
                weight.grad = None

    @override
    def held_back(self) -> Sequence[nn.Parameter]:
        return self._held

    @override
    def gradients_done(self, step: StepContext) -> None:
        for weight in self._held:
            weight.grad = None


def _is_one_of_several() -> bool:
    """Return whether this process trains with others, in which a run of one may go on."""
    return distributed.is_available() and distributed.is_initialized()


def release(model: nn.Module, spec: RunSpec) -> None:
    """Let the parameters be trained that a run unfreezes at some time, so that its optimizer has
    them, those too that are frozen on the canvas.
    """
    epochs = unfreezing_epochs(spec.unfreezing.schedule) or {}
    for name, weight in model.named_parameters() if epochs else ():
        if first_epoch(name, epochs) is not None:
            weight.requires_grad_(True)  # noqa: FBT003 - as PyTorch has it
