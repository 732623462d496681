"""Switches: blocks with several branches, one of which computes; the weights of all are kept.

A switch is a block of the style ``SWITCH``: its inputs go to all branches, its output comes from
the active one. Where it is used it is written as ``nn.ModuleDict`` and called by key.
"""

from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import Entry
from engine.diagnostics import Diagnostic
from engine.graph.block import (
    BLOCK_INPUT,
    BLOCK_OUTPUT,
    PREFIX,
    block_entry,
    body,
    is_plain_module,
)
from engine.graph.error import GraphError, present_node
from engine.graph.model import Block, BlockStyle, Edge, Graph, Node
from engine.graph.naming import block_name_problem, default_name, free_name, name_problem
from engine.graph.query import dependents, input_ports, output_ports, unique_name

NEW_SWITCH = "new.Switch"
"""The key of a switch that is not there yet: each is a block of its own."""

_TAKEN = frozenset({"clear", "items", "keys", "pop", "update", "values"})
"""What ``nn.ModuleDict`` has itself: no branch can be called so."""

_COLUMN, _ROW = 260.0, 110.0  # between what is laid out inside, in scene units


class MakeSwitch(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Put nodes beside one another into a new block of which one at a time computes."""

    ids: tuple[str, ...]
    name: str


class ChooseBranch(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Let another branch of a switch compute: the node of that id inside the block."""

    block: str
    branch: str


SwitchEdit = MakeSwitch | ChooseBranch


class Switch(NamedTuple):
    """The branches of a switch in the order of their making, and the one that computes."""

    branches: tuple[Node, ...]
    active: Node


def switch_of(graph: Graph, block: Block) -> Switch | None:
    """Return the branches of a block that is meant to be a switch and can be written as one.

    All nodes between its inputs and its one output are layers or blocks with one output, fed by
    the inputs alone; the names are keys that ``nn.ModuleDict`` takes. Nothing otherwise.
    """
    if block.style is not BlockStyle.SWITCH:
        return None
    inner = body(graph, block)
    ends = [node for node in block.nodes.values() if node.type == BLOCK_OUTPUT]
    starts = {node.id for node in block.nodes.values() if node.type == BLOCK_INPUT}
    branches = tuple(n for n in block.nodes.values() if n.type not in (BLOCK_INPUT, BLOCK_OUTPUT))
    chosen = [edge for edge in block.edges if ends and edge.target == ends[0].id]
    if len(ends) != 1 or len(chosen) != 1 or not all(_can_be(inner, node) for node in branches):
        return None
    others = [edge for edge in block.edges if edge is not chosen[0]]
    if not all(edge.source in starts and edge.target != ends[0].id for edge in others):
        return None
    active = block.nodes.get(chosen[0].source)
    return Switch(branches, active) if active in branches else None


def branch_wires(block: Block, active: Node) -> dict[str, str]:
    """Return for each wired input of the active branch the input of the block that it gets."""
    return {edge.target_port: edge.source for edge in block.edges if edge.target == active.id}


def switch_entry() -> Entry:
    """Return what the palette offers for a new switch."""
    return replace(block_entry("Switch", new_switch()), key=NEW_SWITCH)


class _Branch(NamedTuple):
    """A node that becomes a branch, with the ports that are used of it."""

    node: Node
    inputs: tuple[str, ...]
    output: str


def new_switch() -> Block:
    """Return a switch with two branches that do nothing yet."""
    names = ("first", "second")
    branches = [
        _Branch(Node(id=name, type="Identity", name=name), ("input",), "output") for name in names
    ]
    made = _block(branches, branches[0])
    return replace(made, note="Several branches, one of which computes: choose it in the form.")


def with_branches(graph: Graph, block: Block | None, branches: list[Node], active: Node) -> Block:
    """Return a switch with these branches, of which one computes; ``graph`` knows their types.

    Of the switch that it was the ports, places and wires stay where they fit; new branches get the
    inputs in their order.
    """
    if block is None:
        made = [_branch(graph, node) for node in branches]
        return _block(made, next(one for one in made if one.node.id == active.id))
    by_id = {node.id: node for node in branches}
    end = next(node.id for node in block.nodes.values() if node.type == BLOCK_OUTPUT)
    starts = [node.id for node in block.nodes.values() if node.type == BLOCK_INPUT]
    nodes = {
        i: by_id.get(i, node) for i, node in block.nodes.items() if i in {*by_id, *starts, end}
    }
    lowest = max(node.position[1] for node in block.nodes.values())
    for row, node in enumerate((one for one in branches if one.id not in nodes), 1):
        nodes[node.id] = replace(node, position=(_COLUMN, lowest + _ROW * row))
    edges: list[Edge] = []
    for node in branches:
        ports = [port.name for port in input_ports(graph, node)]
        old = [edge for edge in block.edges if edge.target == node.id]
        if old and all(edge.target_port in ports for edge in old):
            edges += old
        else:
            edges += [
                Edge(source=start, source_port="output", target=node.id, target_port=port)
                for start, port in zip(starts, ports, strict=False)
            ]
    port = output_ports(graph, active)[0].name
    edges.append(Edge(source=active.id, source_port=port, target=end, target_port="input"))
    order = {edge: number for number, edge in enumerate(block.edges)}
    edges.sort(key=lambda edge: order.get(edge, len(order)))
    return replace(block, nodes=nodes, edges=tuple(edges))


def apply_switch_edit(edit: SwitchEdit, graph: Graph) -> Graph:
    """Return the graph after an edit. Raises :class:`GraphError`."""
    return _choose(edit, graph) if isinstance(edit, ChooseBranch) else _make(edit, graph)


def _can_be(graph: Graph, node: Node) -> bool:
    is_once = node.repeat == 1 and not node.shares and not (node.bypassed or node.muted)
    is_key = name_problem(node.name) is None and "." not in node.name and node.name not in _TAKEN
    return is_once and is_key and is_plain_module(graph, node)


def _choose(edit: ChooseBranch, graph: Graph) -> Graph:
    block = graph.blocks.get(edit.block)
    switch = None if block is None else switch_of(graph, block)
    branch = None if block is None else block.nodes.get(edit.branch)
    if block is None or switch is None or branch is None or branch not in switch.branches:
        raise GraphError.of("G108", name=edit.block)
    port = output_ports(body(graph, block), branch)[0].name
    end = next(node.id for node in block.nodes.values() if node.type == BLOCK_OUTPUT)
    edges = tuple(
        replace(edge, source=branch.id, source_port=port) if edge.target == end else edge
        for edge in block.edges
    )
    return replace(graph, blocks={**graph.blocks, edit.block: replace(block, edges=edges)})


def _make(edit: MakeSwitch, graph: Graph) -> Graph:
    chosen = [present_node(key, graph) for key in graph.nodes if key in set(edit.ids)]
    _check(graph, chosen, edit)
    ids = {node.id for node in chosen}
    branches = [_branch(graph, node) for node in chosen]
    read = {edge.source for edge in graph.edges}
    active = next((each for each in branches if each.node.id in read), branches[0])
    block = _block(branches, active)
    starts = [node.id for node in block.nodes.values() if node.type == BLOCK_INPUT]
    end = next(node.id for node in block.nodes.values() if node.type == BLOCK_OUTPUT)
    rest = {key: node for key, node in graph.nodes.items() if key not in ids}
    called = unique_name(Graph(nodes=rest), default_name(edit.name))
    use = Node(
        id=free_name(called, rest),
        type=PREFIX + edit.name,
        name=called,
        position=active.node.position,
    )
    edges = [e for e in graph.edges if e.source not in ids and e.target not in ids]
    edges += _arriving(graph, [active, *branches], use.id, starts)
    leaving = [e for e in graph.edges if e.source in ids]
    edges += [replace(e, source=use.id, source_port=end) for e in leaving]
    return replace(
        graph,
        nodes={**rest, use.id: use},
        edges=tuple(edges),
        blocks={**graph.blocks, edit.name: block},
    )


def _branch(graph: Graph, node: Node) -> _Branch:
    wired = {edge.target_port for edge in graph.edges if edge.target == node.id}
    ports = input_ports(graph, node)
    used = tuple(port.name for port in ports if port.required or port.name in wired)
    return _Branch(node, used, output_ports(graph, node)[0].name)


def _arriving(graph: Graph, branches: list[_Branch], use: str, starts: list[str]) -> list[Edge]:
    """Return the wires of the use: those of the active branch, else of the first that has one."""
    arriving: dict[str, Edge] = {}
    for branch in branches:
        for edge in graph.edges:
            if edge.target == branch.node.id and edge.target_port in branch.inputs:
                port = starts[branch.inputs.index(edge.target_port)]
                arriving.setdefault(port, replace(edge, target=use, target_port=port))
    return list(arriving.values())


def _check(graph: Graph, chosen: list[Node], edit: MakeSwitch) -> None:
    problem = block_name_problem(edit.name)
    if problem is None and edit.name in graph.blocks:
        problem = Diagnostic(code="G051", field="name", params={"name": edit.name})
    if problem is not None:
        raise GraphError(problem)
    if len(chosen) < 2:
        raise GraphError.of("G109")
    for node in chosen:
        is_lent = any(other.shares == node.id for other in graph.nodes.values())
        if is_lent or not _can_be(graph, node):
            raise GraphError.of("G110", node=node.id, name=node.name)
        fed = (dependents(graph, {node.id}) - {node.id}) & {other.id for other in chosen}
        if fed:
            raise GraphError.of(
                "G111", node=node.id, name=node.name, other=graph.nodes[min(fed)].name
            )


def _block(branches: list[_Branch], active: _Branch) -> Block:
    middle = _ROW * (len(branches) - 1) / 2
    taken = [branch.node.id for branch in branches] + [branch.node.name for branch in branches]
    starts: list[Node] = []
    for number in range(max(len(branch.inputs) for branch in branches)):
        name = free_name("x", [*taken, *(node.id for node in starts)])
        position = (0.0, middle + _ROW * number)
        starts.append(Node(id=name, type=BLOCK_INPUT, name=name, position=position))
    name = free_name("output", taken)
    end = Node(id=name, type=BLOCK_OUTPUT, name=name, position=(2 * _COLUMN, middle))
    placed = [
        replace(branch.node, position=(_COLUMN, _ROW * row), pinned=False)
        for row, branch in enumerate(branches)
    ]
    edges = [
        Edge(source=start.id, source_port="output", target=branch.node.id, target_port=port)
        for branch in branches
        for start, port in zip(starts, branch.inputs, strict=False)
    ]
    chosen = Edge(
        source=active.node.id, source_port=active.output, target=end.id, target_port="input"
    )
    nodes = {node.id: node for node in (*starts, *placed, end)}
    return Block(nodes=nodes, edges=(*edges, chosen), style=BlockStyle.SWITCH)
