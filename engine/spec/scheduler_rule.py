"""Rules for the scheduler beside the optimizer and the length of the run."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import msgspec

from engine.catalog.spec import Entry, EntryGroup, Need
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.spec.choice import chosen_entry
from engine.spec.data import DataInfo
from engine.spec.drawn_curve import JOINED, POINTS, read_points
from engine.spec.expression import Expression
from engine.spec.length import known_batches, planned_epochs, planned_steps, steps_per_epoch
from engine.spec.run import Choice, RunSpec
from engine.spec.schedule import (
    ALONE,
    DRAWN,
    EXPRESSION,
    EXPRESSIONS,
    follows_length,
    schedule_plan,
)
from engine.spec.series import LATEST

Params = dict[str, str | int | float]

_FROM_INITIAL = ("LambdaLR", "OneCycleLR", "CyclicLR", "CosineAnnealingWarmRestarts")
"""Schedulers that set a learning rate whatever it was before."""

_EXAMPLE_STEPS = 1_000
_TRIED = 100


def check_scheduler(spec: RunSpec, info: DataInfo | None) -> Iterator[Diagnostic]:
    """Yield the findings about the scheduler."""
    if spec.scheduler is None:
        return
    if spec.length == "minutes":
        yield from _check_time(spec)
    steps = scheduler_steps(spec, info)
    lengths = [None] * (1 + len(spec.schedules))
    plan = None if steps is None else schedule_plan(spec, max(steps, 1))
    if plan is not None and len(plan.pieces) == len(lengths):
        lengths = [piece.length for piece in plan.pieces]
    choices = {"scheduler": spec.scheduler}
    choices |= {f"schedules.{n}.scheduler": each.scheduler for n, each in enumerate(spec.schedules)}
    for (field, choice), length in zip(choices.items(), lengths, strict=True):
        entry = chosen_entry(EntryGroup.SCHEDULER, choice)
        if entry is None:
            continue
        chosen = _Chosen(field, choice, entry)
        yield from _check_interval(spec, chosen)
        yield from _check_momentum(spec, chosen)
        yield from _check_rates(chosen)
        if choice.type in EXPRESSIONS:
            yield from _check_expression(chosen, steps)
        elif choice.type == DRAWN:
            yield from _check_points(chosen)
        whole = steps if not spec.schedules else length
        if whole is not None:
            yield from _check_length(chosen, whole)
    if spec.schedules:
        yield from _check_together(spec, choices, steps)


def _check_time(spec: RunSpec) -> Iterator[Diagnostic]:
    """Yield schedules that follow the length of a run which ends by time, so that none is known."""
    choices = {"scheduler": spec.scheduler}
    choices |= {f"schedules.{n}.scheduler": each.scheduler for n, each in enumerate(spec.schedules)}
    for field, choice in choices.items():
        if choice is not None and follows_length(choice):
            yield Diagnostic.of("R462", field=field, scheduler=choice.type)


class _Chosen(NamedTuple):
    """A scheduler of a run: the field that it is chosen in, and what that is."""

    field: str
    choice: Choice
    entry: Entry

    def value(self, name: str) -> object:
        """Return the value of one of its settings."""
        return self.entry.value(self.choice.params, name)


def _check_together(
    spec: RunSpec, choices: Mapping[str, Choice], steps: int | None
) -> Iterator[Diagnostic]:
    """Yield schedulers that do not go with others, and starts that are never reached."""
    is_chained = spec.schedule_order == "chained"
    for index, (field, choice) in enumerate(choices.items()):
        if choice.type in ALONE:
            yield Diagnostic.of("R438", field=field, scheduler=choice.type)
        elif is_chained and index and choice.type in _FROM_INITIAL:
            yield Diagnostic.of(
                "R440", severity=Severity.WARNING, field=field, scheduler=choice.type
            )
    starts = [0, *(each.start for each in spec.schedules)]
    for index, (before, start) in enumerate(pairwise(starts)):
        field = f"schedules.{index}.start"
        if is_chained:
            continue
        if start <= before:
            yield Diagnostic.of("R439", field=field, start=start, before=before)
        elif steps is not None and start >= steps:
            yield Diagnostic.of(
                "R441", severity=Severity.WARNING, field=field, start=start, steps=steps
            )


def _check_expression(chosen: _Chosen, steps: int | None) -> Iterator[Diagnostic]:
    """Yield what cannot be computed, and a step in which there is no factor."""
    field = f"{chosen.field}.{EXPRESSION}"
    try:
        expression = Expression.of(str(chosen.value(EXPRESSION)))
    except DiagnosticError as error:
        yield from (msgspec.structs.replace(each, field=field) for each in error.problems)
        return
    total = steps or _EXAMPLE_STEPS
    stride = max(1, total // _TRIED)
    for step in sorted({*range(min(total, _TRIED)), *range(0, total, stride), total}):
        try:
            expression.value(step, total)
        except ArithmeticError:
            yield Diagnostic.of("R437", field=field, step=step)
            return


def _check_points(chosen: _Chosen) -> Iterator[Diagnostic]:
    """Yield why points make no curve."""
    try:
        read_points(str(chosen.value(POINTS)), is_log=chosen.value(JOINED) == "log")
    except DiagnosticError as error:
        field = f"{chosen.field}.{POINTS}"
        yield from (msgspec.structs.replace(each, field=field) for each in error.problems)


def scheduler_steps(spec: RunSpec, info: DataInfo | None) -> int | None:
    """Return how often the scheduler is stepped in the whole run; None while it is not known."""
    if spec.length == "minutes":
        return None
    by_epoch = spec.scheduler_interval == "epoch"
    if by_epoch and spec.length == "epochs":
        return spec.epochs
    if not by_epoch and spec.length == "steps":
        return spec.steps
    batches = known_batches(spec.data, info)
    if batches is None:
        return None
    of_run = planned_epochs if by_epoch else planned_steps
    return of_run(spec, steps_per_epoch(batches, spec))


def _check_interval(spec: RunSpec, chosen: _Chosen) -> Iterator[Diagnostic]:
    entry = chosen.entry
    params: Params = {"scheduler": entry.key}
    if Need.METRIC in entry.needs:
        if spec.checkpoint.monitor == LATEST:
            yield Diagnostic.of("R584", field="checkpoint.monitor", what=entry.key)
        if spec.scheduler_interval == "step":
            yield Diagnostic(code="R060", field="scheduler_interval", params=params)
        if chosen.value("mode") != spec.checkpoint.mode:
            params["monitor"] = spec.checkpoint.monitor
            params["mode"] = spec.checkpoint.mode
            yield Diagnostic(
                code="R061", severity=Severity.WARNING, field=f"{chosen.field}.mode", params=params
            )
    elif Need.EVERY_STEP in entry.needs and spec.scheduler_interval == "epoch":
        yield Diagnostic(
            code="R062", severity=Severity.WARNING, field="scheduler_interval", params=params
        )


def _check_momentum(spec: RunSpec, chosen: _Chosen) -> Iterator[Diagnostic]:
    optimizer = chosen_entry(EntryGroup.OPTIMIZER, spec.optimizer)
    if chosen.value("cycle_momentum") is not True or optimizer is None:
        return
    if optimizer.param("momentum") is None and optimizer.param("betas") is None:
        params: Params = {"scheduler": chosen.entry.key, "optimizer": optimizer.key}
        yield Diagnostic(code="R063", field=f"{chosen.field}.cycle_momentum", params=params)
        return
    lowest, highest = (chosen.value(f"{end}_momentum") for end in ("base", "max"))
    if isinstance(lowest, int | float) and isinstance(highest, int | float) and lowest > highest:
        params = {"base": float(lowest), "max": float(highest)}
        yield Diagnostic(code="R068", field=f"{chosen.field}.base_momentum", params=params)


def _check_rates(chosen: _Chosen) -> Iterator[Diagnostic]:
    lowest, highest = chosen.value("base_lr"), chosen.value("max_lr")
    if isinstance(lowest, int | float) and isinstance(highest, int | float) and lowest > highest:
        params: Params = {"base": float(lowest), "max": float(highest)}
        yield Diagnostic(
            code="R064", severity=Severity.WARNING, field=f"{chosen.field}.base_lr", params=params
        )


def _check_length(chosen: _Chosen, steps: int) -> Iterator[Diagnostic]:
    total = chosen.value("total_steps")
    params: Params = {"scheduler": chosen.entry.key, "steps": steps}
    yield from _check_rise(chosen, total if isinstance(total, int) else steps)
    if isinstance(total, int) and not isinstance(total, bool) and total < steps:
        params["total"] = total
        yield Diagnostic(code="R065", field=f"{chosen.field}.total_steps", params=params)
    milestones = chosen.value("milestones")
    if isinstance(milestones, int):
        milestones = (milestones,)
    if isinstance(milestones, tuple) and milestones:
        ordered = [int(item) for item in milestones if isinstance(item, int)]
        if ordered != sorted(set(ordered)):
            yield Diagnostic(code="R066", field=f"{chosen.field}.milestones", params=params)
        elif ordered[0] >= steps:
            params["first"] = ordered[0]
            yield Diagnostic(
                code="R067",
                severity=Severity.WARNING,
                field=f"{chosen.field}.milestones",
                params=params,
            )


def _check_rise(chosen: _Chosen, total: int) -> Iterator[Diagnostic]:
    """Refuse a rise that is over with its first step: OneCycleLR divides by its length, 0."""
    share = chosen.value("pct_start")
    if isinstance(share, int | float) and share * total == 1:
        params: Params = {"scheduler": chosen.entry.key, "share": float(share), "total": total}
        yield Diagnostic(code="R069", field=f"{chosen.field}.pct_start", params=params)
