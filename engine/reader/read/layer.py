"""Layers in a text: what ``nn.Conv2d(...)`` makes, and what calling it says."""

import inspect
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import libcst as cst
from torch import nn

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, PortSpec, Value
from engine.reader.interpreter.setting import put_setting
from engine.reader.interpreter.value import Built, Made, Named, Ref, UnreadError

_LIBRARY = "torch."


@cache
def layer_entries() -> dict[str, Entry]:
    """Return the layers of the catalogue by the full name of their class."""
    return {_LIBRARY + entry.target: entry for entry in catalog().group(EntryGroup.LAYER)}


@cache
def _signature(path: str, method: str) -> tuple[str, ...]:
    kind = getattr(nn, path.rpartition(".")[2])
    parameters = inspect.signature(getattr(kind, method)).parameters
    names = tuple(name for name in parameters if name != "self")
    if "args" not in names:
        return names
    entry = layer_entries()[f"torch.nn.{kind.__name__}"]
    return tuple(spec.name for spec in entry.params if not spec.call)


def layer_of(built: Built) -> tuple[Entry, dict[str, Value]]:
    """Return the type and the settings of a layer. Raises :class:`UnreadError`."""
    entry = built.entry or layer_entries().get(built.path)
    if entry is None:
        raise UnreadError(built.syntax, "T022", name=built.path)
    params: dict[str, Value] = {}
    arguments = list(built.arguments)
    names = [spec.name for spec in entry.params if not spec.call]
    for part in entry.parts:
        inner = arguments.pop(0) if arguments else built.keywords.get(part.name)
        if not isinstance(inner, Built):
            raise UnreadError(built.syntax, "T022", name=built.path)
        given = _arguments(inner, _signature(inner.path, "__init__"))
        for name, value in given.items():
            if name in part.params:
                put_setting(params, entry, name, value, inner.syntax)
        names = [name for name in names if name not in part.params]
    if not entry.parts and built.entry is None:
        names = list(_signature(built.path, "__init__"))
    rest = Built(built.path, arguments, built.keywords, built.syntax)
    for name, value in _arguments(rest, names).items():
        if all(name != part.name for part in entry.parts):
            put_setting(params, entry, name, value, built.syntax)
    return entry, params


def _arguments(built: Built, names: Sequence[str]) -> dict[str, Any]:
    if len(built.arguments) > len(names):
        raise UnreadError(built.syntax, "T018", name=built.path.rpartition(".")[2])
    return {**dict(zip(names, built.arguments, strict=False)), **built.keywords}


def wire_layer(
    made: Made,
    entry: Entry,
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    syntax: cst.CSTNode,
) -> None:
    """Lead the arguments of a call to the ports and settings of a node."""
    names: Sequence[str] = [port.name for port in entry.inputs if not port.keyword]
    grouped = [port for port in entry.inputs if len(port.path) > 1]
    is_library = _LIBRARY + entry.target in layer_entries()
    if is_library and not grouped:
        names = _signature(entry.target, "forward")
    if len(arguments) > len(names):
        raise UnreadError(syntax, "T018", name=entry.key)
    if entry.group is EntryGroup.LAYER:
        named = [*enumerate(arguments), *keywords.items()]
    else:
        named = [
            *enumerate(arguments),
            *((_place(names, name, syntax), v) for name, v in keywords.items()),
        ]
    for position, value in named:
        if isinstance(value, tuple | list) and grouped:
            _wire_group(made, grouped, value, syntax)
            continue
        name = position if isinstance(position, str) else names[position]
        port = _port(entry, name, position)
        if port is not None and isinstance(value, Ref):
            made.wires[port.name] = value
        elif value is not None and port is not None and entry.param(port.name) is None:
            raise UnreadError(syntax, "T010")  # a packed sequence
        elif value is not None or port is None:
            put_setting(made.params, entry, name, value, syntax)


def _place(names: Sequence[str], name: str, syntax: cst.CSTNode) -> int:
    if name not in names:
        raise UnreadError(syntax, "T018", name=name)
    return list(names).index(name)


def _port(entry: Entry, name: str, position: int | str) -> PortSpec | None:
    ports = {port.name: port for port in entry.inputs}
    if name in ports:
        return ports[name]
    plain = [port for port in entry.inputs if not port.keyword]
    return plain[position] if isinstance(position, int) and position < len(plain) else None


def _wire_group(
    made: Made, ports: Sequence[PortSpec], values: Sequence[Any], syntax: cst.CSTNode
) -> None:
    if len(values) != len(ports) or not all(isinstance(value, Ref) for value in values):
        raise UnreadError(syntax, "T018", name=made.type)
    made.wires |= {port.name: value for port, value in zip(ports, values, strict=True)}


def results(made: Made, entry: Entry) -> Any:
    """Return what a call gives: a tensor, or several in the places where PyTorch has them."""
    ports = entry.output_ports(made.params)
    if not any(port.path for port in ports):
        return Ref(made, ports[0].name)
    tree: dict[int, Any] = {}
    for port in ports:
        if len(port.path) == 1:
            tree[port.path[0]] = Ref(made, port.name)
        else:
            tree.setdefault(port.path[0], {})[port.path[1]] = Ref(made, port.name)
    given = entry.outputs if entry.group is EntryGroup.LAYER else ()
    width = max([*tree, *(port.path[0] for port in given if port.path)]) + 1
    values = tuple(_branch(tree.get(index)) for index in range(width))
    return Named(values, tuple(port.name for port in ports) if len(ports) == len(values) else ())


def _branch(branch: Any) -> Any:
    if isinstance(branch, dict):
        return tuple(branch[index] for index in sorted(branch))
    return branch
