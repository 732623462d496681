"""Graph of the operations of a model, with a block for each module that has modules inside."""

from collections.abc import Container, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace
from torch import Tensor, fx, nn

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.block import can_be_sequential
from engine.graph.layout.layered import arrange
from engine.graph.model import Block, BlockStyle, Graph
from engine.graph.naming import (
    block_name_problem,
    default_name,
    free_name,
    is_number,
    name_problem,
    sanitized_name,
)
from engine.graph.query import INPUT, OUTPUT, find_cycle
from engine.importer.custom_code import Coded, CodeFile
from engine.importer.operation import (
    Operation,
    UnmappedError,
    arriving,
    changes_its_input,
    describe_operation,
)
from engine.importer.parameters import describe_layer, describe_tensor
from engine.importer.scope import Item, Place, Port, Scope, Source, use_type
from engine.importer.shipped import Shipped, shipped
from engine.importer.trace import (
    CONTAINERS,
    Trace,
    is_stochastic_depth,
    operation_name,
    place_of,
)
from engine.importer.wiring import layer_wires, source_of

_ROOM = (1150.0, 800.0)  # what a window of 1440 pixels shows at a zoom that can be read


def graph_of(trace: Trace) -> Graph:
    """Return the operations of a model as a graph. Raises :class:`DiagnosticError` with all that
    has no counterpart.

    A module whose layers have numbers for names, and that is no chain of them, cannot be a block:
    what its forward does around the chain goes to the module above, or else its layers do, as a
    list (``convs.0``). The same holds for an ``nn.ModuleDict`` (``heads.left``) between whose
    layers others are called.
    """
    _drop_unused(trace)
    lifted: frozenset[str] = frozenset()
    opened: frozenset[str] = frozenset()
    while True:
        hierarchy = Hierarchy(trace, lifted, opened)
        graph = hierarchy.graph()
        if not hierarchy.misnamed:
            return graph
        stuck = {path for path in hierarchy.misnamed if path in opened or not path}
        if stuck:
            raise DiagnosticError(*(hierarchy.misnamed[path] for path in stuck))
        opened |= {path for path in hierarchy.misnamed if path in lifted}
        lifted = lifted.union(hierarchy.misnamed) - opened


def _drop_unused(trace: Trace) -> None:
    """Take away what leads to no result: shapes were asked of it, or nothing. Layers stay, and so
    does what writes into a tensor.
    """
    for node in reversed(trace.graph.nodes):
        is_call = node.op in ("call_function", "call_method", "get_attr")
        if is_call and not node.users and not changes_its_input(node):
            trace.graph.erase_node(node)
            trace.values.pop(node, None)


class Hierarchy:
    """Puts the graph together: what is in which module, then names, then wires, then blocks.

    The operations of the modules ``lifted`` stand in the module above; of those ``opened`` the
    layers do, too. ``misnamed`` are modules that cannot be blocks, for the names inside or because
    they would feed themselves.
    """

    def __init__(self, trace: Trace, lifted: Container[str], opened: Container[str]) -> None:
        self.misnamed: dict[str, Diagnostic] = {}
        self._lifted = lifted
        self._opened = opened
        self._trace = trace
        self._root = Scope(trace.module, "", None)
        self._made: dict[fx.Node, tuple[Scope, Item, Entry]] = {}
        self._owners: dict[str, str] = {}
        self._tensors: dict[str, fx.Node] = {}
        self._blocks: dict[str, Block] = {}
        self._known: dict[bytes, str] = {}
        self._problems: list[Diagnostic] = []
        self._same: dict[fx.Node, fx.Node] = {}
        self._code = CodeFile(trace)
        self._order = {node: position for position, node in enumerate(trace.graph.nodes)}

    def graph(self) -> Graph:
        """Return the graph. Raises :class:`DiagnosticError` with all that has no counterpart."""
        for node in self._trace.graph.nodes:
            self._add(node)
        if self._problems:
            raise DiagnosticError(*self._problems)
        self._choose_names(self._root)
        self._wire(self._root, {})
        self._even_out()
        graph = self._level(self._root)
        if self._problems:
            raise DiagnosticError(*self._problems)
        return replace(graph, blocks=self._blocks, code=self._code.files())

    def _add(self, node: fx.Node) -> None:
        if node.op == "output":
            self._add_outputs(node)
        elif node.op == "placeholder":
            self._add_input(node)
        elif node.op == "call_module":
            self._add_layer(node)
        elif self._trace.has_tensor(node) and source_of(node, self._trace)[0] is node:
            self._add_operation(node)

    def _add_input(self, node: fx.Node) -> None:
        value = self._trace.values[node].first
        if not isinstance(value, Tensor):
            return
        params = {"shape": tuple(value.shape[1:]), "dtype": str(value.dtype).rpartition(".")[2]}
        entry = catalog().node(INPUT)
        assert entry is not None
        if params["dtype"] == "float32":
            del params["dtype"]
        self._put(self._root, node, entry, Item(base=_usable(node.name), is_fixed=False), params)

    def _add_outputs(self, node: fx.Node) -> None:
        result: Any = node.args[0]
        if isinstance(result, fx.Node):
            named = {"output": result}
        elif isinstance(result, dict):
            named = {str(name): value for name, value in result.items()}
        elif isinstance(result, list | tuple):
            fields = getattr(result, "_fields", [f"output{n + 1}" for n in range(len(result))])
            named = dict(zip(fields, result, strict=True))
        else:
            named = {}
        if not named or not all(self._is_result(value) for value in named.values()):
            self._problem("I011", node, operation=str(result)[:80])
            return
        for name, value in named.items():
            item = Item(base=_usable(name), is_fixed=False, type=OUTPUT)
            item.wires = {"input": self._source(value)}
            self._root.add(item)

    def _is_result(self, value: object) -> bool:
        return isinstance(value, fx.Node) and isinstance(self._trace.values[value].first, Tensor)

    def _add_layer(self, node: fx.Node) -> None:
        path = str(node.target)
        module = self._trace.module.get_submodule(path)
        if is_stochastic_depth(module):
            scope = self._scope(node, path)[0]
            item = Item(base=_name_inside(scope, path), is_fixed=True, path=path)
            self._put_coded(scope, node, item, self._code.stochastic_depth(node, module))
            return
        call = shipped(module)
        if call is not None:
            self._add_shipped(node, path, call)
            return
        wires = layer_wires(node, module, self._trace)
        described = describe_layer(module, arriving(wires[0], self._trace)) if wires else None
        if described is None or wires is None:
            self._problem("I003", node, name=path, type=type(module).__name__)
            return
        scope, is_inside = self._scope(node, path)
        if not is_inside and any(True for _ in module.state_dict()):
            self._problem("I012", node, name=path)
            return
        base = _name_inside(scope, path)
        item = Item(base=base if is_inside else _usable(base), is_fixed=is_inside, path=path)
        self._connect(item, wires[0])
        self._check_owner(scope, path, module, node)
        self._put(scope, node, described.entry, item, {**described.params, **wires[1]})

    def _add_shipped(self, node: fx.Node, path: str, call: Shipped) -> None:
        """Add a layer that code which ships with the program stands for."""
        scope = self._scope(node, path)[0]
        item = Item(base=_usable(default_name(call.name)), is_fixed=False)
        if any(True for _ in self._trace.module.get_submodule(path).state_dict()):
            item = Item(base=_name_inside(scope, path), is_fixed=True, path=path)
        self._put_coded(scope, node, item, self._code.shipped(node, call))

    def _check_owner(self, scope: Scope, path: str, module: nn.Module, node: fx.Node) -> None:
        owner = self._owners.setdefault(path, scope.path)
        if owner != scope.path and any(True for _ in module.state_dict()):
            self._problem("I012", node, name=path)

    def _add_operation(self, node: fx.Node) -> None:
        if node.op == "get_attr":
            self._add_tensor(node)
            return
        if changes_its_input(node) and (self._is_weight(node) or self._is_used_later(node)):
            self._problem("I008", node, operation=operation_name(node))
        try:
            described: Operation = describe_operation(node, self._trace)
        except UnmappedError:
            self._add_coded(node)
            return
        item = Item(base=default_name(described.entry.key), is_fixed=False)
        self._connect(item, described.wires)
        self._put(self._scope(node, "")[0], node, described.entry, item, described.params)

    def _add_coded(self, node: fx.Node) -> None:
        """Add a call that the catalogue has nothing for as a node of own code."""
        try:
            coded = self._code.operation(node)
        except UnmappedError as error:
            self._problem(error.code, node, operation=operation_name(node))
            return
        name = coded.entry.key.rpartition(".")[2]
        item = Item(base=_usable(default_name(name)), is_fixed=False)
        self._put_coded(self._scope(node, "")[0], node, item, coded)

    def _put_coded(self, scope: Scope, node: fx.Node, item: Item, coded: Coded) -> None:
        item.wires = {
            port: (self._same.get(source, source), path)
            for port, (source, path) in coded.wires.items()
        }
        item.outputs = coded.outputs
        self._put(scope, node, coded.entry, item, coded.params)

    def _add_tensor(self, node: fx.Node) -> None:
        """Add a parameter or buffer that a forward reads itself; read again it is the same node."""
        path = str(node.target)
        earlier = self._tensors.get(path)
        described = describe_tensor(self._trace.module, path)
        scope, is_inside = self._enter(self._scope(node, "")[0], "", path)
        coded = self._code.constant(node) if described is None else None
        if coded is not None:
            item = Item(base=_usable(path.rpartition(".")[2]), is_fixed=False)
            self._put_coded(self._scope(node, "")[0], node, item, coded)
        elif described is None:
            self._problem("I013", node, name=path)
        elif not is_inside and earlier is None:
            self._problem("I012", node, name=path)
        elif earlier is not None and earlier in self._made:
            self._same[node] = earlier
        else:
            self._tensors[path] = node
            item = Item(base=_name_inside(scope, path), is_fixed=True)
            self._put(scope, node, described.entry, item, described.params)

    def _is_weight(self, node: fx.Node) -> bool:
        """Return whether an operation writes into a tensor that the model holds."""
        changed = node.args[0] if node.args else None
        return isinstance(changed, fx.Node) and changed.op == "get_attr"

    def _is_used_later(self, node: fx.Node) -> bool:
        """Return whether what an operation wrote into is read again under its old name."""
        changed = node.args[0] if node.args else None
        if not isinstance(changed, fx.Node):
            return True
        value = self._trace.values[changed].first
        position = self._order[node]
        return any(
            self._order[user] > position
            for other, earlier in self._order.items()
            if earlier < position and other in self._trace.values
            if _is_one_storage(self._trace.values[other].first, value)
            for user in other.users
        )

    def _connect(self, item: Item, wires: dict[str, fx.Node]) -> None:
        item.wires = {port: self._source(value) for port, value in wires.items()}

    def _source(self, value: fx.Node) -> Source:
        node, path = source_of(value, self._trace)
        return self._same.get(node, node), path

    def _put(
        self, scope: Scope, node: fx.Node, entry: Entry, item: Item, params: dict[str, Any]
    ) -> None:
        item.origin, item.type, item.params = node, entry.key, params
        scope.add(item)
        self._made[node] = (scope, item, entry)
        for around in scope.lineage():
            around.places[node] = len(around.places)

    def _scope(self, node: fx.Node, leaf: str) -> tuple[Scope, bool]:
        """Return the scope of an operation, and whether the layer that it is of belongs to it."""
        stack: dict[str, tuple[str, object]] = node.meta.get("nn_module_stack", {})
        calls = [(key, call[0]) for key, call in stack.items()]
        scope, is_inside = self._root, True
        is_lifted = bool(calls) and not leaf and calls[-1][1] in self._lifted
        for key, path in calls[:-1] if leaf or is_lifted else calls:
            if path in self._opened:
                continue
            scope, is_inside = self._enter(scope, key, path)
            if not is_inside:
                self._problem("I012", node, name=path)
        return self._enter(scope, "", leaf) if leaf else (scope, is_inside)

    def _enter(self, scope: Scope, key: str, path: str) -> tuple[Scope, bool]:
        """Return the scope of a call inside another one; through containers that are not called
        themselves, such as ``nn.ModuleList``. Without a key it is where the layer ``path`` stands.
        """
        prefix = f"{scope.path}." if scope.path else ""
        if not path.startswith(prefix):
            return scope, False
        *containers, _ = path.removeprefix(prefix).split(".")
        inner = scope.path
        for name in containers:
            inner = f"{inner}.{name}" if inner else name
            if inner not in self._opened:
                scope = self._child(scope, f"{inner}#", inner)
        return (self._child(scope, key, path) if key else scope), True

    def _child(self, scope: Scope, key: str, path: str) -> Scope:
        if key not in scope.scopes:
            inner = Scope(self._trace.module.get_submodule(path), path, scope)
            base = _name_inside(scope, path)
            inner.use = Item(base=base, is_fixed=True, scope=inner, path=path)
            scope.scopes[key] = inner
            scope.add(inner.use)
        return scope.scopes[key]

    def _choose_names(self, scope: Scope) -> None:
        scope.choose_names(self._code.names())
        for item in scope.items:
            if item.scope is not None:
                self._choose_names(item.scope)

    def _even_out(self) -> None:
        """Give all calls of a module the same outputs in one order: what is used after any."""
        calls: dict[str, list[Scope]] = {}
        scopes = [self._root]
        for scope in scopes:
            calls.setdefault(scope.path, []).append(scope)
            scopes += [item.scope for item in scope.items if item.scope is not None]
        demanded = {
            path: sorted(set[Place]().union(*(scope.demanded() for scope in uses)), key=str)
            for path, uses in calls.items()
            if len(uses) > 1
        }
        if all(scope.demanded() == demanded.get(scope.path, scope.demanded()) for scope in scopes):
            return
        for scope in scopes:
            scope.forget_wires()
        self._wire(self._root, demanded)

    def _wire(self, scope: Scope, demanded: Mapping[str, list[Place]]) -> None:
        """Connect the items of a scope, after those inside of it; values that are demanded get an
        output whoever asks for them.
        """
        for item in scope.items:
            if item.scope is not None:
                self._wire(item.scope, demanded)
        for demand in demanded.get(scope.path, ()):
            if demand[0] < len(scope.places):
                source = scope.source_at(demand)
                scope.output(source, self._local(scope, source))
        for item in scope.items:
            if item.scope is not None:
                for source, port in item.scope.inputs().items():
                    scope.wire(self._local(scope, source), (item.id, port))
            for port, source in item.wires.items():
                scope.wire(self._local(scope, source), (item.id, port))

    def _local(self, scope: Scope, source: Source) -> Port:
        """Return where a value is found inside a scope; it is let in and out as needed."""
        home, item, entry = self._made[source[0]]
        if home is scope:
            if item.outputs:
                return item.id, item.outputs[source[1]]
            ports = entry.output_ports(item.params)
            return item.id, next(port.name for port in ports if port.path == source[1])
        way = list(home.lineage())
        if scope not in way:
            return scope.input(source)
        inner = way[way.index(scope) - 1]
        assert inner.use is not None
        return inner.use.id, inner.output(source, self._local(inner, source))

    def _level(self, scope: Scope) -> Graph:
        for item in scope.items:
            if item.scope is not None:
                item.type = use_type(self._block(item.scope))
        graph = scope.body(self._blocks, self._code.files())
        self._find_circle(scope, graph)
        positions = arrange(graph, {}, _ROOM)
        nodes = {i: replace(node, position=positions[i]) for i, node in graph.nodes.items()}
        graph = replace(graph, nodes=nodes)
        block = Block(nodes=nodes, edges=graph.edges, style=graph.style)
        is_chain = can_be_sequential(graph, block) and graph.style is BlockStyle.SEQUENTIAL
        for item in scope.items:
            problem = name_problem(item.name, is_sequential=is_chain) if item.is_fixed else None
            if problem is not None:
                params: dict[str, str | int | float] = {"name": item.path or item.name}
                self.misnamed.setdefault(scope.path, Diagnostic(code="I007", params=params))
        return replace(graph, style=BlockStyle.SEQUENTIAL if is_chain else BlockStyle.CLASS)

    def _find_circle(self, scope: Scope, graph: Graph) -> None:
        """Note the containers that are fed by what they feed: their layers are called in turns."""
        circle = find_cycle(graph)
        for item in scope.items:
            if item.id in circle and item.scope is not None and is_plain(item.scope.module):
                problem = Diagnostic(code="I007", params={"name": item.path})
                self.misnamed.setdefault(item.path, problem)

    def _block(self, scope: Scope) -> str:
        """Return the name of the block for a scope; the same inside is the same block."""
        graph = self._level(scope)
        block = Block(nodes=graph.nodes, edges=graph.edges, style=graph.style)
        plain = graph.style is BlockStyle.SEQUENTIAL
        kind = "" if plain else type(scope.module).__qualname__
        key = msgspec.json.encode((kind, block))
        if key not in self._known:
            self._known[key] = class_name(scope.module, scope.path, self._blocks)
            self._blocks[self._known[key]] = block
        name = self._known[key]
        shares = scope.use.shares if scope.use is not None else None
        if shares is not None and shares.type != use_type(name):
            self._problems.append(Diagnostic(code="I014", params={"name": scope.path}))
        return name

    def _problem(self, code: str, node: fx.Node, **params: str) -> None:
        problem = Diagnostic(code=code, params={"place": place_of(node), **params})
        if problem not in self._problems:
            self._problems.append(problem)


def _name_inside(scope: Scope, path: str) -> str:
    return path.removeprefix(f"{scope.path}.") if scope.path else path


def _usable(name: str) -> str:
    return name if name_problem(name) is None else sanitized_name(name)


def _is_one_storage(value: object, other: object) -> bool:
    """Return whether writing into one of two tensors changes the other."""
    if not isinstance(value, Tensor) or not isinstance(other, Tensor):
        return False
    return value.untyped_storage() is other.untyped_storage()


def is_plain(module: nn.Module) -> bool:
    """Return whether a module only holds others, and has no forward of its own writing."""
    return type(module) in CONTAINERS


def class_name(module: nn.Module, path: str, taken: Container[str]) -> str:
    """Return a free name for the block of a module: that of its class, or for a plain container
    one made of its attribute (``layer1`` gives ``Layer1``).
    """
    plain = is_plain(module)
    word = _attribute(path) if plain else type(module).__name__.lstrip("_")
    base = "".join(part[:1].upper() + part[1:] for part in word.split("_")) if plain else word
    if not base.isidentifier():
        base = type(module).__name__.lstrip("_")
    if block_name_problem(base) is not None:
        base = f"{base}Block"
    return free_name(base, taken)


def _attribute(path: str) -> str:
    words = [part for part in path.split(".") if not is_number(part)]
    return words[-1] if words else "Sequential"
