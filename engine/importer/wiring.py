"""Edges of a layer: what arrives at its ports, and where in a result a value is."""

import inspect
import operator
from typing import Any

from torch import Tensor, fx, nn

from engine.catalog.spec import Entry, Value
from engine.importer.parameters import layer_entry
from engine.importer.scope import Source
from engine.importer.trace import Trace

Wiring = tuple[dict[str, fx.Node], dict[str, Value]]


def source_of(node: fx.Node, trace: Trace) -> Source:
    """Return which operation gives a value: getting an item out of a tuple is none of its own."""
    path: tuple[int | str, ...] = ()
    while node.op == "call_function" and node.target is operator.getitem:
        above, index = node.args
        if not isinstance(above, fx.Node) or not isinstance(index, int | str):
            break
        value = trace.values[above].first
        if isinstance(value, Tensor):
            break
        path = (index % len(value) if isinstance(index, int) else index, *path)
        node = above
    return node, path


def layer_wires(node: fx.Node, module: nn.Module, trace: Trace) -> Wiring | None:
    """Return what arrives at the ports of a layer and the parameters that its call takes; nothing
    where the catalogue has no such port.
    """
    entry = layer_entry(module)
    if entry is None:
        return None
    signature = inspect.signature(module.forward)
    bound = signature.bind(*node.args, **node.kwargs)
    wires: dict[str, fx.Node] = {}
    params: dict[str, Value] = {}
    for position, (name, value) in enumerate(bound.arguments.items()):
        if value is signature.parameters[name].default:
            continue
        wiring = _argument(entry, position, name, value)
        if wiring is None:
            return None
        wires |= wiring[0]
        params |= wiring[1]
    return (wires, params) if all(map(trace.has_tensor, wires.values())) else None


def _argument(entry: Entry, position: int, name: str, value: Any) -> Wiring | None:
    """Return what one argument of a layer's call becomes; nothing where it has no counterpart.

    For ``self.lstm(x, (h, c))`` the first argument goes to the port ``input``; the second one to
    the ports ``h_0`` and ``c_0``, whose paths begin with its position. In
    ``self.attention(q, k, v, need_weights=False)`` the last one is a parameter of the call.
    """
    if isinstance(value, tuple) and all(isinstance(item, fx.Node) for item in value):
        ports = [port for port in entry.inputs if len(port.path) > 1 and port.path[0] == position]
        wires = {port.name: item for port, item in zip(ports, value, strict=False)}
        return (wires, {}) if len(ports) == len(value) else None
    if isinstance(value, fx.Node):
        port = _port(entry, position, name)
        return None if port is None else ({port: value}, {})
    spec = entry.param(name)
    if spec is None or not spec.call:
        return None
    return {}, {} if value == spec.default else {name: value}


def _port(entry: Entry, position: int, name: str) -> str | None:
    """Return the port of an argument: by its name, else by its position (``x`` for ``input``)."""
    names = [port.name for port in entry.inputs]
    if name in names:
        return name
    return names[position] if position < len(names) else None
