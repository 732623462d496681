"""Parameter groups that an optimizer is made with: those of the user, and what divides them."""

from collections.abc import Sequence

import msgspec


class TrainedGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A group of an optimizer: ``number`` is that of the user's group, from 1, and 0 the rest;
    ``depth`` counts the levels between it and the output, where learning rates differ by layer;
    with ``decays`` false its weights do not decay. ``phase`` is the number, from 0, of the phase
    whose optimizer has it.

    It has ``tensors`` with ``parameters`` numbers, of the layers or blocks in ``parts``. ``ratio``
    is its learning rate relative to that of the same group at depth 0.
    """

    number: int = 0
    depth: int = 0
    phase: int = 0
    decays: bool = True
    tensors: int = 0
    parameters: int = 0
    parts: tuple[str, ...] = ()
    ratio: float = 1.0


def rate_groups(groups: Sequence[TrainedGroup]) -> tuple[TrainedGroup, ...]:
    """Return the groups with a learning rate of their own: of two that differ in weight decay alone
    the first, which of one optimizer stand before the others.
    """
    seen: set[tuple[int, int, int]] = set()
    found: list[TrainedGroup] = []
    for group in groups:
        key = (group.phase, group.number, group.depth)
        if key not in seen:
            seen.add(key)
            found.append(group)
    return tuple(found)


def of_phase(groups: Sequence[TrainedGroup], phase: int) -> tuple[TrainedGroup, ...]:
    """Return the groups of the optimizer of a phase."""
    return tuple(group for group in groups if group.phase == phase)
