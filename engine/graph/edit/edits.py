"""Edits: every change of a graph, as data. ``apply`` makes the new graph or says why not.

An edit never changes the graph it is given, so undo is keeping the old value.
"""

import math

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.diagnostics import Diagnostic
from engine.graph.block import body, entry_of, fitting_name
from engine.graph.check import param_problem, unknown_type
from engine.graph.edit.annotation import (
    AddAnnotations,
    AnnotationEdit,
    ChangeAnnotations,
    CollapseNodes,
    PaintNodes,
    apply_annotation_edit,
    copied_annotations,
    moved_annotations,
    split_ids,
)
from engine.graph.edit.block_edits import (
    BlockEdit,
    apply_block_edit,
    merged_blocks,
    put_blocks,
    with_block_types,
)
from engine.graph.edit.code_edits import (
    CodeEdit,
    RemoveCode,
    RenameCode,
    SetCode,
    apply_code_edit,
    blocks_with_code,
    merged_code,
    with_code_types,
)
from engine.graph.edit.lora import AddLora, LoraEdit, RemoveLora, apply_lora
from engine.graph.edit.surgery import (
    CutAfter,
    DissolveNodes,
    ReplaceHeads,
    ReplaceNode,
    TapOutput,
    apply_surgery,
)
from engine.graph.edit.switch import ChooseBranch, MakeSwitch, SwitchEdit, apply_switch_edit
from engine.graph.edit.widening import SetWidth, set_width
from engine.graph.error import GraphError, present_node
from engine.graph.index import carry_index
from engine.graph.model import BlockStyle, Edge, Graph, Node
from engine.graph.naming import free_name, id_of, is_node_id, name_problem
from engine.graph.node_state.bypass import BypassNodes, bypass_nodes, with_owners
from engine.graph.node_state.freezing import FreezeNodes, freeze_nodes
from engine.graph.node_state.initialization import SetInitial, set_initial
from engine.graph.node_state.mute import MuteNodes, mute_nodes
from engine.graph.node_state.recomputation import RecomputeNodes, recompute_nodes
from engine.graph.query import incoming, link_problem


class AddNode(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Put a node on the canvas (``query.make_node`` makes one with a free id and name)."""

    node: Node


class RemoveNodes(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Take nodes away, and every wire at them; frames and notes too."""

    ids: tuple[str, ...]


class MoveNodes(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Give nodes, frames and notes new positions, in scene units."""

    positions: dict[str, tuple[float, float]]


class PinNodes(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Have nodes keep their positions when the graph is laid out anew; or no longer."""

    ids: tuple[str, ...]
    pinned: bool = True


class RenameNode(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Give a node another name; its id and its wires stay."""

    id: str
    name: str


class SetParam(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Set a parameter of a node. Setting it to its default takes it out of the document."""

    id: str
    name: str
    value: Value


class Connect(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Draw a wire; one that already ends at that input is replaced."""

    edge: Edge


class Disconnect(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Take wires away."""

    edges: tuple[Edge, ...]


class InsertFragment(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Put copies of nodes and the wires between them into the graph, shifted by ``offset``.

    Ids and names that are taken get the next free number. Copies are not pinned: where they lie
    nobody has chosen yet.
    """

    fragment: Graph
    offset: tuple[float, float] = (0.0, 0.0)


class ReplaceGraph(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Take another graph in place of the whole one."""

    graph: Graph


class EditBlock(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """An edit inside a block; wires at its uses whose port is gone go as well."""

    block: str
    edit: "Edit"


class Batch(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Several edits as one: all of them or none."""

    edits: tuple["Edit", ...]


Edit = (
    AddNode
    | RemoveNodes
    | MoveNodes
    | PinNodes
    | BypassNodes
    | MuteNodes
    | FreezeNodes
    | RecomputeNodes
    | RenameNode
    | SetParam
    | SetInitial
    | Connect
    | Disconnect
    | InsertFragment
    | ReplaceGraph
    | EditBlock
    | Batch
    | CutAfter
    | DissolveNodes
    | ReplaceNode
    | TapOutput
    | ReplaceHeads
    | AddLora
    | RemoveLora
    | SetWidth
    | BlockEdit
    | CodeEdit
    | AnnotationEdit
    | SwitchEdit
)


def apply(edit: Edit, graph: Graph) -> Graph:  # noqa: C901, PLR0911, PLR0912 - one case an edit
    """Return the graph after an edit; the one given is untouched. Raises :class:`GraphError`."""
    match edit:
        case AddNode():
            return _add(edit.node, graph)
        case RemoveNodes():
            return _remove(edit.ids, graph)
        case MoveNodes():
            return _move(edit.positions, graph)
        case PinNodes():
            return _pin(edit.ids, graph, pinned=edit.pinned)
        case BypassNodes():
            return bypass_nodes(edit, graph)
        case MuteNodes():
            return mute_nodes(edit, graph)
        case CutAfter() | DissolveNodes() | ReplaceNode() | TapOutput() | ReplaceHeads():
            return apply_surgery(edit, graph)
        case SetWidth() | AddLora() | RemoveLora():
            return _apply_size(edit, graph)
        case FreezeNodes() | RecomputeNodes():
            return _apply_training_state(edit, graph)
        case RenameNode():
            return _rename(edit.id, edit.name, graph)
        case SetParam():
            return _set_param(edit, graph)
        case SetInitial():
            return set_initial(edit, graph)
        case Connect():
            return _connect(edit.edge, graph)
        case Disconnect():
            return _disconnect(edit.edges, graph)
        case InsertFragment():
            return insert_fragment(graph, edit.fragment, edit.offset)[0]
        case ReplaceGraph():
            return edit.graph
        case EditBlock():
            return _edit_block(edit, graph)
        case Batch():
            for part in edit.edits:
                graph = apply(part, graph)
            return graph
        case MakeSwitch() | ChooseBranch():
            return apply_switch_edit(edit, graph)
        case AddAnnotations() | ChangeAnnotations() | PaintNodes() | CollapseNodes():
            return apply_annotation_edit(edit, graph)
        case SetCode() | RenameCode() | RemoveCode():
            return apply_code_edit(edit, graph)
        case _:
            return apply_block_edit(edit, graph)


def _apply_size(edit: SetWidth | LoraEdit, graph: Graph) -> Graph:
    return set_width(edit, graph) if isinstance(edit, SetWidth) else apply_lora(edit, graph)


def _apply_training_state(edit: FreezeNodes | RecomputeNodes, graph: Graph) -> Graph:
    if isinstance(edit, FreezeNodes):
        return freeze_nodes(edit, graph)
    return recompute_nodes(edit, graph)


def _edit_block(edit: EditBlock, graph: Graph) -> Graph:
    block = graph.blocks.get(edit.block)
    if block is None:
        raise GraphError.of("G064", name=edit.block)
    inner = apply(edit.edit, body(graph, block))
    changed = replace(
        inner.blocks.get(edit.block, block),
        nodes=inner.nodes,
        edges=inner.edges,
        annotations=inner.annotations,
    )
    return put_blocks({edit.block: changed}, replace(graph, blocks=inner.blocks, code=inner.code))


def _add(node: Node, graph: Graph) -> Graph:
    if node.id in graph.nodes or not is_node_id(node.id):
        raise GraphError.of("G006", node=node.id, id=node.id)
    _check_name(node.id, node.name, graph)
    _check_position(node.id, node.position)
    return _with_nodes(graph, {**graph.nodes, node.id: node})


def _remove(ids: tuple[str, ...], graph: Graph) -> Graph:
    annotation_ids, others = split_ids(ids, graph)
    gone = set(others)
    for node_id in others:
        present_node(node_id, graph)
    if annotation_ids:
        kept = {key: value for key, value in graph.annotations.items() if key not in annotation_ids}
        graph = replace(graph, annotations=kept)
    nodes = {node_id: node for node_id, node in graph.nodes.items() if node_id not in gone}
    edges = tuple(
        edge for edge in graph.edges if edge.source not in gone and edge.target not in gone
    )
    return replace(graph, nodes=with_owners(graph, nodes, gone), edges=edges)


def _move(positions: dict[str, tuple[float, float]], graph: Graph) -> Graph:
    annotation_ids, others = split_ids(positions, graph)
    if annotation_ids:
        moved = moved_annotations({key: positions[key] for key in annotation_ids}, graph)
        graph = replace(graph, annotations=moved)
    nodes = graph.nodes.copy()
    for node_id in others:
        _check_position(node_id, positions[node_id])
        nodes[node_id] = replace(present_node(node_id, graph), position=positions[node_id])
    return _with_nodes(graph, nodes)


def _pin(ids: tuple[str, ...], graph: Graph, *, pinned: bool) -> Graph:
    nodes = graph.nodes.copy()
    for node_id in ids:
        nodes[node_id] = replace(present_node(node_id, graph), pinned=pinned)
    return _with_nodes(graph, nodes)


def _rename(node_id: str, name: str, graph: Graph) -> Graph:
    node = present_node(node_id, graph)
    _check_name(node_id, name, graph)
    return _with_nodes(graph, {**graph.nodes, node_id: replace(node, name=name)})


def _set_param(edit: SetParam, graph: Graph) -> Graph:
    node = present_node(edit.id, graph)
    entry = entry_of(graph, node)
    if entry is None:
        raise GraphError(unknown_type(graph, node))
    problem = param_problem(node, entry, edit.name, edit.value)
    if problem is not None:
        raise GraphError(problem)
    spec = entry.param(edit.name)
    assert spec is not None
    values = {name: value for name, value in node.params.items() if name != edit.name}
    if spec.required or not _is_same(edit.value, spec.default):
        values[edit.name] = edit.value
    return _with_nodes(graph, {**graph.nodes, edit.id: replace(node, params=values)})


def _is_same(value: Value, other: Value) -> bool:
    return type(value) is type(other) and value == other


def _connect(edge: Edge, graph: Graph) -> Graph:
    problem = link_problem(graph, edge)
    if problem is not None:
        raise GraphError(problem)
    gone = [e for e in incoming(graph, edge.target) if e.target_port == edge.target_port]
    kept = graph.edges
    for other in gone:  # the index holds the very wires of the graph
        index = list(map(id, kept)).index(id(other))
        kept = (*kept[:index], *kept[index + 1 :])
    after = replace(graph, edges=(*kept, edge))
    carry_index(graph, after, gone, edge)
    return after


def _disconnect(edges: tuple[Edge, ...], graph: Graph) -> Graph:
    gone = set(edges)
    missing = gone.difference(graph.edges)
    if missing:
        raise GraphError.of("G014", node=min(missing).target)
    return replace(graph, edges=tuple(e for e in graph.edges if e not in gone))


def insert_fragment(
    graph: Graph, fragment: Graph, offset: tuple[float, float] = (0.0, 0.0)
) -> tuple[Graph, dict[str, str]]:
    """Return the graph with copies of the fragment's nodes, frames and notes, and the new ids by
    the old ones.
    """
    annotations, renamed = copied_annotations(fragment, graph, offset)
    graph, files = merged_code(graph, fragment.code)
    graph, blocks = merged_blocks(graph, blocks_with_code(fragment.blocks, files))
    nodes = graph.nodes.copy()
    names = {node.name for node in nodes.values()}
    arriving = with_block_types(with_code_types(fragment.nodes, files), blocks)
    for node in arriving.values():
        name = free_name(fitting_name(node, graph), names)
        node_id = free_name(node.id if name == node.name else id_of(name), nodes)
        position = (node.position[0] + offset[0], node.position[1] + offset[1])
        _check_position(node.id, position)
        nodes[node_id] = replace(node, id=node_id, name=name, position=position, pinned=False)
        names.add(name)
        renamed[node.id] = node_id
    for node_id in fragment.nodes:
        copy = nodes[renamed[node_id]]
        if copy.shares:
            nodes[copy.id] = replace(copy, shares=renamed.get(copy.shares, ""))
    copied = {
        (renamed[edge.target], edge.target_port): replace(
            edge, source=renamed[edge.source], target=renamed[edge.target]
        )
        for edge in fragment.edges
        if edge.source in renamed and edge.target in renamed
    }
    edges = (*graph.edges, *copied.values())
    return replace(graph, nodes=nodes, edges=edges, annotations=annotations), renamed


def _with_nodes(graph: Graph, nodes: dict[str, Node]) -> Graph:
    return replace(graph, nodes=nodes)


def _check_name(node_id: str, name: str, graph: Graph) -> None:
    is_sequential = graph.style is BlockStyle.SEQUENTIAL
    problem = name_problem(name, node_id, is_sequential=is_sequential)
    if problem is None and name in _other_names(node_id, graph):
        problem = Diagnostic(code="G004", node=node_id, field="name", params={"name": name})
    if problem is not None:
        raise GraphError(problem)


def _other_names(node_id: str, graph: Graph) -> list[str]:
    return [node.name for node in graph.nodes.values() if node.id != node_id]


def _check_position(node_id: str, position: tuple[float, float]) -> None:
    if not all(math.isfinite(value) for value in position):
        raise GraphError.of("G045", node=node_id)
