"""Memory of a training step by node: plain values, in bytes."""

from typing import Literal

import msgspec

GROWTH_OF_PROCESS = (1.2, 1.6)
"""How many times its tensors a process that trains on a CPU grows by, measured for steps of 70 MB
and more: the C library keeps memory that was freed between tensors that are still in use.
"""


KeptModel = Literal["average", "teacher"]
"""A model that is kept beside the one that trains: an average of its weights, and its teacher."""


class MemoryRow(msgspec.Struct, frozen=True, kw_only=True):
    """What one node of the canvas keeps. ``place`` is its path, empty for what no node stands for;
    ``name`` is that of the module. ``saved`` are the tensors that its Functions keep for the
    backward pass; a tensor that several keep counts at the first. A row of a ``kept`` model is all
    of that.
    """

    place: str
    name: str = ""
    parameters: int = 0
    gradients: int = 0
    optimizer: int = 0
    buffers: int = 0
    saved: int = 0
    kept: KeptModel | None = None

    @property
    def total(self) -> int:
        """All of it."""
        return self.parameters + self.gradients + self.optimizer + self.buffers + self.saved


class MemoryReport(msgspec.Struct, frozen=True, kw_only=True):
    """A training step: rows in the order of computation, and the inputs of the model. All are
    bytes of tensors; a process on a CPU grows by more (``GROWTH_OF_PROCESS``).

    ``peak`` is the most that an estimated step has allocated at once, with the gradients of
    activations and what the optimizer makes for a moment (0 of a measured step). ``allocated`` is
    the most that PyTorch had allocated on the device during the step (0 where the device does not
    tell). ``is_optimizer_known`` is false where its state could not be found out.
    """

    rows: tuple[MemoryRow, ...]
    batch: int = 0
    peak: int = 0
    allocated: int = 0
    is_optimizer_known: bool = True

    @property
    def total(self) -> int:
        """All that is kept when the backward pass begins, with the gradients that it makes."""
        return self.batch + sum(row.total for row in self.rows)

    @property
    def most(self) -> int:
        """The memory that the tensors of a step need."""
        return max(self.total, self.peak)

    @property
    def most_of_process(self) -> tuple[int, int]:
        """The least and the most that a process on a CPU grows by."""
        least, most = GROWTH_OF_PROCESS
        return round(least * self.most), round(most * self.most)

    @property
    def standing(self) -> int:
        """What is there in every step, however small the batch: all but it and what it saves."""
        return sum(row.total - row.saved for row in self.rows)

    def first_too_much(self, limit: int) -> MemoryRow | None:
        """Return the row at which a memory of ``limit`` bytes is full; None where all fits. What is
        there in every step counts first, then the batch.
        """
        used = 0
        for row in self.rows:
            used += row.total - row.saved
            if used > limit:
                return row
        used += self.batch
        for row in self.rows:
            used += row.saved
            if used > limit:
                return row
        return None
