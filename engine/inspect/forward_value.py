"""Results of the operations of a forward pass, noted at the Function of each.

PyTorch calls ``torch.autograd.graph.node_creation_hook`` as soon as a Function is complete, right
after its operation ran; ``TorchDispatchMode`` sees the result of that. No number is changed.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import Node, node_creation_hook
from torch.utils._python_dispatch import TorchDispatchMode
from typing_extensions import override

from engine.inspect.reading import KEPT, Snapshot, read, snapshot
from engine.runs.record.autograd_graph import Reading

_KEY = "trellis.values"
_DETACH = torch.ops.aten.detach.default  # by which a Function saves its own output: no new result


@contextmanager
def noted() -> Generator[None]:
    """Note the result of its operation at each Function that is made inside; for one forward pass.

    A Function whose outputs do not match the last result has no note: one of a view that was
    changed in place (``CopySlices``), or one written in C++.
    """
    results = _Results()

    def note(function: Node) -> None:
        matching = results.of(function)
        if matching:
            _metadata(function)[_KEY] = matching

    with node_creation_hook(results.uncounted(note)), results:
        yield


def read_notes(functions: Mapping[Node, int]) -> dict[str, tuple[Reading, ...]]:
    """Return what was noted, by the numbers of the Functions as text; for leaves the parameters as
    they are now. Waits for the device.
    """
    notes = {str(number): _notes(function) for function, number in functions.items()}
    readings = read([each for snapshots in notes.values() for each in snapshots])
    return {
        number: tuple(readings[id(each)] for each in snapshots)
        for number, snapshots in notes.items()
        if snapshots
    }


class _Results(TorchDispatchMode):
    """Keeps the result of the last operation, except operations that a note itself calls."""

    def __init__(self) -> None:
        super().__init__()
        self._last: tuple[Tensor, ...] = ()
        self._snapshots: tuple[Snapshot | None, ...] = ()
        self._is_paused = False

    @override
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if not self._is_paused and func is not _DETACH:
            given = result if isinstance(result, tuple | list) else (result,)
            self._last = tuple(each for each in given if _has_gradient(each))
            # Copied here, where the mode is off: a call of the mode takes longer than the copy.
            self._snapshots = tuple(
                snapshot(each) if each.numel() <= KEPT else None for each in self._last
            )
        return result

    def of(self, function: Any) -> tuple[Snapshot | None, ...]:
        """Return snapshots of the last result, if the outputs of a Function match it."""
        outputs = function._input_metadata  # noqa: SLF001 - there is no public name
        results = self._last[: len(outputs)]
        shapes = [(tuple(map(int, each.shape)), each.dtype) for each in outputs]
        if shapes != [(tuple(each.shape), each.dtype) for each in results]:
            return ()
        return tuple(
            seen or snapshot(each) for each, seen in zip(results, self._snapshots, strict=False)
        )

    def uncounted(self, note: Callable[[Node], None]) -> Callable[[Node], None]:
        """Return a function whose own operations are not kept."""

        def quiet(function: Node) -> None:
            self._is_paused = True
            try:
                note(function)
            finally:
                self._is_paused = False

        return quiet


def _has_gradient(value: object) -> bool:
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def _metadata(function: Any) -> dict[str, tuple[Snapshot | None, ...]]:
    return function.metadata  # annotated as a method


def _notes(function: Any) -> tuple[Snapshot, ...]:
    leaf: Tensor | None = getattr(function, "variable", None)
    snapshots = (snapshot(leaf),) if leaf is not None else _metadata(function).get(_KEY, ())
    return tuple(each for each in snapshots if each is not None)
