"""A fix applied to model and run specification together."""

from engine.graph.edits import apply
from engine.graph.model import Graph
from engine.graph.repair_case import Fix
from engine.spec.data import DataInfo
from engine.spec.defaults import bind_losses, fit_targets
from engine.spec.fields import set_value
from engine.spec.run import RunSpec


def mended(
    fix: Fix, graph: Graph, spec: RunSpec, info: DataInfo | None = None
) -> tuple[Graph, RunSpec]:
    """Return model and specification after a fix; loss terms follow as with any other change.

    Raises :class:`DiagnosticError` when one of them does not allow it (any more).
    """
    after = graph if fix.edit is None else apply(fix.edit, graph)
    spec = bind_losses(spec, graph, after, info)
    for name, value in fix.settings.items():
        spec = set_value(spec, name, value, after.code)
        if info is not None and name.startswith("losses."):
            spec = fit_targets(spec, info, after)
    return after, spec
