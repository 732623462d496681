"""What the operations of a forward pass gave, noted at the Function of the graph that each left.

PyTorch tells of a Function as soon as it is whole (``torch.autograd.graph.node_creation_hook``),
right after the operation ran that it is of; ``TorchDispatchMode`` sees what that gave. No number
is changed.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import Node, node_creation_hook
from torch.utils._python_dispatch import TorchDispatchMode
from typing_extensions import override

from engine.inspect.reading import KEPT, Seen, look, read
from engine.runs.record.autograd_graph import Reading

_KEY = "trellis.values"
_DETACH = torch.ops.aten.detach.default  # how a Function keeps its own output: gives nothing new


@contextmanager
def noted() -> Generator[None]:
    """Note at each Function that is made inside what its operation gave; for one forward pass.

    A Function whose outputs do not look like what ran last has no note: one of a view that was
    changed in place (``CopySlices``), or one written in C++.
    """
    results = _Results()

    def note(function: Node) -> None:
        found = results.like(function)
        if found:
            _metadata(function)[_KEY] = found

    with node_creation_hook(results.aside(note)), results:
        yield


def read_notes(functions: Mapping[Node, int]) -> dict[str, tuple[Reading, ...]]:
    """Return what was noted, by the numbers of the Functions as text; of leaves it is the parameter
    as it is now. Waits for the device.
    """
    notes = {str(number): _notes(function) for function, number in functions.items()}
    known = read([each for found in notes.values() for each in found])
    return {
        number: tuple(known[id(each)] for each in found) for number, found in notes.items() if found
    }


class _Results(TorchDispatchMode):
    """Keeps what the last operation gave, but for those that a note itself needs."""

    def __init__(self) -> None:
        super().__init__()
        self._last: tuple[Tensor, ...] = ()
        self._seen: tuple[Seen | None, ...] = ()
        self._is_aside = False

    @override
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if not self._is_aside and func is not _DETACH:
            given = result if isinstance(result, tuple | list) else (result,)
            self._last = tuple(each for each in given if _has_gradient(each))
            # Here a copy is made without this mode being asked again, which takes longer than it.
            self._seen = tuple(look(each) if each.numel() <= KEPT else None for each in self._last)
        return result

    def like(self, function: Any) -> tuple[Seen | None, ...]:
        """Take note of what the last operation gave, if a Function has outputs like it."""
        outputs = function._input_metadata  # noqa: SLF001 - there is no public name
        found = self._last[: len(outputs)]
        looks = [(tuple(map(int, each.shape)), each.dtype) for each in outputs]
        if looks != [(tuple(each.shape), each.dtype) for each in found]:
            return ()
        return tuple(seen or look(each) for each, seen in zip(found, self._seen, strict=False))

    def aside(self, note: Callable[[Node], None]) -> Callable[[Node], None]:
        """Return a function whose own operations are not kept."""

        def quiet(function: Node) -> None:
            self._is_aside = True
            try:
                note(function)
            finally:
                self._is_aside = False

        return quiet


def _has_gradient(value: object) -> bool:
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def _metadata(function: Any) -> dict[str, tuple[Seen | None, ...]]:
    return function.metadata  # annotated as a method


def _notes(function: Any) -> tuple[Seen, ...]:
    leaf: Tensor | None = getattr(function, "variable", None)
    found = (look(leaf),) if leaf is not None else _metadata(function).get(_KEY, ())
    return tuple(each for each in found if each is not None)
