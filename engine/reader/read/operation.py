"""Operators in a text: the node of the catalogue for a call or a sign."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import libcst as cst

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, ParamKind, PortSpec, Value
from engine.reader.interpreter.setting import put_setting
from engine.reader.interpreter.value import (
    Built,
    Made,
    Method,
    Ref,
    Shape,
    Size,
    Tail,
    UnreadError,
)
from engine.syntax.composite import slice_params
from engine.syntax.operator_name import (
    CASTS,
    argument_name,
    operators_by_name,
    operators_by_sign,
)

_TURNED = {
    "+": "add", "*": "mul", "-": "rsub", "<": "gt", "<=": "ge", ">": "lt", ">=": "le",
    "==": "eq", "!=": "ne",
}  # fmt: skip
_ORDERS = {
    "gather": ("input", "dim", "index"),
    "index_select": ("input", "dim", "index"),
    "scatter": ("input", "dim", "index", "src"),
    "take": ("input", "index"),
}
"""Positional arguments as PyTorch has them, where the catalogue writes them by name."""

_LAID_OUT = ("view", "reshape", "expand")


class Operation:
    """A call as a node: the type, the settings and what arrives."""

    def __init__(self, entry: Entry, syntax: cst.CSTNode) -> None:
        self.entry = entry
        self.syntax = syntax
        self.params: dict[str, Value] = {}
        self.wires: dict[str, Ref] = {}

    def made(self) -> Made:
        """Return the node."""
        key = self.entry.key
        return Made(type=key, params=self.params, wires=self.wires, syntax=self.syntax)


@cache
def _entries() -> dict[str, Entry]:
    """Return the operators by the name that is called, else by their key."""
    keys = {entry.key: entry for entry in catalog().group(EntryGroup.OPERATOR)}
    return {**keys, **operators_by_name()}


def between(sign: str, operands: list[Any], syntax: cst.CSTNode) -> Made:
    """Return the node of an operator that is written as a sign. Raises :class:`UnreadError`."""
    is_turned = not isinstance(operands[0], Ref)
    if len(operands) == 1 or is_turned:
        entry = _entries().get(_TURNED.get(sign, "") if is_turned else sign)
    else:
        entry = operators_by_sign().get(sign)
    if entry is None:
        raise UnreadError(syntax, "T010")
    return bound(entry, [operands[1], operands[0]] if is_turned else operands, {}, syntax)


def called(
    name: str, arguments: Sequence[Any], keywords: Mapping[str, Any], syntax: cst.CSTNode
) -> Made:
    """Return the node of a function or a method. Raises :class:`UnreadError`."""
    arguments, keywords = list(arguments), dict(keywords)
    if name in CASTS and len(arguments) == 1 and not keywords:
        return bound(_entries()["to"], [arguments[0], CASTS[name]], {}, syntax)
    if name in ("max", "min") and len(arguments) == 2 and isinstance(arguments[1], Ref):
        name += "imum"
    special = _special(name, arguments, syntax)
    if special is not None:
        return special
    entry = _entries().get(name)
    if entry is None:
        raise UnreadError(syntax, "T017", name=name)
    return bound(entry, arguments, keywords, syntax)


def _special(name: str, arguments: list[Any], syntax: cst.CSTNode) -> Made | None:
    """Return the node of what is written in a form of its own, if it is."""
    match name, arguments:
        case "expand", [Ref() as tensor, Size() as size, Tail() as tail]:
            if tail.tensor == tensor and size.axis == 0:
                return _expanded(tensor, size, syntax)
        case "expand", [Ref() as tensor, Size() as size, *rest]:
            sizes = tensor.made.params.get("shape")  # of a parameter: how many axes there are
            is_whole = isinstance(sizes, tuple) and len(sizes) == len(rest) + 1
            if is_whole and size.axis == 0 and all(one == -1 for one in rest):
                return _expanded(tensor, size, syntax)
        case "index_select", [Ref() as tensor, int() as dim, Built(path="torch.randperm") as order]:
            device = order.keywords.get("device", Method(tensor, "device"))
            if [*order.arguments, device] == [Size(tensor, dim), Method(tensor, "device")]:
                return Made(
                    type="shuffle", params={"dim": dim}, wires={"input": tensor}, syntax=syntax
                )
        case (("view" | "reshape"), [Ref() as tensor, Size() as size, -1]):
            if size == Size(tensor, 0):
                made = Made(type="flatten", params={}, wires={"input": tensor}, syntax=syntax)
                entry = catalog().node("flatten")
                assert entry is not None
                put_setting(made.params, entry, "start_dim", 1, syntax)
                return made
        case _:
            pass
    return None


def _expanded(tensor: Ref, size: Size, syntax: cst.CSTNode) -> Made:
    wires = {"input": tensor, "like": size.tensor}
    return Made(type="expand_batch", params={}, wires=wires, syntax=syntax)


def bound(
    entry: Entry, arguments: list[Any], keywords: Mapping[str, Any], syntax: cst.CSTNode
) -> Made:
    """Return the node of an operator with its arguments. Raises :class:`UnreadError`."""
    operation = Operation(entry, syntax)
    named = _named(entry, arguments, syntax)
    entry_names = {item.name for item in (*entry.inputs, *entry.params)}
    for name, value in keywords.items():
        named[argument_name(name, entry_names)] = value
    ports = {port.name: port for port in entry.inputs}
    for name, value in named.items():
        port = ports.get(name)
        if port is not None and _is_wired(value):
            _wire(operation, port, value)
        else:
            laid_out = _laid_out(entry, value, named.get("input"))
            put_setting(operation.params, entry, name, laid_out, syntax)
    return operation.made()


def _named(entry: Entry, arguments: list[Any], syntax: cst.CSTNode) -> dict[str, Any]:
    """Return the positional arguments of a call by the names that the catalogue has for them.

    ``x.permute(0, 2, 1)`` is the same as ``x.permute((0, 2, 1))``, and ``torch.einsum(equation, a,
    b)`` has one port for all its tensors: such arguments are put into one list first.
    """
    names = _positional_names(entry)
    arguments = _with_listed_tensors(entry, names, _with_listed_sizes(entry, names, arguments))
    if len(arguments) > len(names):
        raise UnreadError(syntax, "T018", name=entry.key)
    return dict(zip(names, arguments, strict=False))


def _positional_names(entry: Entry) -> list[str]:
    """Return the ports and parameters of an operator in the order of PyTorch's arguments: ports
    before parameters, unless the entry says otherwise.
    """
    if entry.key in _ORDERS:
        return list(_ORDERS[entry.key])
    ports = [port.name for port in entry.inputs if not port.keyword]
    if set(entry.positional) & set(ports):
        return list(entry.positional)
    return [*ports, *_parameter_names(entry)]


def _parameter_names(entry: Entry) -> list[str]:
    """Return the parameters that are written in a call and are no port as well."""
    ports = {port.name for port in entry.inputs if not port.keyword}
    return [spec.name for spec in entry.params if spec.name not in ports and not spec.is_drawn]


def _with_listed_sizes(entry: Entry, names: Sequence[str], arguments: list[Any]) -> list[Any]:
    """Return ``x, 0, 2, 1`` as ``x, [0, 2, 1]`` where the last parameter is a shape."""
    last = [*entry.positional[-1:], *_parameter_names(entry)[-1:]]
    specs = [spec for name in last if (spec := entry.param(name)) is not None]
    shape = next((spec.name for spec in specs if spec.kind is ParamKind.SHAPE), None)
    if shape is None or shape not in names:
        return arguments
    index = names.index(shape)
    sizes = arguments[index:]
    is_spread = index > 0 and len(sizes) > 1 and all(isinstance(s, int | Size) for s in sizes)
    return [*arguments[:index], sizes] if is_spread else arguments


def _with_listed_tensors(entry: Entry, names: Sequence[str], arguments: list[Any]) -> list[Any]:
    """Return ``a, b`` as ``[a, b]`` where the first port takes any number of tensors."""
    if not entry.inputs or not entry.inputs[0].variadic:
        return arguments
    index = names.index(entry.inputs[0].name)
    tensors = arguments[index:]
    is_spread = len(tensors) > 1 and all(isinstance(one, Ref) for one in tensors)
    return [*arguments[:index], tensors] if is_spread else arguments


def _is_wired(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(item, Ref) for item in value)
    return isinstance(value, Ref)


def _wire(operation: Operation, port: PortSpec, value: Any) -> None:
    if port.variadic:
        items = value if isinstance(value, list | tuple) else [value]
        operation.wires |= {f"{port.name}.{index}": item for index, item in enumerate(items)}
    elif isinstance(value, Ref):
        operation.wires[port.name] = value
    else:
        raise UnreadError(operation.syntax, "T018", name=operation.entry.key)


def _laid_out(entry: Entry, value: Any, tensor: Any) -> Any:
    """Return a shape where one size that is taken from a tensor is left to be found out."""
    if entry.key not in _LAID_OUT or not isinstance(value, list | tuple):
        return value
    if entry.key == "expand":  # -1 leaves an axis as it is
        return [-1 if size == Size(tensor, n) else size for n, size in enumerate(value)]
    sizes = [-1 if isinstance(size, Size) else size for size in value]
    return sizes if sizes.count(-1) <= 1 else value


def selected(tensor: Ref, positions: list[Any], syntax: cst.CSTNode) -> list[Made]:
    """Return the nodes of ``x[:, 0]``, ``x[..., 2:4]`` or ``x[:, None, 1:]``: one for each axis
    that is not taken whole, each of what the one before gives. Raises :class:`UnreadError`.
    """
    positions = (
        list(positions[0]) if len(positions) == 1 and isinstance(positions[0], tuple) else positions
    )
    _refuse_backwards(positions, syntax)
    if positions.count(...) > 1:
        raise UnreadError(syntax, "T019")
    gap = positions.index(...) if ... in positions else len(positions)
    nodes: list[Made] = []
    for axis, position in (*_taken(positions[:gap], 0, 1), *_taken(positions[:gap:-1], -1, -1)):
        source = Ref(nodes[-1], "output") if nodes else tensor
        nodes.append(_taken_at(source, axis, position, syntax))
    if not nodes:
        raise UnreadError(syntax, "T019")
    return nodes


def _taken(positions: Sequence[Any], axis: int, step: int) -> Iterator[tuple[int, Any]]:
    """Yield what is taken along which axis, at the time when that is done: an index takes the axis
    away, so the next one has its number then.
    """
    for position in positions:
        if position != slice(None):
            yield axis, position
        axis += 0 if isinstance(position, int) else step


def _taken_at(tensor: Ref, axis: int, position: Any, syntax: cst.CSTNode) -> Made:
    match position:
        case None:
            key, params = "unsqueeze", {"dim": axis}
        case bool():
            raise UnreadError(syntax, "T019")
        case int() as index:
            key, params = "select", {"dim": axis, "index": index}
        case slice(start=int() | None, stop=int() | None, step=int() | None) as part:
            key, params = "slice", slice_params(axis, part)
        case _:
            raise UnreadError(syntax, "T019")
    entry = catalog().node(key)
    assert entry is not None
    made = Made(type=key, params={}, wires={"input": tensor}, syntax=syntax)
    for name, value in params.items():
        put_setting(made.params, entry, name, value, syntax)
    return made


def _axis(positions: list[Any], number: int) -> int:
    """Return which axis a place stands for: counted from the end behind ``...``."""
    return number - (len(positions) if ... in positions[:number] else 0)


def _refuse_backwards(positions: list[Any], syntax: cst.CSTNode) -> None:
    """Say of ``x[:, ::-1]`` which flip does what is meant."""
    turned = [
        _axis(positions, number)
        for number, position in enumerate(positions)
        if isinstance(position, slice) and isinstance(position.step, int) and position.step < 0
    ]
    if turned:
        raise UnreadError(syntax, "T036", call=f"torch.flip(…, ({', '.join(map(str, turned))},))")


def size_of(tensor: Ref, arguments: list[Any], syntax: cst.CSTNode) -> Shape | Size:
    """Return what ``x.size()`` and ``x.size(0)`` stand for."""
    match arguments:
        case []:
            return Shape(tensor)
        case [int() as axis]:
            return Size(tensor, axis)
        case _:
            raise UnreadError(syntax, "T010")
