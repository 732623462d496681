"""Rules for groups of parameters."""

from collections.abc import Iterator

from engine.catalog.spec import EntryGroup, Need
from engine.diagnostics import Diagnostic
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.spec.choice import has_need
from engine.spec.group import fits, group_params, patterns
from engine.spec.part_name import part_names
from engine.spec.run import RunSpec

_WILD = ("*", "?", "[")


def check_groups(spec: RunSpec, graph: Graph, analysis: Analysis) -> Iterator[Diagnostic]:
    """Yield the findings: an optimizer without groups, settings that it does not have, and patterns
    that name nothing, as far as that is known without the model itself.
    """
    if not spec.groups:
        return
    if has_need(EntryGroup.OPTIMIZER, spec.optimizer, Need.CLOSURE):
        params: dict[str, str | int | float] = {"optimizer": spec.optimizer.type}
        yield Diagnostic(code="R059", field="groups.0.match", params=params)
    known = {param.name for param in group_params(spec)}
    names = part_names(graph, analysis) if analysis.is_ok() else None
    for index, group in enumerate(spec.groups):
        field = f"groups.{index}.match"
        for name in group.params.keys() - known:
            unknown: dict[str, str | int | float] = {"type": spec.optimizer.type, "name": name[:60]}
            yield Diagnostic(code="R009", field=field, params=unknown)
        for pattern in patterns(group.match) if names is not None else ():
            if not any(_may_fit(pattern, name) for name in names or ()):
                yield Diagnostic(code="R056", field=field, params={"match": pattern[:100]})


def _may_fit(pattern: str, module: str) -> bool:
    """Return whether a pattern may name a parameter of a module: what it has is not known here."""
    if any(sign in pattern for sign in _WILD):
        return True
    own = pattern.rstrip(".")
    return fits(own, f"{module}.weight") or own == module or own.startswith(f"{module}.")
