"""Trace: the operations of a model: what its forward calls, in which module, and what each call
gives.

Everything is known for two numbers of samples: what is the same in both is a constant, what differs
depends on the batch.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, fx, nn

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.importer.shipped import shipped

BATCHES = (2, 3)
"""The two numbers of samples."""

ATEN: type = type(torch.ops.aten.add.Tensor)
"""The class of the operations of ATen, which has no public name."""

CONTAINERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict)
"""The modules that only hold others."""


class Pair(NamedTuple):
    """A value for each of the two numbers of samples."""

    first: Any
    second: Any

    @property
    def is_constant(self) -> bool:
        """Whether it does not depend on the number of samples."""
        return bool(type(self.first) is type(self.second) and self.first == self.second)


class Modal(NamedTuple):
    """A constant that is another one in training than in evaluation."""

    evaluation: Any
    training: Any


class Trace(NamedTuple):
    """The operations of a module and what each of them gives (tensors without memory).

    Arguments may hold a :class:`Pair` or a :class:`Modal` in the place of a constant.
    """

    module: nn.Module
    graph: fx.Graph
    values: dict[fx.Node, Pair]

    def first_input(self) -> fx.Node:
        """Return the first input of the model: what has the batch for sure."""
        return next(iter(self.graph.nodes))

    def has_tensor(self, node: fx.Node) -> bool:
        """Return whether something on a wire comes out of an operation."""
        return node in self.values and holds_tensor(self.values[node].first)


def is_leaf(module: nn.Module) -> bool:
    """Return whether a module is one node, not looked into."""
    is_ours = is_stochastic_depth(module) or shipped(module) is not None
    return is_ours or library_class(type(module)) is not None


def is_stochastic_depth(module: nn.Module) -> bool:
    """Return whether a module is torchvision's ``StochasticDepth``, told by its name so that
    torchvision need not be loaded.
    """
    kind = type(module)
    return (kind.__module__, kind.__name__) == (
        "torchvision.ops.stochastic_depth",
        "StochasticDepth",
    )


def library_class(kind: type) -> type | None:
    """Return the layer of PyTorch that a class computes like: itself, or the one that it only
    gives another constructor. Nothing for containers and for what has a forward of its own.
    """
    overridden: set[str] = set()
    for base in kind.__mro__:
        if base in (nn.Module, *CONTAINERS):
            return None
        if base.__module__.startswith("torch.nn."):
            return None if any(hasattr(base, name) for name in overridden) else base
        overridden |= {name for name in vars(base) if not name.startswith("__")}
    return None


def holds_tensor(value: Any) -> bool:
    """Return whether a value is a tensor or has one inside."""
    if isinstance(value, dict):
        return any(map(holds_tensor, value.values()))
    if isinstance(value, list | tuple):
        return any(map(holds_tensor, value))
    return isinstance(value, Tensor)


@contextmanager
def kept_modes(module: nn.Module) -> Generator[None]:
    """Put every part of a module back into training or evaluation at the end."""
    modes = {part: part.training for part in module.modules()}
    try:
        yield
    finally:
        for part, mode in modes.items():
            part.training = mode


def blank(examples: Sequence[Tensor], number: int) -> list[Tensor]:
    """Return inputs without memory like the examples, for a number of samples."""
    return [
        torch.empty((number, *example.shape[1:]), dtype=example.dtype, device="meta")
        for example in examples
    ]


def without_memory(value: Any) -> Any:
    """Return a tensor of the same size without memory; anything else as it is."""
    return torch.empty_like(value, device="meta") if isinstance(value, Tensor) else value


def attribute(module: nn.Module, name: str) -> Any:
    """Return what stands at a dotted name in a module. Raises :class:`AttributeError`."""
    value: Any = module
    for part in name.split("."):
        value = getattr(value, part)
    return value


def operation_name(node: fx.Node) -> str:
    """Return how an operation is called in Python."""
    if isinstance(node.target, str):
        return f"Tensor.{node.target}" if node.op == "call_method" else node.target
    if isinstance(node.target, ATEN):
        return str(node.target).rpartition(".")[0]
    module = str(getattr(node.target, "__module__", "") or "torch")
    return f"{module.removeprefix('_')}.{getattr(node.target, '__name__', str(node.target))}"


def place_of(node: fx.Node) -> str:
    """Return the name of the module whose forward calls an operation."""
    stack: dict[str, tuple[str, object]] = node.meta.get("nn_module_stack", {})
    return next(reversed(stack.values()))[0] if stack else "forward"


def failed(code: str, module: nn.Module, error: Exception, **params: str) -> DiagnosticError:
    """Return what a stranger's forward raised as a problem of its model."""
    named: dict[str, str | int | float] = {"model": type(module).__name__, **params}
    return DiagnosticError(Diagnostic(code=code, params=named, detail=str(error)))


def differs(module: nn.Module, node: fx.Node) -> DiagnosticError:
    """Return that an operation is another one in training than in evaluation."""
    return DiagnosticError.of(
        "I006", model=type(module).__name__, operation=operation_name(node), place=place_of(node)
    )
