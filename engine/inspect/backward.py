"""The calls that autograd's engine makes in a backward pass: their order, times and gradients.

Pre- and post-hooks of the Functions tell (``torch.autograd.graph.Node.register_prehook`` and
``register_hook``); both are run by the engine, on the CPU on the thread that called ``backward``.
Norms stay on their device until the pass is over, so that nothing waits for it.
"""

import math
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.graph import Node
from torch.utils.hooks import RemovableHandle

from engine.runs.autograd_graph import BackwardCall, Gradient

SMALL = 16
"""So many numbers of a gradient are kept with its norm."""

Gradients = tuple[Tensor | None, ...]


class _Seen(NamedTuple):
    """A gradient that is to be told of: its norm and, where it is small, a copy."""

    norm: Tensor | None
    copy: Tensor | None


class _Call:
    """One call, as it is being made."""

    __slots__ = ("arrived", "end", "id", "left", "start")

    def __init__(self, function_id: str, arrived: list[_Seen | None]) -> None:
        self.id = function_id
        self.arrived = arrived
        self.left: list[_Seen | None] = []
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
        seen = [each for call in self._calls for each in (*call.arrived, *call.left) if each]
        norms = _numbers([each.norm for each in seen if each.norm is not None])
        read = {id(each): _gradient(each, norms) for each in seen}
        return tuple(
            BackwardCall(
                id=call.id,
                start_s=call.start - self._begun,
                took_s=call.end - call.start,
                arrived=tuple(None if each is None else read[id(each)] for each in call.arrived),
                left=tuple(None if each is None else read[id(each)] for each in call.left),
            )
            for call in self._calls
        )

    def _watch(self, function: Node, function_id: str) -> None:
        running: list[_Call] = []

        def before(gradients: Gradients) -> None:
            call = _Call(function_id, [_look(each) for each in gradients])
            running.append(call)
            self._calls.append(call)
            call.start = time.perf_counter()

        def after(left: Gradients, _arrived: Gradients) -> None:
            call = running.pop()
            call.end = time.perf_counter()
            call.left = [_look(each) for each in left]

        hooks: Any = function  # its hooks are annotated as returning a tuple always
        self._handles += [hooks.register_prehook(before), hooks.register_hook(after)]


@torch.no_grad()
def _look(gradient: Tensor | None) -> _Seen | None:
    if gradient is None:
        return None
    values = gradient.detach()
    is_whole = values.layout is torch.strided
    if values.layout is torch.sparse_coo:
        values = values.coalesce().values()
    is_plain = values.layout is torch.strided and not values.is_nested
    if not is_plain or values.is_meta:
        return _Seen(None, None)
    is_few = is_whole and values.numel() <= SMALL and not values.is_complex()
    few = values.flatten().clone() if is_few else None
    wide = values.to(torch.float32) if values.dtype in (torch.float16, torch.bfloat16) else values
    return _Seen(torch.linalg.vector_norm(wide), few)


def _numbers(norms: list[Tensor]) -> dict[int, float]:
    """Return the norms by the identity of their tensors, each device and type read at once."""
    groups: dict[tuple[torch.device, torch.dtype], list[Tensor]] = {}
    for norm in norms:
        groups.setdefault((norm.device, norm.dtype), []).append(norm)
    found: dict[int, float] = {}
    for group in groups.values():
        found.update(zip(map(id, group), torch.stack(group).tolist(), strict=True))
    return found


def _gradient(seen: _Seen, norms: Mapping[int, float]) -> Gradient:
    values: list[float] = [] if seen.copy is None else seen.copy.tolist()
    norm = math.nan if seen.norm is None else norms[id(seen.norm)]
    return Gradient(norm=norm, values=tuple(values))
