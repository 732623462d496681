"""Report of what frozen layers save in a training step, as plain values."""

import msgspec


class StepCost(msgspec.Struct, frozen=True, kw_only=True):
    """A training step: floating-point operations of forward and backward pass, and the bytes that
    are kept when the backward pass begins, with the gradients that it makes.
    """

    flops: int
    memory: int


class FreezingReport(msgspec.Struct, frozen=True, kw_only=True):
    """A step as it is, and one that trains all layers."""

    step: StepCost
    unfrozen: StepCost

    @property
    def saved_flops(self) -> float:
        """The share of the operations that is saved, 0 to 1."""
        return 1 - self.step.flops / self.unfrozen.flops if self.unfrozen.flops else 0.0

    @property
    def saved_memory(self) -> int:
        """The bytes that are saved."""
        return self.unfrozen.memory - self.step.memory
