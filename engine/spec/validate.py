"""Validation of a run specification: findings before the run, at the field or node."""

from collections.abc import Iterator

import msgspec

from engine.catalog.spec import EntryGroup
from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis
from engine.graph.expand import expand, place_of
from engine.graph.model import Graph
from engine.spec.box_rule import check_boxes
from engine.spec.choice import Code, chosen_entry
from engine.spec.data import DataInfo
from engine.spec.distillation import check_distillation
from engine.spec.fields import fields
from engine.spec.loss_rule import check_losses
from engine.spec.metric_rule import check_metrics, check_monitor
from engine.spec.model_rule import check_model
from engine.spec.optimizer_rule import check_optimizer
from engine.spec.phase_rule import check_phase_schedules, check_phases
from engine.spec.placement import check_placement
from engine.spec.quantization import check_quantization
from engine.spec.recomputation_rule import check_recomputation
from engine.spec.run import Choice, RunSpec
from engine.spec.run_rule import check_compute, check_data, check_groups, check_processes
from engine.spec.scheduler_rule import check_scheduler
from engine.spec.technique_rule import check_techniques
from engine.spec.transform_field import transform_choices
from engine.spec.transform_rule import check_transforms
from engine.spec.unfreezing import check_unfreezing


def validate(
    spec: RunSpec, graph: Graph, analysis: Analysis, info: DataInfo | None
) -> tuple[Diagnostic, ...]:
    """Return the findings about a specification: each value by the catalogue, then what does not
    go together with data and model. What the analysis found in the graph is not repeated.

    ``info`` is None while the data is not described yet; the checks that need it are left out.
    Once a value is out of its range, the checks that would compute with it are left out too.
    """
    values = (*_check_values(spec, graph.code), *_check_names(spec, graph.code))
    if any(problem.severity == Severity.ERROR for problem in values):
        return values
    return (
        *values,
        *check_data(spec, info),
        *check_transforms(spec, info),
        *check_compute(spec),
        *check_processes(spec),
        *check_techniques(spec, info),
        *_check_against_model(spec, graph, analysis, info),
        *check_scheduler(spec, info),
        *check_phase_schedules(spec, info),
        *check_metrics(spec, info, graph.code),
        *check_monitor(spec, info, graph.code),
        *(() if info is None else info.problems),
    )


def _check_against_model(
    spec: RunSpec, graph: Graph, analysis: Analysis, info: DataInfo | None
) -> Iterator[Diagnostic]:
    """Yield what does not go together with the model, the inside of its blocks included; what holds
    for all copies of a node once.
    """
    flat = expand(graph).graph
    found = (
        *check_model(spec, flat, analysis, info),
        *check_recomputation(graph),
        *check_losses(spec, flat, analysis, info),
        *check_distillation(spec, graph),
        *check_boxes(spec, flat, analysis, info),
        *check_optimizer(spec, flat, analysis),
        *check_groups(spec, graph, analysis),
        *check_unfreezing(spec, graph, analysis),
        *check_quantization(spec, graph, analysis),
        *check_phases(spec, graph, analysis),
        *(check_placement(spec, graph, analysis) if analysis.is_ok() else ()),
    )
    told: list[Diagnostic] = []
    for problem in found:
        placed = problem
        if problem.node is not None:
            placed = msgspec.structs.replace(problem, node=place_of(problem.node))
        if placed not in told:
            told.append(placed)
            yield placed


def _check_values(spec: RunSpec, code: Code) -> Iterator[Diagnostic]:
    for field in fields(spec, code).values():
        problem = field.check(field.read(spec))
        if problem is not None and ".inputs." not in field.name:  # check_losses tells more of these
            yield msgspec.structs.replace(problem, field=field.name)


def _check_names(spec: RunSpec, code: Code) -> Iterator[Diagnostic]:
    """Yield the parameters that the chosen entries do not have."""
    choices: list[tuple[str, EntryGroup, Choice | None]] = [
        ("data.source", EntryGroup.DATA, spec.data.source),
        ("optimizer", EntryGroup.OPTIMIZER, spec.optimizer),
        ("scheduler", EntryGroup.SCHEDULER, spec.scheduler),
    ]
    for index, term in enumerate(spec.losses):
        choices.append((f"losses.{index}.loss", EntryGroup.LOSS, term.loss))
    for index, each in enumerate(spec.schedules):
        choices.append((f"schedules.{index}.scheduler", EntryGroup.SCHEDULER, each.scheduler))
    for index, phase in enumerate(spec.phases):
        choices.append((f"phases.{index}.optimizer", EntryGroup.OPTIMIZER, phase.optimizer))
        choices.append((f"phases.{index}.scheduler", EntryGroup.SCHEDULER, phase.scheduler))
    choices.extend(transform_choices(spec))
    for name, group, choice in choices:
        entry = chosen_entry(group, choice, code)
        if choice is None or entry is None:
            continue
        for param in choice.params:
            if entry.param(param) is None:
                params: dict[str, str | int | float] = {"type": choice.type, "name": param[:60]}
                yield Diagnostic(code="R009", field=f"{name}.{param}"[:100], params=params)
