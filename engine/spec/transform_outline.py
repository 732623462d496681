"""Outline of a list of transforms: which are inside of which, and the changes of a list that keep
together what belongs together.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.spec.transform import (
    TransformSpec,
    holds_steps,
    is_in_evaluation,
    is_in_training,
)

MOST_LEVELS = 3
"""How deep containers can be in containers."""

CHOICE = "RandomChoice"
"""The container that has a weight for each transform in it, as its parameter ``p``."""

Steps = tuple[TransformSpec, ...]
_Weighted = tuple[TransformSpec, Value]


def levels(steps: Iterable[TransformSpec]) -> tuple[int, ...]:
    """Return the levels of transforms as far as something holds them: one that says more is in the
    last container that can have it.
    """
    found: list[int] = []
    open_steps: list[TransformSpec] = []  # the last one of each level
    for step in steps:
        deepest = len(open_steps)
        if open_steps and not holds_steps(open_steps[-1].type):
            deepest -= 1
        level = max(min(step.level, deepest, MOST_LEVELS), 0)
        open_steps[level:] = [step]
        found.append(level)
    return tuple(found)


def parents(steps: Iterable[TransformSpec]) -> tuple[int | None, ...]:
    """Return for each transform the number of the container that it is in, None for none."""
    found: list[int | None] = []
    last: list[int] = []  # of each level
    for number, level in enumerate(levels(steps)):
        found.append(last[level - 1] if level else None)
        last[level:] = [number]
    return tuple(found)


def inside(steps: Sequence[TransformSpec]) -> tuple[tuple[int, ...], ...]:
    """Return for each transform the numbers of those that it holds itself."""
    found: list[list[int]] = [[] for _ in steps]
    for number, parent in enumerate(parents(steps)):
        if parent is not None:
            found[parent].append(number)
    return tuple(map(tuple, found))


def outermost(steps: Sequence[TransformSpec], number: int) -> int:
    """Return the number of the outermost container that a transform is in, its own for none."""
    of = parents(steps)
    while (parent := of[number]) is not None:
        number = parent
    return number


def end_of(steps: Sequence[TransformSpec], number: int) -> int:
    """Return the number after a transform and all that is in it."""
    depths = levels(steps)
    after = (each for each in range(number + 1, len(steps)) if depths[each] <= depths[number])
    return next(after, len(steps))


def enabled_transforms(
    transforms: Iterable[TransformSpec], *, is_training: bool
) -> tuple[tuple[int, TransformSpec], ...]:
    """Return the transforms that are applied in training, or in evaluation, with their numbers in
    the specification (from 0); those in containers follow their container.
    """
    steps = tuple(transforms)
    is_in_part = is_in_training if is_training else is_in_evaluation
    is_in: list[bool] = []
    for step, parent in zip(steps, parents(steps), strict=True):
        is_in.append(step.enabled and (is_in_part(step) if parent is None else is_in[parent]))
    return tuple((number, step) for number, step in enumerate(steps) if is_in[number])


def put_in(steps: Sequence[TransformSpec], at: int, step: TransformSpec, level: int = 0) -> Steps:
    """Return a list with one more transform before the one at ``at``, at a level."""
    pairs = _weighted(steps)
    return _unweighted([*pairs[:at], (replace(step, level=level), None), *pairs[at:]])


def taken_out(steps: Sequence[TransformSpec], number: int) -> Steps:
    """Return a list without a transform and what is in it."""
    pairs = _weighted(steps)
    return _unweighted([*pairs[:number], *pairs[end_of(steps, number) :]])


def doubled(steps: Sequence[TransformSpec], number: int) -> Steps:
    """Return a list with a copy of a transform, and of what is in it, behind it."""
    pairs, end = _weighted(steps), end_of(steps, number)
    return _unweighted([*pairs[:end], *pairs[number:end], *pairs[end:]])


def put_before(
    steps: Sequence[TransformSpec], number: int, at: int, level: int
) -> tuple[Steps, int]:
    """Return a list in which a transform, with what is in it, is before the one at ``at`` (the
    count of all: at the end), at a level; and its number there. The list stays as it is where it
    would be in itself, or too deep.
    """
    end, depths = end_of(steps, number), levels(steps)
    by = level - depths[number]
    is_too_deep = max(depths[number:end]) + by > MOST_LEVELS
    if number < at < end or is_too_deep or (at in (number, end) and by == 0):
        return tuple(steps), number
    pairs = _weighted(steps)
    block = [
        (replace(step, level=depth + by), weight if by == 0 or each else None)
        for each, ((step, weight), depth) in enumerate(
            zip(pairs[number:end], depths[number:end], strict=True)
        )
    ]
    if parents(steps)[number] != _parent_at(steps, at, level):
        block[0] = (block[0][0], None)
    if at <= number:
        return _unweighted([*pairs[:at], *block, *pairs[at:number], *pairs[end:]]), at
    return (
        _unweighted([*pairs[:number], *pairs[end:at], *block, *pairs[at:]]),
        at - (end - number),
    )


def one_up(steps: Sequence[TransformSpec], number: int) -> tuple[Steps, int]:
    """Return a list with a transform before the one before it, or out of its container's start; and
    its number there.
    """
    before, parent = _neighbors(steps, number)[0], parents(steps)[number]
    if before is not None:
        return put_before(steps, number, before, levels(steps)[number])
    if parent is None:
        return tuple(steps), number
    return put_before(steps, number, parent, levels(steps)[parent])


def one_down(steps: Sequence[TransformSpec], number: int) -> tuple[Steps, int]:
    """Return a list with a transform behind the one behind it, or out of its container's end; and
    its number there.
    """
    behind, parent = _neighbors(steps, number)[1], parents(steps)[number]
    if behind is not None:
        return put_before(steps, number, end_of(steps, behind), levels(steps)[number])
    if parent is None:
        return tuple(steps), number
    return put_before(steps, number, end_of(steps, parent), levels(steps)[parent])


def one_in(steps: Sequence[TransformSpec], number: int) -> tuple[Steps, int]:
    """Return a list with a transform in the container right before it, as the last one there; as it
    is where there is none.
    """
    before = _neighbors(steps, number)[0]
    if before is None or not holds_steps(steps[before].type):
        return tuple(steps), number
    return put_before(steps, number, number, levels(steps)[number] + 1)


def one_out(steps: Sequence[TransformSpec], number: int) -> tuple[Steps, int]:
    """Return a list with a transform behind the container that it is in; as it is outside."""
    parent = parents(steps)[number]
    if parent is None:
        return tuple(steps), number
    return put_before(steps, number, end_of(steps, parent), levels(steps)[parent])


def dropped(
    steps: Sequence[TransformSpec], number: int, target: int, where: str
) -> tuple[Steps, int]:
    """Return a list with a transform ``above``, ``below`` or ``inside`` of another one (-1: at the
    end of all), and its number there. Below a container that is not empty is its first place.
    """
    if target < 0:
        return put_before(steps, number, len(steps), 0)
    level, end = levels(steps)[target], end_of(steps, target)
    if where == "above":
        return put_before(steps, number, target, level)
    if where == "below" and end > target + 1:
        return put_before(steps, number, target + 1, level + 1)
    is_inside = where == "inside" and holds_steps(steps[target].type)
    return put_before(steps, number, end, level + is_inside)


def weights_of(step: TransformSpec, count: int) -> tuple[Value, ...] | None:
    """Return the weight of each of the transforms in a container; None where it has none, or not
    as many as they are.
    """
    values = step.params.get("p") if step.type == CHOICE else None
    return values if isinstance(values, tuple) and len(values) == count else None


def _neighbors(steps: Sequence[TransformSpec], number: int) -> tuple[int | None, int | None]:
    """Return the numbers of the transforms before and behind one, in the same container."""
    of = parents(steps)
    same = [each for each, parent in enumerate(of) if parent == of[number]]
    at = same.index(number)
    return (same[at - 1] if at else None), (same[at + 1] if at + 1 < len(same) else None)


def _parent_at(steps: Sequence[TransformSpec], at: int, level: int) -> int | None:
    """Return the number of the container that something put before ``at``, at a level, is in."""
    depths = levels(steps[:at])
    known = (each for each in reversed(range(at)) if depths[each] == level - 1)
    return next(known, None) if level else None


def _weighted(steps: Sequence[TransformSpec]) -> list[_Weighted]:
    """Return transforms with their weights in their containers, None where they have none."""
    weights: list[Value] = [None] * len(steps)
    for step, held in zip(steps, inside(steps), strict=True):
        for each, weight in zip(held, weights_of(step, len(held)) or (), strict=False):
            weights[each] = weight
    return list(zip(steps, weights, strict=True))


def _unweighted(pairs: Sequence[_Weighted]) -> Steps:
    """Return transforms whose containers have the weights that those in them bring along; one that
    brings none gets the mean of the others.
    """
    steps = [step for step, _ in pairs]
    for number, numbers in enumerate(inside(steps)):
        step, held = steps[number], [pairs[each][1] for each in numbers]
        known = [float(weight) for weight in held if isinstance(weight, int | float)]
        if step.type != CHOICE or step.params.get("p") is None:
            continue
        if held and not known:
            continue  # not as many as there were transforms: for the user to say
        usual = sum(known) / len(known) if known else 0.0
        found = tuple(float(w) if isinstance(w, int | float) else usual for w in held)
        params = {**step.params, "p": found}
        if not found:
            del params["p"]
        steps[number] = replace(step, params=params)
    return tuple(steps)
