"""Wired nodes from a phrase, as one edit: after an output, in a wire, before an input or alone."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from engine.catalog.spec import Entry, Value
from engine.graph.edit.edits import AddNode, Batch, Connect, Edit, apply
from engine.graph.insert.placing import insert_into, place_after
from engine.graph.layout.layered import Position, Size
from engine.graph.model import Edge, Graph, Node
from engine.graph.query import input_ports, link_problem, make_node, output_ports

Port = tuple[str, str]


class InsertionPoint(NamedTuple):
    """Where the nodes grow: after ``source``, into ``edge``, before ``target`` or at ``position``.

    ``size`` is that of a new node, ``room_width`` how wide a row may be, both in scene units.
    """

    position: Position
    size: Size
    sizes: Mapping[str, Size]
    room_width: float
    source: Port | None = None
    target: Port | None = None
    edge: Edge | None = None


class Grown(NamedTuple):
    """The edit that adds the nodes, and their ids in order."""

    edit: Batch
    ids: tuple[str, ...]


Row = Sequence[tuple[Entry, dict[str, Value]]]


def grow(graph: Graph, row: Row, point: InsertionPoint, fit: Callable[[Node], Node]) -> Grown:
    """Return the edit that adds a row of nodes, each wired to the one before by its first ports.

    A node without an input begins anew; ``fit`` may change a node before it is added, but not the
    settings that the row gives it. In a wire, all of the row must have an input and an output,
    else it is put after the wire's source.
    """
    edge = point.edge
    if edge is not None and not all(entry.inputs and entry.outputs for entry, _ in row):
        point = point._replace(edge=None, source=(edge.source, edge.source_port))
    grower = _Grower(graph, point)
    for entry, params in row:
        node = fit(make_node(grower.graph, entry.key, point.position, params))
        given = dict(params.items() - entry.initial_params().items())
        grower.add(replace(node, params={**node.params, **given}))
    grower.close()
    return Grown(Batch(edits=tuple(grower.edits)), tuple(grower.ids))


class _Grower:
    def __init__(self, graph: Graph, point: InsertionPoint) -> None:
        self.graph = graph
        self.edits: list[Edit] = []
        self.ids: list[str] = []
        self._place = point
        self._sizes = dict(point.sizes)
        self._edge = point.edge
        self._source = point.source
        self._before = "" if point.source is None else point.source[0]

    def add(self, node: Node) -> None:
        """Add a node after the last one, wired to it where both have a port for it."""
        point = self._place
        edit = None
        if self._edge is not None:
            edit = insert_into(self.graph, node, self._edge, self._sizes, point.size)
        if self._edge is not None and edit is not None:
            self._apply(edit)
            output = output_ports(self.graph, self.graph.nodes[node.id])[0].name
            self._edge = Edge(
                source=node.id,
                source_port=output,
                target=self._edge.target,
                target_port=self._edge.target_port,
            )
        else:
            self._add_after(node)
        self.ids.append(node.id)
        self._before = node.id
        self._sizes[node.id] = point.size

    def close(self) -> None:
        """Wire the last node to the input that the row grows before."""
        target = self._place.target
        if target is not None and self._source is not None and self.ids:
            self._connect(self._source, target)

    def _add_after(self, node: Node) -> None:
        point = self._place
        if self._before:
            where = place_after(self.graph, self._before, self._sizes, point.size, point.room_width)
            node = replace(node, position=where)
        self._apply(AddNode(node=node))
        inputs, outputs = input_ports(self.graph, node), output_ports(self.graph, node)
        if self._source is not None and inputs:
            self._connect(self._source, (node.id, inputs[0].name))
        self._source = (node.id, outputs[0].name) if outputs else None

    def _connect(self, source: Port, target: Port) -> None:
        edge = Edge(
            source=source[0], source_port=source[1], target=target[0], target_port=target[1]
        )
        if link_problem(self.graph, edge) is None:
            self._apply(Connect(edge=edge))

    def _apply(self, edit: Edit) -> None:
        self.graph = apply(edit, self.graph)
        self.edits.append(edit)
