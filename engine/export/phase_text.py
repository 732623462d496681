"""Phases of a run as text of the exported training class."""

from collections.abc import Collection, Mapping, Sequence
from string import Template
from typing import NamedTuple

from torch import nn

from engine.catalog.spec import ParamKind
from engine.export.job import ExportJob
from engine.export.python_file import SourceParts
from engine.export.schedule_text import ScheduleText, schedule_text
from engine.export.step_text import StepText, phase_step_text, step_text
from engine.export.technique_text import TechniqueText
from engine.spec.phase import (
    chooses_terms,
    loss_numbers,
    phase_list,
    phase_name,
    recipe_of,
)
from engine.spec.run import PhaseSpec
from engine.syntax.format import INDENT, Expression, statement, tuple_of
from engine.syntax.literal import literal
from engine.train.optim import build_optimizer, needs_closure, rate_ratios
from engine.train.phase import build_optimizers, names_of_phases
from engine.train.technique.grouping import Grouping

_METHODS = Template('''
    def phase_parameters(self):
        """Return the parameters of each phase: $names."""
$parts
        trained = [(n, p) for n, p in self.named_parameters() if p.requires_grad]
        return [
            [p for n, p in trained if any(n == part or n.startswith(part + ".") for part in parts)]
            for parts in phases
        ]

    @staticmethod
    def phases_at(epoch, step):
        """Return the indexes of the phases that train in a step of the run."""
$rules
        there = [
            index
            for index, (_, start, end) in enumerate(rules)
            if start <= epoch and (not end or epoch < end)
        ]
        turns = [index for index in there for _ in range(rules[index][0])]
        turn = turns[step % len(turns)] if turns else None
        return [index for index in there if index == turn or not rules[index][0]]

    def train_only(self, phases):
        """Have only the parameters of some phases require gradients."""
        for parameters in self.trained_by:
            for parameter in parameters:
                parameter.requires_grad_(False)
        for index in phases:
            for parameter in self.trained_by[index]:
                parameter.requires_grad_($is_trained)
''')
_TERMS = Template('''
    @staticmethod
    def terms_of(phases):
        """Return the indexes of the terms of the loss that some phases minimize."""
$terms
        return {term for index in phases for term in terms[index]}
''')
_COUNTED = "sum({number} in self.phases_at(step // {steps}, step) for step in range({total}))"


class PhaseText(NamedTuple):
    """Parts of the class that deal with phases. ``init`` are the lines that come before the
    optimizers are made, ``terms`` what the loss of a step is given.
    """

    init: tuple[str, ...]
    methods: str
    terms: str = ""


def phase_text(job: ExportJob) -> PhaseText:
    """Return the parts for a run with phases."""
    rules, count = phase_list(job.spec), len(job.spec.losses)
    trained = {n: p for n, p in job.module.named_parameters() if p.requires_grad}
    owned = names_of_phases(job.spec, job.module)
    parts: list[Expression] = [
        tuple_of([literal(part, ParamKind.STR) for part in _parts(trained, names)])
        for names in owned
    ]
    numbers: list[Expression] = [
        tuple_of([str(rule.steps), str(rule.start), str(rule.end)]) for rule in rules
    ]
    methods = _METHODS.substitute(
        names=", ".join(phase_name(rules, index) for index in range(len(rules))),
        parts="\n".join(statement("phases = ", tuple_of(parts), depth=2)),
        rules="\n".join(statement("rules = ", tuple_of(numbers), depth=2)),
        is_trained="id(parameter) not in self.held" if job.spec.unfreezing.schedule else "True",
    )
    terms = ""
    if chooses_terms(job.spec):
        terms = ", self.terms_of(phases)"
        methods += _TERMS.substitute(terms="\n".join(_terms(rules, count)))
    init = (f"{INDENT * 2}self.trained_by = self.phase_parameters()",)
    return PhaseText(init, methods, terms)


def _terms(rules: tuple[PhaseSpec, ...], count: int) -> list[str]:
    found: list[Expression] = []
    for rule in rules:
        numbers = loss_numbers(rule) or range(1, count + 1)
        found.append(tuple_of([str(number - 1) for number in numbers]))
    return statement("terms = ", tuple_of(found), depth=2)


def _parts(trained: Mapping[str, nn.Parameter], wanted: Collection[str]) -> list[str]:
    """Return the shortest list of names of modules and parameters that stand for those wanted and
    for no other one that is trained.
    """
    found: dict[str, None] = {}
    for name in trained:
        if name not in wanted:
            continue
        pieces = name.split(".")
        starts = (".".join(pieces[:length]) for length in range(1, len(pieces) + 1))
        found[next(start for start in starts if _is_whole(start, trained, wanted))] = None
    return list(found)


def _is_whole(start: str, trained: Mapping[str, nn.Parameter], wanted: Collection[str]) -> bool:
    return all(name in wanted for name in trained if name == start or name.startswith(f"{start}."))


def phase_schedules(job: ExportJob, key: str, source: SourceParts) -> ScheduleText:
    """Return the schedules of all phases as one."""
    optimizers = build_optimizers(job.graph, job.spec, job.module)
    ratios = [rate_ratios(each) for each in optimizers]
    made = [_schedule(job, index, each, key, source) for index, each in enumerate(ratios)]
    return ScheduleText(*("".join(each) for each in zip(*made, strict=True)))


def _schedule(
    job: ExportJob, index: int, ratios: Sequence[float], key: str, source: SourceParts
) -> ScheduleText:
    """Return the schedule of a phase, made under names of its own and as long as the phase."""
    spec, rule = job.spec, phase_list(job.spec)[index]
    text = schedule_text(recipe_of(spec, index), ratios, key, source)
    if not text.method:
        return text
    method, scheduler = f"make_scheduler_{index + 1}", f"scheduler_{index + 1}"
    steps = "len(batches)"
    if spec.accumulation.batches > 1:
        steps = f"-(-len(batches) // {spec.accumulation.batches})"
    length = _length(rule)
    if text.after_step:
        counted = _COUNTED.format(number=index, steps=f"({steps})", total=f"epochs * ({steps})")
        length = f"max({counted}, 1), 1"
        if spec.length == "steps":
            counted = _COUNTED.format(number=index, steps=f"({steps})", total="steps")
            length = f"max({counted}, 1)"
    made = text.method.replace("make_scheduler", method)
    after_step = f"\n{INDENT * 4}if {index} in phases:\n{INDENT * 5}{scheduler}.step()"
    after_epoch = text.after_epoch.replace("scheduler.", f"{scheduler}.")
    is_there = f"{rule.start} <= epoch" + (f" < {rule.end}" if rule.end else "")
    if rule.start or rule.end:
        after_epoch = after_epoch.replace("\n", f"\n{INDENT * 3}if {is_there}:\n{INDENT}")
    return ScheduleText(
        method=made.replace("self.optimizer", f"self.optimizers[{index}]"),
        creation=f"{INDENT * 2}{scheduler} = self.{method}({length})\n",
        after_step=after_step if text.after_step else "",
        after_epoch=after_epoch,
    )


def _length(rule: PhaseSpec) -> str:
    """Return in how many epochs a phase is at work, as text."""
    epochs = f"min({rule.end}, epochs)" if rule.end else "epochs"
    return f"max({epochs} - {rule.start}, 1)" if rule.start else epochs


def schedule_and_step(
    job: ExportJob,
    techniques: TechniqueText,
    phases: PhaseText | None,
    source: SourceParts,
    names: tuple[str, str],
) -> tuple[ScheduleText, StepText]:
    """Return the parts for the schedules and for a step; ``names`` are the result that schedules go
    by, and a field of a batch.
    """
    (key, first), spec = names, job.spec
    if phases is not None:
        schedule = phase_schedules(job, key, source)
        schedule = schedule._replace(creation=f"{INDENT * 2}step = 0\n{schedule.creation}")
        return schedule, phase_step_text(spec, techniques, source, first, phases.terms)
    grouping = Grouping.of(spec, job.graph, job.module)
    optimizer = build_optimizer(spec.optimizer, job.module, spec.groups, grouping)
    schedule = schedule_text(spec, rate_ratios(optimizer), key, source)
    is_repeated = needs_closure(optimizer)
    return schedule, step_text(spec, techniques, source, first, is_repeated=is_repeated)
