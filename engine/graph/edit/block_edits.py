"""Edits of blocks, repeats and shared weights."""

from typing import assert_never

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import EntryGroup
from engine.diagnostics import Diagnostic
from engine.graph.block import (
    MAX_REPEAT,
    PREFIX,
    block_name,
    block_of,
    contains,
    entry_of,
    name_refusal,
    used_blocks,
    uses,
    without_lost_wires,
)
from engine.graph.edit.grouping import group, ungroup
from engine.graph.error import GraphError, present_node
from engine.graph.model import Block, BlockStyle, Graph, Node
from engine.graph.naming import block_name_problem, free_name


class GroupNodes(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Put nodes into a new block and a use of it in their place."""

    ids: tuple[str, ...]
    name: str


class UngroupNode(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Put what is inside a block in the place of one use of it."""

    id: str


class SetRepeat(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Let a layer or block stand for several copies in a row, with weights of their own or tied."""

    id: str
    repeat: int
    tied: bool = False


class ShareModule(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Let a node call the module of another one beside it; with an empty source its own again."""

    id: str
    source: str = ""


class PutBlocks(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Add blocks, or take others in the place of those with the same names."""

    blocks: dict[str, Block]


class RemoveBlocks(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Take blocks away that nothing uses but those that go with them."""

    names: tuple[str, ...]


class RenameBlock(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Give a block another name, at all its uses."""

    name: str
    new_name: str


class DescribeBlock(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Say how a block is written, what it is for, and whether it stays when nothing uses it."""

    name: str
    style: BlockStyle
    note: str = ""
    kept: bool = False


class MakeUnique(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Give one use of a block a copy of it under another name, to be changed alone."""

    id: str
    name: str


BlockEdit = (
    GroupNodes
    | UngroupNode
    | SetRepeat
    | ShareModule
    | PutBlocks
    | RemoveBlocks
    | RenameBlock
    | DescribeBlock
    | MakeUnique
)


def apply_block_edit(edit: BlockEdit, graph: Graph) -> Graph:  # noqa: PLR0911 - one case an edit
    """Return the graph after an edit. Raises :class:`GraphError`."""
    match edit:
        case GroupNodes():
            return group(graph, edit.ids, edit.name).graph
        case UngroupNode():
            return ungroup(graph, edit.id)[0]
        case SetRepeat():
            return _set_repeat(edit, graph)
        case ShareModule():
            return _share(edit, graph)
        case PutBlocks():
            return put_blocks(edit.blocks, graph)
        case RemoveBlocks():
            return _remove(edit.names, graph)
        case RenameBlock():
            return _rename(edit, graph)
        case DescribeBlock():
            return _describe(edit, graph)
        case MakeUnique():
            return _make_unique(edit, graph)
        case _:
            assert_never(edit)


def _describe(edit: DescribeBlock, graph: Graph) -> Graph:
    block = _block(edit.name, graph)
    refusal = name_refusal(edit.name, block, edit.style)
    if refusal is not None and edit.style is not block.style:
        raise GraphError(refusal)
    block = replace(block, style=edit.style, note=edit.note, kept=edit.kept)
    return replace(graph, blocks={**graph.blocks, edit.name: block})


def parse_repeat(text: str) -> int:
    """Return the number of repeats that was typed. Raises :class:`GraphError`."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) < 6):
        raise GraphError.of("G071", text=text[:40])
    return int(digits)


def put_blocks(blocks: dict[str, Block], graph: Graph) -> Graph:
    """Return the graph with blocks added or replaced; wires at lost ports go.

    Raises :class:`GraphError` for a bad name or a block that would be inside itself.
    """
    for name in blocks:
        problem = block_name_problem(name)
        if problem is not None:
            raise GraphError(problem)
    after = replace(graph, blocks={**graph.blocks, **blocks})
    for name in blocks:
        check_no_circle(after, name)
    return without_lost_wires(after)


def check_no_circle(graph: Graph, name: str) -> None:
    """Raise :class:`GraphError` when a block has itself inside, at any depth."""
    for node in graph.blocks[name].nodes.values():
        if contains(graph, block_name(node), name):
            raise GraphError.of("G059", node=node.id, name=name)


def merged_blocks(graph: Graph, blocks: dict[str, Block]) -> tuple[Graph, dict[str, str]]:
    """Return the graph with blocks of another one, and their names here by their names there.

    A block that is here already is used; another one of the same name gets the next free name.
    """
    names: dict[str, str] = {}
    after = dict(graph.blocks)
    whole = [Node(id=name, type=PREFIX + name, name=name) for name in blocks]
    for name in used_blocks(blocks, whole):
        block = _with_types(blocks[name], names)
        new_name = name
        while new_name in after and replace(after[new_name], kept=block.kept) != block:
            new_name = free_name(new_name, after)
        names[name] = new_name
        after.setdefault(new_name, block)
    return replace(graph, blocks=after), names


def with_block_types(nodes: dict[str, Node], names: dict[str, str]) -> dict[str, Node]:
    """Return nodes whose blocks have other names."""
    return {
        node_id: replace(node, type=PREFIX + names[block_name(node)])
        if block_name(node) in names
        else node
        for node_id, node in nodes.items()
    }


def _with_types(block: Block, names: dict[str, str]) -> Block:
    return replace(block, nodes=with_block_types(block.nodes, names))


def _is_module(graph: Graph, node: Node) -> bool:
    entry = entry_of(graph, node)
    return entry is not None and entry.group in (EntryGroup.LAYER, EntryGroup.BLOCK)


def _set_repeat(edit: SetRepeat, graph: Graph) -> Graph:
    node = present_node(edit.id, graph)
    entry = entry_of(graph, node)
    is_shared = node.shares or any(other.shares == node.id for other in graph.nodes.values())
    has_ports = entry is not None and entry.inputs and entry.output_ports(node.params)
    if not _is_module(graph, node) or not has_ports or (is_shared and edit.repeat != 1):
        raise GraphError.of("G060", node=node.id, name=node.name)
    if not 1 <= edit.repeat <= MAX_REPEAT:
        raise GraphError.of("G061", node=node.id, field="repeat", limit=MAX_REPEAT)
    tied = edit.tied and edit.repeat > 1
    return _with_node(graph, replace(node, repeat=edit.repeat, tied=tied))


def _share(edit: ShareModule, graph: Graph) -> Graph:
    node = present_node(edit.id, graph)
    if not edit.source:
        owner = graph.nodes.get(node.shares, node)
        unshared = replace(
            node, shares="", params=owner.params, init=owner.init, frozen=owner.frozen
        )
        return _with_node(graph, unshared)
    source = present_node(edit.source, graph)
    can_share = (
        _is_module(graph, source)
        and source.type == node.type
        and source.id != node.id
        and not source.shares
        and source.repeat == 1
        and all(other.shares != node.id for other in graph.nodes.values())
    )
    if not can_share:
        raise GraphError.of("G062", node=node.id, name=node.name, source=source.name)
    user = replace(node, shares=source.id, params={}, init={}, frozen=False, repeat=1, tied=False)
    return _with_node(graph, user)


def _remove(names: tuple[str, ...], graph: Graph) -> Graph:
    for name in names:
        _block(name, graph)
        users = [node for holder, node in uses(graph, name) if holder not in names]
        if users:
            params: dict[str, str | int | float] = {"name": name, "node": users[0].name}
            raise GraphError(Diagnostic(code="G107", params=params))
    blocks = {name: block for name, block in graph.blocks.items() if name not in names}
    return replace(graph, blocks=blocks)


def unused_blocks(graph: Graph) -> tuple[str, ...]:
    """Return the blocks that the model does not need and that are not to be kept."""
    kept = [name for name, block in graph.blocks.items() if block.kept]
    roots = [Node(id=name, type=PREFIX + name, name=name) for name in kept]
    needed = used_blocks(graph.blocks, [*graph.nodes.values(), *roots])
    return tuple(name for name in graph.blocks if name not in set(needed))


def _rename(edit: RenameBlock, graph: Graph) -> Graph:
    _block(edit.name, graph)
    problem = block_name_problem(edit.new_name)
    if problem is None and edit.new_name in graph.blocks and edit.new_name != edit.name:
        problem = Diagnostic(code="G051", field="name", params={"name": edit.new_name})
    if problem is not None:
        raise GraphError(problem)
    names = {edit.name: edit.new_name}
    blocks = {
        names.get(name, name): _with_types(block, names) for name, block in graph.blocks.items()
    }
    nodes = with_block_types(graph.nodes, names)
    return replace(graph, nodes=nodes, blocks=blocks)


def _make_unique(edit: MakeUnique, graph: Graph) -> Graph:
    node = present_node(edit.id, graph)
    block = block_of(graph, node)
    if block is None:
        raise GraphError.of("G052", node=node.id, name=node.name)
    if edit.name in graph.blocks:
        raise GraphError.of("G051", field="name", name=edit.name)
    after = put_blocks({edit.name: replace(block, kept=False)}, graph)
    return _with_node(after, replace(node, type=PREFIX + edit.name))


def _with_node(graph: Graph, node: Node) -> Graph:
    return replace(graph, nodes={**graph.nodes, node.id: node})


def _block(name: str, graph: Graph) -> Block:
    block = graph.blocks.get(name)
    if block is None:
        raise GraphError.of("G064", name=name)
    return block
