"""Parts of a model that are not trained: which they can be, and the change as data.

Freezing a use of a block freezes all that is inside it; freezing a layer inside a block's
definition freezes it at every use. A layer that calls the module of another one follows that one.
"""

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import EntryGroup
from engine.graph.block import block_name, body, entry_of
from engine.graph.error import GraphError, present_node
from engine.graph.model import Graph, Node

PARAMETER = "Parameter"
"""The node that is a tensor to be trained."""


class FreezeNodes(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Have the parameters of nodes stay as they are in training; or be trained again.

    Nodes that have nothing to freeze stay as they are.
    """

    ids: tuple[str, ...]
    frozen: bool = True


def freeze_nodes(edit: FreezeNodes, graph: Graph) -> Graph:
    """Return the graph with nodes frozen or not.

    Raises :class:`GraphError` when none of them has anything that could be.
    """
    nodes = graph.nodes.copy()
    is_any = False
    for node_id in edit.ids:
        node = weights_owner(graph, present_node(node_id, graph))
        if edit.frozen and not can_be_frozen(graph, node):
            continue
        is_any = True
        nodes[node.id] = replace(node, frozen=edit.frozen)
    if not is_any and edit.ids:
        node = graph.nodes[edit.ids[0]]
        raise GraphError.of("G120", node=node.id, name=node.name)
    return replace(graph, nodes=nodes)


def all_trained(graph: Graph) -> Graph:
    """Return the graph with nothing frozen, inside of blocks neither."""
    blocks = {
        name: replace(block, nodes=_trained(block.nodes)) for name, block in graph.blocks.items()
    }
    return replace(graph, nodes=_trained(graph.nodes), blocks=blocks)


def _trained(nodes: dict[str, Node]) -> dict[str, Node]:
    return {key: replace(node, frozen=False) for key, node in nodes.items()}


def weights_owner(graph: Graph, node: Node) -> Node:
    """Return the node whose weights a node uses: mostly itself."""
    return graph.nodes.get(node.shares, node)


def can_be_frozen(graph: Graph, node: Node) -> bool:
    """Return whether a node has parameters or running statistics; of a block any node in it."""
    entry = entry_of(graph, node)
    if entry is None:
        return False
    if entry.group is EntryGroup.BLOCK:
        return _has_any(graph, node, ())
    if entry.group is EntryGroup.TENSOR:
        return entry.key == PARAMETER
    if entry.group is not EntryGroup.LAYER:
        return False
    is_own = "." in entry.key  # the user's own code: what is inside is not known
    return is_own or bool(entry.weights) or entry.param("track_running_stats") is not None


def _has_any(graph: Graph, use: Node, inside: tuple[str, ...]) -> bool:
    name = block_name(use)
    block = graph.blocks.get(name)
    if block is None or name in inside:
        return False
    level = body(graph, block)
    return any(
        _has_any(level, node, (*inside, name)) if block_name(node) else can_be_frozen(level, node)
        for node in block.nodes.values()
    )


def has_statistics(graph: Graph, node: Node) -> bool:
    """Return whether a layer keeps averages of what it saw in training (a batch norm)."""
    entry = entry_of(graph, node)
    return (
        entry is not None
        and entry.param("track_running_stats") is not None
        and entry.value(node.params, "track_running_stats") is True
    )
