"""The calls that autograd's engine makes in a backward pass: their order, times and gradients.

Pre- and post-hooks of the Functions tell (``torch.autograd.graph.Node.register_prehook`` and
``register_hook``); both are run by the engine, on the CPU on the thread that called ``backward``.
"""

import time
from collections.abc import Mapping
from typing import Any

from torch import Tensor
from torch.autograd.graph import Node
from torch.utils.hooks import RemovableHandle

from engine.inspect.reading import Seen, look, read
from engine.runs.record.autograd_graph import BackwardCall

Gradients = tuple[Tensor | None, ...]


class _Call:
    """One call, as it is being made."""

    __slots__ = ("arrived", "end", "id", "left", "start")

    def __init__(self, function_id: str, arrived: list[Seen | None]) -> None:
        self.id = function_id
        self.arrived = arrived
        self.left: list[Seen | None] = []
        self.start = self.end = time.perf_counter()


class Recording:
    """Records a backward pass through Functions that stand; ``functions`` gives each its number."""

    def __init__(self, functions: Mapping[Node, int]) -> None:
        self._begun = time.perf_counter()
        self._calls: list[_Call] = []
        self._handles: list[RemovableHandle] = []
        for function, number in functions.items():
            self._watch(function, str(number))

    def begin(self) -> None:
        """Count the time from now on."""
        self._begun = time.perf_counter()

    def end(self) -> None:
        """Take the hooks out."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def calls(self) -> tuple[BackwardCall, ...]:
        """Return the calls in the order in which they were made; waits for the device."""
        known = read([each for call in self._calls for each in (*call.arrived, *call.left) if each])
        return tuple(
            BackwardCall(
                id=call.id,
                start_s=call.start - self._begun,
                took_s=call.end - call.start,
                arrived=tuple(None if each is None else known[id(each)] for each in call.arrived),
                left=tuple(None if each is None else known[id(each)] for each in call.left),
            )
            for call in self._calls
        )

    def _watch(self, function: Node, function_id: str) -> None:
        running: list[_Call] = []

        def before(gradients: Gradients) -> None:
            call = _Call(function_id, [look(each) for each in gradients])
            running.append(call)
            self._calls.append(call)
            call.start = time.perf_counter()

        def after(left: Gradients, _arrived: Gradients) -> None:
            call = running.pop()
            call.end = time.perf_counter()
            call.left = [look(each) for each in left]

        hooks: Any = function  # its hooks are annotated as returning a tuple always
        self._handles += [hooks.register_prehook(before), hooks.register_hook(after)]
