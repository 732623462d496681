"""Fields of the phases of a run: ``phase.match`` of the first, ``phases.0.optimizer``,
``phases.0.steps``, ``phases.0.optimizer.lr``, ``phases.0.scheduler`` of further ones.
"""

from collections.abc import Iterator
from functools import partial

import msgspec

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, Need, ParamSpec, Value
from engine.catalog.validate import check_value
from engine.spec.choice import has_need
from engine.spec.field import Field, choice_fields, replaced
from engine.spec.group import patterns
from engine.spec.phase import has_phases, loss_numbers
from engine.spec.run import Choice, PhaseRule, PhaseSpec, RunSpec

_LISTS = ("match", "losses")


def phase_params() -> tuple[ParamSpec, ...]:
    """Return what the catalogue says about the settings of a phase beside its optimizer."""
    entry = catalog().entry(EntryGroup.SETTING, "phase")
    assert entry is not None, "the catalogue describes phases"
    return entry.params


def phase_fields(spec: RunSpec) -> Iterator[Field]:
    """Yield the fields of all phases, those of the first one where it is not alone, and the one
    that adds a phase.
    """
    for param in phase_params() if has_phases(spec) else ():
        yield Field(
            name=f"phase.{param.name}",
            param=param,
            read=lambda spec, name=param.name: getattr(spec.phase, name),
            write=partial(_write_first, param.name),
            check=partial(check_value, param),
        )
    for index in range(len(spec.phases)):
        for param in phase_params():
            yield Field(
                name=f"phases.{index}.{param.name}",
                param=param,
                read=lambda spec, index=index, name=param.name: getattr(spec.phases[index], name),
                write=partial(_write, index, param.name),
                check=partial(check_value, param),
            )
        yield from _optimizer_fields(spec, index)
        yield from _scheduler_fields(spec, index)
    yield from _optimizer_fields(spec, len(spec.phases))


def without_term(spec: RunSpec, number: int) -> RunSpec:
    """Return a recipe whose phases do not mention a loss term (from 1) that is taken away."""
    phase = msgspec.structs.replace(spec.phase, losses=_shifted(spec.phase, number))
    phases = tuple(
        msgspec.structs.replace(each, losses=_shifted(each, number)) for each in spec.phases
    )
    return msgspec.structs.replace(spec, phase=phase, phases=phases)


def _shifted(rule: PhaseRule, number: int) -> str:
    numbers = loss_numbers(rule)
    if not numbers:
        return rule.losses
    return ", ".join(str(each - (each > number)) for each in numbers if each != number)


def _optimizer_fields(spec: RunSpec, index: int) -> Iterator[Field]:
    yield from choice_fields(
        spec,
        f"phases.{index}.optimizer",
        EntryGroup.OPTIMIZER,
        partial(_read_optimizer, index),
        partial(_write_optimizer, index),
        optional=True,
    )


def _scheduler_fields(spec: RunSpec, index: int) -> Iterator[Field]:
    yield from choice_fields(
        spec,
        f"phases.{index}.scheduler",
        EntryGroup.SCHEDULER,
        lambda spec: spec.phases[index].scheduler if index < len(spec.phases) else None,
        partial(_write_scheduler, index),
        optional=True,
    )
    run = catalog().entry(EntryGroup.SETTING, "run")
    param = None if run is None else run.param("scheduler_interval")
    assert param is not None, "the catalogue describes how schedulers are stepped"
    yield Field(
        name=f"phases.{index}.scheduler_interval",
        param=param,
        read=lambda spec: spec.phases[index].scheduler_interval,
        write=partial(_write, index, "scheduler_interval"),
        check=partial(check_value, param),
    )


def _write_first(name: str, spec: RunSpec, value: Value) -> RunSpec:
    return replaced(spec, ("phase", name), _listed(name, value))


def _write(index: int, name: str, spec: RunSpec, value: Value) -> RunSpec:
    phases = list(spec.phases)
    phases[index] = msgspec.structs.replace(phases[index], **{name: _listed(name, value)})
    return msgspec.structs.replace(spec, phases=tuple(phases))


def _listed(name: str, value: Value) -> Value:
    """Return a list of names or numbers as it is written, with commas."""
    return ", ".join(patterns(str(value))) if name in _LISTS else value


def _read_optimizer(index: int, spec: RunSpec) -> Choice | None:
    return spec.phases[index].optimizer if index < len(spec.phases) else None


def _write_optimizer(index: int, spec: RunSpec, choice: Choice | None) -> RunSpec:
    phases = list(spec.phases)
    if choice is None:
        del phases[index : index + 1]
    elif index < len(phases):
        phases[index] = msgspec.structs.replace(phases[index], optimizer=choice)
    else:
        phases.append(PhaseSpec(optimizer=choice))
    return msgspec.structs.replace(spec, phases=tuple(phases))


def _write_scheduler(index: int, spec: RunSpec, choice: Choice | None) -> RunSpec:
    """Step a scheduler that is made for it after every batch, and the next one not."""
    phase = spec.phases[index]
    was, is_now = (
        has_need(EntryGroup.SCHEDULER, each, Need.EVERY_STEP) for each in (phase.scheduler, choice)
    )
    interval = phase.scheduler_interval
    if was != is_now:
        interval = "step" if is_now else "epoch"
    changed = msgspec.structs.replace(phase, scheduler=choice, scheduler_interval=interval)
    phases = (*spec.phases[:index], changed, *spec.phases[index + 1 :])
    return msgspec.structs.replace(spec, phases=phases)
