"""The graph of a tensor as autograd built it, walked from ``grad_fn`` along ``next_functions``.

The walk is the one of PyTorch's own documentation ("Autograd mechanics"); nothing is hooked and no
gradient is touched. Which module made a Function is known for the leaves from their parameters, for
all of them where the forward pass ran inside :func:`engine.inspect.origin.watched`.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import torch
from torch import Tensor, nn
from torch.autograd.graph import Node

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.inspect.origin import Origin, origin_of
from engine.inspect.places import Places
from engine.runs.autograd_graph import (
    AutogradEdge,
    AutogradGraph,
    AutogradNode,
    SavedValue,
    TensorMeta,
)

_SAVED = "_saved_"
_LEAF = "AccumulateGrad"
_TEXT_LENGTH = 80
_BIG = 2**63  # PyTorch shows negative numbers as unsigned ones


def capture(
    tensor: Tensor | Iterable[Tensor],
    module: nn.Module | None = None,
    places: Places | None = None,
) -> AutogradGraph:
    """Return the graph that a tensor (or several, as the terms of a loss) was computed by.

    ``module`` gives parameters their names, ``places`` tell the nodes of the canvas. Raises
    :class:`DiagnosticError` (A001) where nothing that a tensor was computed from requires a
    gradient.
    """
    tensors = [tensor] if isinstance(tensor, Tensor) else list(tensor)
    roots = [_root(each) for each in tensors]
    found, edges = walk(roots)
    parameters = _parameter_names(module)
    reader = _Reader(parameters, places)
    nodes = [reader.node(function, str(number)) for function, number in found.items()]
    return AutogradGraph(
        nodes=tuple(_with_layers(nodes, edges)),
        edges=tuple(edges),
        roots=tuple(dict.fromkeys(str(found[root]) for root in roots)),
        is_freed=reader.is_freed,
    )


def _root(tensor: Tensor) -> Node:
    if tensor.grad_fn is None:
        raise DiagnosticError(Diagnostic(code="A001", params={"shape": str(tuple(tensor.shape))}))
    return tensor.grad_fn


def walk(roots: Iterable[Node]) -> tuple[dict[Node, int], list[AutogradEdge]]:
    """Return every Function with its number (its id as text), breadth first, and the edges."""
    found: dict[Node, int] = {}
    for root in roots:
        found.setdefault(root, len(found))
    edges: list[AutogradEdge] = []
    waiting = list(found)
    for function in waiting:  # grows while it is read: breadth first
        for following, number in function.next_functions:
            if following is None:
                continue
            if following not in found:
                found[following] = len(found)
                waiting.append(following)
            edges.append((str(found[function]), str(found[following]), number))
    return found, edges


def _parameter_names(module: nn.Module | None) -> dict[int, str]:
    if module is None:
        return {}
    return {id(value): name for name, value in module.named_parameters(remove_duplicate=False)}


class _Reader:
    """Reads Functions; remembers whether saved tensors were gone and which memory is shared."""

    def __init__(self, parameters: dict[int, str], places: Places | None) -> None:
        self.is_freed = False
        self._places = places
        self._parameters = parameters
        self._storages: dict[int, int] = {}

    def node(self, function: Node, number: str) -> AutogradNode:
        name = function.name().rpartition("::")[2]
        variable: Tensor | None = getattr(function, "variable", None) if name == _LEAF else None
        if variable is not None:
            return self._leaf(variable, name, number)
        origin = origin_of(function) or Origin("")
        return AutogradNode(
            id=number,
            name=name,
            layer=origin.module,
            line=origin.line,
            place=self._places.place(origin) if self._places else "",
            outputs=tuple(_outputs(function)),
            saved=tuple(self._saved(function)),
            sequence=_sequence(function),
        )

    def _leaf(self, variable: Tensor, name: str, number: str) -> AutogradNode:
        parameter = self._parameters.get(id(variable), "")
        return AutogradNode(
            id=number,
            name=name,
            layer=parameter.rpartition(".")[0],
            parameter=parameter,
            outputs=(tensor_meta(variable),),
        )

    def _saved(self, function: Node) -> Iterator[SavedValue]:
        for attribute in dir(function):
            if not attribute.startswith(_SAVED):
                continue
            try:
                value = getattr(function, attribute)
            except RuntimeError:  # "... after they have already been freed"
                self.is_freed = True
                continue
            yield self._value(attribute.removeprefix(_SAVED), value)
        kept = getattr(function, "saved_tensors", None)  # a Function written in Python
        for number, value in enumerate(kept or ()):
            yield self._value(str(number), value)

    def _value(self, name: str, value: Any) -> SavedValue:
        if not isinstance(value, Tensor):
            return SavedValue(name=name, text=_text(value))
        pointer = value.untyped_storage().data_ptr() if value.layout is torch.strided else 0
        return SavedValue(
            name=name,
            tensor=tensor_meta(value),
            version=value._version,  # noqa: SLF001 - there is no public name
            storage=self._storages.setdefault(pointer, len(self._storages)),
            size=value.numel() * value.element_size(),
        )


def tensor_meta(tensor: Tensor) -> TensorMeta:
    """Return shape, dtype (``float32``) and device of a tensor."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    return TensorMeta(tuple(tensor.shape), dtype, str(tensor.device))


def _sequence(function: Any) -> int:
    return _signed(function._sequence_nr())  # noqa: SLF001 - there is no public name


def _outputs(function: Any) -> Iterator[TensorMeta]:
    for each in function._input_metadata:  # noqa: SLF001 - there is no public name
        dtype = str(each.dtype).removeprefix("torch.")
        yield TensorMeta(tuple(map(int, each.shape)), dtype, str(each.device))


def _text(value: Any) -> str:
    if isinstance(value, tuple | list):
        text = ", ".join(_text(each) for each in value)
        return f"({text})"[:_TEXT_LENGTH]
    return str(_signed(value) if isinstance(value, int) else value)[:_TEXT_LENGTH]


def _signed(value: int) -> int:
    return value - 2 * _BIG if value >= _BIG else value


def _with_layers(nodes: list[AutogradNode], edges: list[AutogradEdge]) -> Iterator[AutogradNode]:
    """Give a Function that nobody watched the module of the parameters that it reads directly."""
    leaves = {node.id: node.layer for node in nodes if node.parameter}
    read: dict[str, set[str]] = {}
    for source, target, _ in edges:
        if target in leaves:
            read.setdefault(source, set()).add(leaves[target])
    for node in nodes:
        layers = read.get(node.id, set())
        if node.layer or node.line or len(layers) != 1:
            yield node
        else:
            yield msgspec.structs.replace(node, layer=next(iter(layers)))
