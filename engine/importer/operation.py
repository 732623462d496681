"""Operators of the catalogue for the functions, methods and signs that a forward calls."""

import inspect
import operator
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor, fx
from torch._jit_internal import boolean_dispatched
from torch.fx.operator_schemas import get_signature_for_torch_op

from engine.catalog.check import check_value
from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, ParamKind, PortSpec, Value
from engine.importer.parameters import plain_value
from engine.importer.trace import Modal, Pair, Trace, holds_tensor, operation_name
from engine.shape.execute import Signal, build_module, run
from engine.syntax.call import complete_params
from engine.syntax.composite import slice_params
from engine.syntax.operator_name import (
    CASTS,
    argument_name,
    function_names,
    operators_by_name,
    operators_by_sign,
)

_SWAPPED = {"add": "add", "mul": "mul", "sub": "rsub"}
"""Operators with a number before the tensor, by what does the same with the tensor first."""

_IGNORED = ("inplace", "out", "memory_format", "_stacklevel")
_FOLLOWS_OUTPUT = ("view", "reshape")


_DROPOUTS = {
    f"torch.nn.functional.{name}": layer
    for name, layer in (
        ("dropout", "Dropout"),
        ("dropout1d", "Dropout1d"),
        ("dropout2d", "Dropout2d"),
        ("dropout3d", "Dropout3d"),
        ("alpha_dropout", "AlphaDropout"),
        ("feature_alpha_dropout", "FeatureAlphaDropout"),
    )
}
"""Functions that do something in training only, by the layer for each."""


class UnmappedError(Exception):
    """The catalogue has nothing that does the same; ``code`` tells why."""

    def __init__(self, code: str = "I001") -> None:
        super().__init__(code)
        self.code = code


class Operation(NamedTuple):
    """A node for an operation: what arrives at its ports, by the operation that it comes from."""

    entry: Entry
    params: dict[str, Value]
    wires: dict[str, fx.Node]


@cache
def _entries() -> dict[str, Entry]:
    """Return the operators by the name that is called, also by those of the module ``operator``."""
    signs = operators_by_sign().items()
    return operators_by_name() | {
        name: entry for sign, entry in signs for name in function_names(sign)
    }


def is_known_operation(name: str) -> bool:
    """Return whether the catalogue may have an operator for a function of this name."""
    return name in _entries()


def changes_its_input(node: fx.Node) -> bool:
    """Return whether an operation writes into the tensor that it gets first."""
    name = operation_name(node).rpartition(".")[2]
    is_operator = getattr(node.target, "__module__", "") == "_operator"
    if node.target is operator.setitem or "writes" in node.meta:
        return True
    is_method = node.op == "call_method" and name.endswith("_") and not name.endswith("__")
    is_assignment = is_operator and name.startswith("i") and name[1:] in vars(operator)
    return is_method or is_assignment or bool(node.kwargs.get("inplace"))


def describe_operation(node: fx.Node, trace: Trace) -> Operation:
    """Return an operation as a node. Raises :class:`UnmappedError`."""
    try:
        operation = _special(node, trace) or _called(node, trace)
    except UnmappedError as error:
        if error.code != "I004" or node.target != "expand":
            raise
        operation = _expanded(node, trace)
    _require_same(operation, node, trace)
    return operation


def _special(node: fx.Node, trace: Trace) -> Operation | None:
    """Return what is called otherwise on the canvas; nothing for what keeps its name."""
    if node.target is operator.getitem:
        return _selection(node, trace)
    if operation_name(node) in _DROPOUTS:
        return _dropout(node)
    return _cast(node) if node.op == "call_method" else None


def _dropout(node: fx.Node) -> Operation:
    """Return ``F.dropout(x, p, self.training)`` as the layer that does that."""
    target: Any = node.target
    bound = inspect.signature(target).bind(*node.args, **node.kwargs)
    bound.apply_defaults()
    entry = catalog().node(_DROPOUTS[operation_name(node)])
    source, p = bound.arguments["input"], bound.arguments["p"]
    if entry is None or bound.arguments["training"] != Modal(evaluation=False, training=True):
        raise UnmappedError
    if not isinstance(source, fx.Node) or not isinstance(p, float | int):
        raise UnmappedError
    return Operation(entry, {} if p == entry.params[0].default else {"p": p}, {"input": source})


def _cast(node: fx.Node) -> Operation | None:
    """Return ``x.float()`` and ``x.to(torch.float32)``."""
    source, *rest = node.args
    dtype = CASTS.get(str(node.target))
    if node.target == "to" and len(rest) == 1 and isinstance(rest[0], torch.dtype):
        dtype = str(rest[0]).removeprefix("torch.")
    elif rest or node.kwargs:
        return None
    entry = catalog().node("cast")
    if dtype is None or entry is None or not isinstance(source, fx.Node):
        return None
    params: dict[str, Value] = {} if entry.params[0].default == dtype else {"dtype": dtype}
    return Operation(entry, params, {"input": source})


def _expanded(node: fx.Node, trace: Trace) -> Operation:
    """Return ``token.expand(len(x), -1, -1)``: once for each sample of the tensor counted."""
    entry, source = catalog().node("expand_batch"), node.args[0]
    counted = next((n for n in _behind(node, trace) if n is not source), trace.first_input())
    if entry is None or not isinstance(source, fx.Node):
        raise UnmappedError("I004")
    return Operation(entry, {}, {"input": source, "like": counted})


def _behind(node: fx.Node, trace: Trace) -> Iterator[fx.Node]:
    """Yield the tensors that the arguments of an operation come from, numbers gone through."""
    for source in node.all_input_nodes:
        if trace.has_tensor(source):
            yield source
        else:
            yield from _behind(source, trace)


def _called(node: fx.Node, trace: Trace) -> Operation:
    entry = _entry(node)
    if entry is None:
        raise UnmappedError
    args = tuple(_settled(argument, trace) for argument in node.args)
    kwargs = {name: _settled(argument, trace) for name, argument in node.kwargs.items()}
    if entry.target.startswith("infix:"):
        name, args = _turned(entry, args)
        entry = catalog().node(name)
        assert entry is not None
    for named in _bindings(node, entry, args, kwargs):
        operation = _bound(entry, named, node, trace)
        if operation is not None:
            return operation
    raise UnmappedError("I004" if _has_varying((*args, *kwargs.values())) else "I001")


def _entry(node: fx.Node) -> Entry | None:
    name = operation_name(node).rpartition(".")[2]
    if node.op == "call_function":
        homes: tuple[Any, ...] = (torch, torch.nn.functional, operator, torch.special)
        if not any(getattr(home, name, None) is node.target for home in homes):
            return None
    return _entries().get(name) or _entries().get(name.rstrip("_"))


def _settled(argument: Any, trace: Trace) -> Any:
    """Return an argument with numbers in the place of operations that give no tensor."""
    if isinstance(argument, fx.Node):
        if trace.has_tensor(argument):
            return argument
        pair = trace.values[argument]
        return pair.first if pair.is_constant else _split(pair)
    if isinstance(argument, list | tuple):
        return [_settled(item, trace) for item in argument]
    if isinstance(argument, slice):
        parts = (argument.start, argument.stop, argument.step)
        return slice(*(_settled(part, trace) for part in parts))
    return argument


def _split(pair: Pair) -> Any:
    if isinstance(pair.first, tuple) and len(pair.first) == len(pair.second):
        items = [Pair(a, b) for a, b in zip(pair.first, pair.second, strict=True)]
        return [item.first if item.is_constant else item for item in items]
    return pair


def _has_varying(value: Any) -> bool:
    if isinstance(value, Pair):
        return True
    return isinstance(value, list | tuple) and any(map(_has_varying, value))


def _turned(entry: Entry, args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Return an infix operator with the tensor first."""
    if len(args) != 2 or isinstance(args[0], fx.Node):
        return entry.key, args
    if entry.key not in _SWAPPED:
        raise UnmappedError
    return _SWAPPED[entry.key], (args[1], args[0])


def _bindings(
    node: fx.Node, entry: Entry, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield what each argument may be called, for each way in which PyTorch reads them."""
    ports = [port.name for port in entry.inputs if not port.keyword]
    param_names = [param.name for param in entry.params if param.name not in ports]
    names = ports + param_names
    if entry.positional and set(entry.positional) & set(ports):
        names = list(entry.positional)
    last = entry.param(param_names[-1]) if param_names else None
    is_listed = node.op == "call_method" and last is not None and last.kind is ParamKind.SHAPE
    if is_listed and last is not None:
        position = len(names) - len(param_names) + param_names.index(last.name)
        rest = args[position:]
        is_one = len(rest) == 1 and isinstance(rest[0], list | tuple)
        args = (*args[:position], rest[0] if is_one else list(rest)) if rest else args
    signatures = [] if is_listed or _is_infix(node, entry) else _signatures(node)
    if signatures:
        for signature in signatures:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError:
                continue
            defaults = {name: p.default for name, p in signature.parameters.items()}
            yield {n: v for n, v in bound.arguments.items() if not _is_default(v, defaults[n])}
        return
    if len(args) <= len(names):
        yield {**dict(zip(names, args, strict=False)), **kwargs}


def _is_infix(node: fx.Node, entry: Entry) -> bool:
    is_operator = getattr(node.target, "__module__", "") == "_operator"
    return is_operator or entry.target.startswith("infix:")


def _is_default(value: Any, default: Any) -> bool:
    """Return whether an argument is what PyTorch takes without it."""
    return type(value) is type(default) and not isinstance(value, fx.Node) and value == default


def _signatures(node: fx.Node) -> list[inspect.Signature]:
    target: Any = node.target
    if node.op == "call_method":
        name = str(target).rstrip("_")
        target = getattr(torch, name, None) or getattr(Tensor, str(target))
    elif target in boolean_dispatched:
        target = boolean_dispatched[target]["if_false"]
    signatures = get_signature_for_torch_op(target)
    if signatures:
        return list(signatures)
    try:
        return [inspect.signature(target)]
    except (TypeError, ValueError):
        return []


def _bound(entry: Entry, named: Mapping[str, Any], node: fx.Node, trace: Trace) -> Operation | None:
    """Return the operation with arguments by name, or nothing where one has no counterpart."""
    wires: dict[str, fx.Node] = {}
    params: dict[str, Value] = {}
    ports = {port.name: port for port in entry.inputs}
    for name, value in named.items():
        if name in _IGNORED:
            continue
        port = ports.get(argument_name(name, ports))
        if port is not None and _is_wired(value):
            wires |= _wires(port, value)
            continue
        spec = entry.param(argument_name(name, {param.name for param in entry.params}))
        if spec is None or isinstance(value, fx.Node):
            return None
        plain = plain_value(spec, _shape_of_result(entry, value, node, trace))
        if isinstance(plain, tuple) and any(map(_has_varying, plain)):
            raise UnmappedError("I004")
        if isinstance(plain, Pair) or check_value(spec, plain) is not None:
            return None
        if spec.required or plain != spec.default:
            params[spec.name] = plain
    drawn = entry.param(entry.counted_by) if entry.counted_by else None
    if drawn is not None and drawn.is_drawn and drawn.name not in params:
        params[drawn.name] = len(trace.values[node].first)
        if check_value(drawn, params[drawn.name]) is not None:
            return None
    return Operation(entry, params, wires)


def _is_wired(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, fx.Node) for item in value)
    return isinstance(value, fx.Node)


def _wires(port: PortSpec, value: Any) -> dict[str, fx.Node]:
    if port.variadic:
        items = value if isinstance(value, list) else [value]
        return {f"{port.name}.{index}": item for index, item in enumerate(items)}
    if isinstance(value, list):
        raise UnmappedError
    return {port.name: value}


def _shape_of_result(entry: Entry, value: Any, node: fx.Node, trace: Trace) -> Any:
    """Return sizes that depend on the batch in a way that holds for every batch."""
    results = trace.values[node]
    if entry.key in _FOLLOWS_OUTPUT and isinstance(results.first, Tensor):
        pairs = list(zip(results.first.shape, results.second.shape, strict=True))
        sizes = [a if a == b else -1 for a, b in pairs]
        return sizes if sizes.count(-1) <= 1 else value
    if entry.key == "split" and isinstance(value, int):
        axis = node.args[2] if len(node.args) > 2 else node.kwargs.get("dim", 0)
        assert isinstance(axis, int)
        return [part.shape[axis] for part in results.first]
    if entry.key == "expand" and isinstance(value, list) and _has_varying(value):
        source = trace.values[node.args[0]].first  # pyright: ignore[reportArgumentType]
        lead = len(value) - source.ndim
        return [
            -1 if isinstance(v, Pair) and i >= lead and source.shape[i - lead] == v.first else v
            for i, v in enumerate(value)
        ]
    return value


def _selection(node: fx.Node, trace: Trace) -> Operation:
    """Return ``x[:, 0]`` or ``x[:, a:b]``, with one axis that is not taken whole."""
    source, index = node.args
    assert isinstance(source, fx.Node)
    value = _settled(index, trace)
    items = value if isinstance(value, list) else [value]
    chosen = [axis for axis, item in enumerate(items) if item != slice(None)]
    shape = trace.values[source].first.shape
    if len(chosen) != 1 or len(items) > len(shape):
        raise UnmappedError
    axis = chosen[0]
    item = items[axis]
    if isinstance(item, int) and not isinstance(item, bool):
        key, params = "select", {"dim": axis, "index": item}
    elif isinstance(item, slice) and not _has_varying([item.start, item.stop, item.step]):
        is_batch = trace.values[source].second.shape[axis] != shape[axis]
        start, stop, step = item.indices(shape[axis])
        if step < 1 or stop <= start:
            raise UnmappedError
        key, params = "narrow", {"dim": axis, "start": start, "length": stop - start}
        if step != 1 or is_batch:
            key, params = "slice", slice_params(axis, item)
    else:
        raise UnmappedError
    entry = catalog().node(key)
    assert entry is not None
    return Operation(entry, dict(params), {"input": source})


def signal_of(pair: Pair) -> Signal | None:
    """Return what a tensor is on a wire; nothing for what is no tensor."""
    if not isinstance(pair.first, Tensor) or not isinstance(pair.second, Tensor):
        return None
    both = (pair.first, pair.second)
    strides = (tuple(pair.first.stride()), tuple(pair.second.stride()))
    is_dense = all(tensor.is_contiguous() for tensor in both)
    shapes = (tuple(pair.first.shape), tuple(pair.second.shape))
    return Signal(shapes, pair.first.dtype, None if is_dense else strides)


def arriving(wires: Mapping[str, fx.Node], trace: Trace) -> dict[str, Signal]:
    """Return what arrives at each port."""
    signals = {port: signal_of(trace.values[source]) for port, source in wires.items()}
    return {port: signal for port, signal in signals.items() if signal is not None}


def _require_same(operation: Operation, node: fx.Node, trace: Trace) -> None:
    """Raise where the operator of the catalogue gives other shapes than the original."""
    entry, params, wires = operation
    outputs = entry.output_ports(params)
    try:
        values = complete_params(entry, params, {})
        module = build_module(entry, values) if entry.group is EntryGroup.LAYER else None
        given = run(entry, values, module, arriving(wires, trace), outputs)
    except Exception as error:  # PyTorch raises many kinds; then it is not the same
        raise UnmappedError from error
    results = trace.values[node]
    for port in outputs:
        expected, actual = signal_of(_picked(results, port.path)), given.get(port.name)
        if (None if expected is None else expected[:2]) != (None if actual is None else actual[:2]):
            raise UnmappedError


def _picked(pair: Pair, path: tuple[int, ...]) -> Pair:
    pick: Callable[[Any, int], Any] = operator.getitem
    for index in path:
        if not holds_tensor(pair.first) or isinstance(pair.first, Tensor):
            return Pair(None, None)
        pair = Pair(pick(pair.first, index), pick(pair.second, index))
    return pair
