"""Tensors and plain values, made from the description of the pickle in a file of weights.

PyTorch's own reader for strangers' files (``weights_only``) knows which names are harmless; it does
not check their arguments. ``bytearray(10**12)``, or a text encoded over and over, takes all memory;
an attribute that replaces a method ends the program later. Here each of the few kinds of objects in
state dictionaries is made by us, from parts that were checked.
"""

import re
from collections import Counter, OrderedDict
from collections.abc import Callable
from math import prod
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor
from torch._utils import set_tensor_metadata

from engine.sandbox.inert import (
    ExcessivePickleError,
    ForeignPickleError,
    Kept,
    Made,
    Named,
    Pairs,
    are_plain,
)

_LARGEST = 1 << 62
_MOST_DIMENSIONS = 64
_LEAST_ROOM = 64 << 20  # bytes that values may take in the smallest file
_MOST_COLLISIONS = 200_000_000  # of keys in dictionaries: about a second
_KEY_BITS = 64  # whole numbers that differ by a multiple of 2**61 - 1 have one hash
_ENTRY = 100  # bytes, of a dictionary or a set
_ENCODINGS = {"latin1", "latin-1", "utf-8", "utf8", "ascii"}
_STORAGE = re.compile(r"torch(?:\.cuda|\.storage)?\.(\w*)Storage")
_SCALARS = (str, bytes, bool, int, float, type(None))
_KINDS = {
    "Double": torch.float64,
    "Float": torch.float32,
    "Half": torch.float16,
    "BFloat16": torch.bfloat16,
    "Long": torch.int64,
    "Int": torch.int32,
    "Short": torch.int16,
    "Char": torch.int8,
    "Byte": torch.uint8,
    "Bool": torch.bool,
    "ComplexDouble": torch.complex128,
    "ComplexFloat": torch.complex64,
    "QUInt8": torch.quint8,
    "QInt8": torch.qint8,
    "QInt32": torch.qint32,
    "QUInt4x2": torch.quint4x2,
    "QUInt2x4": torch.quint2x4,
    "Untyped": torch.uint8,
}
_QUANTIZED = {torch.quint8, torch.qint8, torch.qint32, torch.quint4x2, torch.quint2x4}
_PACKED = {torch.quint4x2: 2, torch.quint2x4: 4}  # numbers in a byte
_LAYOUTS = {
    str(layout): layout
    for layout in (
        *(torch.strided, torch.sparse_coo, torch.sparse_csr),
        *(torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc),
    )
}
_Constant = TypeVar("_Constant")
_CONSTANTS: tuple[type[object], ...] = (
    torch.dtype,
    torch.layout,
    torch.memory_format,
    torch.qscheme,
)
_Arguments = tuple[object, ...]

Storages = Callable[[str, torch.dtype, int], torch.UntypedStorage]
"""Returns the numbers that are kept by a key: of a dtype, so many of them."""


class _Storage(NamedTuple):
    numbers: torch.UntypedStorage
    dtype: torch.dtype


class PlainValues:
    """Makes the values of one file of ``room`` bytes, with numbers from ``storages``."""

    def __init__(self, storages: Storages, room: int) -> None:
        self._storages = storages
        self._left = max(room, _LEAST_ROOM)
        self._collisions_left = _MOST_COLLISIONS
        self._made: dict[int, object] = {}
        self._makers: dict[str, Callable[[_Arguments], object]] = {
            "collections.OrderedDict": _ordered,
            "collections.Counter": self._counter,
            "_codecs.encode": self._encoded,
            "builtins.bytearray": self._bytes,
            "builtins.complex": _complex,
            "builtins.set": self._set,
            "__builtin__.bytearray": self._bytes,
            "__builtin__.complex": _complex,
            "__builtin__.set": self._set,
            "torch.Size": _size,
            "torch.device": _device,
            "torch.serialization._get_layout": _layout,
            "torch._utils._rebuild_tensor": _tensor,
            "torch._utils._rebuild_tensor_v2": _tensor,
            "torch._utils._rebuild_tensor_v3": _tensor,
            "torch._utils._rebuild_qtensor": self._quantized,
            "torch._utils._rebuild_sparse_tensor": _sparse,
            "torch._utils._rebuild_parameter": _parameter,
        }

    def make(self, value: object) -> object:
        """Return what an inert object describes; what it shares is one object.

        Raises :class:`~engine.sandbox.inert.PickleError` for what is neither a tensor nor a plain
        value, or larger than the file, and what PyTorch raises where numbers do not fit together.
        """
        if isinstance(value, _SCALARS):
            return value
        if isinstance(value, Named):
            return constant(value, *_CONSTANTS)
        if id(value) not in self._made:
            self._made[id(value)] = self._new(value)
        return self._made[id(value)]

    def _new(self, value: object) -> object:
        if isinstance(value, tuple):
            return value if are_plain(value) else tuple(self.make(one) for one in value)
        if isinstance(value, list):
            return list(value) if are_plain(value) else [self.make(one) for one in value]
        if isinstance(value, Pairs):
            made: dict[object, object] = {}
            self._put(value.items, made)
            return made
        if isinstance(value, Made):
            return self._called(value)
        raise ForeignPickleError("numbers without a tensor")

    def _put(self, items: list[tuple[object, object]], target: dict[object, object]) -> None:
        self._limit_collisions([key for key, _ in items])
        for key, value in items:
            target[self.make(key)] = self.make(value)

    def _limit_collisions(self, keys: list[object]) -> None:
        """Refuse keys of a dictionary or a set that may be chosen to collide, where that could take
        long. Only the hashes of strings cannot be foreseen; consecutive numbers do not collide.
        """
        if not all(map(_is_key, keys)):
            raise ForeignPickleError("a key that is no plain value")
        effort, last = 0, None
        for key in keys:
            if type(key) is not int or last is None or key != last + 1:
                effort += _effort(key)
            last = key if type(key) is int else last
        self._collisions_left -= effort * len(keys)
        if self._collisions_left < 0:
            raise ExcessivePickleError("numbers for names, without order")

    def _kept(self, kept: Kept) -> _Storage:
        match kept.key:
            case ("storage", Named() as kind, str(key), str(), int(count)) if 0 <= count < _LARGEST:
                found = _STORAGE.fullmatch(kind.path())
                if found is not None and found[1] in _KINDS:
                    dtype = _KINDS[found[1]]
                    return _Storage(self._storages(key, dtype, count), dtype)
                raise ForeignPickleError(kind.path())
            case _:
                raise ForeignPickleError("what is no storage")

    def _called(self, made: Made) -> object:
        path = made.maker.path()
        maker = self._makers.get(path)
        if made.is_new or maker is None:
            raise ForeignPickleError(path)
        _require_state(made, path)
        if path in {"builtins.set", "__builtin__.set"}:
            self._limit_collisions(_members(made.arguments))
        result = maker(
            tuple(
                self._kept(one) if isinstance(one, Kept) else self.make(one)
                for one in made.arguments
            )
        )
        if isinstance(result, dict):
            self._put(made.items, result)
        if isinstance(made.state, Pairs):
            # What ``state_dict()`` puts at its result: the versions of modules.
            versions = self.make(made.state.items[0][1])
            if not _are_versions(versions):
                raise ForeignPickleError("versions of modules that are none")
            result.__dict__["_metadata"] = versions
        return result

    def _spend(self, size: int) -> None:
        """Count bytes that values take besides their parts."""
        self._left -= size
        if self._left < 0:
            raise ExcessivePickleError("values that are made over and over")

    def _encoded(self, arguments: _Arguments) -> bytes:
        match arguments:
            case (str(text), str(encoding)) if encoding in _ENCODINGS:
                self._spend(4 * len(text))
                return text.encode(encoding)
            case _:
                raise _unlike("_codecs.encode")

    def _bytes(self, arguments: _Arguments) -> bytearray:
        match arguments:
            case ():
                return bytearray()
            case (bytes(content),):
                self._spend(len(content))
                return bytearray(content)
            case (str(), str()):
                return bytearray(self._encoded(arguments))
            case _:
                raise _unlike("bytearray")

    def _set(self, arguments: _Arguments) -> set[object]:
        match arguments:
            case (list(members),):
                self._spend(_ENTRY * len(members))
                return set(members)
            case _:
                raise _unlike("set")

    def _counter(self, arguments: _Arguments) -> "Counter[object]":
        match arguments:
            case ():
                return Counter()
            case (dict(counted),):
                self._spend(_ENTRY * len(counted))
                return Counter(counted)
            case _:
                raise _unlike("Counter")

    def _quantized(self, arguments: _Arguments) -> Tensor:
        from torch._utils import (
            _rebuild_qtensor,  # pyright: ignore[reportPrivateUsage, reportUnknownVariableType]
        )

        match arguments:
            case (_Storage() as storage, int(offset), shape, stride, tuple() as how, bool(), _):
                sizes, steps = _sizes(shape), _sizes(stride)
                _require_inside(storage, storage.dtype, offset, sizes, steps)
                self._spend(prod(sizes))  # PyTorch makes room for it first
                if not _is_quantizer(how, storage.dtype):
                    raise _unlike("a quantized tensor")
                typed = torch.storage.TypedStorage(
                    wrap_storage=storage.numbers, dtype=storage.dtype, _internal=True
                )
                return _rebuild_qtensor(typed, offset, sizes, steps, how, arguments[5], None)
            case _:
                raise _unlike("a quantized tensor")


def _is_quantizer(how: _Arguments, dtype: torch.dtype) -> bool:
    """Return whether this is a quantizer for a dtype. PyTorch itself ends the process where zero
    points are no whole numbers, except with the dtypes of embeddings.
    """
    match how:
        case (torch.qscheme(), float(), int()):
            return True
        case (torch.qscheme() as scheme, (Tensor() | list()), points, int()):
            if isinstance(points, Tensor):
                is_whole = not points.is_floating_point() and points.layout == torch.strided
            else:
                is_whole = isinstance(points, list)
            is_float = not is_whole or scheme == torch.per_channel_affine_float_qparams
            return not is_float or dtype in {torch.quint8, torch.quint4x2, torch.quint2x4}
        case _:
            return False


def constant(name: Named, *kinds: type[_Constant]) -> _Constant:
    """Return the constant of PyTorch that a name stands for, of one of some kinds.

    Raises :class:`~engine.sandbox.inert.ForeignPickleError` for any other name.
    """
    found = vars(torch).get(name.name) if name.module == "torch" else None  # no late imports
    if not isinstance(found, kinds):
        raise ForeignPickleError(name.path())
    return found


def _is_key(value: object) -> bool:
    """Return whether a value may be hashed: a plain one, or a tuple of such."""
    if type(value) is tuple:
        return all(type(one) is not tuple and _is_key(one) for one in value)
    if isinstance(value, int):
        return value.bit_length() <= _KEY_BITS
    return isinstance(value, (*_SCALARS, Named))


def _effort(key: object) -> int:
    """Return the most comparisons that tell another key from this one: none for a string, as no
    other has its hash.
    """
    if isinstance(key, tuple):
        return 1 + sum(1 + (len(one) if isinstance(one, str | bytes) else 0) for one in key)
    return int(isinstance(key, int | float))


def _members(arguments: _Arguments) -> list[object]:
    match arguments:
        case (list(members),):
            return members
        case _:
            raise _unlike("set")


def _require_state(made: Made, path: str) -> None:
    """Refuse to set attributes of an object: one could hide a method."""
    is_mapping = path in {"collections.OrderedDict", "collections.Counter"}
    if made.items and not is_mapping:
        raise ForeignPickleError(f"items of {path}")
    match made.state:
        case None:
            return
        case Pairs(items=[("_metadata", Pairs() | Made())]) if is_mapping:
            return
        case _:
            raise ForeignPickleError(f"a state of {path}")


def _are_versions(value: object) -> bool:
    """Return whether these are the state versions of modules by their names."""
    return isinstance(value, dict) and all(
        isinstance(one, dict) and type(one.get("version")) in {int, type(None)}
        for one in value.values()
    )


def _unlike(what: str) -> ForeignPickleError:
    return ForeignPickleError(f"{what} with other arguments than state dictionaries have")


def _ordered(arguments: _Arguments) -> OrderedDict[object, object]:
    if arguments:
        raise _unlike("OrderedDict")
    return OrderedDict()


def _complex(arguments: _Arguments) -> complex:
    match arguments:
        case (float(real), float(imaginary)):
            return complex(real, imaginary)
        case _:
            raise _unlike("complex")


def _size(arguments: _Arguments) -> torch.Size:
    if len(arguments) != 1:
        raise _unlike("torch.Size")
    return torch.Size(_sizes(arguments[0]))


def _device(arguments: _Arguments) -> torch.device:
    match arguments:
        case (str(kind),):
            return torch.device(kind)
        case (str(kind), int(index)):
            return torch.device(kind, index)
        case _:
            raise _unlike("torch.device")


def _layout(arguments: _Arguments) -> torch.layout:
    match arguments:
        case (str(name),) if name in _LAYOUTS:
            return _LAYOUTS[name]
        case _:
            raise _unlike("a layout")


def _tensor(arguments: _Arguments) -> Tensor:
    """Return a view of a storage: offset, sizes, strides, and further properties."""
    match arguments:
        case (_Storage() as storage, int(offset), shape, stride, *rest):
            needs_gradient, hooks, dtype, marks = _extras(rest, storage.dtype)
        case _:
            raise _unlike("a tensor")
    if hooks:
        raise ForeignPickleError("hooks of a tensor")
    if dtype in _QUANTIZED:
        raise _unlike("a quantized tensor")  # without a scale PyTorch ends the process over it
    sizes, steps = _sizes(shape), _sizes(stride)
    _require_inside(storage, dtype, offset, sizes, steps)
    tensor = torch.empty(0, dtype=dtype).set_(storage.numbers, offset, sizes, steps)
    if marks:
        set_tensor_metadata(tensor, marks)
    return tensor.requires_grad_(needs_gradient)


def _extras(
    rest: list[object], dtype: torch.dtype
) -> tuple[bool, object, torch.dtype, dict[str, bool]]:
    """Return the properties after the sizes: whether it requires a gradient, hooks, the dtype where
    the storage has none, and marks (``conj``, ``neg``).
    """
    needs_gradient, hooks, *more = rest or (False, None)
    if more and isinstance(more[0], torch.dtype):
        dtype = more.pop(0)  # pyright: ignore[reportAssignmentType] - asked above
    match more:
        case []:
            marks: dict[str, bool] = {}
        case [dict(found)] if set(found) <= {"conj", "neg"}:
            marks = {key: bool(value) for key, value in found.items()}
        case _:
            raise _unlike("a tensor")
    if not isinstance(needs_gradient, bool):
        raise _unlike("a tensor")
    return needs_gradient, hooks, dtype, marks


def _sparse(arguments: _Arguments) -> Tensor:
    match arguments:
        case (torch.layout() as layout, (Tensor() as indices, Tensor() as values, size, *rest)) if (
            layout == torch.sparse_coo and all(isinstance(one, bool) for one in rest)
        ):
            return torch.sparse_coo_tensor(
                indices,
                values,
                _sizes(size),
                is_coalesced=bool(rest[0]) if rest and rest[0] is not None else None,
                check_invariants=True,
            )
        case (torch.layout() as layout, (Tensor() as compressed, Tensor() as plain, *more)):
            match more:
                case [Tensor() as values, size]:
                    return torch.sparse_compressed_tensor(
                        compressed,
                        plain,
                        values,
                        _sizes(size),
                        layout=layout,
                        check_invariants=True,
                    )
                case _:
                    raise _unlike("a sparse tensor")
        case _:
            raise _unlike("a sparse tensor")


def _parameter(arguments: _Arguments) -> torch.nn.Parameter:
    match arguments:
        case (Tensor() as data, bool(needs_gradient), hooks) if not hooks:
            return torch.nn.Parameter(data, needs_gradient)
        case _:
            raise _unlike("a parameter")


def _sizes(value: object) -> tuple[int, ...]:
    """Return sizes or strides, given as a tuple or as ``torch.Size``."""
    if (
        not isinstance(value, tuple)
        or len(value) > _MOST_DIMENSIONS
        or not all(type(one) is int and 0 <= one <= _LARGEST for one in value)
    ):
        raise ForeignPickleError("sizes that are none")
    return tuple(value)


def _require_inside(
    storage: _Storage,
    dtype: torch.dtype,
    offset: int,
    sizes: tuple[int, ...],
    steps: tuple[int, ...],
) -> None:
    """Refuse a tensor that reaches beyond its storage, which PyTorch would make larger, or is
    larger than that: its copy would take any amount of memory.
    """
    if len(sizes) != len(steps) or offset < 0:
        raise _unlike("a tensor")
    if not prod(sizes):
        return
    last = offset + sum((size - 1) * step for size, step in zip(sizes, steps, strict=True))
    room = storage.numbers.nbytes() // dtype.itemsize * _PACKED.get(dtype, 1)
    if last >= room or prod(sizes) > room:
        raise ExcessivePickleError("a tensor larger than its storage")
