"""Class of the generated source: ``__init__`` makes the modules under the names that the user gave,
``forward`` has a line a node.
"""

from engine.catalog.code.target import written_target
from engine.catalog.spec import EntryGroup, ParamKind
from engine.codegen.construction import ConstructionWriter, items_of, list_keys
from engine.codegen.freezing import freezing, training_mode
from engine.codegen.inferred import Sizes
from engine.codegen.initialization import initializations
from engine.codegen.parts import Parts
from engine.custom.standalone import called_names
from engine.graph.block import block_of, entry_of
from engine.graph.edit.switch import branch_wires, switch_of
from engine.graph.expand import carried_ports
from engine.graph.naming import (
    free_name,
    list_place,
    name_problem,
    sanitized_name,
    variable_name,
)
from engine.graph.node_state.recomputation import CALL, HELPER, changes_buffers
from engine.syntax.call import Arguments, Constant, call_arguments, complete_params
from engine.syntax.composite import COMPOSITES
from engine.syntax.format import (
    INDENT,
    LINE_LENGTH,
    Expression,
    Group,
    Infix,
    Line,
    call,
    flat,
    returned,
    statement,
)

_RESERVED_VARIABLES = frozenset(
    {"torch", "nn", "F", "self", "float", "super", "l", "O", "I", "_", CALL, HELPER}
)


class ClassWriter:
    """Writes one class; names are chosen once, then the lines follow in order.

    ``block`` is the name of the block that it is the class of, empty for the model itself.
    """

    def __init__(self, parts: Parts, sizes: Sizes, class_name: str, block: str) -> None:
        self._parts = parts
        self._class_name = class_name
        self._prefix = sizes.first_use(block)
        self._arguments = list(sizes.slots[block].values())
        self._constructions = ConstructionWriter(sizes, block)
        self._attributes: dict[str, str] = {}
        self._names = {parts.graph.nodes[node_id].name for node_id in parts.written}
        self._variables: dict[tuple[str, str], str] = {}
        self._taken: set[str] = {*_RESERVED_VARIABLES, *called_names(parts.entries)}
        self._used = {
            (edge.source, edge.source_port)
            for node_id in parts.written
            for edge in parts.edges[node_id]
        }
        self._choose_names()
        self._keys = list_keys(self._attributes[node_id] for node_id in parts.made())

    def lines(self) -> list[Line]:
        """Return the class, with the path of the node that each line is of."""
        nodes = self._parts.graph.nodes
        made = [
            line
            for attribute, ids in self._groups().items()
            for line in self._constructions.lines(
                self._parts.graph,
                attribute,
                {self._attributes[node_id]: nodes[node_id] for node_id in ids},
            )
        ]
        reached = {node_id: self._attribute(node_id) for node_id in self._parts.made()}
        made += self._initializations()
        made += self._owned(freezing(self._parts.graph, reached))
        lines = [Line(f"class {self._class_name}(nn.Module):")]
        if made:
            signature = statement(
                "def ", call("__init__", ["self", *self._arguments]), depth=1, suffix=":"
            )
            lines += [Line(text) for text in signature]
            lines += [Line("        super().__init__()"), *made, Line("")]
        lines += self._owned(training_mode(self._parts.graph, reached))
        return [*lines, *self._signature(), *self._forward()]

    def _owned(self, lines: list[Line]) -> list[Line]:
        return [
            Line(line.text, f"{self._prefix}{line.owner}" if line.owner else "") for line in lines
        ]

    def _initializations(self) -> list[Line]:
        """Return how what was made begins, where that is not as PyTorch has it."""
        graph = self._parts.graph
        return [
            Line(line.text, f"{self._prefix}{line.owner}")
            for node_id in self._parts.made()
            if self._parts.is_module(node_id)
            for line in initializations(
                graph, graph.nodes[node_id], self._attribute(node_id), node_id
            )
        ]

    def _groups(self) -> dict[str, list[str]]:
        """Return what is made by the attribute it goes into: a node, or the nodes of a list."""
        found: dict[str, list[str]] = {}
        for node_id in self._parts.made():
            found.setdefault(self._attributes[node_id].partition(".")[0], []).append(node_id)
        return found

    def _attribute(self, node_id: str) -> str:
        """Return how the module of a node is reached: ``self.head``, ``self.layers[0]``."""
        attribute = self._attributes[self._parts.graph.nodes[node_id].shares or node_id]
        key = self._keys.get(attribute)
        if key is None:
            return f"self.{attribute}"
        return f"self.{attribute.partition('.')[0]}[{key}]"

    def _choose_names(self) -> None:
        attributes: set[str] = set()
        written = self._parts.written
        first = sorted(written, key=lambda i: not self._is_good(i))
        for node_id in first:
            name = self._name(node_id)
            name = name if self._is_good(node_id) else sanitized_name(name)
            attribute = free_name(name, attributes)
            attributes |= {attribute, attribute.partition(".")[0]}
            self._attributes[node_id] = attribute
        for node_id in written:
            if self._parts.is_tensor(node_id):
                owner = self._parts.graph.nodes[node_id].shares or node_id
                self._variables[node_id, "output"] = f"self.{self._attributes[owner]}"
            else:
                self._name_variables(node_id)

    def _is_good(self, node_id: str) -> bool:
        """Return whether a name can be written as it is; in a list only layers and blocks can."""
        name = self._name(node_id)
        place = list_place(name)
        can_stand = place is None or (
            self._parts.is_listed(node_id) and place[0] not in self._names
        )
        return can_stand and name_problem(name) is None

    def _name(self, node_id: str) -> str:
        return self._parts.graph.nodes[node_id].name

    def _name_variables(self, node_id: str) -> None:
        base = variable_name(self._attributes[node_id])
        ports = [p.name for p in self._parts.outputs_of(node_id) if (node_id, p.name) in self._used]
        node = self._parts.graph.nodes[node_id]
        if node.repeat > 1:
            carried = carried_ports(self._parts.graph, node, self._wired(node_id)).values()
            ports = list(dict.fromkeys([*carried, *ports]))
        if not ports and self._parts.outputs_of(node_id):
            ports = [self._parts.outputs_of(node_id)[0].name]
        for port in ports:
            name = base if len(ports) == 1 else f"{base}_{port.replace('.', '_')}"
            name = f"{name}_" if name in _RESERVED_VARIABLES else name
            variable = free_name(name, self._taken)
            self._taken.add(variable)
            self._variables[node_id, port] = variable

    def _signature(self) -> list[Line]:
        names = [self._variables[node_id, "output"] for node_id in self._parts.inputs]
        texts = statement("def ", call("forward", ["self", *names]), depth=1, suffix=":")
        return [Line(text) for text in texts]

    def _forward(self) -> list[Line]:
        lines: list[Line] = []
        for node_id in self._parts.written:
            if self._parts.entries[node_id].group in (EntryGroup.IO, EntryGroup.TENSOR):
                continue
            is_repeated = self._parts.graph.nodes[node_id].repeat > 1
            texts = self._loop(node_id) if is_repeated else self._assignment(node_id)
            lines += [Line(text, self._prefix + node_id) for text in texts]
        outputs = self._parts.outputs
        owner = self._prefix + outputs[0] if len(outputs) == 1 else ""
        return [*lines, *(Line(text, owner) for text in returned(self._results(), depth=2))]

    def _loop(self, node_id: str) -> list[str]:
        """Return the loop of a repeated node: what comes out of a copy goes into the next."""
        node = self._parts.graph.nodes[node_id]
        wires = self._wires(node_id)
        carried = carried_ports(self._parts.graph, node, wires)
        values = {port: self._variables[node_id, output] for port, output in carried.items()}
        lines = statement(
            f"{', '.join(values.values())} = ", ", ".join(wires[p] for p in values), 2
        )
        attribute = self._attribute(node_id)
        if node.tied:
            lines.append(f"{INDENT * 2}for _ in range({node.repeat}):")
            callee = attribute
        else:
            callee = self._free("layer")
            lines.append(f"{INDENT * 2}for {callee} in {attribute}:")
        value = self._call(node_id, {**wires, **values}, callee)
        return [*lines, *statement(f"{self._targets(node_id)} = ", value, depth=3)]

    def _free(self, base: str) -> str:
        return free_name(base, self._taken)

    def _assignment(self, node_id: str) -> list[str]:
        value = self._call(node_id, self._wires(node_id))
        targets = self._targets(node_id)
        head = value.head if isinstance(value, Group) else ""
        if "," not in targets or 2 * len(INDENT) + len(f"{targets} = {head}") <= LINE_LENGTH:
            return statement(f"{targets} = ", value, depth=2)
        whole = free_name(variable_name(self._attributes[node_id]), self._taken)
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

    def _wired(self, node_id: str) -> set[str]:
        return {edge.target_port for edge in self._parts.edges[node_id]}

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
        return _unpacking([_branch(tree.get(i, "_")) for i in range(self._width(node_id, tree))])

    def _width(self, node_id: str, tree: dict[int, dict[int, str] | str]) -> int:
        """Return how many values a call gives, those without a port too: attention gives its
        weights a place also where they are not wanted.
        """
        entry = self._parts.entries[node_id]
        given = entry.outputs if entry.group is EntryGroup.LAYER else ()
        return max([*tree, *(port.path[0] for port in given if port.path)]) + 1

    def _call(self, node_id: str, wires: dict[str, str], callee: str = "") -> Expression:
        entry, values = self._parts.entries[node_id], self._parts.values[node_id]
        arguments = call_arguments(entry, values, wires)
        items = items_of(arguments, wires)
        if self._parts.is_module(node_id):
            callee = callee or self._attribute(node_id)
            return self._branch(node_id, wires, callee) or self._module_call(node_id, callee, items)
        kind, _, name = entry.target.rpartition(":")
        if kind == "infix":
            return Infix(items[0], name, items[1])
        if kind == "own":
            return COMPOSITES[name].write(items)
        if kind == "method":
            return call(f"{flat(items[0])}.{name}", _spread(arguments, items[1:]))
        return call(written_target(entry.target), items)

    def _module_call(self, node_id: str, callee: str, items: list[Expression]) -> Expression:
        """Return the call of a module, by which its activations may be recomputed."""
        graph = self._parts.graph
        node = graph.nodes[node_id]
        if not node.recompute:
            return call(callee, items)
        if changes_buffers(graph, node):
            return call(HELPER, [callee, *items])
        return call(CALL, [callee, *items, "use_reentrant=False"])

    def _branch(self, node_id: str, wires: dict[str, str], callee: str) -> Expression | None:
        """Return the call of the branch of a switch that computes; nothing for other nodes."""
        graph = self._parts.graph
        block = block_of(graph, graph.nodes[node_id])
        switch = None if block is None else switch_of(graph, block)
        if block is None or switch is None:
            return None
        entry = entry_of(graph, switch.active)
        assert entry is not None
        inner = branch_wires(block, switch.active)
        given = {port: wires[outer] for port, outer in inner.items() if outer in wires}
        values = complete_params(entry, switch.active.params, {})
        items = items_of(call_arguments(entry, values, given), given)
        return call(f'{callee}["{switch.active.name}"]', items)


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
