"""What the processes of a run give each other, as plain values and tensors.

PyTorch's collectives of objects unpickle what comes, and a pickle runs code: who gets between two
machines would have it run by both. Here a value is the bytes of its tensors and a text of
MessagePack after them, in which they stand as their kind, shape and place. Both are bounded.
"""

import math
from collections.abc import Mapping
from typing import TypeVar, cast

import msgspec
import psutil
import torch
import torch.distributed as dist
from torch import Tensor

Value = TypeVar("Value")
_MOST_TEXT = 64 << 20
_TENSOR, _TUPLE = 1, 2
_ALIGNED = 16  # the widest number of PyTorch
_DTYPES = {
    str(dtype): dtype
    for dtype in (
        *(torch.float64, torch.float32, torch.float16, torch.bfloat16),
        *(torch.complex128, torch.complex64, torch.bool),
        *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8),
        *(torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2),
    )
}


class Encoded(msgspec.Struct, frozen=True):
    """A value as bytes; ``sizes`` are those of its tensors and of its text."""

    content: Tensor
    sizes: Tensor


class _Described(msgspec.Struct, frozen=True, array_like=True):
    """What the text says of a tensor; its bytes begin at ``start``."""

    dtype: str
    shape: tuple[int, ...]
    start: int


class _Parts:
    """The bytes of tensors, one after the other."""

    def __init__(self) -> None:
        self.found: list[Tensor] = []
        self.length = 0

    def add(self, tensor: Tensor) -> bytes:
        """Put the bytes of a tensor behind the others; return what the text says of it."""
        flat = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
        told = _Described(str(tensor.dtype), tuple(tensor.shape), self.length)
        self.found += [flat, flat.new_zeros(-len(flat) % _ALIGNED)]
        self.length += sum(len(part) for part in self.found[-2:])
        return msgspec.msgpack.encode(told)


def broadcast(value: Value | None, kind: type[Value]) -> Value:
    """Return what rank 0 gives to all; the others give None.

    Raises ``ValueError`` or :class:`msgspec.MsgspecError` for what is no value of the kind.
    """
    own = None if value is None else encode(value)
    sizes = torch.zeros(2, dtype=torch.int64) if own is None else own.sizes
    dist.broadcast(sizes, src=0)
    total = sum(require_room(sizes, 1))
    content = torch.empty(total, dtype=torch.uint8) if own is None else own.content
    dist.broadcast(content, src=0)
    return decode(Encoded(content, sizes), kind) if value is None else value


def gather(value: Value, kind: type[Value], size: int) -> list[Value]:
    """Return what each of ``size`` processes gives, by rank. Raises as :func:`broadcast`."""
    own = encode(value)
    sizes = [torch.zeros_like(own.sizes) for _ in range(size)]
    dist.all_gather(sizes, own.sizes)
    lengths = [sum(require_room(each, size)) for each in sizes]
    padded = torch.zeros(max(lengths), dtype=torch.uint8)
    padded[: len(own.content)] = own.content
    rows = [torch.empty_like(padded) for _ in range(size)]
    dist.all_gather(rows, padded)
    found = zip(rows, lengths, sizes, strict=True)
    return [decode(Encoded(row[:length], told), kind) for row, length, told in found]


def encode(value: object) -> Encoded:
    """Return a value as bytes. Raises ``TypeError`` for what is neither plain nor a tensor."""
    parts = _Parts()
    plain = _plain(value, parts)
    text = torch.frombuffer(bytearray(msgspec.msgpack.encode(plain)), dtype=torch.uint8)
    return Encoded(torch.cat([*parts.found, text]), torch.tensor([parts.length, len(text)]))


def decode(encoded: Encoded, kind: type[Value]) -> Value:
    """Return the value of bytes that anybody may have sent. Raises ``ValueError`` or
    :class:`msgspec.MsgspecError` for what is no value of the kind.
    """
    places, _ = (int(each) for each in encoded.sizes)
    tensors = encoded.content[:places]

    def extended(code: int, data: memoryview) -> object:
        if code == _TUPLE:
            return tuple(cast("list[object]", decoder.decode(data)))
        if code == _TENSOR:
            return _tensor(tensors, msgspec.msgpack.decode(data, type=_Described))
        raise ValueError(f"a kind of value that is not known ({code})")

    decoder = msgspec.msgpack.Decoder(ext_hook=extended)
    text = encoded.content[places:].numpy().tobytes()
    return msgspec.convert(decoder.decode(text), type=kind)


def require_room(sizes: Tensor, count: int) -> tuple[int, int]:
    """Return how long tensors and text of a value are that comes. Raises ``ValueError`` where
    ``count`` of that would not go into the memory, or the text is longer than any.
    """
    tensors, text = (int(each) for each in sizes)
    most = psutil.virtual_memory().total // count
    if not (0 <= tensors <= most and tensors % _ALIGNED == 0 and 0 < text <= _MOST_TEXT):
        raise ValueError(f"a value of {tensors:,} and {text:,} bytes from another process")
    return tensors, text


def _plain(value: object, parts: _Parts) -> object:
    """Return what MessagePack knows of a value; the bytes of its tensors are added to ``parts``."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Tensor():
            return msgspec.msgpack.Ext(_TENSOR, parts.add(value))
        case msgspec.Struct():
            return _plain(msgspec.structs.asdict(value), parts)
        case Mapping():
            items = cast("Mapping[object, object]", value).items()
            return {key: _plain(item, parts) for key, item in items}
        case list():
            return [_plain(item, parts) for item in cast("list[object]", value)]
        case tuple():
            items = [_plain(item, parts) for item in cast("tuple[object, ...]", value)]
            return msgspec.msgpack.Ext(_TUPLE, msgspec.msgpack.encode(items))
        case _:
            raise TypeError(f"{type(value).__name__} is not given to other processes")


def _tensor(content: Tensor, told: _Described) -> Tensor:
    dtype = _DTYPES.get(told.dtype)
    if dtype is None or min(told.shape, default=0) < 0 or told.start % _ALIGNED:
        raise ValueError(f"a tensor that cannot be: {told}")
    end = told.start + math.prod(told.shape) * dtype.itemsize
    if not 0 <= told.start <= end <= len(content):
        raise ValueError(f"a tensor longer than what was sent: {told}")
    return content[told.start : end].clone().view(dtype).reshape(told.shape)
