"""Safetensors file, read into memory: a header of JSON that names tensors, then their bytes.

The format's own library maps the file. If the file is truncated after that, reading a tensor ends
the process; if it is rewritten, tensors change. The library also takes minutes over a header that
names millions of tensors, and lets one have any number of dimensions.
"""

import io
import struct
import sys
from collections.abc import Mapping
from math import prod
from typing import IO, Annotated, NamedTuple

import msgspec
import torch
from torch import Tensor

from engine.decoding import decode_json, json_decoder
from engine.files import UNDECODABLE, has_too_many_values, require_memory

METADATA = "__metadata__"
_LENGTH = struct.Struct("<Q")
_LONGEST_HEADER = 100 << 20  # of the format
_MOST_TENSORS = 100_000
_MOST_QUOTES = 20 * _MOST_TENSORS  # ten for each tensor, and as many for metadata
_MOST_DIMENSIONS = 64
_LARGEST = 1 << 62
_HALF = torch.float4_e2m1fn_x2  # two numbers in a byte
_DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U64": torch.uint64,
    "U32": torch.uint32,
    "U16": torch.uint16,
    "U8": torch.uint8,
    "BOOL": torch.bool,
    "C64": torch.complex64,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E4M3FNUZ": torch.float8_e4m3fnuz,
    "F8_E5M2": torch.float8_e5m2,
    "F8_E5M2FNUZ": torch.float8_e5m2fnuz,
    "F8_E8M0": torch.float8_e8m0fnu,
    "F4": _HALF,
}
_Size = Annotated[int, msgspec.Meta(ge=0, lt=_LARGEST)]


class DamagedFileError(ValueError):
    """The file is no safetensors file, or not complete."""


class _TensorInfo(msgspec.Struct, frozen=True):
    dtype: str
    shape: Annotated[list[_Size], msgspec.Meta(max_length=_MOST_DIMENSIONS)]
    data_offsets: tuple[_Size, _Size]


class _Extent(NamedTuple):
    begin: int
    end: int
    dtype: torch.dtype
    shape: tuple[int, ...]


class SafetensorsFile:
    """An open file: its header is read and consistent, its bytes are not read yet.

    Raises :class:`DamagedFileError`, and ``OSError``.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        size = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        header = _header(stream, size)
        self._start = stream.tell()
        self.metadata, infos = _decoded(header)
        self._extents = {name: _extent(name, one) for name, one in infos.items()}
        _require_gapless(self._extents, size - self._start)

    def shapes(self) -> dict[str, Tensor]:
        """Return tensors that have shape and dtype, but no numbers."""
        return {
            name: torch.empty(extent.shape, dtype=extent.dtype, device="meta")
            for name, extent in self._extents.items()
        }

    def tensors(self) -> dict[str, Tensor]:
        """Return the tensors. Raises as the constructor does, ``OSError`` also where they are
        larger than the memory that is free.
        """
        require_memory(sum(extent.end - extent.begin for extent in self._extents.values()))
        return {name: self._tensor(name, extent) for name, extent in self._extents.items()}

    def _tensor(self, name: str, extent: _Extent) -> Tensor:
        room = torch.empty(extent.end - extent.begin, dtype=torch.uint8)
        view = memoryview(room.numpy())  # pyright: ignore[reportArgumentType] - numpy's arrays are buffers
        self._stream.seek(self._start + extent.begin)
        done = 0
        while done < len(view):
            count = self._stream.readinto(view[done:])  # pyright: ignore[reportAttributeAccessIssue] - open_file returns a buffered reader
            if not count:
                raise DamagedFileError(f"{name} is cut off")
            done += count
        if sys.byteorder != "little" and extent.dtype.itemsize > 1:
            room.untyped_storage().byteswap(extent.dtype)
        return room.view(extent.dtype).reshape(extent.shape)


def _header(stream: IO[bytes], size: int) -> bytes:
    content = stream.read(_LENGTH.size)
    if len(content) < _LENGTH.size:
        raise DamagedFileError("no header")
    (length,) = _LENGTH.unpack(content)
    if length > min(_LONGEST_HEADER, size - _LENGTH.size):
        raise DamagedFileError(f"a header of {length} bytes")
    header = stream.read(length)
    if len(header) < length:
        raise DamagedFileError("the header is cut off")
    if has_too_many_values(header) or header.count(b'"') > _MOST_QUOTES:
        raise DamagedFileError("a header of too many values")
    return header


def _decoded(header: bytes) -> tuple[dict[str, str], dict[str, _TensorInfo]]:
    """Return the metadata of the file, and the header entries of its tensors."""
    try:
        raw = decode_json(header, dict[str, msgspec.Raw])
        metadata = decode_json(raw.pop(METADATA, b"{}"), dict[str, str])
        if len(raw) > _MOST_TENSORS:
            raise DamagedFileError(f"{len(raw)} tensors")
        decoder = json_decoder(_TensorInfo)
        return metadata, {name: decoder.decode(one) for name, one in raw.items()}
    except UNDECODABLE as error:
        raise DamagedFileError(str(error)) from error


def _extent(name: str, info: _TensorInfo) -> _Extent:
    """Return the extent of a tensor in the file, whose length fits its shape and dtype."""
    dtype, shape = _DTYPES.get(info.dtype), list(info.shape)
    if dtype is None:
        raise DamagedFileError(f"{name} has the type {info.dtype}")
    if dtype == _HALF:
        if not shape or shape[-1] % 2:
            raise DamagedFileError(f"{name} ends within a byte")
        shape[-1] //= 2
    begin, end = info.data_offsets
    if prod(size for size in shape if size) >= _LARGEST:  # PyTorch counts steps without zeros
        raise DamagedFileError(f"{name} is too large")
    if end - begin != prod(shape) * dtype.itemsize:
        raise DamagedFileError(f"{name} has {end - begin} bytes")
    return _Extent(begin, end, dtype, tuple(shape))


def _require_gapless(extents: Mapping[str, _Extent], size: int) -> None:
    """Refuse tensors that share bytes or lie outside, and bytes that belong to none."""
    position = 0
    for extent in sorted(extents.values(), key=lambda extent: (extent.begin, extent.end)):
        if extent.begin != position:
            raise DamagedFileError(f"bytes from {position} to {extent.begin}")
        position = extent.end
    if position != size:
        raise DamagedFileError(f"{size} bytes instead of {position}")
