"""The most memory that the tensors of a computation take at once.

Each operator is watched (``torch.utils._python_dispatch.TorchDispatchMode``): what it returns
counts until its storage is freed. Works on the meta device too, where storages have sizes and
nothing in them. What a kernel allocates for itself alone, such as a workspace, is not seen.
"""

import weakref
from collections.abc import Iterable
from typing import Any

from torch import Tensor, UntypedStorage
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from typing_extensions import override

from engine.inspect.saved import storages_of


class PeakMemory(TorchDispatchMode):
    """While it is entered, ``peak`` is the most bytes that were in use at once: those of
    ``standing``, which are there before, and what operators return.
    """

    def __init__(self, standing: Iterable[Tensor]) -> None:
        super().__init__()
        self.peak = 0
        self._used = 0
        self._watched: dict[int, weakref.ref[UntypedStorage]] = {}
        for tensor in standing:
            self._note(tensor)

    @override
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        returned = func(*args, **(kwargs or {}))
        for value in tree_leaves(returned):
            if isinstance(value, Tensor):
                self._note(value)
        return returned

    def _note(self, tensor: Tensor) -> None:
        for storage in storages_of(tensor):
            key, size = id(storage), storage.nbytes()  # one object as long as it lives
            if key in self._watched:
                continue

            def freed(_: object, key: int = key, size: int = size) -> None:
                del self._watched[key]
                self._used -= size

            self._watched[key] = weakref.ref(storage, freed)
            self._used += size
            self.peak = max(self.peak, self._used)
