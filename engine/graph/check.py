"""Checks of a graph that need no shapes; any document can be checked."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping

from msgspec.structs import replace

from engine.catalog.code.advice import advice
from engine.catalog.code.merge import merge_files
from engine.catalog.spec import Entry, EntryGroup, PortSpec, Value
from engine.catalog.validate import check_params
from engine.diagnostics import Diagnostic, Severity
from engine.graph.block import (
    BLOCK_INPUT,
    BLOCK_OUTPUT,
    SEPARATOR,
    Path,
    block_name,
    block_of,
    body,
    contains,
    entry_of,
    first_uses,
)
from engine.graph.code import TEXT_FILES, Symbol, code_symbol, file_of, used_files
from engine.graph.memory import Memory
from engine.graph.model import BlockStyle, Edge, Graph, Node
from engine.graph.naming import list_place, name_problem
from engine.graph.node_state.bypass import active
from engine.graph.node_state.initialization import initial_problems
from engine.graph.query import (
    INPUT,
    OUTPUT,
    ancestors,
    find_cycle,
    incoming_by_node,
    port_problem,
    variadic_index,
    wired_inputs,
)

Params = dict[str, str | int | float]


def check(graph: Graph) -> tuple[Diagnostic, ...]:
    """Return the structural problems of a graph: names, parameters, wires, cycles, what is missing.

    The order is that of the nodes, then of the wires, then the graph as a whole; then follow those
    inside the blocks that it uses, each at the first use, with the path as the node.
    """
    graph = active(graph)
    problems = [*_code_problems(graph), *_level_problems(graph), *_graph_problems(graph)]
    for name, (path, block) in first_uses(graph).items():
        inside = body(graph, block)
        findings = [
            *_kept_level_problems(inside),
            *_body_problems(inside, path),
            *_circle_problems(inside, name),
        ]
        problems += [_placed(problem, path) for problem in findings]
    return tuple(problems)


def _kept_level_problems(graph: Graph) -> tuple[Diagnostic, ...]:
    used = [block_of(graph, node) for node in graph.nodes.values() if block_name(node)]
    key = (graph.nodes, graph.edges, graph.code, *used)
    return _levels.recall(key, lambda: tuple(_level_problems(graph)))


_levels = Memory[tuple[Diagnostic, ...]](1_000)


def _code_problems(graph: Graph) -> Iterable[Diagnostic]:
    """Find files that cannot be read as Python; those that nothing needs are no obstacle."""
    used = used_files(graph)
    for name in graph.code:
        problem = file_of(graph.code, name).problem
        if problem is not None:
            severity = Severity.ERROR if name in used else Severity.WARNING
            yield replace(problem, severity=severity)
        if name not in TEXT_FILES:  # what is wrong in it is told by those who read it as a model
            yield from advice(name, graph.code[name])
    merged = merge_files(graph.code, used)
    yield from merged.problems
    for block in first_uses(graph):
        if block in merged.defined:
            yield Diagnostic.of("U028", symbol=block, file=merged.defined[block])


def _level_problems(graph: Graph) -> Iterable[Diagnostic]:
    astray = list(wire_findings(graph))
    lost = {edge for edge, _ in astray}  # they bring nothing
    whole = replace(graph, edges=tuple(e for e in graph.edges if e not in lost)) if lost else graph
    edges = incoming_by_node(whole)
    used = {edge.source for edge in whole.edges}
    used |= {node.shares for node in graph.nodes.values()}
    yield from _name_problems(graph)
    for node in graph.nodes.values():
        entry = entry_of(graph, node)
        if entry is None:
            yield unknown_type(graph, node)
            continue
        if not node.shares:  # else the parameters are those of the other node
            yield from param_problems(node, entry)
            yield from initial_problems(graph, node)
        if edges[node.id] or node.id in used or not entry.outputs:  # else it waits: G026
            yield from _input_problems(node, entry, edges[node.id])
        yield from _sharing_problems(graph, node)
    yield from (problem for _, problem in astray)
    yield from _cycle_problems(graph)


def _placed(problem: Diagnostic, path: Path) -> Diagnostic:
    inner = (problem.node,) if problem.node else ()
    return replace(problem, node=SEPARATOR.join((*path, *inner)))


def _sharing_problems(graph: Graph, node: Node) -> Iterable[Diagnostic]:
    if not node.shares:
        return
    source = graph.nodes.get(node.shares)
    if source is None or source.type != node.type or source.shares:
        params: Params = {"name": _short(node.name), "id": _short(node.shares)}
        yield Diagnostic(code="G065", node=node.id, params=params)


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
        is_sequential = graph.style is BlockStyle.SEQUENTIAL
        problem = name_problem(node.name, node.id, is_sequential=is_sequential)
        if problem is not None:
            yield problem
        elif counts[node.name] > 1:
            yield Diagnostic(
                code="G004", node=node.id, field="name", params={"name": _short(node.name)}
            )
        else:
            yield from _list_problems(graph, node, counts)


def _list_problems(graph: Graph, node: Node, names: Container[str]) -> Iterable[Diagnostic]:
    """Find names such as ``layers.0`` of what is no layer, or of a list called like a node."""
    list_position = list_place(node.name)
    if list_position is None:
        return
    entry = entry_of(graph, node)
    params: Params = {"name": _short(node.name), "list": list_position[0]}
    if entry is not None and entry.group not in (EntryGroup.LAYER, EntryGroup.BLOCK):
        yield Diagnostic(code="G080", node=node.id, field="name", params=params)
    elif list_position[0] in names:
        yield Diagnostic(code="G081", node=node.id, field="name", params=params)


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


def wire_findings(graph: Graph) -> Iterator[tuple[Edge, Diagnostic]]:
    """Yield the wires of one level that begin or end at a node or a port that is not there."""
    edges = incoming_by_node(graph)
    inputs = {
        node.id: {port.name for port in wired_inputs(entry_of(graph, node), edges[node.id])}
        for node in graph.nodes.values()
    }
    outputs = {
        node.id: {port.name for port in entry.output_ports(node.params)}
        for node in graph.nodes.values()
        if (entry := entry_of(graph, node)) is not None
    }
    for edge in graph.edges:
        for problem in _wire_problems(edge, graph.nodes, inputs, outputs):
            yield edge, problem


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


def _cycle_problems(graph: Graph) -> Iterable[Diagnostic]:
    cycle = find_cycle(graph)
    names = " → ".join(_short(graph.nodes[node_id].name) for node_id in cycle[:8])
    params: Params = {"nodes": names, "count": len(cycle)}
    for node_id in cycle:
        code = "G020" if len(cycle) > 1 else "G012"
        name = _short(graph.nodes[node_id].name)
        yield Diagnostic(code=code, node=node_id, params={**params, "name": name})


def _circle_problems(graph: Graph, name: str) -> Iterable[Diagnostic]:
    for node in graph.nodes.values():
        if contains(graph, block_name(node), name):
            yield Diagnostic(code="G059", node=node.id, params={"name": _short(name)})


def _misplaced(graph: Graph, code: str, types: tuple[str, ...]) -> Iterable[Diagnostic]:
    for node in graph.nodes.values():
        if node.type in types:
            yield Diagnostic(code=code, node=node.id, params={"name": _short(node.name)})


def _graph_problems(graph: Graph) -> Iterable[Diagnostic]:
    yield from _misplaced(graph, "G067", (BLOCK_INPUT, BLOCK_OUTPUT))
    if not graph.nodes:
        yield Diagnostic(code="G030")
        return
    if all(node.type != INPUT for node in graph.nodes.values()):
        yield Diagnostic(code="G025")
    outputs = [node.id for node in graph.nodes.values() if node.type == OUTPUT]
    if not outputs:
        yield Diagnostic(code="G024")
        return
    yield from _unused(graph, outputs)


def _body_problems(graph: Graph, path: Path) -> Iterable[Diagnostic]:
    yield from _misplaced(graph, "G068", (INPUT, OUTPUT))
    outputs = [node.id for node in graph.nodes.values() if node.type == BLOCK_OUTPUT]
    if not outputs:
        yield Diagnostic(code="G066", params={"name": _short(path[-1])})
        return
    if graph.style is BlockStyle.SWITCH:
        return  # branches wait there until they are chosen
    ports = [node.id for node in graph.nodes.values() if node.type == BLOCK_INPUT]
    yield from _unused(graph, [*outputs, *ports])


def _unused(graph: Graph, outputs: list[str]) -> Iterable[Diagnostic]:
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
    problems = _found.recall((node.params, entry), lambda: check_params(entry, node.params))
    return tuple(replace(problem, node=node.id) for problem in problems)


_found = Memory[tuple[Diagnostic, ...]](50_000)


def param_problem(node: Node, entry: Entry, name: str, value: Value) -> Diagnostic | None:
    """Return why a node's parameter cannot have a value."""
    problems = (problem for problem in check_params(entry, {name: value}) if problem.field == name)
    return next((replace(problem, node=node.id) for problem in problems), None)


def unknown_type(graph: Graph, node: Node) -> Diagnostic:
    """Return the finding that a node is a placeholder."""
    symbol = code_symbol(node.type)
    if symbol is not None:
        return _unknown_code(graph, node, symbol)
    block = block_name(node)
    if block:
        params: Params = {"name": _short(node.name), "block": _short(block)}
        return Diagnostic(code="G070", node=node.id, params=params)
    params = {"name": _short(node.name), "type": _short(node.type)}
    return Diagnostic(code="G022", node=node.id, params=params)


def _unknown_code(graph: Graph, node: Node, symbol: Symbol) -> Diagnostic:
    """Return why a node cannot be made from the user's own code."""
    params: Params = {"name": _short(node.name), "file": _short(symbol.file)}
    if symbol.file not in graph.code:
        return Diagnostic(code="U003", node=node.id, params=params)
    problem = file_of(graph.code, symbol.file).problem
    if problem is not None:
        more = {key: problem.params[key] for key in ("line", "reason")}
        return Diagnostic(code="U002", node=node.id, params={**params, **more})
    return Diagnostic(code="U004", node=node.id, params={**params, "entry": _short(symbol.name)})
