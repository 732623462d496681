"""Changes of the list of phases; the first one is that of the recipe's own optimizer."""

import msgspec

from engine.spec.phase import phase_list
from engine.spec.run import PhaseRule, PhaseSpec, RunSpec


def with_copy(spec: RunSpec, index: int) -> RunSpec:
    """Return a recipe with a copy of a phase (from 0) after it."""
    listed = list(phase_list(spec))
    copied = msgspec.structs.replace(listed[index], name="")
    return _with_list(spec, (*listed[: index + 1], copied, *listed[index + 1 :]))


def without_phase(spec: RunSpec, index: int) -> RunSpec:
    """Return a recipe without a phase; one that is left alone trains everything, all the time."""
    listed = list(phase_list(spec))
    del listed[index]
    if len(listed) == 1:
        alone = listed[0]
        rule = PhaseSpec(
            optimizer=alone.optimizer,
            scheduler=alone.scheduler,
            scheduler_interval=alone.scheduler_interval,
        )
        listed = [rule]
    return _with_list(spec, tuple(listed))


def can_move(spec: RunSpec, index: int, by: int) -> bool:
    """Return whether a phase can change places with the one before (-1) or after it (1). Parameter
    groups and further schedules stay with the first one, so nothing takes its place while it has
    some.
    """
    other = index + by
    if not 0 <= other <= len(spec.phases):
        return False
    return min(index, other) > 0 or not (spec.groups or spec.schedules)


def moved(spec: RunSpec, index: int, by: int) -> RunSpec:
    """Return a recipe with a phase in the place of the one before (-1) or after it (1)."""
    listed = list(phase_list(spec))
    listed[index], listed[index + by] = listed[index + by], listed[index]
    return _with_list(spec, tuple(listed))


def _with_list(spec: RunSpec, listed: tuple[PhaseSpec, ...]) -> RunSpec:
    first, *others = listed
    names = PhaseRule.__struct_fields__
    changed = msgspec.structs.replace(
        spec,
        phase=PhaseRule(**{name: getattr(first, name) for name in names}),
        optimizer=first.optimizer,
        scheduler=first.scheduler,
        scheduler_interval=first.scheduler_interval,
        phases=tuple(others),
    )
    if first.optimizer == spec.optimizer and first.scheduler == spec.scheduler:
        return changed
    return msgspec.structs.replace(changed, groups=(), schedules=())  # they were of another one
