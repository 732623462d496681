"""Problem with the nodes around it, and the small edits that repairs are made of."""

from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import AUTO, Entry, Value
from engine.diagnostics import Diagnostic
from engine.graph.analysis import TensorType
from engine.graph.edit.edits import AddNode, Batch, Connect, Edit, RemoveNodes, SetParam
from engine.graph.insert.placing import insert_into
from engine.graph.model import Edge, Graph, Node
from engine.graph.query import incoming, make_node, outgoing

_SIZE = (190.0, 60.0)  # of a node that is put into a wire, in scene units
Shape = tuple[int | str, ...]
Numbers = dict[str, str | int | float]


class RepairProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A change that may mend a problem. ``words`` says what it does (codes ``F0xx``); ``edit``
    changes the whole graph, ``settings`` are fields of the run specification with their values,
    ``excluded`` the names of samples that are left out of the data.
    """

    words: Diagnostic
    edit: Edit | None = None
    settings: dict[str, Value] = {}
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Case:
    """A problem at a node of one level of a model: ``problem.node`` is its id there, ``arriving``
    what is known to come in by port. ``owner`` holds the parameters: another node where this one
    calls the module of that one.
    """

    problem: Diagnostic
    graph: Graph
    node: Node
    entry: Entry
    arriving: dict[str, TensorType]

    @property
    def owner(self) -> Node:
        """The node that holds the parameters."""
        return self.graph.nodes.get(self.node.shares, self.node)

    def value(self, name: str) -> Value:
        """Return the value of a parameter."""
        return self.entry.value(self.owner.params, name)

    def number(self, name: str) -> int:
        """Return a whole number that the problem mentions, 0 without one."""
        value = self.problem.params.get(name)
        return value if isinstance(value, int) else 0

    def shape(self, port: str = "") -> Shape:
        """Return the shape that arrives at a port (the first one else), empty where unknown."""
        name = port or (self.entry.inputs[0].name if self.entry.inputs else "")
        signal = self.arriving.get(name)
        return () if signal is None else signal.shape

    def edge(self, port: str = "") -> Edge | None:
        """Return the wire that ends at a port (the first one else)."""
        name = port or (self.entry.inputs[0].name if self.entry.inputs else "")
        edges = [edge for edge in incoming(self.graph, self.node.id) if edge.target_port == name]
        return edges[0] if edges else None

    def source(self, port: str = "") -> Node | None:
        """Return the node that feeds a port."""
        edge = self.edge(port)
        return None if edge is None else self.graph.nodes.get(edge.source)


def words(code: str, **params: str | float) -> Diagnostic:
    """Return what a fix does, for its button."""
    return Diagnostic(code=code, params=dict(params))


def _text(value: Value) -> str:
    """Return a value as it is written in a call."""
    return f"({', '.join(map(str, value))})" if isinstance(value, tuple) else str(value)


def _call(key: str, params: dict[str, Value]) -> str:
    texts = [_text(value) for value in params.values()]
    return f"{key}({', '.join(texts)})"


def set_param(case: Case, name: str, value: Value, node: Node | None = None) -> RepairProposal:
    """Set a parameter of the node, or of another one."""
    target = case.owner if node is None else node
    said = words("F001", field=name, name=target.name, value=_text(value))
    return RepairProposal(words=said, edit=SetParam(id=target.id, name=name, value=value))


def is_auto(case: Case, name: str) -> bool:
    """Return whether a parameter can be inferred from what arrives and is not so already."""
    param = case.entry.param(name)
    return param is not None and param.auto and case.value(name) != AUTO


def into(graph: Graph, edge: Edge | None, key: str, params: dict[str, Value]) -> Edit | None:
    """Return the edit that puts a new node into a wire."""
    if edge is None or edge.source not in graph.nodes or edge.target not in graph.nodes:
        return None
    source, target = graph.nodes[edge.source], graph.nodes[edge.target]
    middle = (
        (source.position[0] + target.position[0]) / 2,
        (source.position[1] + target.position[1]) / 2,
    )
    node = make_node(graph, key, middle, params)
    return insert_into(graph, node, edge, {}, _SIZE)


def insert(
    case: Case,
    key: str,
    params: dict[str, Value],
    *,
    code: str = "F002",
    port: str = "",
    then_auto: str = "",
    **said: str | float,
) -> RepairProposal | None:
    """Put a node before a port of the node; ``then_auto`` is a parameter to infer from then on."""
    edit = into(case.graph, case.edge(port), key, params)
    if edit is None:
        return None
    if then_auto:
        edit = Batch(edits=(edit, SetParam(id=case.owner.id, name=then_auto, value=AUTO)))
        code, said = "F003", {**said, "field": then_auto}
    subject = case.node.name if len(case.arriving) < 2 else f"{case.node.name}.{port}"
    return RepairProposal(
        words=words(code, name=subject, call=_call(key, params), **said), edit=edit
    )


def insert_after(case: Case, key: str, params: dict[str, Value]) -> RepairProposal | None:
    """Put a node into the wire from the node, the one to an output where there is one."""
    edges = sorted(
        outgoing(case.graph, case.node.id),
        key=lambda edge: not case.graph.nodes[edge.target].type.endswith("Output"),
    )
    edit = into(case.graph, edges[0] if edges else None, key, params)
    if edit is None:
        return None
    said = words("F004", name=case.node.name, call=_call(key, params))
    return RepairProposal(words=said, edit=edit)


def remove(case: Case) -> RepairProposal | None:
    """Take the node out of its wire: what comes in goes where its output went."""
    edge = case.edge()
    if edge is None or any(other.shares == case.node.id for other in case.graph.nodes.values()):
        return None
    joined = tuple(
        Connect(edge=replace(wire, source=edge.source, source_port=edge.source_port))
        for wire in outgoing(case.graph, case.node.id)
    )
    edit = Batch(edits=(RemoveNodes(ids=(case.node.id,)), *joined))
    return RepairProposal(words=words("F005", name=case.node.name), edit=edit)


def use_type(case: Case, key: str, drop: tuple[str, ...] = ()) -> RepairProposal | None:
    """Take another kind of layer in the place of the node, with its wires and parameters."""
    node = case.node
    if node.shares or any(other.shares == node.id for other in case.graph.nodes.values()):
        return None
    params = {name: value for name, value in node.params.items() if name not in drop}
    wires = (*incoming(case.graph, node.id), *outgoing(case.graph, node.id))
    edits: tuple[Edit, ...] = (
        RemoveNodes(ids=(node.id,)),
        AddNode(node=replace(node, type=key, params=params)),
        *(Connect(edge=edge) for edge in wires),
    )
    said = words("F006", name=node.name, type=key, old=node.type)
    return RepairProposal(words=said, edit=Batch(edits=edits))


def known_sizes(shape: Shape) -> tuple[int, ...]:
    """Return the sizes of a shape that do not depend on the batch."""
    return tuple(size for size in shape if isinstance(size, int))
