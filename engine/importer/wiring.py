"""What arrives at a layer, and where in the result of an operation a value stands."""

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
    for place, (name, value) in enumerate(bound.arguments.items()):
        if value is signature.parameters[name].default:
            continue
        found = _argument(entry, place, name, value)
        if found is None:
            return None
        wires |= found[0]
        params |= found[1]
    return (wires, params) if all(map(trace.has_tensor, wires.values())) else None


def _argument(entry: Entry, place: int, name: str, value: Any) -> Wiring | None:
    """Return what one argument is: wires at ports or a parameter; nothing where it is neither."""
    if isinstance(value, tuple) and all(isinstance(item, fx.Node) for item in value):
        grouped = [port for port in entry.inputs if len(port.path) > 1 and port.path[0] == place]
        wires = {port.name: item for port, item in zip(grouped, value, strict=False)}
        return (wires, {}) if len(grouped) == len(value) else None
    if isinstance(value, fx.Node):
        names = [port.name for port in entry.inputs]
        port = name if name in names else names[place] if place < len(names) else None
        return None if port is None else ({port: value}, {})
    spec = entry.param(name)
    if spec is None or not spec.call:
        return None
    return {}, {name: value} if value != spec.default else {}
