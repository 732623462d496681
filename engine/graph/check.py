"""What is wrong with a graph before any shape is known; any document can be checked."""

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from engine.catalog.spec import Entry, PortSpec, Value
from engine.catalog.validate import check_params
from engine.diagnostics import Diagnostic, Severity
from engine.graph.model import Edge, Graph, Node
from engine.graph.naming import name_problem
from engine.graph.query import (
    INPUT,
    OUTPUT,
    ancestors,
    entry_of,
    find_cycle,
    incoming_by_node,
    order,
    port_problem,
    variadic_index,
    wired_inputs,
)

Params = dict[str, str | int | float]


def check(graph: Graph) -> tuple[Diagnostic, ...]:
    """Return the structural problems of a graph: names, parameters, wires, cycles, what is missing.

    The order is that of the nodes, then of the wires, then the graph as a whole.
    """
    edges = incoming_by_node(graph)
    problems = [*_name_problems(graph)]
    for node in graph.nodes.values():
        entry = entry_of(node)
        if entry is None:
            problems.append(unknown_type(node))
            continue
        problems += param_problems(node, entry)
        problems += _input_problems(node, entry, edges[node.id])
    problems += _edge_problems(graph)
    problems += _graph_problems(graph)
    return tuple(problems)


def missing_inputs(node: Node, entry: Entry, edges: Iterable[Edge]) -> tuple[PortSpec, ...]:
    """Return the input ports of a node that need a wire and have none.

    A port with a parameter of the same name needs a wire only while the parameter has no value.
    """
    wired = {edge.target_port for edge in edges}
    return tuple(
        port
        for port in entry.inputs
        if port.name not in wired
        and _needs_wire(node, entry, port)
        and not (port.variadic and any(_belongs(name, port) for name in wired))
    )


def _needs_wire(node: Node, entry: Entry, port: PortSpec) -> bool:
    if entry.param(port.name) is not None:
        return entry.value(node.params, port.name) is None
    return port.required


def _belongs(name: str, port: PortSpec) -> bool:
    return variadic_index(name, port.name) is not None


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def _name_problems(graph: Graph) -> Iterable[Diagnostic]:
    counts = Counter(node.name for node in graph.nodes.values())
    for node in graph.nodes.values():
        problem = name_problem(node.name, node.id)
        if problem is not None:
            yield problem
        elif counts[node.name] > 1:
            yield Diagnostic(
                code="G004", node=node.id, field="name", params={"name": _short(node.name)}
            )


def _input_problems(node: Node, entry: Entry, edges: tuple[Edge, ...]) -> Iterable[Diagnostic]:
    for port in missing_inputs(node, entry, edges):
        params: Params = {"name": _short(node.name), "port": port.name}
        code = "G023" if len(entry.inputs) > 1 else "G033"
        code = code if entry.param(port.name) is None else "G031"
        yield Diagnostic(code=code, node=node.id, params=params)
    wired = Counter(edge.target_port for edge in edges)
    for port_name, count in wired.items():
        if count > 1:
            params = {"name": _short(node.name), "port": _short(port_name), "count": count}
            yield Diagnostic(code="G027", node=node.id, params=params)
    groups: dict[int, list[str]] = {}
    for port in entry.inputs:
        if len(port.path) > 1:
            groups.setdefault(port.path[0], []).append(port.name)
    for names in groups.values():
        if 0 < sum(name in wired for name in names) < len(names):
            params = {"name": _short(node.name), "ports": ", ".join(names)}
            yield Diagnostic(code="G029", node=node.id, params=params)


def _edge_problems(graph: Graph) -> Iterable[Diagnostic]:
    edges = incoming_by_node(graph)
    inputs = {
        node.id: {port.name for port in wired_inputs(entry_of(node), edges[node.id])}
        for node in graph.nodes.values()
    }
    outputs = {
        node.id: {port.name for port in entry.output_ports(node.params)}
        for node in graph.nodes.values()
        if (entry := entry_of(node)) is not None
    }
    for edge in graph.edges:
        yield from _wire_problems(edge, graph.nodes, inputs, outputs)


def _wire_problems(
    edge: Edge,
    nodes: Mapping[str, Node],
    inputs: Mapping[str, set[str]],
    outputs: Mapping[str, set[str]],
) -> Iterable[Diagnostic]:
    source, target = nodes.get(edge.source), nodes.get(edge.target)
    if source is None or target is None:
        missing = edge.source if source is None else edge.target
        other = target if source is None else source
        node = other.id if other is not None else None
        yield Diagnostic(code="G021", node=node, params={"id": _short(missing)})
        return
    if edge.source_port not in outputs.get(source.id, {edge.source_port}):
        yield port_problem("G010", source, edge.source_port)
    if edge.target_port not in inputs[target.id]:
        yield port_problem("G011", target, edge.target_port)


def _graph_problems(graph: Graph) -> Iterable[Diagnostic]:
    if len(order(graph)) < len(graph.nodes):
        cycle = find_cycle(graph)
        names = " → ".join(_short(graph.nodes[node_id].name) for node_id in cycle[:8])
        params: Params = {"nodes": names, "count": len(cycle)}
        for node_id in cycle:
            code = "G020" if len(cycle) > 1 else "G012"
            name = _short(graph.nodes[node_id].name)
            yield Diagnostic(code=code, node=node_id, params={**params, "name": name})
    if not graph.nodes:
        yield Diagnostic(code="G030")
        return
    outputs = [node.id for node in graph.nodes.values() if node.type == OUTPUT]
    if all(node.type != INPUT for node in graph.nodes.values()):
        yield Diagnostic(code="G025")
    if not outputs:
        yield Diagnostic(code="G024")
        return
    used = ancestors(graph, outputs)
    for node in graph.nodes.values():
        if node.id not in used:
            yield Diagnostic(
                code="G026",
                severity=Severity.WARNING,
                node=node.id,
                params={"name": _short(node.name)},
            )


def param_problems(node: Node, entry: Entry) -> tuple[Diagnostic, ...]:
    """Return what is wrong with the parameters of a node, each with its field."""
    return tuple(replace(problem, node=node.id) for problem in check_params(entry, node.params))


def param_problem(node: Node, entry: Entry, name: str, value: Value) -> Diagnostic | None:
    """Return why a node's parameter cannot have a value."""
    found = (problem for problem in check_params(entry, {name: value}) if problem.field == name)
    return next((replace(problem, node=node.id) for problem in found), None)


def unknown_type(node: Node) -> Diagnostic:
    """Return the finding that a node is a placeholder."""
    params: Params = {"name": _short(node.name), "type": _short(node.type)}
    return Diagnostic(code="G022", node=node.id, params=params)
