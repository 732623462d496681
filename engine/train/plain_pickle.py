"""Which pickles PyTorch may see: those that hold tensors and plain values, and cost no more than
they are long.

PyTorch's own reader for strangers' files (``weights_only``) knows which names are harmless; it does
not look at what they are called with. ``bytearray(10**12)``, or a text encoded over and over, takes
all memory, an attribute that takes the place of a method ends the program later.
"""

import re
from collections.abc import Callable
from math import prod

from engine.train.pickled import (
    ExcessivePickleError,
    ForeignPickleError,
    Kept,
    Made,
    Named,
    Pairs,
    nodes,
    read_pickle,
)

LONGEST_PICKLE = 64 << 20
_LARGEST = 1 << 62
_MOST_DIMENSIONS = 64
_KEY_BITS = 64  # whole numbers that differ by a multiple of 2**61 - 1 have one hash
_ENCODINGS = {"latin1", "latin-1", "utf-8", "utf8", "ascii"}
_STORAGE = re.compile(r"torch(\.cuda|\.storage)?\.\w*Storage")
_CONSTANT = re.compile(r"torch\.[a-z][a-z0-9_]*")
_SCALARS = (str, bytes, bool, int, float, type(None))


def require_plain(data: bytes, room: int) -> None:
    """Raise :class:`~engine.train.pickled.PickleError` unless a pickle holds nothing but tensors
    and plain values; ``room`` is the size of the file, in bytes, that it is of.
    """
    made = 0
    for node in nodes(read_pickle(data)):
        if isinstance(node, Named):
            _require_known(node)
        elif isinstance(node, Pairs):
            _require_keys(node.items)
        elif isinstance(node, Kept):
            _require_storage(node)
        elif isinstance(node, Made):
            made += _require_makable(node, room)
            if made > max(LONGEST_PICKLE, room):
                raise ExcessivePickleError("values that are made over and over")


def _require_known(name: Named) -> None:
    path = name.path()
    if path not in _MAKERS and not _STORAGE.fullmatch(path) and not _CONSTANT.fullmatch(path):
        raise ForeignPickleError(path)


def _require_keys(items: list[tuple[object, object]]) -> None:
    for key, _ in items:
        parts = key if type(key) is tuple else (key,)
        if not all(_is_key(part) for part in parts):
            raise ForeignPickleError("a key that is no plain value")


def _is_key(value: object) -> bool:
    if isinstance(value, int):
        return value.bit_length() <= _KEY_BITS
    return isinstance(value, (*_SCALARS, Named))


def _require_storage(kept: Kept) -> None:
    match kept.key:
        case ("storage", Named() as kind, str(), str(), int(size)) if (
            _STORAGE.fullmatch(kind.path()) and 0 <= size <= _LARGEST
        ):
            return
        case _:
            raise ForeignPickleError("what is no storage")


def _require_makable(made: Made, room: int) -> int:
    """Return how many bytes an object takes beside its parts."""
    path = made.maker.path()
    rule = _MAKERS.get(path)
    if made.is_new or rule is None:
        raise ForeignPickleError(path)
    if path not in _MAPPINGS and (made.state is not None or made.items):
        raise ForeignPickleError(f"a state of {path}")
    if path in _MAPPINGS:
        _require_keys(made.items)
        _require_mapping_state(made)
    cost = rule(made.arguments, room)
    if cost is None:
        raise ForeignPickleError(f"{path} with other arguments than tensors have")
    return cost


def _require_mapping_state(made: Made) -> None:
    """Allow what ``state_dict()`` puts at its result, the versions of modules, and nothing else:
    an attribute would hide a method.
    """
    match made.state:
        case None:
            return
        case Pairs(items=[("_metadata", Pairs() | Made())]):
            return
        case _:
            raise ForeignPickleError(f"a state of {made.maker.path()}")


def _empty(arguments: tuple[object, ...], room: int) -> int | None:
    del room
    return 0 if not arguments else None


def _counter(arguments: tuple[object, ...], room: int) -> int | None:
    del room
    match arguments:
        case ():
            return 0
        case (Pairs() as counted,):
            return 64 * len(counted.items)
        case _:
            return None


def _set(arguments: tuple[object, ...], room: int) -> int | None:
    del room
    match arguments:
        case (list(members),) if all(_is_key(one) for one in members):
            return 64 * len(members)
        case _:
            return None


def _encoded(arguments: tuple[object, ...], room: int) -> int | None:
    del room
    match arguments:
        case (str(text), str(encoding)) if encoding in _ENCODINGS:
            return 4 * len(text)
        case _:
            return None


def _bytes(arguments: tuple[object, ...], room: int) -> int | None:
    match arguments:
        case ():
            return 0
        case (bytes(content),):
            return len(content)
        case (Made(maker=Named("_codecs", "encode")) as encoded,):
            return _encoded(encoded.arguments, room)
        case _:
            return _encoded(arguments, room)


def _complex(arguments: tuple[object, ...], room: int) -> int | None:
    del room
    return 0 if len(arguments) == 2 and all(type(one) is float for one in arguments) else None


def _size(arguments: tuple[object, ...], room: int) -> int | None:
    del room
    return 0 if len(arguments) == 1 and _is_shape(arguments[0]) else None


def _words(arguments: tuple[object, ...], room: int) -> int | None:
    del room
    return 0 if arguments and all(type(one) in (str, int) for one in arguments) else None


def _tensor(arguments: tuple[object, ...], room: int) -> int | None:
    """Judge a part of a storage: where it begins, sizes, steps, and what a tensor has besides."""
    del room
    match arguments:
        case (Kept(), int(offset), shape, stride, *rest) if (
            0 <= offset <= _LARGEST and _is_shape(shape) and _is_shape(stride)
        ):
            return 0 if len(rest) <= 4 and all(_is_extra(one) for one in rest) else None
        case _:
            return None


def _quantized(arguments: tuple[object, ...], room: int) -> int | None:
    match arguments:
        case (Kept(), int(offset), tuple() as shape, stride, tuple(), bool(), hooks) if (
            0 <= offset <= _LARGEST
            and _is_shape(shape)
            and _is_shape(stride)
            and _is_extra(hooks)
            and _count(shape) <= room
        ):
            return _count(shape)
        case _:
            return None


def _sparse(arguments: tuple[object, ...], room: int) -> int | None:
    del room
    match arguments:
        case (Made(), tuple() as parts) if parts:
            return 0
        case _:
            return None


def _parameter(arguments: tuple[object, ...], room: int) -> int | None:
    del room
    match arguments:
        case (Made(), bool(), hooks) if _is_extra(hooks):
            return 0
        case _:
            return None


def _is_shape(value: object) -> bool:
    """Return whether a value is sizes, as they are or as ``torch.Size``."""
    if isinstance(value, Made):
        return value.maker == _SIZE and len(value.arguments) == 1 and _is_shape(value.arguments[0])
    return (
        type(value) is tuple
        and len(value) <= _MOST_DIMENSIONS
        and all(type(one) is int and 0 <= one <= _LARGEST for one in value)
    )


def _count(shape: tuple[object, ...]) -> int:
    return prod(one for one in shape if isinstance(one, int))


def _is_extra(value: object) -> bool:
    """Return whether a value is what stands behind the sizes of a tensor: a yes or no, the number
    of elements' type, no hooks, and plain marks.
    """
    match value:
        case None | bool() | Named():
            return True
        case Made(maker=Named("collections", "OrderedDict"), items=[], state=None):
            return True
        case Pairs(items=items):
            return all(type(key) is str and type(mark) is bool for key, mark in items)
        case _:
            return False


_SIZE = Named("torch", "Size")
_Rule = Callable[[tuple[object, ...], int], int | None]
_MAPPINGS: dict[str, _Rule] = {
    "collections.OrderedDict": _empty,
    "collections.Counter": _counter,
}
_MAKERS: dict[str, _Rule] = {
    **_MAPPINGS,
    "_codecs.encode": _encoded,
    "builtins.bytearray": _bytes,
    "builtins.complex": _complex,
    "builtins.set": _set,
    "__builtin__.bytearray": _bytes,
    "__builtin__.complex": _complex,
    "__builtin__.set": _set,
    "torch.Size": _size,
    "torch.device": _words,
    "torch.serialization._get_layout": _words,
    "torch._utils._rebuild_tensor": _tensor,
    "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_tensor_v3": _tensor,
    "torch._utils._rebuild_qtensor": _quantized,
    "torch._utils._rebuild_sparse_tensor": _sparse,
    "torch._utils._rebuild_parameter": _parameter,
}
