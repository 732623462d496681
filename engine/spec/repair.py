"""Repair applied to model and run specification together."""

from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.graph.edit.edits import apply
from engine.graph.model import Graph
from engine.graph.query import INPUT
from engine.graph.repair.case import RepairProposal
from engine.spec.choice import Code
from engine.spec.data import DataInfo
from engine.spec.data_edits import edits_fault
from engine.spec.data_path import data_key
from engine.spec.defaults import bind_losses, fit_inputs, fit_targets
from engine.spec.fields import set_value
from engine.spec.run import RunSpec


def repaired(
    proposal: RepairProposal, graph: Graph, spec: RunSpec, info: DataInfo | None = None
) -> tuple[Graph, RunSpec]:
    """Return model and specification after a fix; loss terms follow as with any other change, and
    an input that was added takes a field of the data.

    Raises :class:`DiagnosticError` when one of them does not allow it (any more).
    """
    after = graph if proposal.edit is None else apply(proposal.edit, graph)
    if info is not None:
        after = _with_fields(graph, after, info)
    spec = bind_losses(spec, graph, after, info)
    for name, value in proposal.settings.items():
        spec = set_value(spec, name, value, after.code)
        if info is not None and name.startswith("losses."):
            spec = fit_targets(spec, info, after)
    if proposal.excluded:
        spec = _excluding(spec, proposal.excluded, after.code)
    return after, spec


def _excluding(spec: RunSpec, names: tuple[str, ...], code: Code) -> RunSpec:
    key = data_key(spec.data.source, code)
    edits = spec.data.edits.of(key).excluding(names, is_excluded=True)
    fault = edits_fault(edits)
    if fault:
        raise DiagnosticError.of("R001", path="edits", message=fault)
    return replace(spec, data=replace(spec.data, edits=edits))


def _with_fields(before: Graph, after: Graph, info: DataInfo) -> Graph:
    added = {key: node for key, node in after.nodes.items() if key not in before.nodes}
    if all(node.type != INPUT for node in added.values()):
        return after
    fitted = fit_inputs(after, info).nodes
    return replace(after, nodes={**after.nodes, **{key: fitted[key] for key in added}})
