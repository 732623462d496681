"""Activation checkpointing of nodes: the tensors that their Functions would save for the backward
pass are not kept, but computed once more there (``torch.utils.checkpoint``).

Chen et al. 2016, arXiv:1604.06174. Each marked node is a segment of its own, at the one call that
it stands for; a repeated one is a segment for each copy.
"""

from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import EntryGroup
from engine.graph.block import block_name, block_of, body, entry_of
from engine.graph.code import used_files
from engine.graph.error import GraphError, present_node
from engine.graph.model import BlockStyle, Graph, Node
from engine.graph.node_state.freezing import has_statistics
from engine.graph.shipped_code import shipped_text

CALL = "checkpoint"
"""What the code calls a recomputed module with, of ``torch.utils.checkpoint``."""

HELPER = "recomputed"
"""The same for modules whose buffers change as they compute; :data:`HELPER_FILE` defines it."""

HELPER_FILE = "recompute.py"


class RecomputeNodes(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Have the activations of nodes be recomputed in the backward pass; or kept again.

    Nodes that are no layers or blocks stay as they are.
    """

    ids: tuple[str, ...]
    recompute: bool = True


def recompute_nodes(edit: RecomputeNodes, graph: Graph) -> Graph:
    """Return the graph with nodes recomputed or not.

    Raises :class:`GraphError` when none of them can be.
    """
    nodes = graph.nodes.copy()
    is_any = False
    for node_id in edit.ids:
        node = present_node(node_id, graph)
        if edit.recompute and not can_be_recomputed(graph, node):
            continue
        is_any = True
        nodes[node_id] = replace(node, recompute=edit.recompute)
    if not is_any and edit.ids:
        node = graph.nodes[edit.ids[0]]
        is_inside = graph.style is not BlockStyle.CLASS
        raise GraphError.of("V030" if is_inside else "V031", node=node.id, name=node.name)
    return replace(graph, nodes=nodes)


def can_be_recomputed(graph: Graph, node: Node) -> bool:
    """Return whether a node is a module that a ``forward`` calls: neither a switch, nor in a block
    that is written as ``nn.Sequential`` or a switch.
    """
    entry = entry_of(graph, node)
    if entry is None or entry.group not in (EntryGroup.LAYER, EntryGroup.BLOCK):
        return False
    block = block_of(graph, node)
    is_switch = block is not None and block.style is BlockStyle.SWITCH
    return graph.style is BlockStyle.CLASS and not is_switch


def changes_buffers(graph: Graph, node: Node, inside: tuple[str, ...] = ()) -> bool:
    """Return whether a node has buffers that its ``forward`` may change: the running statistics of
    a batch norm, and whatever custom code holds.
    """
    entry, name, block = entry_of(graph, node), block_name(node), block_of(graph, node)
    if block is not None and name not in inside:
        level = body(graph, block)
        return any(changes_buffers(level, each, (*inside, name)) for each in block.nodes.values())
    if entry is None or entry.group is not EntryGroup.LAYER:
        return False
    return "." in entry.key or has_statistics(graph, node)


def written_code(graph: Graph) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Return the texts of custom code by their files, and the files that the source of a model
    needs, in the order in which they can be written; where it is called, that of :data:`HELPER`
    last.
    """
    files = used_files(graph)
    levels = (graph, *(body(graph, block) for block in graph.blocks.values()))
    if not any(_needs_helper(level, level.nodes.values()) for level in levels):
        return graph.code, files
    return {**graph.code, HELPER_FILE: shipped_text(HELPER_FILE)}, (*files, HELPER_FILE)


def _needs_helper(level: Graph, nodes: Iterable[Node]) -> bool:
    return any(node.recompute and changes_buffers(level, node) for node in nodes)
