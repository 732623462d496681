"""Saved values of a Function of the autograd graph, read without changing anything.

Hooks for saved tensors (``torch.autograd.graph.saved_tensors_hooks``, and with them checkpointing)
may keep something else and compute the tensor when it is needed. They are not called: a
checkpointed layer would run once more for each of its tensors.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec
import torch
from torch import Tensor, UntypedStorage
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node

from engine.runs.record.autograd_graph import SavedValue, TensorMeta

_SAVED = "_saved_"
_TEXT_LENGTH = 80
_CHANGED = re.compile(
    r"modified by an inplace operation: "
    r"\[torch\.(?:\w+\.)*(?P<type>\w+)(?: \[(?P<shape>[\d, ]*)\])?\]"
    r".*is at version (?P<version>\d+); expected version (?P<expected>\d+)",
    re.DOTALL,
)
_TYPES = {
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "LongTensor": "int64",
    "IntTensor": "int32",
    "BoolTensor": "bool",
}
_BIG = 2**63  # PyTorch shows negative numbers as unsigned ones


class _Saved(NamedTuple):
    """A value that a Function saved, and what the message says of one that changed; ``is_packed``:
    a hook keeps it instead of the tensor.
    """

    name: str
    value: Any = None
    changed: re.Match[str] | None = None
    is_packed: bool = False


class SavedReader:
    """Reads the values that Functions saved; numbers their storages, so that shared ones show."""

    def __init__(self) -> None:
        self._storages: dict[int, int] = {}

    def read(self, function: Node) -> tuple[tuple[SavedValue, ...], bool]:
        """Return the values that a Function saved, and whether some are freed."""
        values: list[SavedValue] = []
        is_freed = False
        for saved in _all(function):
            if saved is None:
                is_freed = True
            else:
                values.append(self._value(saved))
        return tuple(values), is_freed

    def _value(self, saved: _Saved) -> SavedValue:
        value = saved.value
        if saved.changed is not None:
            changed = _changed(saved.name, saved.changed)
            return msgspec.structs.replace(
                changed, storage=self._number(value), size=size_of(value)
            )
        if not isinstance(value, Tensor):
            text = type(value).__name__ if saved.is_packed else value_text(value)
            return SavedValue(name=saved.name, text=text, is_packed=saved.is_packed)
        version = value._version  # noqa: SLF001 - there is no public name
        return SavedValue(
            name=saved.name,
            tensor=tensor_meta(value),
            version=version,
            expected=version,  # otherwise PyTorch refuses to return it
            storage=self._number(value),
            size=size_of(value),
            is_packed=saved.is_packed,
        )

    def _number(self, tensor: Tensor) -> int:
        """Return the number of the storage of a tensor."""
        return self._storages.setdefault(storage_of(tensor), len(self._storages))


def is_freed(function: Node) -> bool:
    """Return whether saved values are freed: a backward pass went through the Function."""
    return any(saved is None for saved in _all(function))


def tensor_meta(tensor: Tensor) -> TensorMeta:
    """Return shape, dtype (``float32``) and device of a tensor."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    return TensorMeta(tuple(tensor.shape), dtype, str(tensor.device))


def value_text(value: Any) -> str:
    """Return a saved number or string as text, truncated where it is long."""
    if isinstance(value, tuple | list):
        text = ", ".join(value_text(each) for each in value)
        return f"({text})"[:_TEXT_LENGTH]
    return str(signed(value) if isinstance(value, int) else value)[:_TEXT_LENGTH]


def signed(value: int) -> int:
    """Return a number that PyTorch shows as an unsigned one."""
    return value - 2 * _BIG if value >= _BIG else value


def _all(function: Any) -> Iterator[_Saved | None]:
    """Yield the saved values of a Function, in order; None for freed ones."""
    if isinstance(function, BackwardCFunction):
        yield from _of_python(function)
    for attribute in _saved_names(type(function)):
        name = attribute.removeprefix(_SAVED)
        raw: Any = ()
        try:
            raw = getattr(function, f"_raw{attribute}", ())
            packed = _packed(raw if isinstance(raw, tuple) else (raw,))
            value = None if packed else getattr(function, attribute)
        except RuntimeError as error:
            yield from _failed(name, raw, error)
            continue
        if packed:
            yield from (_Saved(name, each, is_packed=True) for each in packed)
        elif isinstance(value, tuple | list) and any(isinstance(v, Tensor) for v in value):
            yield from (_Saved(f"{name}[{n}]", v) for n, v in enumerate(value) if v is not None)
        else:
            yield _Saved(name, value)


@cache
def _saved_names(function: type[Node]) -> tuple[str, ...]:
    return tuple(name for name in dir(function) if name.startswith(_SAVED))


def _packed(saved: tuple[Any, ...]) -> list[Any]:
    """Return what hooks keep instead of saved tensors."""
    hooked = (each for each in saved if getattr(each, "unpack_hook", None) is not None)
    return [each.data for each in hooked]


def _of_python(function: Any) -> Iterator[_Saved | None]:
    """Yield the saved values of a Function written in Python."""
    try:
        saved = function._raw_saved_tensors  # noqa: SLF001 - there is no public name
    except RuntimeError:  # "... after they have already been freed"
        yield None
        return
    if packed := _packed(saved):
        yield from (_Saved(str(n), each, is_packed=True) for n, each in enumerate(packed))
        return
    try:
        values = function.saved_tensors
    except RuntimeError:  # it returns none where one was changed in place
        yield from (_single(str(n), each) for n, each in enumerate(saved))
        return
    yield from (_Saved(str(n), each) for n, each in enumerate(values) if each is not None)


def _single(name: str, saved: Any) -> _Saved:
    """Return one saved tensor; PyTorch returns outputs of the Function only all together."""
    try:
        saved.unpack()
    except RuntimeError as error:
        if changed := _CHANGED.search(str(error)):
            return _Saved(name, saved.data, changed)
    return _Saved(name, saved.data)


def _failed(name: str, raw: Any, error: RuntimeError) -> Iterator[_Saved | None]:
    changed = _CHANGED.search(str(error))
    if changed is None:
        yield None  # freed
    elif isinstance(raw, tuple):
        yield from (_single(f"{name}[{n}]", s) for n, s in enumerate(raw) if s.data is not None)
    else:
        yield _Saved(name, raw.data, changed)


def _changed(name: str, message: re.Match[str]) -> SavedValue:
    """Return what the message says of a tensor that PyTorch refuses to return."""
    dtype = _TYPES.get(message["type"], message["type"].removesuffix("Tensor").lower())
    shape = tuple(int(size) for size in (message["shape"] or "").split(",") if size.strip())
    return SavedValue(
        name=name,
        tensor=TensorMeta(shape, dtype),
        version=int(message["version"]),
        expected=int(message["expected"]),
    )


def storage_of(tensor: Tensor) -> int:
    """Return the identity of a storage, also on the meta device, where it has no address."""
    last = _parts(tensor)[-1]
    # there is no public name for it
    return last.untyped_storage()._cdata if _is_plain(last) else last._cdata  # noqa: SLF001  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]


def storages_of(tensor: Tensor) -> list[UntypedStorage]:
    """Return the storages of a tensor: one, or several of a sparse one; none without strides."""
    return [part.untyped_storage() for part in _parts(tensor) if _is_plain(part)]


def size_of(tensor: Tensor) -> int:
    """Return the bytes of the whole storage of a tensor, also where it is a view of a part."""
    return sum(
        part.untyped_storage().nbytes() if _is_plain(part) else part.numel() * part.element_size()
        for part in _parts(tensor)
    )


def _is_plain(tensor: Tensor) -> bool:
    return tensor.layout is torch.strided


def _parts(tensor: Tensor) -> tuple[Tensor, ...]:
    """Return the tensors with the storages of a tensor: of a sparse one its indices and values."""
    if tensor.layout is not torch.sparse_coo:
        return (tensor,)
    # indices() and values() are defined for coalesced tensors only
    return tensor._indices(), tensor._values()  # noqa: SLF001
