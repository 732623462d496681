"""Construction of modules in ``__init__``: layers, uses of blocks, chains as ``nn.Sequential``,
switches as ``nn.ModuleDict``, repeats as ``nn.ModuleList``.
"""

from collections.abc import Iterable, Mapping

from engine.catalog.code.target import written_target
from engine.catalog.spec import Entry, EntryGroup, ParamKind
from engine.codegen.inferred import Sizes, Slot, copies
from engine.codegen.inline import child_names, children_of, is_inline
from engine.graph.block import (
    SEPARATOR,
    block_name,
    block_of,
    body,
    chain,
    entry_of,
    is_sequential,
)
from engine.graph.model import Block, Graph, Node
from engine.graph.naming import is_number, list_place
from engine.shape.tensor import content, is_learned, learned
from engine.syntax.call import (
    Argument,
    Arguments,
    Built,
    Constant,
    Listed,
    SlotName,
    Wire,
    Wires,
    complete_params,
    constructor_arguments,
)
from engine.syntax.format import (
    INDENT,
    Comprehension,
    Expression,
    Line,
    call,
    dict_of,
    flat,
    keyword,
    list_of,
    statement,
    tuple_of,
)
from engine.syntax.literal import literal


class ConstructionWriter:
    """Writes the statements of ``__init__`` that construct the modules of a class.
    ``class_name`` is the block's, empty for the model itself.
    """

    def __init__(self, sizes: Sizes, class_name: str) -> None:
        self._sizes = sizes
        self._class = class_name

    def lines(self, graph: Graph, attribute: str, nodes: Mapping[str, Node]) -> list[Line]:
        """Return the statement that makes the module of a node, or those of a list.

        ``nodes`` are by their attribute: one of them, or ``layers.0``, ``layers.1`` of the list.
        """
        if attribute not in nodes:
            return self._list(graph, attribute, nodes)
        node = nodes[attribute]
        entry = entry_of(graph, node)
        if entry is not None and entry.group is EntryGroup.TENSOR:
            return self._tensor(entry, node, attribute)
        return self._copies(graph, node, (f"self.{attribute} = ", ""), 2)

    def _list(self, graph: Graph, attribute: str, nodes: Mapping[str, Node]) -> list[Line]:
        """Return ``nn.ModuleList`` with a layer a line; ``nn.ModuleDict`` where one is missing, or
        where they have words for names.
        """
        keys = {key: name for name, key in list_keys(nodes).items()}
        is_module_list = "0" in keys
        kind, start, close = ("List", "[", "]") if is_module_list else ("Dict", "{", "}")
        indent = INDENT * 2
        lines = [Line(f"{indent}self.{attribute} = nn.Module{kind}("), Line(f"{indent}    {start}")]
        for key in _in_order(keys):
            before = "" if is_module_list else f"{key}: "
            lines += self._copies(graph, nodes[keys[key]], (before, ","), 4)
        return [*lines, Line(f"{indent}    {close}"), Line(f"{indent})")]

    def _copies(self, graph: Graph, node: Node, around: tuple[str, str], depth: int) -> list[Line]:
        """Return the lines that make a node: once, or as ``nn.ModuleList`` of its copies."""
        paths = copies("", node)
        if len(paths) == 1:
            return self._module(graph, node, paths[0], around, depth)
        items = [self._expression(graph, node, path) for path in paths]
        if all(flat(item) == flat(items[0]) for item in items):
            made = call(
                "nn.ModuleList", [Comprehension(items[0], f"for _ in range({node.repeat})")]
            )
        else:
            made = call("nn.ModuleList", [list_of(items)])
        return self._owned(statement(around[0], made, depth, around[1]), paths[0])

    def _tensor(self, entry: Entry, node: Node, attribute: str) -> list[Line]:
        """Return the statement that makes a parameter or a buffer."""
        values = complete_params(entry, node.params, {})
        if is_learned(entry):
            made = statement(f"self.{attribute} = ", _item(learned(entry, values), {}), depth=2)
            return self._owned(made, node.id)
        items: list[Expression] = [literal(attribute, ParamKind.STR), _item(content(values), {})]
        if values["persistent"] is not True:
            items.append(keyword("persistent", "False"))
        return self._owned(statement("", call("self.register_buffer", items), depth=2), node.id)

    def _module(
        self, graph: Graph, node: Node, path: str, around: tuple[str, str], depth: int
    ) -> list[Line]:
        """Return the lines of one module between what stands before and behind it."""
        block = block_of(graph, node)
        if block is not None and is_sequential(graph, block):
            return self._sequential(body(graph, block), block, path, around, depth)
        if block is not None and is_inline(graph, block):
            return self._switch(graph, block, path, around, depth)
        made = self._expression(graph, node, path)
        return self._owned(statement(around[0], made, depth, around[1]), path)

    def _sequential(
        self, inside: Graph, block: Block, path: str, around: tuple[str, str], depth: int
    ) -> list[Line]:
        """Return ``nn.Sequential`` with a layer a line; the layers by name where they have one."""
        children = chain(block) or []
        names = child_names(children)
        is_plain = names == [str(index) for index in range(len(names))]
        is_word = all(name.isidentifier() for name in names)
        start, close = ("OrderedDict(", ")") if is_word else ("OrderedDict({", "})")
        indent = INDENT * depth
        head = [f"{indent}{around[0]}nn.Sequential("]
        tail = [f"{indent}){around[1]}"]
        if not is_plain:
            head.append(f"{indent}{INDENT}{start}")
            tail.insert(0, f"{indent}{INDENT}{close}")
        lines = self._owned(head, path)
        for name, node in zip(names, children, strict=True):
            before = "" if is_plain else f"{name}=" if is_word else f'"{name}": '
            inner = f"{path}{SEPARATOR}{node.id}"
            deeper = depth + (1 if is_plain else 2)
            lines += self._module(inside, node, inner, (before, ","), deeper)
        return [*lines, *self._owned(tail, path)]

    def _switch(
        self, graph: Graph, block: Block, path: str, around: tuple[str, str], depth: int
    ) -> list[Line]:
        """Return ``nn.ModuleDict`` with a branch a line."""
        indent, inside = INDENT * depth, body(graph, block)
        lines = self._owned([f"{indent}{around[0]}nn.ModuleDict(", f"{indent}{INDENT}{{"], path)
        for child in children_of(graph, block):
            inner = f"{path}{SEPARATOR}{child.node.id}"
            before = f'"{child.node.name}": '
            lines += self._module(inside, child.node, inner, (before, ","), depth + 2)
        tail = [f"{indent}{INDENT}}}", f"{indent}){around[1]}"]
        return [*lines, *self._owned(tail, path)]

    def _expression(self, graph: Graph, node: Node, path: str) -> Expression:
        block = block_of(graph, node)
        if block is not None and is_sequential(graph, block):
            return self._sequential_expression(body(graph, block), block, path)
        if block is not None and is_inline(graph, block):
            return self._switch_expression(graph, block, path)
        if block is not None:
            return self._use(block_name(node), path)
        entry = entry_of(graph, node)
        assert entry is not None
        values = complete_params(entry, node.params, self._sizes.values(self._class, path, node))
        arguments = constructor_arguments(entry, values)
        return call(written_target(entry.target), items_of(arguments, {}))

    def _sequential_expression(self, inside: Graph, block: Block, path: str) -> Expression:
        children = chain(block) or []
        names = child_names(children)
        items = [self._expression(inside, n, f"{path}{SEPARATOR}{n.id}") for n in children]
        if names == [str(index) for index in range(len(names))]:
            return call("nn.Sequential", items)
        pairs: list[Expression] = [
            tuple_of([f'"{name}"', item]) for name, item in zip(names, items, strict=True)
        ]
        return call("nn.Sequential", [call("OrderedDict", [list_of(pairs)])])

    def _switch_expression(self, graph: Graph, block: Block, path: str) -> Expression:
        inside = body(graph, block)
        items = {
            child.node.name: self._expression(
                inside, child.node, f"{path}{SEPARATOR}{child.node.id}"
            )
            for child in children_of(graph, block)
        }
        return call("nn.ModuleDict", [dict_of(items)])

    def _use(self, name: str, path: str) -> Expression:
        items: list[Expression] = []
        for slot, argument in self._sizes.slots[name].items():
            value = self._sizes.value(self._class, Slot(path + SEPARATOR + slot.path, slot.param))
            items.append(keyword(argument, str(value)))
        return call(name, items)

    def _owned(self, texts: list[str], path: str) -> list[Line]:
        owner = self._sizes.first_use(self._class) + path
        return [Line(text, owner) for text in texts]


def list_keys(attributes: Iterable[str]) -> dict[str, str]:
    """Return what stands in the brackets for each layer of a list: ``0``, or ``"0"`` where the
    list is an ``nn.ModuleDict`` because a number is missing or a name is a word.
    """
    places = {name: place for name in attributes if (place := list_place(name)) is not None}
    found: dict[str, set[str]] = {}
    for before, key in places.values():
        found.setdefault(before, set()).add(key)
    whole = {name for name, keys in found.items() if keys == set(map(str, range(len(keys))))}
    return {name: key if before in whole else f'"{key}"' for name, (before, key) in places.items()}


def _in_order(keys: Iterable[str]) -> list[str]:
    """Return the keys of a list: words first, then numbers in ascending order."""
    words = {key: key.strip('"') for key in keys}
    return sorted(words, key=lambda key: int(words[key]) if is_number(words[key]) else -1)


def items_of(arguments: Arguments, wires: Mapping[str, str]) -> list[Expression]:
    """Return the arguments of a call as they are written; ``wires`` are variables by port."""
    items = [_item(argument, wires) for argument in arguments.positional]
    return items + [keyword(name, _item(a, wires)) for name, a in arguments.keywords]


def _item(argument: Argument, wires: Mapping[str, str]) -> Expression:
    match argument:
        case Wire():
            return wires[argument.port]
        case Wires():
            items: list[Expression] = [wires[port] for port in argument.ports]
            return list_of(items) if argument.is_list else tuple_of(items)
        case Constant():
            if isinstance(argument.value, SlotName):
                return str(argument.value)
            return literal(argument.value, argument.spec.kind)
        case Listed():
            return list_of([literal(number, ParamKind.FLOAT) for number in argument.numbers])
        case Built():
            return _built(argument)


def _built(made: Built) -> Expression:
    items = items_of(made.arguments, {})
    kind, _, name = made.target.rpartition(":")
    if kind == "method":
        return call(f"{flat(items[0])}.{name}", items[1:])
    return call(made.target, items)
