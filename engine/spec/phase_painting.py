"""Layers painted into a phase: a change of the parameters that the phases train."""

from msgspec.structs import replace

from engine.catalog.spec import EntryGroup
from engine.diagnostics import DiagnosticError, shortened
from engine.graph.block import Path
from engine.graph.model import Graph
from engine.spec.choice import chosen_entry
from engine.spec.group import fits, patterns
from engine.spec.module_pattern import module_pattern, without
from engine.spec.phase import phase_list, phase_name, recipe_of
from engine.spec.run import RunSpec

PHASE = 1000
"""The paint of the first phase; those of the further ones follow."""

_SHOWN = 3


def phase_paints(spec: RunSpec) -> tuple[int, ...]:
    """Return the paint of each phase; none where there is one alone."""
    return tuple(range(PHASE, PHASE + 1 + len(spec.phases))) if spec.phases else ()


def phase_of_module(graph: Graph, spec: RunSpec, place: Path) -> int | None:
    """Return the number of the first phase, from 0, that trains the weights of a node: one that
    names them, else one that names none; None where no phase does.
    """
    pattern = module_pattern(graph, place)
    name = f"{pattern.removesuffix('.*').replace('*', '0')}.weight"
    rules = phase_list(spec)
    named = (
        at for at, rule in enumerate(rules) if any(fits(p, name) for p in patterns(rule.match))
    )
    rest = (at for at, rule in enumerate(rules) if not patterns(rule.match))
    return next(named, next(rest, None)) if pattern else None


def rate_of_phase(spec: RunSpec, index: int) -> float | None:
    """Return the learning rate of a phase; None where its optimizer has none."""
    choice = recipe_of(spec, index).optimizer
    entry = chosen_entry(EntryGroup.OPTIMIZER, choice)
    rate = None if entry is None else entry.value(choice.params, "lr")
    return float(rate) if isinstance(rate, int | float) else None


def put_in_phase(
    spec: RunSpec, wanted: tuple[str, ...], index: int, modules: frozenset[str]
) -> RunSpec:
    """Return the specification with modules trained by one phase and by no other by their name. A
    phase that names none has what the others leave; it names them where another one does so, too.

    Raises :class:`DiagnosticError` R578 where another phase would have nothing left that it names.
    """
    rules = phase_list(spec)
    matches: list[str] = []
    for at, rule in enumerate(rules):
        own = patterns(rule.match)
        kept = [rest for each in own for rest in without(each, wanted, modules)]
        if at == index:
            others = any(not patterns(rules[o].match) for o in range(len(rules)) if o != index)
            kept = [*own, *wanted] if own or others else []
        elif own and not kept:
            raise DiagnosticError.of(
                "R578", phase=phase_name(rules, at), layers=shortened(own, _SHOWN)
            )
        matches.append(", ".join(dict.fromkeys(kept)))
    further = zip(spec.phases, matches[1:], strict=True)
    return replace(
        spec,
        phase=replace(spec.phase, match=matches[0]),
        phases=tuple(replace(phase, match=match) for phase, match in further),
    )
