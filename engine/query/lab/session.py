"""The lab itself: what was typed and run so far, and what is asked about it."""

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import assert_never

import msgspec
import torch
from torch import Tensor
from torch.autograd.graph import Node

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.inspect.autograd import capture, walk
from engine.query.lab.request import (
    AskBroadcast,
    AskEinsum,
    AskIndex,
    Flow,
    LabCommand,
    LabReply,
    LabReport,
    LineProblem,
    RunBackward,
    RunCode,
    ShowGraph,
    TensorReport,
)
from engine.query.lab.statement import Execution, Namespace, new_namespace, value_of
from engine.query.lab.tensor import Arrays, TensorReader, named_arrays, named_tensors, text_of
from engine.query.lab.view import ask_broadcast, ask_einsum, ask_index
from engine.runs.record.autograd_graph import AutogradGraph, AutogradNode


class LabSession:
    """Answers commands, one after the other. ``on_line`` hears which statement runs."""

    def __init__(self, on_line: Callable[[int], object] = lambda _: None) -> None:
        self._on_line = on_line
        self._namespace: Namespace = new_namespace()
        self._root = ""
        self._arrived: dict[Node, tuple[int, str]] = {}

    def answer(self, command: LabCommand) -> LabReply:
        """Return the answer to a command; what is wrong stands in it."""
        match command:
            case RunCode():
                return self._run_code(command)
            case RunBackward():
                return self._run_backward(command)
            case ShowGraph():
                self._root = command.root
                return self._report(Execution(self._namespace), 0.0)
            case AskBroadcast():
                return ask_broadcast(command, self._namespace)
            case AskEinsum():
                return ask_einsum(command, self._namespace)
            case AskIndex():
                return ask_index(command, self._namespace)
        assert_never(command)

    def _run_code(self, command: RunCode) -> LabReport:
        self._namespace.clear()  # its functions would keep it, and with it all its tensors
        self._namespace = new_namespace()
        self._arrived = {}
        self._root = ""

        def apply_gradient_flags(namespace: Namespace) -> None:
            if command.requires_grad or command.retain_grad:
                _apply_gradient_flags(namespace, command)

        execution = Execution(self._namespace, self._on_line, apply_gradient_flags)
        began = time.perf_counter()
        with torch.set_grad_enabled(command.is_recording):
            execution.run(command.code)
        return self._report(execution, time.perf_counter() - began)

    def _run_backward(self, command: RunBackward) -> LabReport:
        self._root = command.root
        execution = Execution(self._namespace)
        began = time.perf_counter()
        execution.do(lambda: self._go_backward(command))
        return self._report(execution, time.perf_counter() - began)

    def _go_backward(self, command: RunBackward) -> None:
        tensors = named_tensors(self._namespace)
        root = tensors.get(command.root)
        if root is None:
            raise DiagnosticError.of("L050", name=command.root)
        gradient = None
        if command.gradient.strip():
            given = value_of(command.gradient, self._namespace)
            gradient = given if isinstance(given, Tensor) else torch.as_tensor(given).to(root.dtype)
        functions = _functions(root)
        if not command.is_accumulating:
            _forget_gradients([*tensors.values(), *map(_variable, functions)])
        with self._listening(functions):
            root.backward(gradient, retain_graph=command.retain_graph)

    @contextmanager
    def _listening(self, functions: dict[Node, int]) -> Generator[None]:
        """Note in which order the gradients arrive at the Functions, and what they are."""
        arrived: dict[Node, tuple[int, str]] = {}

        def listen(function: Node) -> Callable[[tuple[Tensor | None, ...]], None]:
            def note(gradients: tuple[Tensor | None, ...]) -> None:
                shown = [text_of(each) for each in gradients if each is not None]
                arrived[function] = (len(arrived) + 1, ", ".join(shown))

            return note

        handles = [function.register_prehook(listen(function)) for function in functions]
        try:
            yield
        finally:
            self._arrived = arrived
            for handle in handles:
                handle.remove()

    def _report(self, execution: Execution, seconds: float) -> LabReport:
        tensors = named_tensors(self._namespace)
        root = self._choose_root(tensors)
        graph: AutogradGraph | None = None
        functions: dict[Node, int] = {}
        try:
            graph, functions = _graph(tensors, root)
        except Exception as error:  # noqa: BLE001 - nested tensors have no shape to tell
            execution.problems.append(_unshown(root, error))
        arrays = named_arrays(self._namespace)
        reports = tuple(_reports(tensors, functions, execution, arrays))
        return LabReport(
            tensors=reports,
            outputs=execution.outputs(),
            problems=tuple(execution.problems),
            root=root,
            graph=graph,
            flows=tuple(self._flows(reports, functions)),
            seconds=seconds,
        )

    def _choose_root(self, tensors: dict[str, Tensor]) -> str:
        """Return the tensor that was asked for, else the last scalar, else the last of any shape
        that was computed from what requires a gradient.
        """
        computed = [name for name, tensor in tensors.items() if tensor.grad_fn is not None]
        if self._root not in computed:
            scalars = [name for name in computed if tensors[name].dim() == 0]
            self._root = (scalars or computed or [""])[-1]
        return self._root

    def _flows(
        self, reports: tuple[TensorReport, ...], functions: dict[Node, int]
    ) -> Generator[Flow]:
        values = {each.function: each.text for each in reversed(reports) if each.function}
        for function, number in functions.items():
            order, gradient = self._arrived.get(function, (0, ""))
            value = values.get(str(number), "")
            if value or gradient:
                yield Flow(function=str(number), value=value, gradient=gradient, order=order)


def _reports(
    tensors: dict[str, Tensor], functions: dict[Node, int], execution: Execution, arrays: Arrays
) -> Iterator[TensorReport]:
    """Describe tensors; one that does not let itself be described becomes a problem."""
    reader = TensorReader(arrays)
    for name, tensor in tensors.items():
        try:
            yield reader.report(name, tensor, _id(tensor, functions))
        except Exception as error:  # noqa: BLE001 - a nested one, or of a class of the user's own
            execution.problems.append(_unshown(name, error))


def _unshown(name: str, error: Exception) -> LineProblem:
    params: dict[str, str | int | float] = {"name": name, "problem": str(error).partition("\n")[0]}
    problem = Diagnostic(code="L055", severity=Severity.WARNING, params=params)
    return LineProblem(line=0, problem=problem)


def _forget_gradients(tensors: Iterable[Tensor | None]) -> None:
    for tensor in tensors:
        if tensor is not None and (tensor.is_leaf or tensor.retains_grad):
            tensor.grad = None


def _variable(function: Node) -> Tensor | None:
    """Return the leaf that a Function gathers the gradient of."""
    return getattr(function, "variable", None)


def _apply_gradient_flags(namespace: Namespace, command: RunCode) -> None:
    for name, tensor in named_tensors(namespace).items():
        is_required = command.requires_grad.get(name)
        can_require = tensor.is_floating_point() or tensor.is_complex()
        if is_required is not None and tensor.is_leaf and can_require:
            tensor.requires_grad_(is_required)
        if name in command.retain_grad and tensor.grad_fn is not None and not tensor.retains_grad:
            tensor.retain_grad()


def _functions(root: Tensor) -> dict[Node, int]:
    return {} if root.grad_fn is None else walk([root.grad_fn])[0]


def _graph(tensors: dict[str, Tensor], root: str) -> tuple[AutogradGraph | None, dict[Node, int]]:
    """Return the graph of a tensor with the names that its leaves and results have in the code."""
    if not root:
        return None, {}
    functions = _functions(tensors[root])
    names = {_id(tensor, functions): name for name, tensor in reversed(tensors.items())}
    graph = capture(tensors[root])
    nodes = tuple(_named(node, names) for node in graph.nodes)
    return msgspec.structs.replace(graph, nodes=nodes), functions


def _named(node: AutogradNode, names: dict[str, str]) -> AutogradNode:
    is_leaf = node.name == "AccumulateGrad"
    name = names.get(node.id, "")
    return msgspec.structs.replace(node, parameter=name) if is_leaf and name else node


def _id(tensor: Tensor, functions: dict[Node, int]) -> str:
    """Return the id of the Function that made a tensor, or that gathers the gradient of a leaf."""
    if tensor.grad_fn is not None:
        return str(functions.get(tensor.grad_fn, ""))
    leaves = (n for f, n in functions.items() if _variable(f) is tensor)
    return str(next(leaves, "")) if tensor.requires_grad else ""
