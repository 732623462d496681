"""Rules for the phases of a run."""

from collections.abc import Iterator

from engine.catalog.spec import EntryGroup, Need
from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.spec.choice import has_need
from engine.spec.data import DataInfo
from engine.spec.group import patterns
from engine.spec.optimizer_rule import check_optimizer_settings
from engine.spec.phase import (
    has_phases,
    in_phase,
    is_at_work,
    loss_numbers,
    phase_field,
    phase_list,
    recipe_of,
)
from engine.spec.placement import part_names
from engine.spec.run import RunSpec
from engine.spec.run_rule import may_fit
from engine.spec.scheduler_rule import check_scheduler


def check_phases(spec: RunSpec, graph: Graph, analysis: Analysis) -> Iterator[Diagnostic]:
    """Yield what does not go together in the phases of a run."""
    if not has_phases(spec):
        return
    yield from _check_together(spec)
    names = part_names(graph, analysis) if analysis.is_ok() else None
    for index, rule in enumerate(phase_list(spec)):
        field = phase_field(index)
        for pattern in patterns(rule.match) if names is not None else ():
            if not any(may_fit(pattern, name) for name in names or ()):
                yield Diagnostic(
                    code="R056", field=f"{field}.match", params={"match": pattern[:100]}
                )
        numbers = loss_numbers(rule)
        if numbers is None or any(number > len(spec.losses) for number in numbers):
            yield Diagnostic.of("R502", field=f"{field}.losses", count=len(spec.losses))
        if rule.end and rule.end <= rule.start:
            yield Diagnostic.of("R507", field=f"{field}.end", start=rule.start, end=rule.end)
        elif spec.length == "epochs" and rule.start >= spec.epochs:
            yield Diagnostic.of(
                "R508",
                severity=Severity.WARNING,
                field=f"{field}.start",
                start=rule.start,
                epochs=spec.epochs,
            )
        if index:
            yield from _of_phase(index, check_optimizer_settings(recipe_of(spec, index)))


def check_phase_schedules(spec: RunSpec, info: DataInfo | None) -> Iterator[Diagnostic]:
    """Yield the findings about the schedules of all phases but the first."""
    for index in range(1, len(spec.phases) + 1):
        yield from _of_phase(index, check_scheduler(recipe_of(spec, index), info))


def _check_together(spec: RunSpec) -> Iterator[Diagnostic]:
    """Yield what goes with one optimizer alone, and an epoch in which nothing is trained."""
    rules = phase_list(spec)
    for index, rule in enumerate(rules if spec.phases else ()):
        if has_need(EntryGroup.OPTIMIZER, rule.optimizer, Need.CLOSURE):
            field = f"phases.{index - 1}.optimizer" if index else "optimizer"
            yield Diagnostic.of("R504", field=field, optimizer=rule.optimizer.type)
    if spec.averaging.anneals:
        yield Diagnostic(code="R506", field="averaging.swa_lr")
    bounds = {0, *(rule.start for rule in rules), *(rule.end for rule in rules)}
    is_known = spec.length == "epochs"  # otherwise the run itself says so
    for epoch in sorted(bound for bound in bounds if is_known and bound < spec.epochs):
        if not any(is_at_work(rule, epoch) for rule in rules):
            yield Diagnostic.of("R503", field="phase.start", epoch=epoch + 1)
            return


def _of_phase(index: int, problems: Iterator[Diagnostic]) -> Iterator[Diagnostic]:
    yield from (in_phase(problem, index) for problem in problems)
