"""What would mend a problem, as an edit that can be undone like any other."""

from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO
from engine.diagnostics import Diagnostic
from engine.graph.edits import SetParam
from engine.graph.model import Graph

_TAKES = {
    "R035": "classes",
    "R036": "classes",
}  # codes whose parameter should be one of their values


def repair(problem: Diagnostic, graph: Graph) -> SetParam | None:
    """Return the edit that mends a problem at a parameter of a node, or None where none is known.

    A size that does not fit what arrives and may be inferred becomes ``"auto"``; a layer that
    gives another number of scores than the data has classes gets that number.
    """
    node = graph.nodes.get(problem.node or "")
    entry = catalog().node(node.type) if node is not None else None
    param = entry.param(problem.field or "") if entry is not None else None
    if node is None or param is None:
        return None
    wanted = problem.params.get(_TAKES.get(problem.code, ""))
    if isinstance(wanted, int):
        return SetParam(id=node.id, name=param.name, value=wanted)
    if param.auto and node.params.get(param.name, param.default) != AUTO:
        return SetParam(id=node.id, name=param.name, value=AUTO)
    return None
