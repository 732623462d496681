"""Errors of edits that cannot be made."""

from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph, Node


class GraphError(DiagnosticError):
    """An edit that the graph does not allow; the graph is as it was."""


def present_node(node_id: str, graph: Graph) -> Node:
    """Return a node of the graph. Raises :class:`GraphError` when it is not there (any more)."""
    node = graph.nodes.get(node_id)
    if node is None:
        raise GraphError.of("G007", id=node_id)
    return node
