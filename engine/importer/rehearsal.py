"""Rehearsal of an untrusted file's operations without memory: what they would need is known before
any tensor is made.
"""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from typing_extensions import override

LARGEST_BYTES = 16 << 30
"""How large the tensors of a program may be that are there at the same time. All results are kept
to its end: in the code that is written of it each has a variable.
"""

MOST_CALLS = 500_000
"""How many operations a program may come to, with those that one operation is made of."""


class TooLargeError(Exception):
    """The results of the program would need more memory than an import is given."""


class TooLongError(Exception):
    """The program has more operations than an import is given."""


class WrittenWeightError(Exception):
    """An operation would write into a weight or a constant."""


class Rehearsal(TorchDispatchMode):
    """Leads every operation to the meta device, also those that make tensors of nothing, and also
    those that an operation is made of; adds up how large the tensors are that are there.

    ``kept`` are tensors that nothing may write into. Raises :class:`TooLargeError`,
    :class:`TooLongError` and :class:`WrittenWeightError`.
    """

    def __init__(self, kept: Sequence[Tensor] = ()) -> None:
        super().__init__()
        self._kept = {_storage(value) for value in kept}
        self._alive = list(kept)  # or a place in memory would be given twice
        self._bytes = 0
        self._views: dict[int, int] = {}  # how many tensors lie at each place
        self._calls = 0

    @override
    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        del types
        named = dict(kwargs or {})
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise TooLongError
        schema: torch.FunctionSchema = func._schema  # noqa: SLF001 - it has no public name
        if any(argument.name == "device" for argument in schema.arguments):
            named["device"] = torch.device("meta")
        if any(_storage(value) in self._kept for value in _written(schema, args, named)):
            raise WrittenWeightError(str(func))
        result = func(*args, **named)
        self._count(result, {_storage(value) for value in _tensors((args, named))})
        return result

    def _count(self, result: Any, storages: set[int]) -> None:
        for value in _tensors(result):
            if not value.is_meta:
                raise ValueError(value.device)
            storage = _storage(value)
            if storage not in self._views:
                if storage in storages:
                    continue  # of what was there before
                self._views[storage] = 0
                self._bytes += value.untyped_storage().nbytes()
            self._views[storage] += 1
            weakref.finalize(value, self._forget, storage, value.untyped_storage().nbytes())
        if self._bytes > LARGEST_BYTES:
            raise TooLargeError

    def _forget(self, storage: int, size: int) -> None:
        self._views[storage] -= 1
        if not self._views[storage]:
            del self._views[storage]
            self._bytes -= size


def _written(
    schema: torch.FunctionSchema, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Iterator[Tensor]:
    for position, argument in enumerate(schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            given = args[position] if position < len(args) else kwargs.get(argument.name)
            yield from _tensors(given)


def _tensors(value: Any) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, Tensor)]


def _storage(value: Tensor) -> int:
    """Return where a tensor lies: the same for all views of it, also without memory."""
    storage: Any = value.untyped_storage()
    return storage._cdata  # noqa: SLF001 - it has no public name
