"""What a Function of the autograd graph keeps for its backward, read without changing anything.

Hooks for saved tensors (``torch.autograd.graph.saved_tensors_hooks``, and with them checkpointing)
may keep something else and compute the tensor when it is asked for. They are not asked: a
checkpointed layer would run once more for each tensor that is looked at.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec
from torch import Tensor
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import Node

from engine.inspect.storage import size_of, storage_of
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


class _Kept(NamedTuple):
    """One thing that a Function keeps, and what the message says of one that changed; ``is_packed``
    tells that a hook keeps it in the place of the tensor.
    """

    name: str
    value: Any = None
    changed: re.Match[str] | None = None
    is_packed: bool = False


class SavedReader:
    """Reads what Functions keep; remembers which memory is shared."""

    def __init__(self) -> None:
        self._storages: dict[int, int] = {}

    def read(self, function: Node) -> tuple[tuple[SavedValue, ...], bool]:
        """Return what a Function keeps, and whether some of it is gone."""
        found: list[SavedValue] = []
        is_freed = False
        for kept in _all(function):
            if kept is None:
                is_freed = True
            else:
                found.append(self._told(kept))
        return tuple(found), is_freed

    def _told(self, kept: _Kept) -> SavedValue:
        value = kept.value
        if kept.changed is not None:
            told = _changed(kept.name, kept.changed)
            return msgspec.structs.replace(told, storage=self._number(value), size=size_of(value))
        if not isinstance(value, Tensor):
            text = type(value).__name__ if kept.is_packed else value_text(value)
            return SavedValue(name=kept.name, text=text, is_packed=kept.is_packed)
        version = value._version  # noqa: SLF001 - there is no public name
        return SavedValue(
            name=kept.name,
            tensor=tensor_meta(value),
            version=version,
            expected=version,  # else PyTorch does not hand it out
            storage=self._number(value),
            size=size_of(value),
            is_packed=kept.is_packed,
        )

    def _number(self, tensor: Tensor) -> int:
        """Return the number of the memory of a tensor."""
        return self._storages.setdefault(storage_of(tensor), len(self._storages))


def is_freed(function: Node) -> bool:
    """Return whether some of what a Function kept is gone: a backward pass went through it."""
    return any(kept is None for kept in _all(function))


def tensor_meta(tensor: Tensor) -> TensorMeta:
    """Return shape, dtype (``float32``) and device of a tensor."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    return TensorMeta(tuple(tensor.shape), dtype, str(tensor.device))


def value_text(value: Any) -> str:
    """Return a number or a text that PyTorch keeps, cut where it is long."""
    if isinstance(value, tuple | list):
        text = ", ".join(value_text(each) for each in value)
        return f"({text})"[:_TEXT_LENGTH]
    return str(signed(value) if isinstance(value, int) else value)[:_TEXT_LENGTH]


def signed(value: int) -> int:
    """Return a number that PyTorch shows as an unsigned one."""
    return value - 2 * _BIG if value >= _BIG else value


def _all(function: Any) -> Iterator[_Kept | None]:
    """Give what a Function keeps, in order; None for what is gone."""
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
            yield from (_Kept(name, each, is_packed=True) for each in packed)
        elif isinstance(value, tuple | list) and any(isinstance(v, Tensor) for v in value):
            yield from (_Kept(f"{name}[{n}]", v) for n, v in enumerate(value) if v is not None)
        else:
            yield _Kept(name, value)


@cache
def _saved_names(function: type[Node]) -> tuple[str, ...]:
    return tuple(name for name in dir(function) if name.startswith(_SAVED))


def _packed(saved: tuple[Any, ...]) -> list[Any]:
    """Return what hooks keep in the place of saved tensors."""
    hooked = (each for each in saved if getattr(each, "unpack_hook", None) is not None)
    return [each.data for each in hooked]


def _of_python(function: Any) -> Iterator[_Kept | None]:
    """Give what a Function written in Python saved."""
    try:
        saved = function._raw_saved_tensors  # noqa: SLF001 - there is no public name
    except RuntimeError:  # "... after they have already been freed"
        yield None
        return
    if packed := _packed(saved):
        yield from (_Kept(str(n), each, is_packed=True) for n, each in enumerate(packed))
        return
    try:
        values = function.saved_tensors
    except RuntimeError:  # it hands out none where one was changed in place
        yield from (_alone(str(n), each) for n, each in enumerate(saved))
        return
    yield from (_Kept(str(n), each) for n, each in enumerate(values) if each is not None)


def _alone(name: str, saved: Any) -> _Kept:
    """Return one saved tensor; its own outputs a Function hands out only all together."""
    try:
        saved.unpack()
    except RuntimeError as error:
        if changed := _CHANGED.search(str(error)):
            return _Kept(name, saved.data, changed)
    return _Kept(name, saved.data)


def _failed(name: str, raw: Any, error: RuntimeError) -> Iterator[_Kept | None]:
    changed = _CHANGED.search(str(error))
    if changed is None:
        yield None  # freed
    elif isinstance(raw, tuple):
        yield from (_alone(f"{name}[{n}]", s) for n, s in enumerate(raw) if s.data is not None)
    else:
        yield _Kept(name, raw.data, changed)


def _changed(name: str, told: re.Match[str]) -> SavedValue:
    """Return what the message tells of a tensor that PyTorch does not hand out."""
    dtype = _TYPES.get(told["type"], told["type"].removesuffix("Tensor").lower())
    shape = tuple(int(size) for size in (told["shape"] or "").split(",") if size.strip())
    return SavedValue(
        name=name,
        tensor=TensorMeta(shape, dtype),
        version=int(told["version"]),
        expected=int(told["expected"]),
    )
