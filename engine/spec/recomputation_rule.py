"""Rule for nodes whose activations are recomputed: none begins by changing its input in place."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic
from engine.graph.block import BLOCK_INPUT, block_name, block_of, body, entry_of
from engine.graph.model import Graph, Node


def check_recomputation(graph: Graph) -> Iterator[Diagnostic]:
    """Yield R467 for each recomputed node of the model or of a block whose first layer changes what
    arrives in place: the second pass would start from that, and PyTorch refuses it.
    """
    for name in ("", *graph.blocks):
        level = body(graph, graph.blocks[name]) if name else graph
        for node in level.nodes.values():
            first = _in_place(level, node, ()) if node.recompute else None
            if first is not None:
                place = None if name else node.id
                params: dict[str, str | int | float] = {"name": node.name, "layer": first.name}
                yield Diagnostic(code="R467", node=place, params=params)


def _in_place(level: Graph, node: Node, inside: tuple[str, ...]) -> Node | None:
    """Return the layer at the start of a node that works in place, if there is one."""
    block, name = block_of(level, node), block_name(node)
    if block is None or name in inside:
        entry = entry_of(level, node)
        if entry is None or entry.param("inplace") is None:
            return None
        return node if entry.value(node.params, "inplace") is True else None
    inner = body(level, block)
    starts = {node.id for node in block.nodes.values() if node.type == BLOCK_INPUT}
    first = [inner.nodes[edge.target] for edge in block.edges if edge.source in starts]
    found = (_in_place(inner, each, (*inside, name)) for each in first)
    return next((each for each in found if each is not None), None)
