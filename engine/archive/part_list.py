"""Metadata of a folder of shards, read without unpickling.

:mod:`torch.distributed.checkpoint` keeps it as a pickle of its own classes. Unpickled, that could
set any attribute, of the classes themselves too, and take any amount of memory. Here each object is
made anew from numbers and strings that were checked.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import torch
from torch.distributed.checkpoint.filesystem import (
    _StorageInfo,  # pyright: ignore[reportPrivateUsage] - what its reader takes
)
from torch.distributed.checkpoint.metadata import (
    ChunkStorageMetadata,
    MetadataIndex,
    TensorProperties,
    TensorStorageMetadata,
)

from engine.archive.plain_values import constant
from engine.files import open_file
from engine.sandbox import reading
from engine.sandbox.answer import Description, Refused
from engine.sandbox.archive import LONGEST_PICKLE, read_description
from engine.sandbox.inert import (
    DamagedPickleError,
    ExcessivePickleError,
    ForeignPickleError,
    Made,
    Named,
    Pairs,
    from_table,
    nodes,
)
from engine.sandbox.reading import NoAnswerError, Reader

MOST_ENTRIES = 100_000
_LARGEST = 1 << 62
_MOST_DIMENSIONS = 64
_DESCRIBING = "torch.distributed.checkpoint.metadata"
_STORING = "torch.distributed.checkpoint.filesystem"
_NAMES = {
    *((_DESCRIBING, name) for name in ("Metadata", "TensorStorageMetadata", "TensorProperties")),
    *((_DESCRIBING, name) for name in ("ChunkStorageMetadata", "MetadataIndex", "StorageMeta")),
    (_DESCRIBING, "_MEM_FORMAT_ENCODING"),
    (_STORING, "_StorageInfo"),
    ("torch", "Size"),
    ("torch.serialization", "_get_layout"),
}


_REASONS = {"K004": ExcessivePickleError, "K005": ForeignPickleError}


class NonsenseError(ValueError):
    """The metadata of a folder make no sense."""


class Piece(NamedTuple):
    """A piece of a tensor, and its position in a file."""

    key: MetadataIndex
    stored: _StorageInfo


class PartList(NamedTuple):
    """Metadata of a folder: dense tensors by their keys, and the pieces of all by
    :func:`piece_key`. PyTorch's own index is no key here: its hash is made of numbers that a
    stranger could choose to collide.
    """

    tensors: dict[str, TensorStorageMetadata]
    pieces: dict[str, Piece]


def piece_key(tensor: str, offsets: torch.Size | None) -> str:
    """Return the key of the piece of a tensor at ``offsets``."""
    return f"{tensor} {None if offsets is None else list(offsets)}"


def read_metadata(path: Path, *, is_own: bool = False) -> PartList:
    """Return the metadata in a file: of dense tensors, in plain files of the same folder. A
    confined process parses it, unless a process of this run has just written it (``is_own``).

    Raises :class:`OSError`, :class:`~engine.sandbox.inert.PickleError`, :class:`NonsenseError`,
    :class:`~engine.sandbox.reading.NoAnswerError`.
    """
    content = _parsed(path, is_own=is_own)
    for node in nodes(content):
        name = node.maker if isinstance(node, Made) else node
        if isinstance(name, Named) and name not in _NAMES:
            constant(name, torch.dtype)
    fields = _state(content, _DESCRIBING, "Metadata")
    tensors = _entries(fields.get("state_dict_metadata"))
    pieces = _entries(fields.get("storage_data"))
    parsed = [Piece(_index(key), _piece(value)) for key, value in pieces]
    return PartList(
        tensors={_word(name): _tensor(value) for name, value in tensors},
        pieces={piece_key(one.key.fqn, one.key.offset): one for one in parsed},
    )


def _parsed(path: Path, *, is_own: bool) -> object:
    with open_file(path, LONGEST_PICKLE) as stream:
        answer = read_description(stream) if is_own else reading.ask(Reader.DESCRIPTION, stream)
    if isinstance(answer, Description):
        return from_table(answer.content)
    if isinstance(answer, Refused):
        raise _REASONS.get(answer.code, DamagedPickleError)(answer.detail)
    raise NoAnswerError("another answer")


def _tensor(value: object) -> TensorStorageMetadata:
    fields = _state(value, _DESCRIBING, "TensorStorageMetadata")
    chunks = fields.get("chunks")
    if not isinstance(chunks, list) or len(chunks) > MOST_ENTRIES:
        raise NonsenseError("the pieces of a tensor")
    return TensorStorageMetadata(
        properties=_properties(fields.get("properties")),
        size=_size(fields.get("size")),
        chunks=[_chunk(chunk) for chunk in chunks],
    )


def _properties(value: object) -> TensorProperties:
    """Return the properties of a tensor: its dtype; the others are not used."""
    match value:
        case Made(maker=Named(module, "TensorProperties"), state=tuple() as state) if (
            module == _DESCRIBING and len(state) in {5, 6} and isinstance(state[0], Named)
        ):
            return TensorProperties(dtype=constant(state[0], torch.dtype))
        case _:
            raise NonsenseError("the properties of a tensor")


def _chunk(value: object) -> ChunkStorageMetadata:
    fields = _state(value, _DESCRIBING, "ChunkStorageMetadata")
    return ChunkStorageMetadata(
        offsets=_size(fields.get("offsets")), sizes=_size(fields.get("sizes"))
    )


def _index(value: object) -> MetadataIndex:
    fields = _state(value, _DESCRIBING, "MetadataIndex")
    offset, index = fields.get("offset"), fields.get("index")
    return MetadataIndex(
        _word(fields.get("fqn")),
        None if offset is None else _size(offset),
        None if index is None else _count(index),
    )


def _piece(value: object) -> _StorageInfo:
    fields = _state(value, _STORING, "_StorageInfo")
    if fields.get("transform_descriptors"):
        raise NonsenseError("a piece that was transformed")
    return _StorageInfo(
        relative_path=_word(fields.get("relative_path")),
        offset=_count(fields.get("offset")),
        length=_count(fields.get("length")),
    )


def _state(value: object, module: str, name: str) -> Mapping[str, object]:
    """Return the state of an object of a class, by the names of its fields."""
    if not isinstance(value, Made) or value.maker != (module, name) or value.arguments:
        raise NonsenseError(f"no {name}")
    if not isinstance(value.state, Pairs) or value.items:
        raise NonsenseError(f"{name} without fields")
    return {key: item for key, item in value.state.items if isinstance(key, str)}


def _entries(value: object) -> list[tuple[object, object]]:
    if not isinstance(value, Pairs) or len(value.items) > MOST_ENTRIES:
        raise NonsenseError("no entries, or too many")
    return value.items


def _size(value: object) -> torch.Size:
    match value:
        case Made(maker=Named("torch", "Size"), arguments=(tuple() as sizes,), state=None) if (
            len(sizes) <= _MOST_DIMENSIONS
        ):
            return torch.Size([_count(one) for one in sizes])
        case _:
            raise NonsenseError("no size")


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _LARGEST:
        raise NonsenseError("no number of something")
    return value


def _word(value: object) -> str:
    if type(value) is not str:
        raise NonsenseError("no word")
    return value
