"""Flat graph of a model with blocks and repeats, as it is computed.

A node inside a block has its path as its id (``encoder/layer1/norm``); further copies of a repeated
node have their number behind theirs (``encoder/layer1[2]/norm``).
"""

import re
from collections.abc import Container, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from engine.graph.block import (
    BLOCK_INPUT,
    BLOCK_OUTPUT,
    SEPARATOR,
    block_name,
    block_of,
    body,
    entry_of,
)
from engine.graph.memory import Memory
from engine.graph.model import Edge, Graph, Node
from engine.graph.node_state.bypass import active
from engine.graph.node_state.freezing import weights_owner
from engine.graph.query import without_stray_wires

MAX_NODES = 100_000

Port = tuple[str, str]

_COPY = re.compile(r"\[\d+\](?=/|$)")


class Flat(NamedTuple):
    """``graph`` has no blocks and no repeats.

    ``passed`` tells for each output of a use of a block, and for each input of a block, by path,
    what comes there from the flat graph. ``tied`` are nodes and uses of blocks whose weights are
    those of another one, with that one. ``owners`` are the uses of blocks by path with the name of
    the block. ``is_cut`` tells that the model is too large, or too deeply nested, to be looked at
    as a whole.
    """

    graph: Graph
    passed: dict[Port, Port]
    tied: dict[str, str]
    owners: dict[str, str]
    is_cut: bool


def expand(graph: Graph) -> Flat:
    """Return the flat graph, without what is skipped. A graph without blocks, repeats, shared
    weights and skipped nodes is its own.
    """
    graph = active(graph)
    return _last.recall((graph,), lambda: _expand(graph))


_last = Memory[Flat](1)  # a graph is looked at and written in turn


def _expand(graph: Graph) -> Flat:
    graph = without_stray_wires(graph)
    if all(_is_plain(node) for node in graph.nodes.values()):
        return Flat(graph, {}, {}, {}, is_cut=False)
    try:
        return _Expansion(graph).flat()
    except RecursionError:
        return Flat(Graph(), {}, {}, {}, is_cut=True)


def place_of(flat_id: str) -> str:
    """Return the path of the node that a flat one comes from: without the numbers of copies."""
    return _COPY.sub("", flat_id)


def is_first_copy(flat_id: str) -> bool:
    """Return whether a flat node is not a further copy and not inside one."""
    return _COPY.search(flat_id) is None


def carried_ports(graph: Graph, node: Node, wired: Container[str]) -> dict[str, str]:
    """Return for a repeated node which output of a copy goes into which input of the next.

    The first output goes into the first input and so on, where a wire ends there; inputs without
    an output get the same in all copies.
    """
    entry = entry_of(graph, node)
    if entry is None:
        return {}
    pairs = zip(entry.inputs, entry.output_ports(node.params), strict=False)
    return {i.name: o.name for i, o in pairs if i.name in wired}


def _is_plain(node: Node) -> bool:
    return not block_name(node) and node.repeat == 1 and not node.shares


class _Level(NamedTuple):
    """The inside of one copy of a use of a block, or the model itself (then without ``use``)."""

    prefix: str
    graph: Graph
    incoming: dict[str, list[Edge]]
    above: "_Level | None"
    use: Node | None
    copy: int
    weights: str  # the prefix of the nodes whose weights those inside have; its own, mostly
    is_frozen: bool = False  # the use, or one around it, is


class _Expansion:
    def __init__(self, graph: Graph) -> None:
        self._nodes: dict[str, Node] = {}
        self._levels: dict[str, _Level] = {}
        self._owners: dict[str, str] = {}
        self._bodies: dict[str, tuple[Graph, dict[str, list[Edge]]]] = {}  # the same in all uses
        self._tied: dict[str, str] = {}
        self._known: dict[Port, Port | None] = {}
        self._plain: list[tuple[_Level, Node, str, int]] = []
        self._is_cut = False
        self._code = graph.code
        self._enter(_Level("", graph, _incoming(graph), None, None, 0, ""), ())

    def flat(self) -> Flat:
        """Return what was found."""
        edges = [edge for reached in self._plain for edge in self._edges(*reached)]
        passed: dict[Port, Port] = {}
        for path, level in self._levels.items():
            if is_first_copy(path):
                passed.update(self._passed(path, level))
        graph = Graph(nodes=self._nodes, edges=tuple(edges), code=self._code)
        return Flat(graph, passed, self._tied, self._owners, self._is_cut)

    def _enter(self, level: _Level, inside: tuple[str, ...]) -> None:
        self._levels[level.prefix.removesuffix(SEPARATOR)] = level
        for node in level.graph.nodes.values():
            if node.type in (BLOCK_INPUT, BLOCK_OUTPUT) and level.use is not None:
                continue
            for copy in range(node.repeat):
                self._place(level, node, copy, inside)

    def _place(self, level: _Level, node: Node, copy: int, inside: tuple[str, ...]) -> None:
        if len(self._nodes) >= MAX_NODES:
            self._is_cut = True
            return
        path = f"{level.prefix}{node.id}{copy_mark(copy)}"
        weights = f"{level.weights}{node.shares or node.id}{'' if node.tied else copy_mark(copy)}"
        if weights != path:
            self._tied[path] = weights
        block = block_of(level.graph, node)
        name = block_name(node)
        if block is not None and name not in inside:
            self._owners[path] = name
            if name not in self._bodies:
                graph = body(level.graph, block)
                self._bodies[name] = graph, _incoming(graph)
            prefixes = (path + SEPARATOR, weights + SEPARATOR)
            is_frozen = level.is_frozen or weights_owner(level.graph, node).frozen
            inner = _Level(
                prefixes[0], *self._bodies[name], level, node, copy, prefixes[1], is_frozen
            )
            self._enter(inner, (*inside, name))
            return
        owner = weights_owner(level.graph, node)
        self._nodes[path] = replace(
            node,
            id=path,
            params=owner.params,
            repeat=1,
            tied=False,
            shares="",
            position=(0.0, 0.0),
            frozen=owner.frozen or level.is_frozen,
        )
        self._plain.append((level, node, path, copy))

    def _edges(self, level: _Level, node: Node, path: str, copy: int) -> Iterator[Edge]:
        for edge in level.incoming.get(node.id, ()):
            source = self._arriving(level, node, edge.target_port, copy)
            if source is not None:
                yield Edge(
                    source=source[0],
                    source_port=source[1],
                    target=path,
                    target_port=edge.target_port,
                )

    def _arriving(self, level: _Level, node: Node, port: str, copy: int) -> Port | None:
        """Return what comes to an input of a copy of a node."""
        if copy > 0:
            wired = {edge.target_port for edge in level.incoming.get(node.id, ())}
            carried = carried_ports(level.graph, node, wired)
            if port in carried:
                return self._leaving(level, node.id, carried[port], copy - 1)
        edge = next((e for e in level.incoming.get(node.id, ()) if e.target_port == port), None)
        if edge is None:
            return None
        source = level.graph.nodes.get(edge.source)
        last = source.repeat - 1 if source is not None else 0
        return self._leaving(level, edge.source, edge.source_port, last)

    def _leaving(self, level: _Level, node_id: str, port: str, copy: int) -> Port | None:
        """Return which flat value an output of a copy of a node is."""
        path = f"{level.prefix}{node_id}{copy_mark(copy)}"
        key = (path, port)
        if key not in self._known:
            self._known[key] = None  # wires in a circle through blocks lead nowhere
            self._known[key] = self._find_leaving(level, node_id, port, path)
        return self._known[key]

    def _find_leaving(self, level: _Level, node_id: str, port: str, path: str) -> Port | None:
        node = level.graph.nodes.get(node_id)
        if node is None:
            return None
        if node.type == BLOCK_INPUT and level.use is not None:
            assert level.above is not None
            return self._arriving(level.above, level.use, node_id, level.copy)
        inner = self._levels.get(path)
        if inner is None or inner.use is None:
            return (path, port) if path in self._nodes else None
        output = inner.graph.nodes.get(port)
        return None if output is None else self._arriving(inner, output, "input", 0)

    def _passed(self, path: str, level: _Level) -> Iterator[tuple[Port, Port]]:
        for node in level.graph.nodes.values():
            if node.type == BLOCK_INPUT:
                source = self._leaving(level, node.id, "output", 0)
                port = (f"{level.prefix}{node.id}", "output")
            elif node.type == BLOCK_OUTPUT and level.use is not None and level.above is not None:
                last = level.use.repeat - 1
                source = self._leaving(level.above, level.use.id, node.id, last)
                port = (path, node.id)
            else:
                continue
            if source is not None:
                yield port, source


def copy_mark(copy: int) -> str:
    """Return what stands behind the id of a copy: nothing for the first, ``[2]`` for the third."""
    return f"[{copy}]" if copy else ""


def _incoming(graph: Graph) -> dict[str, list[Edge]]:
    incoming: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        incoming.setdefault(edge.target, []).append(edge)
    return incoming
