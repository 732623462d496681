"""Calls of autograd's engine in a backward pass: their order, times and gradients.

Pre- and post-hooks of the Functions record them (``torch.autograd.graph.Node.register_prehook`` and
``register_hook``); both are run by the engine, on the CPU on the thread that called ``backward``.
"""

import time
from collections.abc import Mapping
from typing import Any

from torch import Tensor
from torch.autograd.graph import Node
from torch.utils.hooks import RemovableHandle

from engine.inspect.reading import Snapshot, read, snapshot
from engine.runs.record.autograd_graph import BackwardCall

Gradients = tuple[Tensor | None, ...]


class _Call:
    """One call while it is made: gradients that ``arrived`` and that ``left``."""

    __slots__ = ("arrived", "end", "id", "left", "start")

    def __init__(self, function_id: str, arrived: list[Snapshot | None]) -> None:
        self.id = function_id
        self.arrived = arrived
        self.left: list[Snapshot | None] = []
        self.start = self.end = time.perf_counter()


class Recording:
    """Records a backward pass through the Functions of a graph; ``functions`` has their numbers."""

    def __init__(self, functions: Mapping[Node, int]) -> None:
        self._started_at = time.perf_counter()
        self._calls: list[_Call] = []
        self._handles: list[RemovableHandle] = []
        for function, number in functions.items():
            self._watch(function, str(number))

    def start(self) -> None:
        """Start the clock."""
        self._started_at = time.perf_counter()

    def stop(self) -> None:
        """Remove the hooks."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def calls(self) -> tuple[BackwardCall, ...]:
        """Return the calls in the order in which they were made; waits for the device."""
        readings = read(
            [each for call in self._calls for each in (*call.arrived, *call.left) if each]
        )
        return tuple(
            BackwardCall(
                id=call.id,
                start_s=call.start - self._started_at,
                took_s=call.end - call.start,
                arrived=tuple(
                    None if each is None else readings[id(each)] for each in call.arrived
                ),
                left=tuple(None if each is None else readings[id(each)] for each in call.left),
            )
            for call in self._calls
        )

    def _watch(self, function: Node, function_id: str) -> None:
        running: list[_Call] = []

        def pre_hook(gradients: Gradients) -> None:
            call = _Call(function_id, [snapshot(each) for each in gradients])
            running.append(call)
            self._calls.append(call)
            call.start = time.perf_counter()

        def post_hook(left: Gradients, _arrived: Gradients) -> None:
            call = running.pop()
            call.end = time.perf_counter()
            call.left = [snapshot(each) for each in left]

        hooks: Any = function  # its hooks are annotated as returning a tuple always
        self._handles += [hooks.register_prehook(pre_hook), hooks.register_hook(post_hook)]
