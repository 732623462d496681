"""Trace of a forward pass: which tensors each line makes, as TorchSnooper tells them. The lines
are followed by Python's own tracing (``sys.settrace``), on random numbers in the inputs' sizes.
"""

import linecache
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import torch
from torch import Tensor, nn

from engine.custom import watchdog
from engine.diagnostics import DiagnosticError
from engine.inspect.node_path import NodePaths
from engine.inspect.origin import frame_origin
from engine.model.module import to_module
from engine.model.source import generate_whole
from engine.query.trace.request import TraceForward, TraceLine, TraceReport
from engine.shape.execute import floating_of, input_signal, module_in_floating

_MOST = 4000
_SECONDS = 60.0
_SEED = 0
_RETURN = "return"

Seen = dict[str, tuple[int, int]]
"""The identity and version of each tensor among the variables of a frame."""


def trace_forward(request: TraceForward) -> TraceReport:
    """Return what a forward pass of a model in training mode makes in a run of a precision, a batch
    of two samples going through it on the CPU.

    Raises :class:`DiagnosticError` with what keeps the model from being made, A030 when a line
    raises, A031 when an earlier pass did not come to an end.
    """
    graph, floating = request.graph, floating_of(request.precision)
    model = module_in_floating(to_module(graph), floating).train()
    generated = generate_whole(graph)
    key = f"trace of {generated.source}"
    if watchdog.verdict(key) is not None:
        raise DiagnosticError.of("A031")
    trace = _Trace(model, NodePaths(graph, generated.lines))
    with watchdog.watched(key, _SECONDS), torch.random.fork_rng(devices=[]):
        torch.manual_seed(_SEED)
        given = [node.params for node in graph.nodes.values() if node.type == "Input"]
        inputs = [_example_input(params, floating) for params in given]
        try:
            with trace.following():
                model(*inputs)
        except Exception as error:
            raise DiagnosticError.of("A030", reason=str(error), line=trace.raised_at) from error
    return TraceReport(lines=tuple(trace.lines), is_cut=trace.is_cut)


def _example_input(params: Any, floating: torch.dtype) -> Tensor:
    signal = input_signal(params.get("shape", ()), params.get("dtype", "float32"), floating)
    if signal is None:
        raise DiagnosticError.of("A030", reason="", line=0)
    if signal.dtype.is_floating_point:
        return torch.randn(signal.shape, dtype=signal.dtype)
    return torch.zeros(signal.shape, dtype=signal.dtype)


class _Trace:
    """Python's trace function: after each line, what it made."""

    def __init__(self, model: nn.Module, node_paths: NodePaths) -> None:
        self.lines: list[TraceLine] = []
        self.is_cut = False
        self.raised_at = 0
        self._raised: object = None
        self._node_paths = node_paths
        self._names = {id(part): name for name, part in model.named_modules()}
        self._file = type(model).forward.__code__.co_filename
        self._pending: dict[FrameType, tuple[int, str, Seen]] = {}

    @contextmanager
    def following(self) -> Generator[None]:
        """Follow the forward passes of the model's own file on this thread."""
        previous = sys.gettrace()
        sys.settrace(self._trace_call)
        try:
            yield
        finally:
            sys.settrace(previous)
            self._pending.clear()

    def _trace_call(self, frame: FrameType, event: str, _: object) -> Any:
        del event
        code = frame.f_code
        is_own = code.co_name == "forward" and code.co_filename == self._file
        return self._trace_line if is_own else None

    def _trace_line(self, frame: FrameType, event: str, given: object) -> Any:
        seen = self._pending.pop(frame, None)
        if seen is not None and event in {"line", "return"}:
            self._add_changed(frame, *seen)
        if event == "return" and seen is not None:
            for number, tensor in enumerate(_tensors(given)):
                name = f"{_RETURN}[{number}]" if isinstance(given, tuple) else _RETURN
                self._add(seen[0], seen[1], name, tensor)
        elif event == "exception" and isinstance(given, tuple) and given[1] is not self._raised:
            self._raised = given[1]  # goes on through the frames that called this one
            self.raised_at = frame.f_lineno
        elif event == "line":
            origin = frame_origin(frame, self._names, self._file)
            node_path = "" if origin is None else self._node_paths.path(origin)
            self._pending[frame] = frame.f_lineno, node_path, dict(_marks(frame))
        return self._trace_line

    def _add_changed(self, frame: FrameType, line: int, node_path: str, seen: Seen) -> None:
        for name, mark in _marks(frame):
            if seen.get(name) != mark:
                self._add(line, node_path, name, frame.f_locals[name])

    def _add(self, line: int, node_path: str, name: str, tensor: Tensor) -> None:
        if len(self.lines) >= _MOST:
            self.is_cut = True
            return
        made = TraceLine(
            line=line,
            text=linecache.getline(self._file, line).strip(),
            place=node_path,
            name=name,
            shape=tuple(tensor.shape),
            dtype=str(tensor.dtype).removeprefix("torch."),
            device=str(tensor.device),
            requires_grad=tensor.requires_grad,
            function="" if tensor.grad_fn is None else tensor.grad_fn.name(),
        )
        self.lines.append(made)


def _marks(frame: FrameType) -> Iterator[tuple[str, tuple[int, int]]]:
    for name, value in frame.f_locals.items():
        if isinstance(value, Tensor):
            yield name, (id(value), value._version)  # noqa: SLF001 - there is no public name


def _tensors(given: object) -> list[Tensor]:
    members = given if isinstance(given, tuple) else (given,)
    return [each for each in members if isinstance(each, Tensor)]
