"""The graph as the source of one readable ``nn.Module`` class; this source is what runs.

Layers are made in ``__init__`` under the names that the user gave, ``forward`` has a line a node.
Names that Python or ``nn.Module`` would not take are replaced, so a hostile document cannot write
anything but calls that the catalogue knows.
"""

from collections.abc import Iterable, Mapping

import msgspec

from engine.build.call import (
    Argument,
    Arguments,
    Built,
    Constant,
    Wire,
    Wires,
    call_arguments,
    complete_params,
    constructor_arguments,
    unresolved,
)
from engine.build.format import (
    INDENT,
    LINE_LENGTH,
    Expression,
    Group,
    Infix,
    call,
    flat,
    keyword,
    list_of,
    returned,
    statement,
    tuple_of,
)
from engine.build.literal import literal
from engine.build.propagate import Outcome, Propagator, shape_problems
from engine.catalog.spec import Entry, EntryGroup, ParamKind, PortSpec, Value
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.check import check, missing_inputs, param_problems
from engine.graph.model import Edge, Graph, Node
from engine.graph.naming import free_name, name_problem, sanitized_name
from engine.graph.query import (
    INPUT,
    OUTPUT,
    ancestors,
    entry_of,
    incoming_by_node,
    order,
    wired_inputs,
)

_RESERVED_VARIABLES = frozenset({"torch", "nn", "F", "self", "float", "super", "l", "O", "I", "_"})

Resolved = Mapping[str, Mapping[str, int]]
"""By node id the numbers that stand for "auto"."""


class Generated(msgspec.Struct, frozen=True, kw_only=True):
    """Source and the node of each of its lines (counted from 1).

    ``nodes`` are the nodes in it; ``is_complete`` tells whether they are all that lead to an
    output. ``source`` is empty when nothing can be written.
    """

    source: str = ""
    lines: dict[int, str] = {}
    nodes: tuple[str, ...] = ()
    is_complete: bool = False


def to_source(graph: Graph, class_name: str = "Model") -> str:
    """Return the source of the whole model, with the numbers for "auto" put in.

    Raises :class:`DiagnosticError` with what stands in the way when a part of it cannot be written.
    """
    return generate_whole(graph, class_name).source


def generate_whole(graph: Graph, class_name: str = "Model") -> Generated:
    """Return the source of the whole model with the node of each line, as :func:`to_source`."""
    outcomes = Propagator().outcomes(graph)
    resolved = {node_id: outcome.resolved for node_id, outcome in outcomes.items()}
    generated = generate(graph, resolved, class_name)
    if not generated.is_complete:
        raise DiagnosticError(*_obstacles(graph, outcomes))
    return generated


def _obstacles(graph: Graph, outcomes: Mapping[str, Outcome]) -> list[Diagnostic]:
    problems = [*check(graph), *shape_problems(graph, outcomes)]
    return [problem for problem in problems if problem.severity is Severity.ERROR]


def generate(
    graph: Graph, resolved: Resolved | None = None, class_name: str = "Model"
) -> Generated:
    """Return the largest part of a graph that can be written as a class; never raises.

    Left out are nodes that lead to no output (when there is one), and those that cannot be written:
    of an unknown type, on a cycle, with a missing input, a bad parameter or an open "auto".
    """
    parts = _Parts(graph, resolved or {})
    if not parts.written:
        return Generated()
    lines, owners = _Writer(parts, class_name).lines()
    return Generated(
        source="\n".join(lines) + "\n",
        lines=owners,
        nodes=tuple(parts.written),
        is_complete=parts.is_complete,
    )


class _Parts:
    """Which nodes are written, with their entries, values and wires."""

    def __init__(self, graph: Graph, resolved: Resolved) -> None:
        self.graph = graph
        self.edges = incoming_by_node(graph)
        self.entries: dict[str, Entry] = {}
        self.values: dict[str, dict[str, Value]] = {}
        outputs = [node.id for node in graph.nodes.values() if node.type == OUTPUT]
        wanted = ancestors(graph, outputs) if outputs else frozenset(graph.nodes)
        self.written: list[str] = []
        ordered = order(graph)
        for node_id in ordered:
            node = graph.nodes[node_id]
            if node_id not in wanted and node.type != INPUT:
                continue
            if self._can_write(node, resolved.get(node_id, {})):
                self.written.append(node_id)
        self.inputs = [n.id for n in graph.nodes.values() if n.id in self.entries and _is_input(n)]
        self.outputs = [node_id for node_id in outputs if node_id in self.entries]
        self.is_complete = bool(outputs) and wanted <= self.entries.keys()

    def _can_write(self, node: Node, resolved: Mapping[str, int]) -> bool:
        entry = entry_of(node)
        if entry is None or param_problems(node, entry):
            return False
        edges = self.edges[node.id]
        if missing_inputs(node, entry, edges) or not self._has_good_wires(entry, edges):
            return False
        values = complete_params(entry, node.params, resolved)
        if unresolved(entry, values):
            return False
        self.entries[node.id] = entry
        self.values[node.id] = values
        return True

    def _has_good_wires(self, entry: Entry, edges: Iterable[Edge]) -> bool:
        edges = tuple(edges)
        names = [edge.target_port for edge in edges]
        known = {port.name for port in wired_inputs(entry, edges)}
        return len(set(names)) == len(names) and all(
            edge.source in self.entries
            and edge.target_port in known
            and any(port.name == edge.source_port for port in self.outputs_of(edge.source))
            for edge in edges
        )

    def outputs_of(self, node_id: str) -> tuple[PortSpec, ...]:
        return self.entries[node_id].output_ports(self.graph.nodes[node_id].params)

    def layers(self) -> list[str]:
        """Return the layers, in the order of the nodes."""
        return [
            node_id for node_id in self.written if self.entries[node_id].group is EntryGroup.LAYER
        ]


def _is_input(node: Node) -> bool:
    return node.type == INPUT


class _Writer:
    """Writes the class; names are chosen once, then the lines follow in order."""

    def __init__(self, parts: _Parts, class_name: str) -> None:
        self._parts = parts
        self._class_name = class_name if name_problem(class_name) is None else "Model"
        self._attributes: dict[str, str] = {}
        self._variables: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set(_RESERVED_VARIABLES)
        self._lines: list[str] = []
        self._owners: dict[int, str] = {}
        self._used = {
            (edge.source, edge.source_port)
            for node_id in parts.written
            for edge in parts.edges[node_id]
        }
        self._choose_names()

    def lines(self) -> tuple[list[str], dict[int, str]]:
        layers = self._parts.layers()
        body: list[tuple[list[str], str]] = [
            *((self._construction(node_id), node_id) for node_id in layers),
        ]
        forward = self._forward()
        text = [line for lines, _ in (*body, *forward) for line in lines]
        self._lines = [
            *_imports(text),
            "",
            "",
            f"class {self._class_name}(nn.Module):",
        ]
        if layers:
            self._lines += ["    def __init__(self):", "        super().__init__()"]
            self._append(body)
            self._lines.append("")
        self._lines += self._signature()
        self._append(forward)
        return self._lines, self._owners

    def _append(self, parts: Iterable[tuple[list[str], str]]) -> None:
        for lines, node_id in parts:
            for line in lines:
                self._lines.append(line)
                if node_id:
                    self._owners[len(self._lines)] = node_id

    def _choose_names(self) -> None:
        attributes: set[str] = set()
        written = self._parts.written
        first = sorted(written, key=lambda i: name_problem(self._name(i)) is not None)
        for node_id in first:
            name = self._name(node_id)
            name = name if name_problem(name) is None else sanitized_name(name)
            attribute = free_name(name, attributes)
            attributes.add(attribute)
            self._attributes[node_id] = attribute
        for node_id in written:
            self._name_variables(node_id)

    def _name(self, node_id: str) -> str:
        return self._parts.graph.nodes[node_id].name

    def _name_variables(self, node_id: str) -> None:
        base = self._attributes[node_id]
        ports = [p.name for p in self._parts.outputs_of(node_id) if (node_id, p.name) in self._used]
        if not ports and self._parts.outputs_of(node_id):
            ports = [self._parts.outputs_of(node_id)[0].name]
        for port in ports:
            name = base if len(ports) == 1 else f"{base}_{port.replace('.', '_')}"
            name = f"{name}_" if name in _RESERVED_VARIABLES else name
            variable = free_name(name, self._taken)
            self._taken.add(variable)
            self._variables[node_id, port] = variable

    def _construction(self, node_id: str) -> list[str]:
        entry, values = self._parts.entries[node_id], self._parts.values[node_id]
        arguments = constructor_arguments(entry, values)
        items = self._items(arguments, {})
        prefix = f"self.{self._attributes[node_id]} = "
        return statement(prefix, call(entry.target, items), depth=2)

    def _signature(self) -> list[str]:
        names = [self._variables[node_id, "output"] for node_id in self._parts.inputs]
        return statement("def ", call("forward", ["self", *names]), depth=1, suffix=":")

    def _forward(self) -> list[tuple[list[str], str]]:
        parts: list[tuple[list[str], str]] = []
        for node_id in self._parts.written:
            if self._parts.entries[node_id].group is EntryGroup.IO:
                continue
            parts.append((self._assignment(node_id), node_id))
        owner = self._parts.outputs[0] if len(self._parts.outputs) == 1 else ""
        parts.append((returned(self._results(), depth=2), owner))
        return parts

    def _assignment(self, node_id: str) -> list[str]:
        value = self._call(node_id)
        targets = self._targets(node_id)
        head = value.head if isinstance(value, Group) else ""
        if "," not in targets or 2 * len(INDENT) + len(f"{targets} = {head}") <= LINE_LENGTH:
            return statement(f"{targets} = ", value, depth=2)
        whole = free_name(self._attributes[node_id], self._taken)
        self._taken.add(whole)
        lines = statement(f"{whole} = ", value, depth=2)
        for port in self._parts.outputs_of(node_id):
            variable = self._variables.get((node_id, port.name))
            if variable is not None:
                place = "".join(f"[{index}]" for index in port.path)
                lines += statement(f"{variable} = ", f"{whole}{place}", depth=2)
        return lines

    def _results(self) -> list[Expression]:
        if self._parts.outputs:
            return [self._wires(node_id)["input"] for node_id in self._parts.outputs]
        loose = [v for key, v in self._variables.items() if key not in self._used]
        return [*loose] or [next(reversed(self._variables.values()))]

    def _wires(self, node_id: str) -> dict[str, str]:
        return {
            edge.target_port: self._variables[edge.source, edge.source_port]
            for edge in self._parts.edges[node_id]
        }

    def _targets(self, node_id: str) -> str:
        ports = self._parts.outputs_of(node_id)
        if not any(port.path for port in ports):
            return self._variables[node_id, ports[0].name]
        tree: dict[int, dict[int, str] | str] = {}
        for port in ports:
            name = self._variables.get((node_id, port.name), "_")
            if len(port.path) == 1:
                tree[port.path[0]] = name
            else:
                branch = tree.setdefault(port.path[0], {})
                if isinstance(branch, dict):
                    branch[port.path[1]] = name
        return _unpacking([_branch(tree[index]) for index in sorted(tree)])

    def _call(self, node_id: str) -> Expression:
        entry, values = self._parts.entries[node_id], self._parts.values[node_id]
        wires = self._wires(node_id)
        arguments = call_arguments(entry, values, wires)
        items = self._items(arguments, wires)
        if entry.group is EntryGroup.LAYER:
            return call(f"self.{self._attributes[node_id]}", items)
        kind, _, name = entry.target.rpartition(":")
        if kind == "infix":
            return Infix(items[0], name, items[1])
        if kind == "method":
            return call(f"{flat(items[0])}.{name}", _spread(arguments, items[1:]))
        return call(name, items)

    def _items(self, arguments: Arguments, wires: Mapping[str, str]) -> list[Expression]:
        items = [self._item(argument, wires) for argument in arguments.positional]
        items += [keyword(name, self._item(a, wires)) for name, a in arguments.keywords]
        return items

    def _item(self, argument: Argument, wires: Mapping[str, str]) -> Expression:
        match argument:
            case Wire():
                return wires[argument.port]
            case Wires():
                items: list[Expression] = [wires[port] for port in argument.ports]
                return list_of(items) if argument.is_list else tuple_of(items)
            case Constant():
                return literal(argument.value, argument.spec.kind)
            case Built():
                return call(argument.target, self._items(argument.arguments, {}))


def _spread(arguments: Arguments, items: list[Expression]) -> list[Expression]:
    """Write ``x.view(-1, 64)`` for a method whose one argument is a shape."""
    last = arguments.positional[-1]
    is_shape = isinstance(last, Constant) and last.spec.kind is ParamKind.SHAPE
    if is_shape and len(items) == 1 and isinstance(items[0], Group) and items[0].items:
        return list(items[0].items)
    return items


def _branch(branch: dict[int, str] | str) -> str:
    if isinstance(branch, str):
        return branch
    names = [branch[index] for index in sorted(branch)]
    return "_" if set(names) == {"_"} else f"({_unpacking(names)})"


def _unpacking(names: list[str]) -> str:
    return f"({names[0]},)" if len(names) == 1 else ", ".join(names)


def _imports(lines: Iterable[str]) -> list[str]:
    text = "\n".join(lines)
    found = ["import torch"] if _mentions(text, "torch") else []
    found += ["import torch.nn.functional as F"] if _mentions(text, "F") else []
    return [*found, "from torch import nn"]


def _mentions(text: str, module: str) -> bool:
    return any(f"{before}{module}." in text for before in (" ", "(", "=", "["))
