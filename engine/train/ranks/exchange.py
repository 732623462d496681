"""Collectives of plain values and tensors, without pickle.

PyTorch's collectives of objects unpickle what they receive, and a pickle runs code: an attacker
between two machines could run code on both. Here a value is the bytes of its tensors followed by a
MessagePack text that describes them by dtype, shape and offset. Both are bounded.
"""

import math
from collections.abc import Mapping
from typing import TypeVar, cast

import msgspec
import psutil
import torch
import torch.distributed as dist
from torch import Tensor

from engine.decoding import convert, decode_msgpack

Value = TypeVar("Value")
_MOST_TEXT = 64 << 20
_TENSOR, _TUPLE = 1, 2
_ALIGNED = 16  # bytes of PyTorch's widest number, complex128
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
    """A value as bytes; ``sizes`` are the bytes of its tensors and of its text."""

    content: Tensor
    sizes: Tensor


class _TensorHeader(msgspec.Struct, frozen=True, array_like=True):
    """Description of a tensor in the text; its bytes begin at ``start``."""

    dtype: str
    shape: tuple[int, ...]
    start: int


class _TensorBytes:
    """The bytes of tensors, one after the other."""

    def __init__(self) -> None:
        self.chunks: list[Tensor] = []
        self.length = 0

    def append(self, tensor: Tensor) -> bytes:
        """Append the bytes of a tensor; return its header for the text."""
        flat = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
        header = _TensorHeader(str(tensor.dtype), tuple(tensor.shape), self.length)
        self.chunks += [flat, flat.new_zeros(-len(flat) % _ALIGNED)]
        self.length += sum(len(chunk) for chunk in self.chunks[-2:])
        return msgspec.msgpack.encode(header)


def broadcast(value: Value | None, kind: type[Value]) -> Value:
    """Return the value of rank 0; the other ranks pass None.

    Raises ``ValueError`` or :class:`msgspec.MsgspecError` for what is no value of the kind.
    """
    encoded = None if value is None else encode(value)
    sizes = torch.zeros(2, dtype=torch.int64) if encoded is None else encoded.sizes
    dist.broadcast(sizes, src=0)
    total = sum(require_room(sizes, 1))
    content = torch.empty(total, dtype=torch.uint8) if encoded is None else encoded.content
    dist.broadcast(content, src=0)
    return decode(Encoded(content, sizes), kind) if value is None else value


def gather(value: Value, kind: type[Value], size: int) -> list[Value]:
    """Return the values of all ``size`` ranks, by rank. Raises as :func:`broadcast`."""
    encoded = encode(value)
    sizes = [torch.zeros_like(encoded.sizes) for _ in range(size)]
    dist.all_gather(sizes, encoded.sizes)
    lengths = [sum(require_room(each, size)) for each in sizes]
    # all_gather takes tensors of one length only.
    padded = torch.zeros(max(lengths), dtype=torch.uint8)
    padded[: len(encoded.content)] = encoded.content
    rows = [torch.empty_like(padded) for _ in range(size)]
    dist.all_gather(rows, padded)
    received = zip(rows, lengths, sizes, strict=True)
    return [decode(Encoded(row[:length], each), kind) for row, length, each in received]


def encode(value: object) -> Encoded:
    """Return a value as bytes. Raises ``TypeError`` for what is neither plain nor a tensor."""
    tensors = _TensorBytes()
    plain = _plain(value, tensors)
    text = torch.frombuffer(bytearray(msgspec.msgpack.encode(plain)), dtype=torch.uint8)
    return Encoded(torch.cat([*tensors.chunks, text]), torch.tensor([tensors.length, len(text)]))


def decode(encoded: Encoded, kind: type[Value]) -> Value:
    """Return the value of bytes that anybody may have sent. Raises ``ValueError`` or
    :class:`msgspec.MsgspecError` for what is no value of the kind.
    """
    text_start = int(encoded.sizes[0])
    tensors = encoded.content[:text_start]

    def extended(code: int, data: memoryview) -> object:
        if code == _TUPLE:
            return tuple(cast("list[object]", decoder.decode(data)))
        if code == _TENSOR:
            return _tensor(tensors, decode_msgpack(data, _TensorHeader))
        raise ValueError(f"an unknown kind of value ({code})")

    decoder = msgspec.msgpack.Decoder(ext_hook=extended)  # noqa: TID251 - into no type
    text = encoded.content[text_start:].numpy().tobytes()
    return convert(decoder.decode(text), kind)


def require_room(sizes: Tensor, count: int) -> tuple[int, int]:
    """Return the bytes of tensors and text of a value to be received. Raises ``ValueError`` where
    ``count`` of such values would not fit into memory, or the text is too long.
    """
    tensors, text = (int(each) for each in sizes)
    most = psutil.virtual_memory().total // count
    if not (0 <= tensors <= most and tensors % _ALIGNED == 0 and 0 < text <= _MOST_TEXT):
        raise ValueError(f"a value of {tensors:,} and {text:,} bytes from another process")
    return tensors, text


def _plain(value: object, tensors: _TensorBytes) -> object:
    """Return a value as MessagePack takes it; the bytes of its tensors go to ``tensors``."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Tensor():
            return msgspec.msgpack.Ext(_TENSOR, tensors.append(value))
        case msgspec.Struct():
            return _plain(msgspec.structs.asdict(value), tensors)
        case Mapping():
            items = cast("Mapping[object, object]", value).items()
            return {key: _plain(item, tensors) for key, item in items}
        case list():
            return [_plain(item, tensors) for item in cast("list[object]", value)]
        case tuple():
            items = [_plain(item, tensors) for item in cast("tuple[object, ...]", value)]
            return msgspec.msgpack.Ext(_TUPLE, msgspec.msgpack.encode(items))
        case _:
            raise TypeError(f"{type(value).__name__} cannot be sent to other processes")


def _tensor(content: Tensor, header: _TensorHeader) -> Tensor:
    dtype = _DTYPES.get(header.dtype)
    if dtype is None or min(header.shape, default=0) < 0 or header.start % _ALIGNED:
        raise ValueError(f"an impossible tensor: {header}")
    end = header.start + math.prod(header.shape) * dtype.itemsize
    if not 0 <= header.start <= end <= len(content):
        raise ValueError(f"a tensor longer than what was sent: {header}")
    return content[header.start : end].clone().view(dtype).reshape(header.shape)
