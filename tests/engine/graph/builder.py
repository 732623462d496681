"""Graphs for tests, in a line each."""

from engine.catalog.spec import Value
from engine.graph.block import entry_of
from engine.graph.edit.edits import AddNode, Connect, apply
from engine.graph.model import Edge, Graph, Node
from engine.graph.query import input_ports, make_node

Spec = tuple[str, dict[str, Value]] | tuple[str, dict[str, Value], str]


def add(graph: Graph, key: str, name: str = "", **params: Value) -> tuple[Graph, Node]:
    """Add a node; params that are not given stand on what is required and inferred."""
    node = make_node(graph, key, params=params, name=name)
    return apply(AddNode(node=node), graph), node


def wire(graph: Graph, source: str, target: str) -> Graph:
    """Connect ``node`` or ``node.port`` to ``node`` or ``node.port`` (the first ports else)."""
    source_id, _, source_port = source.partition(".")
    target_id, _, target_port = target.partition(".")
    if not source_port:
        node = graph.nodes[source_id]
        entry = entry_of(graph, node)
        assert entry is not None
        source_port = entry.output_ports(node.params)[0].name
    if not target_port:
        target_port = input_ports(graph, graph.nodes[target_id])[0].name
    edge = Edge(
        source=source_id, source_port=source_port, target=target_id, target_port=target_port
    )
    return apply(Connect(edge=edge), graph)


def chain(*specs: Spec) -> Graph:
    """Return nodes in a row, each wired to the one before: ``(type, params[, name])``."""
    graph = Graph()
    before: Node | None = None
    for key, params, *name in specs:
        graph, node = add(graph, key, name[0] if name else "", **params)
        if before is not None:
            graph = wire(graph, before.id, node.id)
        before = node
    return graph


def model(shape: tuple[int, ...], *specs: Spec, dtype: str = "float32") -> Graph:
    """Return an Input ``x``, the nodes in a row and an Output ``output``."""
    params: dict[str, Value] = {"shape": shape}
    if dtype != "float32":
        params["dtype"] = dtype
    return chain(("Input", params, "x"), *specs, ("Output", {}, "output"))
