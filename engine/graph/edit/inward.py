"""Changing one place of a model for that place alone: blocks on the way that are used elsewhere too
become blocks of their own.
"""

from collections.abc import Callable

from msgspec.structs import replace

from engine.graph.block import PREFIX, SEPARATOR, block_name, body, uses
from engine.graph.error import GraphError, present_node
from engine.graph.model import Block, Graph, Node
from engine.graph.naming import free_name

Change = Callable[[Graph, Node], Graph]


def change_at(graph: Graph, node_path: str, change: Change) -> Graph:
    """Return the graph with a node at a path changed. Raises :class:`GraphError` where the path
    leads nowhere or through a repeated block, whose copies are all made alike.
    """
    first, _, rest = node_path.partition(SEPARATOR)
    node = present_node(first, graph)
    if not rest:
        return change(graph, node)
    graph, block = opened(graph, node)
    inside = change_at(body(graph, block), rest, change)
    name = block_name(graph.nodes[first])
    changed = replace(block, nodes=inside.nodes, edges=inside.edges, style=inside.style)
    return replace(graph, blocks={**inside.blocks, name: changed}, code=inside.code)


def opened(graph: Graph, node: Node) -> tuple[Graph, Block]:
    """Return the graph where a use has a block that no other one has, and that block."""
    name = block_name(node)
    block = graph.blocks.get(name)
    if block is None:
        raise GraphError.of("G052", node=node.id, name=node.name)
    if node.repeat > 1:
        raise GraphError.of("G123", node=node.id, name=node.name)
    shared = [user for _, user in uses(graph, name)]
    if len(shared) > 1:
        copy_name = free_name(name, graph.blocks)
        block = replace(block, kept=False)
        user = replace(node, type=PREFIX + copy_name)
        nodes = {**graph.nodes, node.id: user}
        graph = replace(graph, nodes=nodes, blocks={**graph.blocks, copy_name: block})
    return graph, block
