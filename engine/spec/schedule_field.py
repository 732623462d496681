"""Fields of the further schedulers of a run: ``schedules.0.scheduler``, ``schedules.0.start``."""

from collections.abc import Iterator
from functools import partial

import msgspec

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, ParamSpec, Value
from engine.catalog.validate import check_value
from engine.diagnostics import Diagnostic
from engine.spec.field import Field, choice_fields
from engine.spec.run import Choice, RunSpec, ScheduleTerm
from engine.spec.schedule import ALONE


def schedule_fields(spec: RunSpec) -> Iterator[Field]:
    """Yield the fields of all further schedulers and the one that adds another, where the first one
    goes with others.
    """
    settings = catalog().entry(EntryGroup.SETTING, "schedule")
    start = None if settings is None else settings.param("start")
    assert start is not None, "the catalogue describes the start of a schedule"
    count = len(spec.schedules)
    is_alone = spec.scheduler is None or spec.scheduler.type in ALONE
    for index in range(count if is_alone else count + 1):
        if index < count:
            yield Field(
                name=f"schedules.{index}.start",
                param=start,
                read=partial(_read_start, index),
                write=partial(_write_start, index),
                check=partial(_check_start, start, spec, index),
            )
        yield from choice_fields(
            spec,
            f"schedules.{index}.scheduler",
            EntryGroup.SCHEDULER,
            partial(_read, index),
            partial(_write, index),
            optional=True,
        )


def _read(index: int, spec: RunSpec) -> Choice | None:
    return spec.schedules[index].scheduler if index < len(spec.schedules) else None


def _write(index: int, spec: RunSpec, choice: Choice | None) -> RunSpec:
    terms = list(spec.schedules)
    if choice is None:
        del terms[index : index + 1]
    elif index < len(terms):
        terms[index] = msgspec.structs.replace(terms[index], scheduler=choice)
    else:
        before = terms[-1].start if terms else 0
        terms.append(ScheduleTerm(scheduler=choice, start=max(before + 1, 5)))
    return msgspec.structs.replace(spec, schedules=tuple(terms))


def _read_start(index: int, spec: RunSpec) -> Value:
    return spec.schedules[index].start


def _check_start(param: ParamSpec, spec: RunSpec, index: int, value: Value) -> Diagnostic | None:
    """Refuse another start of schedulers that are chained: all of them begin at once."""
    is_other = value != spec.schedules[index].start
    if spec.schedule_order == "chained" and is_other:
        return Diagnostic.of("R495", name=f"schedules.{index}.start")
    return check_value(param, value)


def _write_start(index: int, spec: RunSpec, value: Value) -> RunSpec:
    assert isinstance(value, int)
    terms = list(spec.schedules)
    terms[index] = msgspec.structs.replace(terms[index], start=value)
    return msgspec.structs.replace(spec, schedules=tuple(terms))
