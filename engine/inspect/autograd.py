"""Autograd graph of a tensor, walked from ``grad_fn`` along ``next_functions``.

The walk is the one of PyTorch's own documentation ("Autograd mechanics"); nothing is hooked and no
gradient is touched. Which module made a Function is known for the leaves from their parameters, for
all of them where the forward pass ran inside :func:`engine.inspect.origin.watched`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
import torch
from torch import Tensor, nn
from torch.autograd.graph import Node

from engine.diagnostics import DiagnosticError
from engine.inspect.node_path import NodePaths
from engine.inspect.origin import Origin, origin_of
from engine.inspect.saved import SavedReader, is_freed, signed, tensor_meta, value_text
from engine.runs.record.autograd_graph import (
    AutogradEdge,
    AutogradGraph,
    AutogradNode,
    TensorMeta,
)

_LEAF = "AccumulateGrad"
_FUNCTION = re.compile(r"([A-Z]\w*?)Backward\d+")
_CAPITAL = re.compile(r"(?<!^)(?<!\d)(?=[A-Z])|(?<=\d)(?=[A-Z][a-z])")


def capture(
    tensor: Tensor | Iterable[Tensor],
    module: nn.Module | None = None,
    node_paths: NodePaths | None = None,
) -> AutogradGraph:
    """Return the graph that a tensor (or several, as the terms of a loss) was computed by.

    ``module`` gives parameters their names, ``node_paths`` tell the nodes of the canvas. Raises
    :class:`DiagnosticError` (A001) where nothing that a tensor was computed from requires a
    gradient.
    """
    return capture_functions(tensor, module, node_paths)[0]


def capture_functions(
    tensor: Tensor | Iterable[Tensor],
    module: nn.Module | None = None,
    node_paths: NodePaths | None = None,
) -> tuple[AutogradGraph, dict[Node, int]]:
    """Return what :func:`capture` does, and the Functions themselves with their numbers."""
    tensors = [tensor] if isinstance(tensor, Tensor) else list(tensor)
    roots = [_root(each) for each in tensors]
    numbers, edges = walk(roots)
    parameters = _parameter_names(module)
    reader = _Reader(parameters, node_paths)
    nodes = [reader.node(function, str(number)) for function, number in numbers.items()]
    graph = AutogradGraph(
        nodes=tuple(_with_places(_with_layers(nodes, edges), edges)),
        edges=tuple(edges),
        roots=tuple(dict.fromkeys(str(numbers[root]) for root in roots)),
        is_freed=any(node.is_freed for node in nodes),
        unreached=None if module is None else _unreached(parameters, nodes),
    )
    return graph, numbers


def freed(graph: AutogradGraph, functions: Mapping[Node, int]) -> AutogradGraph:
    """Return a graph after a backward pass, with the Functions whose saved tensors are freed."""
    freed_ids = {str(number) for function, number in functions.items() if is_freed(function)}
    nodes = tuple(
        msgspec.structs.replace(node, is_freed=True) if node.id in freed_ids else node
        for node in graph.nodes
    )
    return msgspec.structs.replace(graph, nodes=nodes, is_freed=bool(freed_ids))


def _root(tensor: Tensor) -> Node:
    if tensor.grad_fn is None:
        raise DiagnosticError.of("A001", shape=str(tuple(tensor.shape)))
    return tensor.grad_fn


def function_name(function: Node) -> str:
    """Return the name of a Function as Python shows it: ``AccumulateGrad`` without namespaces."""
    return function.name().rpartition("::")[2]


def walk(roots: Iterable[Node]) -> tuple[dict[Node, int], list[AutogradEdge]]:
    """Return every Function with its number (its id as text), breadth first, and the edges."""
    numbers: dict[Node, int] = {}
    for root in roots:
        numbers.setdefault(root, len(numbers))
    edges: list[AutogradEdge] = []
    queue = list(numbers)
    for function in queue:  # grows while it is iterated: breadth first
        for following, number in function.next_functions:
            if following is None:
                continue
            if following not in numbers:
                numbers[following] = len(numbers)
                queue.append(following)
            edges.append((str(numbers[function]), str(numbers[following]), number))
    return numbers, edges


def _parameter_names(module: nn.Module | None) -> dict[int, str]:
    if module is None:
        return {}
    return {id(value): name for name, value in module.named_parameters(remove_duplicate=False)}


def _unreached(parameters: Mapping[int, str], nodes: list[AutogradNode]) -> tuple[str, ...]:
    reached = {node.parameter for node in nodes}
    return tuple(name for name in parameters.values() if name not in reached)


class _Reader:
    """Reads Functions."""

    def __init__(self, parameters: dict[int, str], node_paths: NodePaths | None) -> None:
        self._node_paths = node_paths
        self._parameters = parameters
        self._saved = SavedReader()

    def node(self, function: Node, number: str) -> AutogradNode:
        name = function_name(function)
        variable: Tensor | None = getattr(function, "variable", None) if name == _LEAF else None
        if variable is not None:
            return self._leaf(variable, name, number)
        origin = origin_of(function) or Origin("")
        file, line = self._node_paths.line(origin) if self._node_paths else ("", origin.line)
        saved, is_node_freed = self._saved.read(function)
        return AutogradNode(
            id=number,
            name=name,
            operator=operator_name(name),
            layer=origin.module,
            line=line,
            file=file,
            place=self._node_paths.path(origin) if self._node_paths else "",
            outputs=tuple(_outputs(function)),
            saved=saved,
            sequence=_sequence(function),
            metadata=_metadata(function),
            is_freed=is_node_freed,
            constants=sum(following is None for following, _ in function.next_functions),
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


def _metadata(function: Any) -> dict[str, str]:
    """Return what user code wrote into the metadata of a Function."""
    metadata: dict[str, object] = function.metadata  # annotated as a method
    return {
        key: value_text(value) for key, value in metadata.items() if not key.startswith("trellis.")
    }


def _sequence(function: Any) -> int:
    return signed(function._sequence_nr())  # noqa: SLF001 - there is no public name


def _outputs(function: Any) -> Iterator[TensorMeta]:
    for each in function._input_metadata:  # noqa: SLF001 - there is no public name
        dtype = str(each.dtype).removeprefix("torch.")
        yield TensorMeta(tuple(map(int, each.shape)), dtype, str(each.device))


def _with_places(
    nodes: Iterable[AutogradNode], edges: list[AutogradEdge]
) -> Iterator[AutogradNode]:
    """Give each leaf the node path and the line of the Function that reads it first."""
    by_id = {node.id: node for node in nodes}
    readers = {target: by_id[source] for source, target, _ in reversed(edges)}
    for node in by_id.values():
        reader = readers.get(node.id)
        if node.name == _LEAF and reader is not None:
            yield msgspec.structs.replace(
                node, place=reader.place, line=reader.line, file=reader.file
            )
        else:
            yield node


def _with_layers(nodes: list[AutogradNode], edges: list[AutogradEdge]) -> Iterator[AutogradNode]:
    """Give a Function without an origin the module of the parameters that it reads directly."""
    leaves = {node.id: node.layer for node in nodes if node.parameter}
    layers_read: dict[str, set[str]] = {}
    for source, target, _ in edges:
        if target in leaves:
            layers_read.setdefault(source, set()).add(leaves[target])
    for node in nodes:
        layers = layers_read.get(node.id, set())
        if node.layer or node.line or len(layers) != 1:
            yield node
        else:
            yield msgspec.structs.replace(node, layer=next(iter(layers)))


@cache
def operator_name(function: str) -> str:
    """Return ``aten::addmm`` for ``AddmmBackward0``; empty for leaves, for Functions of custom code
    and where this PyTorch has no operator of the name.

    PyTorch makes the name from the operator's: its words begin with a capital, also behind a digit
    (``max_pool2d_with_indices``, ``MaxPool2DWithIndicesBackward0``).
    """
    match = _FUNCTION.fullmatch(function)
    if match is None:
        return ""
    name = _CAPITAL.sub("_", match.group(1)).lower()
    names = (each for each in (name, f"_{name}") if hasattr(torch.ops.aten, each))
    return next((f"aten::{each}" for each in names), "")
