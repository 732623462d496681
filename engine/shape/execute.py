"""Execution of one node on the meta device: its output, and the numbers that stand for "auto"."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from engine.catalog.spec import AUTO, Entry, EntryGroup, ParamKind, PortSpec, Value
from engine.catalog.validate import DTYPES
from engine.graph.analysis import TensorType
from engine.shape.known_shape import hints, joined, normed, stepped
from engine.shape.tensor import content
from engine.syntax.call import (
    Argument,
    Arguments,
    Built,
    Constant,
    Listed,
    Wire,
    Wires,
    call_arguments,
    constructor_arguments,
)
from engine.syntax.composite import COMPOSITES
from engine.syntax.operator_name import SIGN_FUNCTIONS

BATCHES = (2, 3)
"""Two batch sizes: an axis that differs between them depends on the batch."""
OPEN = (5, 1031)
"""Sizes, for the two batches, of an axis of any length: how many boxes there are in a picture."""


class Signal(NamedTuple):
    """What is on a wire: the shape for each of the two batch sizes, and the dtype; the strides for
    each where the numbers do not lie one after the other in memory, which a view needs.
    """

    shapes: tuple[tuple[int, ...], tuple[int, ...]]
    dtype: torch.dtype
    strides: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape for the first batch size."""
        return self.shapes[0]

    def labels(self) -> tuple[int | str, ...]:
        """Return the shape with the batch as ``"N"``."""
        first, second = self.shapes
        if len(first) != len(second):
            return tuple("?" for _ in first)
        return tuple(_label(a, b) for a, b in zip(first, second, strict=True))

    def tensor_type(self) -> TensorType:
        """Return the plain value for the window."""
        return _tensor_type(self)

    def has_batch(self, axis: int) -> bool:
        """Return whether an axis depends on the batch."""
        return isinstance(self.labels()[axis], str)


@lru_cache(maxsize=10_000)  # a large model has the same few hundred, after every edit
def _tensor_type(signal: Signal) -> TensorType:
    return TensorType(
        shape=signal.labels(),
        dtype=dtype_name(signal.dtype),
        is_contiguous=signal.strides is None,
    )


def _label(first: int, second: int) -> int | str:
    if first == second:
        return first
    if (first, second) == OPEN:
        return "*"
    factor = second - first
    offset = first - factor * BATCHES[0]
    text = "N" if factor == 1 else f"{factor}*N"
    return text if offset == 0 else f"{text}{offset:+d}"


def dtype_name(dtype: torch.dtype) -> str:
    """Return ``float32`` for ``torch.float32``."""
    return str(dtype).removeprefix("torch.")


def dtype_of(name: Value) -> torch.dtype | None:
    """Return the dtype of that name, if it is one that documents may hold."""
    return getattr(torch, name) if isinstance(name, str) and name in DTYPES else None


def floating_of(precision: str) -> torch.dtype:
    """Return the dtype that a run of a precision gives to data and weights: those of mixed
    precision stay float32.
    """
    return torch.float64 if precision == "float64" else torch.float32


def in_floating(dtype: torch.dtype, floating: torch.dtype) -> torch.dtype:
    """Return the dtype that data and weights have in a model of that dtype: in double precision all
    decimal numbers are float64.
    """
    is_double = floating is torch.float64
    return floating if is_double and dtype.is_floating_point else dtype


def input_signal(
    shape: Value, dtype: Value, floating: torch.dtype = torch.float32
) -> Signal | None:
    """Return what an Input node gives to a model of a dtype, or nothing where its parameters say
    nothing usable.
    """
    sizes = (shape,) if isinstance(shape, int) else shape
    kind = dtype_of(dtype)
    if not isinstance(sizes, tuple) or kind is None:
        return None
    if not all(isinstance(size, int) and size >= -1 for size in sizes):
        return None
    plain = tuple(int(size) for size in sizes)
    first, second = (
        (batch, *(length if size == -1 else size for size in plain))
        for batch, length in zip(BATCHES, OPEN, strict=True)
    )
    return Signal((first, second), in_floating(kind, floating))


def resolve(
    entry: Entry, values: dict[str, Value], signals: Mapping[str, Signal]
) -> dict[str, int]:
    """Return the numbers for parameters on "auto" that follow from what arrives."""
    found: dict[str, int] = {}
    for spec in entry.params:
        if not spec.auto or values.get(spec.name) != AUTO:
            continue
        port = spec.auto_port or (entry.inputs[0].name if entry.inputs else "")
        signal = signals.get(port)
        if signal is None or not -len(signal.shape) <= spec.auto_axis < len(signal.shape):
            continue
        if not signal.has_batch(spec.auto_axis):
            found[spec.name] = signal.shape[spec.auto_axis]
    return found


def build_module(
    entry: Entry, values: Mapping[str, Value], floating: torch.dtype = torch.float32
) -> nn.Module:
    """Return a layer of a dtype, its parameters without memory. Raises what PyTorch raises."""
    with torch.device("meta"):
        arguments = constructor_arguments(entry, values)
        module: nn.Module = _construct(entry.target, arguments)
    return module_in_floating(module, floating)


def module_in_floating(module: nn.Module, floating: torch.dtype) -> nn.Module:
    """Return a layer with its weights and buffers in the dtype of its model."""
    return module.double() if floating is torch.float64 else module


def build_tensor(values: Mapping[str, Value], floating: torch.dtype) -> Signal:
    """Return what a parameter, buffer or constant gives in a model of a dtype. Raises what PyTorch
    raises.
    """
    with torch.device("meta"):
        made: Tensor = _value(content(values, is_seeded=False), {})
    shape = tuple(made.shape)
    return Signal((shape, shape), in_floating(made.dtype, floating))


_BATCH_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)


def run(
    entry: Entry,
    values: Mapping[str, Value],
    module: nn.Module | None,
    signals: Mapping[str, Signal],
    outputs: tuple[PortSpec, ...],
) -> dict[str, Signal]:
    """Return what comes out at each port. Raises what PyTorch raises."""
    results: list[dict[str, Tensor]] = []
    for index in range(len(BATCHES)):
        tensors = {port: _blank(signal, index) for port, signal in signals.items()}
        if isinstance(module, _BATCH_NORMS):
            module.eval()  # it asks the same shapes in half the time: the batches are not of one
        value = _call(entry, values, module, tensors)
        results.append(
            {port.name: out for port in outputs if (out := picked(value, port)) is not None}
        )
    first, second = results
    return {
        name: signal_of(tensor, second[name], keeps_order=_keeps_order(entry))
        for name, tensor in first.items()
        if name in second
    }


def _blank(signal: Signal, index: int) -> Tensor:
    """Return a tensor without memory for one of the batch sizes."""
    shape = signal.shapes[index]
    if signal.strides is None:
        return torch.empty(shape, dtype=signal.dtype, device="meta")
    return torch.empty_strided(shape, signal.strides[index], dtype=signal.dtype, device="meta")


def signal_of(first: Tensor, second: Tensor, *, keeps_order: bool = True) -> Signal:
    """Return what is on a wire from the tensors for the two batch sizes."""
    shapes = tuple(first.shape), tuple(second.shape)
    if not keeps_order or (first.is_contiguous() and second.is_contiguous()):
        return Signal(shapes, first.dtype)
    return Signal(shapes, first.dtype, (first.stride(), second.stride()))


def _keeps_order(entry: Entry) -> bool:
    """Return whether the order in memory is known: kernels of layers with weights choose it."""
    return entry.group is EntryGroup.OPERATOR or entry.category in _KEEPING


_KEEPING = ("Activation", "Dropout", "Shape")


def picked(value: Any, port: PortSpec) -> Tensor | None:
    """Return what a call gives at a port; None where that is no tensor."""
    found = value_at(value, port)
    return found if isinstance(found, Tensor) else None


def value_at(value: Any, port: PortSpec) -> Any:
    """Return what a call gives in the place of a port. Raises what Python raises."""
    for index in port.path:
        value = value[index]
    return value


def _call(
    entry: Entry,
    values: Mapping[str, Value],
    module: nn.Module | None,
    tensors: Mapping[str, Tensor],
) -> Any:
    positional, keywords = arguments_of(call_arguments(entry, values, tensors), tensors)
    if entry.group is EntryGroup.LAYER:
        assert module is not None
        known = None if keywords else normed(module, positional)
        known = stepped(module, positional, keywords) if known is None else known
        return module(*positional, **hints(module) | keywords) if known is None else known
    kind, _, name = entry.target.rpartition(":")
    if kind == "infix":
        return SIGN_FUNCTIONS[name](positional[0], positional[1])
    if kind == "own":
        return COMPOSITES[name].run(*positional)
    if kind == "method":
        return getattr(positional[0], name)(*positional[1:], **keywords)
    function = _target(name)
    known = joined(function, positional, keywords)
    return function(*positional, **keywords) if known is None else known


def arguments_of(
    arguments: Arguments, tensors: Mapping[str, Tensor]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call as values; ``tensors`` are what arrives, by port."""
    positional = [_value(argument, tensors) for argument in arguments.positional]
    keywords = {name: _value(argument, tensors) for name, argument in arguments.keywords}
    return positional, keywords


def _construct(target: str, arguments: Arguments) -> Any:
    positional, keywords = arguments_of(arguments, {})
    kind, _, name = target.rpartition(":")
    if kind == "method":
        return getattr(positional[0], name)(*positional[1:], **keywords)
    return _target(target)(*positional, **keywords)


def _value(argument: Argument, tensors: Mapping[str, Tensor]) -> Any:
    match argument:
        case Wire():
            return tensors[argument.port]
        case Wires():
            found = [tensors[port] for port in argument.ports]
            return found if argument.is_list else tuple(found)
        case Constant():
            if argument.spec.kind is ParamKind.DTYPE and isinstance(argument.value, str):
                return dtype_of(argument.value)
            return argument.value
        case Listed():
            return list(argument.numbers)
        case Built():
            return _construct(argument.target, argument.arguments)


def _target(name: str) -> Any:
    root, *parts = name.split(".")
    found: Any = {"torch": torch, "nn": nn, "F": nn.functional}[root]
    for part in parts:
        found = getattr(found, part)
    return found


def shown(signal: Signal) -> str:
    """Return ``N × 3 × 28 × 28``; ``N`` alone for one number a sample."""
    return shown_shape(signal.labels())


def shown_shape(shape: Sequence[int | str]) -> str:
    """Return the axes with times signs between them."""
    return " × ".join(str(axis) for axis in shape) if shape else "one number"
