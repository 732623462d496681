"""Copied nodes that come to another level: from the model into a block, or out of one."""

from msgspec.structs import replace

from engine.graph.block import BLOCK_INPUT, BLOCK_OUTPUT
from engine.graph.model import Graph, Node
from engine.graph.query import INPUT, OUTPUT

_INSIDE = {INPUT: BLOCK_INPUT, OUTPUT: BLOCK_OUTPUT}
_OUTSIDE = {inner: outer for outer, inner in _INSIDE.items()}


def fitted(fragment: Graph, *, is_inside: bool) -> Graph:
    """Return copied nodes as they can stand on a level: inputs and outputs become those of a block
    where they are put into one, and those of the model where they come out of one.
    """
    kinds = _INSIDE if is_inside else _OUTSIDE
    nodes = {node_id: _fitted(node, kinds) for node_id, node in fragment.nodes.items()}
    return replace(fragment, nodes=nodes)


def _fitted(node: Node, kinds: dict[str, str]) -> Node:
    kind = kinds.get(node.type)
    return node if kind is None else replace(node, type=kind, params={})
