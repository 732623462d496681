"""Putting a model together in a line a node, laid out for the canvas."""

from collections.abc import Mapping

import msgspec

from engine.catalog.spec import Value
from engine.graph.block import entry_of
from engine.graph.layout.layered import arrange
from engine.graph.model import Block, BlockStyle, Edge, Graph, Initial, Node
from engine.graph.node_state.initialization import SetInitial, set_initial
from engine.graph.query import input_ports

_WIDTH, _HEIGHT, _PORT = 155.0, 60.0, 18.0  # of a node; of the line of a port where it has several
_VIEW = (669.0, 374.0)  # of the canvas in a small window
_ROOMS = tuple((width, 534.0) for width in (1200.0, 950.0, 700.0, 450.0))
_LARGE, _READABLE = 0.9, 0.7  # zooms


class Draft:
    """A level of a model in the making. Each node is wired to the one before it unless ``after``
    says otherwise: a node, or by input port the node (``gru.h_n`` for a port of it).
    """

    def __init__(
        self, blocks: Mapping[str, Block] | None = None, code: Mapping[str, str] | None = None
    ) -> None:
        self._graph = Graph(blocks=dict(blocks or {}), code=dict(code or {}))
        self._last = ""

    def put(
        self,
        name: str,
        key: str,
        *,
        after: str | Mapping[str, str] | None = None,
        called: str = "",
        shares: str = "",
        **params: Value,
    ) -> "Draft":
        """Add a node. ``called`` is its name where that is no id: the numbers in a chain."""
        node = Node(id=name, type=key, name=called or name, params=params, shares=shares)
        return self.add(node, after)

    def add(self, node: Node, after: str | Mapping[str, str] | None = None) -> "Draft":
        """Add a node that is made already."""
        entry = entry_of(self._graph, node)
        assert entry is not None, node.type
        self._graph = msgspec.structs.replace(
            self._graph, nodes={**self._graph.nodes, node.id: node}
        )
        if entry.inputs:
            ports = after if isinstance(after, Mapping) else {"": after or self._last}
            for port, source in ports.items():
                self._wire(source, node, port)
        self._last = node.id
        return self

    def begin(self, weight: str, by: str, **params: Value) -> "Draft":
        """Say how a parameter of the node put last begins."""
        edit = SetInitial(ids=(self._last,), weight=weight, initial=Initial(type=by, params=params))
        self._graph = set_initial(edit, self._graph)
        return self

    def model(self) -> Graph:
        """Return the model, laid out, with its blocks."""
        return laid_out(self._graph)

    def block(self, note: str = "", style: BlockStyle = BlockStyle.CLASS) -> Block:
        """Return the level as the inside of a block."""
        graph = laid_out(self._graph)
        return Block(nodes=graph.nodes, edges=graph.edges, style=style, note=note)

    def _wire(self, source: str, node: Node, port: str) -> None:
        source_id, _, source_port = source.partition(".")
        origin = self._graph.nodes[source_id]
        entry = entry_of(self._graph, origin)
        assert entry is not None, origin.type
        edge = Edge(
            source=source_id,
            source_port=source_port or entry.output_ports(origin.params)[0].name,
            target=node.id,
            target_port=port or input_ports(self._graph, node)[0].name,
        )
        self._graph = msgspec.structs.replace(self._graph, edges=(*self._graph.edges, edge))


def sequential(*layers: tuple[str, str, dict[str, Value]], note: str = "") -> Block:
    """Return a chain of layers ``(id, type, params)`` as ``nn.Sequential``: children by number."""
    draft = Draft().put("input", "BlockInput")
    for number, (name, key, params) in enumerate(layers):
        draft.add(Node(id=name, type=key, name=str(number), params=params))
    return draft.put("output", "BlockOutput").block(note, BlockStyle.SEQUENTIAL)


def laid_out(graph: Graph) -> Graph:
    """Return the graph in the longest rows that let it be shown large, or as large as can be; what
    branches is hard to follow from row to row, so smaller will do.
    """
    sizes = {key: (_WIDTH, _height(graph, node)) for key, node in graph.nodes.items()}
    sources = [(edge.source, edge.source_port) for edge in graph.edges]
    enough = _LARGE if len(set(sources)) == len(graph.nodes) - 1 else _READABLE
    places = max(
        (arrange(graph, sizes, room) for room in _ROOMS),
        key=lambda found: min(enough, _zoom(found)),
    )
    nodes = {
        key: msgspec.structs.replace(node, position=places[key])
        for key, node in graph.nodes.items()
    }
    return msgspec.structs.replace(graph, nodes=nodes)


def _height(graph: Graph, node: Node) -> float:
    entry = entry_of(graph, node)
    assert entry is not None, node.type
    lines = max(len(entry.inputs), len(entry.output_ports(node.params)))
    return _HEIGHT + (_PORT * lines if lines > 1 else 0.0)


def _zoom(places: Mapping[str, tuple[float, float]]) -> float:
    return min(
        _VIEW[axis] / (max(spots) - min(spots) + (_WIDTH, _HEIGHT)[axis])
        for axis, spots in enumerate(zip(*places.values(), strict=True))
    )
