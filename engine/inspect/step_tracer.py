"""Tracer of a training step, spot by spot: each layer before it computes, each Function before it
goes backward, the loss, the gradients and the new weights.

The forward pass is traced by Python itself (``sys.settrace``, as in ``pdb``): before a line of the
model's file runs, the node of that line is about to compute, and its variables can be read.
Functions are traced by ``register_prehook``. No number is changed.
"""

import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.autograd.graph import Node
from torch.utils.hooks import RemovableHandle
from typing_extensions import override

from engine.graph.block import node_at
from engine.inspect.autograd import function_name
from engine.inspect.node_path import NodePaths
from engine.inspect.observer import HasState, Observer
from engine.inspect.origin import Origin, frame_origin, origin_of, watched

Phase = Literal["forward", "loss", "backward", "gradients", "updated"]


@dataclass(frozen=True, kw_only=True)
class Held:
    """A tensor at a spot. ``write`` replaces it; without that it is read-only."""

    kind: str
    tensor: Tensor
    write: Callable[[Tensor], object] | None = None


@dataclass(frozen=True, kw_only=True)
class Spot:
    """A point in a step. ``held`` collects the tensors there, by key; it costs nothing until it is
    called. ``parameter`` is the one whose gradient a leaf accumulates, ``functions`` are the names
    of all Functions in the autograd graph of the loss.
    """

    phase: Phase
    held: Callable[[], dict[str, Held]] = field(default=dict, compare=False)
    place: str = ""
    line: int = 0
    layer: str = ""
    function: str = ""
    parameter: str = ""
    functions: frozenset[str] = frozenset()


class StepTracer(Observer):
    """Calls ``reach`` at every spot of a step, on the thread that computes."""

    def __init__(self, node_paths: NodePaths, reach: Callable[[Spot], object]) -> None:
        self._node_paths = node_paths
        self._reach = reach
        self._hooks: list[RemovableHandle] = []

    @override
    def forward(self, model: nn.Module) -> AbstractContextManager[None]:
        return self._traced(model)

    @contextmanager
    def _traced(self, model: nn.Module) -> Generator[None]:
        tracer = _ForwardTracer(self._node_paths, self._reach, model)
        previous = sys.gettrace()
        with watched(model):
            sys.settrace(tracer.called)
            try:
                yield
            finally:
                sys.settrace(previous)

    @override
    def built(self, terms: Sequence[Tensor], model: nn.Module) -> None:
        held = {
            f"loss[{index}]": Held(kind="loss", tensor=term) for index, term in enumerate(terms)
        }
        functions = list(functions_below(terms))
        kinds = frozenset(map(function_name, functions))
        self._reach(Spot(phase="loss", held=lambda: held, functions=kinds))
        names = {id(value): name for name, value in model.named_parameters()}
        for function in functions:
            self._trace_function(function, names)

    def _trace_function(self, function: Node, names: Mapping[int, str]) -> None:
        origin = origin_of(function)
        leaf: Any = getattr(function, "variable", None)
        name = names.get(id(leaf), "")
        place = "" if origin is None else self._node_paths.path(origin)

        def reached(incoming: tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...] | None:
            changed = list(incoming)
            spot = Spot(
                phase="backward",
                held=lambda: _incoming(changed) | _gradient(name, leaf),
                place=place,
                line=origin.line if origin is not None else 0,
                layer=origin.module if origin is not None else name.rpartition(".")[0],
                function=function_name(function),
                parameter=name,
            )
            self._reach(spot)
            is_same = all(new is old for new, old in zip(changed, incoming, strict=True))
            return None if is_same else tuple(changed)

        self._hooks.append(function.register_prehook(reached))

    @override
    @contextmanager
    def backward(self) -> Generator[None]:
        try:
            yield
        finally:
            while self._hooks:  # those of leaves would stay for the next batches and steps
                self._hooks.pop().remove()

    @override
    def gradients(self, model: nn.Module) -> None:
        self._reach(Spot(phase="gradients", held=lambda: _weights(model)))

    @override
    def updated(self, model: nn.Module, optimizer: HasState) -> None:
        self._reach(Spot(phase="updated", held=lambda: _weights(model)))


class _ForwardTracer:
    """Python's trace function for one forward pass."""

    def __init__(
        self, node_paths: NodePaths, reach: Callable[[Spot], object], model: nn.Module
    ) -> None:
        self._node_paths = node_paths
        self._reach = reach
        self._model = model
        self._names = {id(part): name for name, part in model.named_modules()}
        self._file = type(model).forward.__code__.co_filename
        self._last = ""  # node path of the line that is running

    def called(self, frame: FrameType, event: str, _: object) -> Any:
        """Trace a call of ``forward``: of a class in the file, or of another module."""
        del event
        code = frame.f_code
        if code.co_name != "forward" or code.co_varnames[:1] != ("self",):
            return None
        if self._names.get(id(frame.f_locals.get("self"))) is None:
            return None
        if code.co_filename == self._file:
            return self._line
        origin = frame_origin(frame, self._names, self._file)
        place = "" if origin is None else self._node_paths.path(origin)
        if origin is not None and place and place != self._last:
            self._report(frame, origin, place)
        return None

    def _line(self, frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            origin = frame_origin(frame, self._names, self._file)
            place = "" if origin is None else self._node_paths.path(origin)
            if origin is not None and place:
                self._last = place
                self._report(frame, origin, place)
        return self._line

    def _report(self, frame: FrameType, origin: Origin, place: str) -> None:
        layer = self._layer(origin, place)
        variables = frame.f_locals  # read once: reading it again would undo writes
        spot = Spot(
            phase="forward",
            held=lambda: _variables(variables) | self._layer_weights(layer),
            place=place,
            line=frame.f_lineno if frame.f_code.co_filename == self._file else 0,
            layer=layer,
        )
        self._reach(spot)

    def _layer(self, origin: Origin, place: str) -> str:
        """Return the module that is about to compute: the layer of the node, where it has one."""
        located = node_at(self._node_paths.graph, place)
        name = "" if located is None else located[1].name
        inner = f"{origin.module}.{name}" if origin.module else name
        return inner if inner in self._names.values() else origin.module

    def _layer_weights(self, layer: str) -> dict[str, Held]:
        module = self._model.get_submodule(layer)
        if module is self._model:
            return {}
        return _weights(module, f"{layer}.", recurse=False)


def functions_below(terms: Sequence[Tensor]) -> Iterator[Node]:
    """Yield every Function that the backward pass goes through, once."""
    stack = [term.grad_fn for term in terms if term.grad_fn is not None]
    seen = set(stack)
    while stack:
        function = stack.pop()
        yield function
        for child, _ in function.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                stack.append(child)


class _Replaced(torch.autograd.Function):
    """Replaces the values of a tensor; its gradient is passed on as if they had not changed."""

    @staticmethod
    @override
    def forward(ctx: Any, tensor: Tensor, values: Tensor) -> Tensor:
        del ctx, tensor
        return values

    @staticmethod
    @override
    def backward(ctx: Any, *incoming: Tensor) -> tuple[Tensor, None]:
        del ctx
        return incoming[0], None


def _variables(variables: dict[str, Any]) -> dict[str, Held]:
    """Return the tensors among the variables of a frame, also in tuples."""
    held: dict[str, Held] = {}
    for name, value in variables.items():
        if isinstance(value, Tensor):

            def write(values: Tensor, name: str = name, tensor: Tensor = value) -> None:
                variables[name] = (
                    _Replaced.apply(tensor, values) if tensor.requires_grad else values
                )

            held[name] = Held(kind="variable", tensor=value, write=write)
        elif isinstance(value, tuple | list):
            members: Sequence[object] = value
            for index, each in enumerate(members):
                if isinstance(each, Tensor):
                    held[f"{name}[{index}]"] = Held(kind="variable", tensor=each)
    return held


def _weights(module: nn.Module, prefix: str = "", *, recurse: bool = True) -> dict[str, Held]:
    """Return parameters, their gradients and buffers."""
    held: dict[str, Held] = {}
    for name, value in module.named_parameters(recurse=recurse):
        held[prefix + name] = Held(kind="parameter", tensor=value, write=value.data.copy_)
        held |= _gradient(prefix + name, value)
    for name, value in module.named_buffers(recurse=recurse):
        held[prefix + name] = Held(kind="buffer", tensor=value, write=value.data.copy_)
    return held


def _gradient(name: str, leaf: Tensor | None) -> dict[str, Held]:
    """Return the gradient of a parameter, if it has one."""
    if leaf is None or leaf.grad is None:
        return {}
    gradient = leaf.grad
    return {f"{name}.grad": Held(kind="gradient", tensor=gradient, write=gradient.data.copy_)}


def _incoming(gradients: list[Tensor | None]) -> dict[str, Held]:
    """Return the gradients that a Function receives."""
    held: dict[str, Held] = {}
    for index, value in enumerate(gradients):
        if value is not None:

            def write(values: Tensor, index: int = index) -> None:
                gradients[index] = values

            held[f"grad_outputs[{index}]"] = Held(kind="incoming", tensor=value, write=write)
    return held
