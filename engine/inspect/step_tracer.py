"""Walks through a training step place by place: each layer before it computes, each Function before
it goes backward, the loss, the gradients and the new weights.

The forward pass is followed by Python's own tracing (``sys.settrace``, as ``pdb`` does): a line of
the model's file is where the node of that line is about to compute, and its variables are there.
Functions are waited for with ``register_prehook``. Nothing of it changes a number.
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
from torch.optim import Optimizer
from torch.utils.hooks import RemovableHandle
from typing_extensions import override

from engine.graph.block import node_at
from engine.inspect.autograd import function_name
from engine.inspect.observer import Observer
from engine.inspect.origin import Origin, frame_origin, origin_of, watched
from engine.inspect.places import Places

Phase = Literal["forward", "loss", "backward", "gradients", "updated"]


@dataclass(frozen=True, kw_only=True)
class Held:
    """A tensor at a place. ``write`` puts another in its place; without it, it is only shown."""

    kind: str
    tensor: Tensor
    write: Callable[[Tensor], object] | None = None


@dataclass(frozen=True, kw_only=True)
class Spot:
    """A place in a step. ``held`` collects what can be seen there, by key; it costs nothing until
    it is called. ``parameter`` is the one whose gradient a leaf accumulates, ``functions`` are the
    names of those that the loss goes backward through.
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
    """Calls ``arrive`` at every place of a step, on the thread that computes it there."""

    def __init__(self, places: Places, arrive: Callable[[Spot], object]) -> None:
        self._places = places
        self._arrive = arrive
        self._hooks: list[RemovableHandle] = []

    @override
    def forward(self, model: nn.Module) -> AbstractContextManager[None]:
        return self._traced(model)

    @contextmanager
    def _traced(self, model: nn.Module) -> Generator[None]:
        tracer = _ForwardTracer(self._places, self._arrive, model)
        before = sys.gettrace()
        with watched(model):
            sys.settrace(tracer.called)
            try:
                yield
            finally:
                sys.settrace(before)

    @override
    def built(self, terms: Sequence[Tensor], model: nn.Module) -> None:
        held = {
            f"loss[{index}]": Held(kind="loss", tensor=term) for index, term in enumerate(terms)
        }
        functions = list(functions_below(terms))
        kinds = frozenset(map(function_name, functions))
        self._arrive(Spot(phase="loss", held=lambda: held, functions=kinds))
        names = {id(value): name for name, value in model.named_parameters()}
        for function in functions:
            self._wait_at(function, names)

    def _wait_at(self, function: Node, names: Mapping[int, str]) -> None:
        origin = origin_of(function)
        leaf: Any = getattr(function, "variable", None)
        name = names.get(id(leaf), "")
        place = "" if origin is None else self._places.place(origin)

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
            self._arrive(spot)
            is_same = all(now is before for now, before in zip(changed, incoming, strict=True))
            return None if is_same else tuple(changed)

        self._hooks.append(function.register_prehook(reached))

    @override
    def gradients(self, model: nn.Module) -> None:
        while self._hooks:  # those of leaves would stay for the next steps
            self._hooks.pop().remove()
        self._arrive(Spot(phase="gradients", held=lambda: _weights(model)))

    @override
    def updated(self, model: nn.Module, optimizer: Optimizer) -> None:
        self._arrive(Spot(phase="updated", held=lambda: _weights(model)))


class _ForwardTracer:
    """Python's trace function for one forward pass."""

    def __init__(self, places: Places, arrive: Callable[[Spot], object], model: nn.Module) -> None:
        self._places = places
        self._arrive = arrive
        self._model = model
        self._names = {id(part): name for name, part in model.named_modules()}
        self._file = type(model).forward.__code__.co_filename
        self._last = ""  # the place of the line that is running

    def called(self, frame: FrameType, event: str, _: object) -> Any:
        """Take note of a call: of a module that no line of the file stands for, or of the file."""
        del event
        code = frame.f_code
        if code.co_name != "forward" or code.co_varnames[:1] != ("self",):
            return None
        if self._names.get(id(frame.f_locals.get("self"))) is None:
            return None
        if code.co_filename == self._file:
            return self._line
        origin = frame_origin(frame, self._names, self._file)
        place = "" if origin is None else self._places.place(origin)
        if origin is not None and place and place != self._last:
            self._tell(frame, origin, place)
        return None

    def _line(self, frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            origin = frame_origin(frame, self._names, self._file)
            place = "" if origin is None else self._places.place(origin)
            if origin is not None and place:
                self._last = place
                self._tell(frame, origin, place)
        return self._line

    def _tell(self, frame: FrameType, origin: Origin, place: str) -> None:
        layer = self._layer(origin, place)
        variables = frame.f_locals  # read once: reading it again would take back what is written
        spot = Spot(
            phase="forward",
            held=lambda: _variables(variables) | self._own(layer),
            place=place,
            line=frame.f_lineno if frame.f_code.co_filename == self._file else 0,
            layer=layer,
        )
        self._arrive(spot)

    def _layer(self, origin: Origin, place: str) -> str:
        """Return the module that is about to compute: that of the node, where it is one."""
        found = node_at(self._places.graph, place)
        name = "" if found is None else found[1].name
        inner = f"{origin.module}.{name}" if origin.module else name
        return inner if inner in self._names.values() else origin.module

    def _own(self, layer: str) -> dict[str, Held]:
        module = self._model.get_submodule(layer)
        if module is self._model:
            return {}
        return _weights(module, f"{layer}.", recurse=False)


def functions_below(terms: Sequence[Tensor]) -> Iterator[Node]:
    """Yield every Function that the backward pass goes through, once."""
    waiting = [term.grad_fn for term in terms if term.grad_fn is not None]
    known = set(waiting)
    while waiting:
        function = waiting.pop()
        yield function
        for child, _ in function.next_functions:
            if child is not None and child not in known:
                known.add(child)
                waiting.append(child)


class _Replaced(torch.autograd.Function):
    """A tensor with other values, whose gradient goes where that of the first would have gone."""

    @staticmethod
    @override
    def forward(ctx: Any, before: Tensor, after: Tensor) -> Tensor:
        del ctx, before
        return after

    @staticmethod
    @override
    def backward(ctx: Any, *incoming: Tensor) -> tuple[Tensor, None]:
        del ctx
        return incoming[0], None


def _variables(variables: dict[str, Any]) -> dict[str, Held]:
    """Return the tensors among the variables of a frame, also in tuples."""
    found: dict[str, Held] = {}
    for name, value in variables.items():
        if isinstance(value, Tensor):

            def write(after: Tensor, name: str = name, before: Tensor = value) -> None:
                replaced = _Replaced.apply(before, after) if before.requires_grad else after
                variables[name] = replaced

            found[name] = Held(kind="variable", tensor=value, write=write)
        elif isinstance(value, tuple | list):
            members: Sequence[object] = value
            for index, each in enumerate(members):
                if isinstance(each, Tensor):
                    found[f"{name}[{index}]"] = Held(kind="variable", tensor=each)
    return found


def _weights(module: nn.Module, prefix: str = "", *, recurse: bool = True) -> dict[str, Held]:
    """Return parameters, their gradients and buffers."""
    found: dict[str, Held] = {}
    for name, value in module.named_parameters(recurse=recurse):
        found[prefix + name] = Held(kind="parameter", tensor=value, write=value.data.copy_)
        found |= _gradient(prefix + name, value)
    for name, value in module.named_buffers(recurse=recurse):
        found[prefix + name] = Held(kind="buffer", tensor=value, write=value.data.copy_)
    return found


def _gradient(name: str, leaf: Tensor | None) -> dict[str, Held]:
    """Return the gradient that a parameter has already."""
    if leaf is None or leaf.grad is None:
        return {}
    gradient = leaf.grad
    return {f"{name}.grad": Held(kind="gradient", tensor=gradient, write=gradient.data.copy_)}


def _incoming(gradients: list[Tensor | None]) -> dict[str, Held]:
    """Return the gradients that come into a Function."""
    found: dict[str, Held] = {}
    for index, value in enumerate(gradients):
        if value is not None:

            def write(after: Tensor, index: int = index) -> None:
                gradients[index] = after

            found[f"grad_outputs[{index}]"] = Held(kind="incoming", tensor=value, write=write)
    return found
