"""Phases of a recipe: which are at work in a step, and which parameters and losses are theirs.

A step takes part in the phases that :func:`phases_at` names: those of every step, and the one whose
turn it is. All of it follows from the specification and the number of the step, so a run goes on in
the middle of a turn.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.group import fits, patterns
from engine.spec.run import PhaseRule, PhaseSpec, RunSpec

MATRIX = 2  # axes
_OF_PHASE = ("optimizer", "scheduler", "scheduler_interval")  # fields of the recipe of a phase
PHASE_LOSS = "train.loss.phase"
"""How the names of the curves of phases begin; their number, from 1, follows."""


def phase_list(spec: RunSpec) -> tuple[PhaseSpec, ...]:
    """Return all phases: that of the recipe's own optimizer, then the further ones."""
    first = PhaseSpec(
        **msgspec.structs.asdict(spec.phase),
        optimizer=spec.optimizer,
        scheduler=spec.scheduler,
        scheduler_interval=spec.scheduler_interval,
    )
    return (first, *spec.phases)


def has_phases(spec: RunSpec) -> bool:
    """Return whether a recipe is more than one optimizer for all parameters in every step."""
    rule = PhaseRule(name=spec.phase.name)
    return bool(spec.phases) or spec.phase != rule


def is_varied(spec: RunSpec) -> bool:
    """Return whether the steps of a run differ in what they train or in what they minimize."""
    rules = phase_list(spec)
    if len(rules) == 1:
        return False
    return any(rule.steps or rule.start or rule.end for rule in rules)


def phase_name(rules: Sequence[PhaseRule], index: int) -> str:
    """Return what a phase is called outside of the window."""
    return " ".join(rules[index].name.split()) or f"phase {index + 1}"


def phase_series(index: int) -> str:
    """Return the name of the curve of the loss in the steps of a phase."""
    return f"{PHASE_LOSS}{index + 1}"


def phase_names(spec: RunSpec) -> tuple[str, ...]:
    """Return the names of all phases; none where there is one alone."""
    rules = phase_list(spec)
    return tuple(phase_name(rules, i) for i in range(len(rules))) if spec.phases else ()


def is_at_work(rule: PhaseRule, epoch: int) -> bool:
    """Return whether a phase has a part in an epoch, from 0."""
    return rule.start <= epoch and (not rule.end or epoch < rule.end)


def phases_at(rules: Sequence[PhaseRule], epoch: int, step: int) -> tuple[int, ...]:
    """Return the numbers, from 0, of the phases that train in a step: ``epoch`` and ``step``, over
    the whole run, count from 0.
    """
    there = [index for index, rule in enumerate(rules) if is_at_work(rule, epoch)]
    turns = [index for index in there if rules[index].steps]
    if not turns:
        return tuple(there)
    left = step % sum(rules[index].steps for index in turns)
    for turn in turns:
        left -= rules[turn].steps
        if left < 0:
            return tuple(index for index in there if index == turn or not rules[index].steps)
    raise AssertionError(step)  # the rest of a division is smaller


class Turn(NamedTuple):
    """Phases that train together, by their numbers from 0, and the first step in which they do:
    its epoch and its number, both from 0; the number is right within the round of turns.
    """

    phases: tuple[int, ...]
    epoch: int
    step: int


def turns(spec: RunSpec) -> tuple[Turn, ...]:
    """Return which phases train together somewhere in a run, each combination once, in the order
    in which they come.
    """
    rules = phase_list(spec)
    if not is_varied(spec):
        return (Turn(tuple(range(len(rules))), 0, 0),)
    found: dict[tuple[int, ...], Turn] = {}
    is_known = spec.length == "epochs"
    bounds = {0, *(rule.start for rule in rules), *(rule.end for rule in rules)}
    for epoch in sorted(bound for bound in bounds if not is_known or bound < spec.epochs):
        for step in _first_steps(rules, epoch):
            if now := phases_at(rules, epoch, step):
                found.setdefault(now, Turn(now, epoch, step))
    return tuple(found.values())


def _first_steps(rules: Sequence[PhaseRule], epoch: int) -> Iterator[int]:
    """Yield the number of the first step of each turn of an epoch, in the first round."""
    step = 0
    yield step
    for rule in rules:
        if rule.steps and is_at_work(rule, epoch):
            step += rule.steps
            yield step


def epochs_of(rule: PhaseRule, epochs: int) -> int:
    """Return in how many of the epochs of a run a phase is at work."""
    return max(0, min(rule.end or epochs, epochs) - rule.start)


def steps_of(rules: Sequence[PhaseRule], index: int, total: int, steps_per_epoch: int) -> int:
    """Return in how many of the ``total`` steps of a run a phase trains."""
    found = 0
    for epoch, first in enumerate(range(0, total, steps_per_epoch)):
        count = min(steps_per_epoch, total - first)
        if not is_at_work(rules[index], epoch):
            continue
        if not rules[index].steps:
            found += count
            continue
        cycle = sum(rule.steps for rule in rules if is_at_work(rule, epoch))
        edge = range(first + count - count % cycle, first + count)  # of the last cycle, cut off
        found += count // cycle * rules[index].steps
        found += sum(index in phases_at(rules, epoch, step) for step in edge)
    return found


def loss_numbers(rule: PhaseRule) -> tuple[int, ...] | None:
    """Return the numbers of the loss terms of a phase, from 1; none: all. None for what is not a
    list of numbers.
    """
    parts = patterns(rule.losses)
    if not all(part.isdecimal() and part.isascii() and len(part) < 5 for part in parts):
        return None
    numbers = tuple(dict.fromkeys(int(part) for part in parts))
    return None if 0 in numbers else numbers


def terms_at(rules: Sequence[PhaseRule], now: Iterable[int], count: int) -> tuple[int, ...]:
    """Return which of ``count`` loss terms (from 0) the phases of a step minimize."""
    wanted: set[int] = set()
    for index in now:
        numbers = loss_numbers(rules[index])
        wanted |= {number - 1 for number in numbers} if numbers else set(range(count))
    return tuple(number for number in range(count) if number in wanted)


def chooses_terms(spec: RunSpec) -> bool:
    """Return whether steps of a run minimize some of the terms of its loss alone."""
    return has_phases(spec) and any(rule.losses for rule in phase_list(spec))


def untrained(rules: Sequence[PhaseRule], axes: dict[str, int]) -> tuple[str, ...]:
    """Return the names of the parameters that no phase trains though they are not frozen."""
    trained = frozenset[str]().union(*members(rules, axes))
    return tuple(name for name in axes if name not in trained)


def members(rules: Sequence[PhaseRule], axes: dict[str, int]) -> tuple[frozenset[str], ...]:
    """Return the names of the parameters that each phase trains; ``axes`` are the numbers of axes
    of those that are not frozen.
    """
    found: dict[int, frozenset[str]] = {}
    for index in sorted(range(len(rules)), key=lambda index: _takes_rest(rules[index])):
        rule = rules[index]
        names = {name for name, count in axes.items() if _fits(rule, name, count)}
        for other, taken in found.items():
            if _meet(rules[other], rule):
                names -= taken
        found[index] = frozenset(names)
    return tuple(found[index] for index in range(len(rules)))


def _takes_rest(rule: PhaseRule) -> bool:
    return rule.parameters == "all" and not patterns(rule.match)


def _fits(rule: PhaseRule, name: str, axes: int) -> bool:
    if rule.parameters == "matrices" and axes != MATRIX:
        return False
    named = patterns(rule.match)
    return not named or any(fits(pattern, name) for pattern in named)


def _meet(one: PhaseRule, other: PhaseRule) -> bool:
    """Return whether two phases train in the same steps somewhere."""
    if one.steps and other.steps:
        return False
    ends = [rule.end for rule in (one, other) if rule.end]
    return not ends or max(one.start, other.start) < min(ends)


def rate_field(index: int) -> str:
    """Return the dotted name of the learning rate of a phase."""
    return f"{phase_field(index)}.optimizer.lr" if index else "optimizer.lr"


def phase_named(spec: RunSpec, text: str) -> int:
    """Return the number, from 0, of the phase that a name or a number (from 1) says; empty: the
    first one. Raises :class:`DiagnosticError` R573 for no phase.
    """
    rules, wanted = phase_list(spec), " ".join(text.split())
    names = [phase_name(rules, index) for index in range(len(rules))]
    if not wanted:
        return 0
    if wanted in names:
        return names.index(wanted)
    if wanted.isdecimal() and wanted.isascii() and 0 < int(wanted) <= len(rules):
        return int(wanted) - 1
    raise DiagnosticError.of("R573", name=wanted[:60], known=", ".join(names))


def phase_field(index: int) -> str:
    """Return the dotted name of the settings of a phase."""
    return f"phases.{index - 1}" if index else "phase"


def recipe_of(spec: RunSpec, index: int) -> RunSpec:
    """Return the recipe of a phase alone, as what checks and builds optimizers and schedules takes
    it: its optimizer and its schedule; only the first one has parameter groups and further
    schedules.
    """
    if not index:
        return spec
    rule = spec.phases[index - 1]
    return msgspec.structs.replace(
        spec,
        optimizer=rule.optimizer,
        scheduler=rule.scheduler,
        scheduler_interval=rule.scheduler_interval,
        schedules=(),
        groups=(),
    )


def in_phase(problem: Diagnostic, index: int) -> Diagnostic:
    """Return a finding about the recipe of a phase at the field that the phase has it in."""
    field = problem.field or ""
    if not index or field.partition(".")[0] not in _OF_PHASE:
        return problem
    return msgspec.structs.replace(problem, field=f"{phase_field(index)}.{field}")


def phase_of_step(spec: RunSpec, step: int, steps_per_epoch: int) -> str:
    """Return what trained in a step (from 1) of a run; nothing where all steps are alike."""
    if not is_varied(spec) or step < 1 or steps_per_epoch < 1:
        return ""
    rules = phase_list(spec)
    now = phases_at(rules, (step - 1) // steps_per_epoch, step - 1)
    return " + ".join(phase_name(rules, index) for index in now)
