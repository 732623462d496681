"""Grouping of nodes into a block, and the reverse; what the model computes stays the same."""

from collections.abc import Collection
from typing import NamedTuple

from msgspec.structs import replace

from engine.diagnostics import Diagnostic
from engine.graph.block import (
    BLOCK_INPUT,
    BLOCK_OUTPUT,
    PREFIX,
    block_name,
    block_of,
    body,
    can_be_sequential,
    fitting_name,
    name_refusal,
    uses,
)
from engine.graph.edit.annotation import copied_annotations, split_ids
from engine.graph.error import GraphError, present_node
from engine.graph.model import Block, BlockStyle, Edge, Graph, Node
from engine.graph.naming import block_name_problem, default_name, free_name
from engine.graph.query import (
    INPUT,
    OUTPUT,
    ancestors,
    dependents,
    output_ports,
    unique_name,
)

_PORT_DISTANCE = 220.0  # of the ports from what they are wired to, in scene units

Port = tuple[str, str]


class Grouped(NamedTuple):
    """The graph with the block, and the id of the node that is its first use."""

    graph: Graph
    node: str


def group(graph: Graph, ids: Collection[str], name: str, node_id: str = "") -> Grouped:
    """Return the graph with nodes put into a new block and one use of it in their place.

    Every wire from outside makes an input of the block (one for each source), every value that is
    used outside or by nothing makes an output. A chain of layers becomes ``nn.Sequential``. Nodes
    keep their ids and, where a class can hold them, their names inside, so their keys in the
    state_dict get the name of the use before them; frames and notes among the ids go with them.
    Raises :class:`GraphError` when nothing or an input or output of the model is chosen, when the
    name is taken or no class name, or when a wire leaves the nodes and comes back.
    """
    annotation_ids, ids = split_ids(ids, graph)
    chosen = [present_node(node_id, graph) for node_id in graph.nodes if node_id in set(ids)]
    _check(graph, chosen, ids, name)
    inside = {node.id for node in chosen}
    maker = _Maker(graph, inside)
    block = replace(
        maker.block(), annotations={key: graph.annotations[key] for key in annotation_ids}
    )
    grown = {**graph.blocks, name: block}
    row = BlockStyle.SEQUENTIAL
    if (
        can_be_sequential(replace(graph, blocks=grown), block)
        and name_refusal(name, block, row) is None
    ):
        grown[name] = replace(block, style=row)
    else:
        grown[name] = replace(block, nodes=_with_class_names(block, graph))
    rest = {key: node for key, node in graph.nodes.items() if key not in inside}
    called = unique_name(Graph(nodes=rest), default_name(name))
    use = Node(
        id=node_id or free_name(called, rest),
        type=PREFIX + name,
        name=called,
        position=_anchor(chosen),
    )
    edges = (*maker.kept, *maker.arriving(use.id), *maker.leaving(use.id))
    nodes = _in_place(graph.nodes, inside, use)
    kept = {key: note for key, note in graph.annotations.items() if key not in annotation_ids}
    after = replace(graph, nodes=nodes, edges=edges, blocks=grown, annotations=kept)
    return Grouped(after, use.id)


def ungroup(graph: Graph, node_id: str) -> tuple[Graph, tuple[str, ...]]:
    """Return the graph with what is inside a block in the place of one use of it, and the new ids.

    The block itself goes when nothing else uses it and it is not kept in the library. Raises
    :class:`GraphError` when the node is no use of a block, or is repeated.
    """
    use = present_node(node_id, graph)
    block = block_of(graph, use)
    if block is None:
        raise GraphError.of("G052", node=node_id, name=use.name)
    if use.repeat != 1 or use.shares or any(n.shares == node_id for n in graph.nodes.values()):
        raise GraphError.of("G053", node=node_id, name=use.name)
    unpacked = _Unpacked(graph, use, block)
    blocks = dict(graph.blocks)
    notes, _ = copied_annotations(body(graph, block), graph, unpacked.shift)
    after = replace(
        graph, nodes=unpacked.nodes, edges=unpacked.edges, blocks=blocks, annotations=notes
    )
    name = block_name(use)
    if not block.kept and next(uses(after, name), None) is None:
        del blocks[name]
    return after, tuple(unpacked.renamed.values())


def _check(graph: Graph, chosen: list[Node], ids: Collection[str], name: str) -> None:
    problem = block_name_problem(name)
    if problem is None and name in graph.blocks:
        problem = Diagnostic(code="G051", field="name", params={"name": name})
    if problem is not None:
        raise GraphError(problem)
    if not chosen:
        raise GraphError.of("G050")
    for node_id in ids:
        present_node(node_id, graph)
    for node in chosen:
        if node.type in (INPUT, OUTPUT, BLOCK_INPUT, BLOCK_OUTPUT):
            raise GraphError.of("G054", node=node.id, name=node.name)
        inside = node.shares in {n.id for n in chosen}
        if (node.shares and not inside) or any(
            other.shares == node.id and other not in chosen for other in graph.nodes.values()
        ):
            raise GraphError.of("G055", node=node.id, name=node.name)
    inside = {node.id for node in chosen}
    outside = dependents(graph, inside) - inside
    back = ancestors(graph, inside) & outside
    if back:
        node = graph.nodes[min(back)]
        raise GraphError.of("G056", node=node.id, name=node.name)


class _Maker:
    """The inside of a new block, and the wires that its use needs."""

    def __init__(self, graph: Graph, inside: set[str]) -> None:
        self._graph = graph
        self._inside = inside
        self._ids = set(inside)
        self._names = {graph.nodes[node_id].name for node_id in inside}
        self.kept = tuple(
            e for e in graph.edges if e.source not in inside and e.target not in inside
        )
        self._in = [e for e in graph.edges if e.source not in inside and e.target in inside]
        self._out = [e for e in graph.edges if e.source in inside and e.target not in inside]
        sources = dict.fromkeys((edge.source, edge.source_port) for edge in self._in)
        self._inputs = {port: self._port(BLOCK_INPUT, "x") for port in sources}
        self._outputs = {port: self._port(BLOCK_OUTPUT, "output") for port in self._loose()}

    def _loose(self) -> list[Port]:
        """Return the values that are used outside, or that nothing uses yet."""
        used = dict.fromkeys((edge.source, edge.source_port) for edge in self._out)
        read = {edge.source for edge in self._graph.edges}
        for node_id, node in self._graph.nodes.items():
            ports = output_ports(self._graph, node)
            if node_id in self._inside and node_id not in read and ports:
                used[node_id, ports[0].name] = None
        return list(used)

    def _port(self, key: str, base: str) -> Node:
        name = free_name(base, self._names)
        node_id = free_name(name, self._ids)
        self._names.add(name)
        self._ids.add(node_id)
        return Node(id=node_id, type=key, name=name)

    def block(self) -> Block:
        """Return the block: the inputs, the nodes in their order, the outputs."""
        inner = {i: node for i, node in self._graph.nodes.items() if i in self._inside}
        left, right, middle = _extent(list(inner.values()))
        inputs = _stacked(self._inputs.values(), left - _PORT_DISTANCE, middle)
        outputs = _stacked(self._outputs.values(), right + _PORT_DISTANCE, middle)
        nodes = {**inputs, **inner, **outputs}
        inner_edges = [e for e in self._graph.edges if e.source in inner and e.target in inner]
        arriving = [
            replace(e, source=self._inputs[e.source, e.source_port].id, source_port="output")
            for e in self._in
        ]
        leaving = [
            Edge(source=node, source_port=port, target=output.id, target_port="input")
            for (node, port), output in self._outputs.items()
        ]
        return Block(nodes=nodes, edges=(*arriving, *inner_edges, *leaving))

    def arriving(self, use: str) -> list[Edge]:
        """Return the wires that end at the use."""
        return [
            Edge(source=source, source_port=port, target=use, target_port=node.id)
            for (source, port), node in self._inputs.items()
        ]

    def leaving(self, use: str) -> list[Edge]:
        """Return the wires that begin at the use."""
        return [
            replace(e, source=use, source_port=self._outputs[e.source, e.source_port].id)
            for e in self._out
        ]


class _Unpacked:
    """The nodes and wires of a graph with the inside of a block in the place of its use."""

    def __init__(self, graph: Graph, use: Node, block: Block) -> None:
        self._graph, self._use, self._block = graph, use, block
        ports = (BLOCK_INPUT, BLOCK_OUTPUT)
        inner = [node for node in block.nodes.values() if node.type not in ports]
        rest = {key: node for key, node in graph.nodes.items() if key != use.id}
        names = {node.name for node in rest.values()}
        ids = set(rest)
        self.renamed: dict[str, str] = {}
        placed: dict[str, Node] = {}
        anchor = _anchor(inner)
        self.shift = (use.position[0] - anchor[0], use.position[1] - anchor[1])
        for node in inner:
            name, node_id = free_name(fitting_name(node, graph), names), free_name(node.id, ids)
            names.add(name)
            ids.add(node_id)
            x, y = node.position[0] + self.shift[0], node.position[1] + self.shift[1]
            self.renamed[node.id] = node_id
            placed[node_id] = replace(node, id=node_id, name=name, position=(x, y))
        for node_id, node in placed.items():
            if node.shares:
                placed[node_id] = replace(node, shares=self.renamed[node.shares])
        self.nodes = _in_place(graph.nodes, {use.id}, *placed.values())
        self.edges = self._edges()

    def _edges(self) -> tuple[Edge, ...]:
        outside = {e.target_port: e for e in self._graph.edges if e.target == self._use.id}
        edges = [e for e in self._graph.edges if self._use.id not in (e.source, e.target)]
        for edge in self._block.edges:
            source = self._source((edge.source, edge.source_port), outside)
            if source is not None and edge.target in self.renamed:
                target = self.renamed[edge.target]
                edges.append(replace(edge, source=source[0], source_port=source[1], target=target))
        given = {e.target: (e.source, e.source_port) for e in self._block.edges}
        for edge in self._graph.edges:
            inner = given.get(edge.source_port) if edge.source == self._use.id else None
            source = self._source(inner, outside) if inner is not None else None
            if source is not None:
                edges.append(replace(edge, source=source[0], source_port=source[1]))
        return tuple(edges)

    def _source(self, port: Port, outside: dict[str, Edge]) -> Port | None:
        """Return from where a value comes when the inputs of the block are passed by."""
        node = self._block.nodes.get(port[0])
        if node is not None and node.type == BLOCK_INPUT:
            edge = outside.get(node.id)
            return (edge.source, edge.source_port) if edge is not None else None
        return (self.renamed[port[0]], port[1]) if port[0] in self.renamed else None


def _in_place(nodes: dict[str, Node], gone: set[str], *new: Node) -> dict[str, Node]:
    """Return the nodes with new ones where the last of those that go stood."""
    last = [key for key in nodes if key in gone][-1]
    replaced: dict[str, Node] = {}
    for key, node in nodes.items():
        if key == last:
            replaced.update({other.id: other for other in new})
        elif key not in gone:
            replaced[key] = node
    return replaced


def _with_class_names(block: Block, graph: Graph) -> dict[str, Node]:
    """Return the nodes of a block with names that a class can hold: in an ``nn.Sequential``, which
    they may come from, numbers are names too.
    """
    level = body(graph, block)
    names = {node.name for node in block.nodes.values()}
    nodes: dict[str, Node] = {}
    for key, node in block.nodes.items():
        name = fitting_name(node, level)
        if name != node.name:
            name = free_name(name, names)
            names.add(name)
        nodes[key] = replace(node, name=name)
    return nodes


def _anchor(nodes: list[Node]) -> tuple[float, float]:
    """Return where a block stands for what is inside: at the place of the first node."""
    return nodes[0].position if nodes else (0.0, 0.0)


def _extent(nodes: list[Node]) -> tuple[float, float, float]:
    xs = [node.position[0] for node in nodes]
    ys = [node.position[1] for node in nodes]
    return min(xs), max(xs), (min(ys) + max(ys)) / 2


def _stacked(nodes: Collection[Node], x: float, middle: float) -> dict[str, Node]:
    top = middle - 50.0 * (len(nodes) - 1)
    return {
        node.id: replace(node, position=(x, top + 100.0 * index))
        for index, node in enumerate(nodes)
    }
