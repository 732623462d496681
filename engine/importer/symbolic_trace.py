"""Symbolic trace of a module: ``torch.fx`` writes down what its forward calls, without sizes.

Then everything is computed twice on the meta device, for the two numbers of samples.
"""

import inspect
from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.func import functional_call
from typing_extensions import override

from engine.importer.alignment import aligned
from engine.importer.operation import changes_its_input
from engine.importer.trace import (
    BATCHES,
    Modal,
    Pair,
    Trace,
    attribute,
    blank,
    failed,
    is_leaf,
    kept_modes,
    without_memory,
)
from engine.shape.known_shape import joined, normed, stepped


class _Tracer(fx.Tracer):
    proxy_buffer_attributes = True  # or what is done with a buffer would become a number

    @override
    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return is_leaf(m)


def follow(module: nn.Module, example_inputs: Sequence[Tensor]) -> Trace:
    """Return what a module does with inputs like the examples (the first axis is the batch).

    Raises :class:`DiagnosticError`: I002 when it cannot be followed, I006 when it does something
    else in training than in evaluation, I010 when it does not run.
    """
    with kept_modes(module):
        module.train()
        training = _operations(module, len(example_inputs))
        module.eval()
        graph = _operations(module, len(example_inputs))
        graph = aligned(module, (graph, graph, training))
        first, second = (
            _Computation(module, graph, blank(example_inputs, number)).values()
            for number in BATCHES
        )
    values = {node: Pair(value, second[node]) for node, value in first.items()}
    _rename_changed(graph, values)
    return Trace(module, graph, values)


def _rename_changed(graph: fx.Graph, values: dict[fx.Node, Pair]) -> None:
    """Lead what reads a tensor that was written into to the operation that wrote.

    ``x.add_(1)`` followed by ``x`` is meant as the sum, also where its result has no name.
    """
    names: dict[int, list[fx.Node]] = {}
    order = {node: position for position, node in enumerate(graph.nodes)}
    for node in graph.nodes:
        value = values[node].first if node in values else None
        if not isinstance(value, Tensor):
            continue
        versions = names.setdefault(id(value), [])
        if changes_its_input(node):
            for earlier in versions:
                for user in list(earlier.users):
                    if order[user] > order[node]:
                        user.replace_input_with(earlier, node)
        versions.append(node)


def _operations(module: nn.Module, count: int) -> fx.Graph:
    parameters = list(inspect.signature(module.forward).parameters.values())
    constants = {
        parameter.name: parameter.default
        for parameter in parameters[count:]
        if parameter.default is not inspect.Parameter.empty
    }
    try:
        return _Tracer().trace(module, constants or None)
    except Exception as error:  # whatever the forward of a stranger raises
        raise failed("I002", module, error) from error


class _Computation:
    """Carries out the operations without memory behind the tensors."""

    def __init__(self, module: nn.Module, graph: fx.Graph, inputs: list[Tensor]) -> None:
        self._module = module
        self._graph = graph
        self._inputs = iter(inputs)
        self._found: dict[fx.Node, Any] = {}

    def values(self) -> dict[fx.Node, Any]:
        """Return what comes out of every operation."""
        for node in self._graph.nodes:
            if node.op == "output":
                continue
            try:
                versions = self._versions(node)
                self._found[node] = self._value(node)
                if self._versions(node) != versions:
                    node.meta["writes"] = True
            except Exception as error:  # PyTorch raises many kinds
                raise failed("I010", self._module, error, place=node.name) from error
        return self._found

    def _versions(self, node: fx.Node) -> list[int]:
        """Return how often each tensor that a function gets has been written into."""
        if node.op != "call_function":
            return []
        values = (self._found[source] for source in node.all_input_nodes)
        return [value._version for value in values if isinstance(value, Tensor)]  # noqa: SLF001

    def _value(self, node: fx.Node) -> Any:
        args, kwargs = self._plain(node.args), self._plain(node.kwargs)
        target: Any = node.target
        if node.op == "placeholder":
            return next(self._inputs, args[0] if args else None)
        if node.op == "call_module":
            target = self._module.get_submodule(str(target))
            constant = None if kwargs else normed(target, args)
        else:
            constant = joined(target, args, kwargs)
        return constant if constant is not None else self._computed(node.op, target, args, kwargs)

    def _computed(self, kind: str, target: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        with torch.no_grad(), torch.device("meta"):
            match kind:
                case "get_attr":
                    return without_memory(attribute(self._module, str(target)))
                case "call_module":
                    call = partial(_call, target)
                    known = stepped(target, args, kwargs, call)
                    return call(*args, **kwargs) if known is None else known
                case "call_method":
                    return getattr(args[0], target)(*args[1:], **kwargs)
                case _:
                    return target(*args, **kwargs)

    def _plain(self, value: Any) -> Any:
        """Return arguments as they are given: lists can be changed by who gets them."""
        match value:
            case fx.Node():
                return self._found[value]
            case Modal():
                return value.evaluation
            case dict():
                return {name: self._plain(item) for name, item in value.items()}
            case slice():
                return slice(*map(self._plain, (value.start, value.stop, value.step)))
            case list() | tuple():
                items = list(map(self._plain, value))
                return items if isinstance(value, list) else tuple(items)
            case _:
                return value


def _call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
    tensors = (*module.named_parameters(), *module.named_buffers())
    state = {name: without_memory(tensor) for name, tensor in tensors}
    return functional_call(module, state, args, kwargs)
