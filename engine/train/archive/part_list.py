"""What a folder of parts says of its tensors, read without unpickling it.

:mod:`torch.distributed.checkpoint` keeps it as a pickle of its own classes. Unpickled, it could put
anything into those (attributes of the classes themselves), and take any amount of memory. Here each
of them is made anew of numbers and words that were looked at.
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
from engine.train.archive.plain_values import constant

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
    """What a folder says of its tensors makes no sense."""


class Piece(NamedTuple):
    """A piece of a tensor, and where it lies."""

    key: MetadataIndex
    stored: _StorageInfo


class PartList(NamedTuple):
    """What a folder says of its tensors: dense ones, by their keys, and the pieces of all, by what
    :func:`piece_key` says. Nothing is kept by an index of PyTorch itself: its hash is one of
    numbers that are a stranger's, who can choose very many with the same.
    """

    tensors: dict[str, TensorStorageMetadata]
    pieces: dict[str, Piece]


def piece_key(tensor: str, offsets: torch.Size | None) -> str:
    """Return what tells the piece of a tensor at ``offsets`` from all others."""
    return f"{tensor} {None if offsets is None else list(offsets)}"


def read_metadata(path: Path, *, is_own: bool = False) -> PartList:
    """Return what a file says of the tensors of its folder: dense ones, in plain files of the same
    folder. A confined process takes it apart, unless a process of this run has just written it
    (``is_own``).

    Raises :class:`OSError`, :class:`~engine.sandbox.inert.PickleError`, :class:`NonsenseError`,
    :class:`~engine.sandbox.reading.NoAnswerError`.
    """
    whole = _taken_apart(path, is_own=is_own)
    for node in nodes(whole):
        name = node.maker if isinstance(node, Made) else node
        if isinstance(name, Named) and name not in _NAMES:
            constant(name, torch.dtype)
    said = _state(whole, _DESCRIBING, "Metadata")
    tensors = _entries(said.get("state_dict_metadata"))
    pieces = _entries(said.get("storage_data"))
    found = [Piece(_index(key), _piece(value)) for key, value in pieces]
    return PartList(
        tensors={_word(name): _tensor(value) for name, value in tensors},
        pieces={piece_key(one.key.fqn, one.key.offset): one for one in found},
    )


def _taken_apart(path: Path, *, is_own: bool) -> object:
    with open_file(path, LONGEST_PICKLE) as stream:
        answer = read_description(stream) if is_own else reading.ask(Reader.DESCRIPTION, stream)
    if isinstance(answer, Description):
        return from_table(answer.content)
    if isinstance(answer, Refused):
        raise _REASONS.get(answer.code, DamagedPickleError)(answer.detail)
    raise NoAnswerError("another answer")


def _tensor(value: object) -> TensorStorageMetadata:
    said = _state(value, _DESCRIBING, "TensorStorageMetadata")
    chunks = said.get("chunks")
    if not isinstance(chunks, list) or len(chunks) > MOST_ENTRIES:
        raise NonsenseError("the pieces of a tensor")
    return TensorStorageMetadata(
        properties=_properties(said.get("properties")),
        size=_size(said.get("size")),
        chunks=[_chunk(chunk) for chunk in chunks],
    )


def _properties(value: object) -> TensorProperties:
    """Return the properties of a tensor: its kind of elements; for the rest nothing uses them."""
    match value:
        case Made(maker=Named(module, "TensorProperties"), state=tuple() as state) if (
            module == _DESCRIBING and len(state) in {5, 6} and isinstance(state[0], Named)
        ):
            return TensorProperties(dtype=constant(state[0], torch.dtype))
        case _:
            raise NonsenseError("the properties of a tensor")


def _chunk(value: object) -> ChunkStorageMetadata:
    said = _state(value, _DESCRIBING, "ChunkStorageMetadata")
    return ChunkStorageMetadata(offsets=_size(said.get("offsets")), sizes=_size(said.get("sizes")))


def _index(value: object) -> MetadataIndex:
    said = _state(value, _DESCRIBING, "MetadataIndex")
    offset, index = said.get("offset"), said.get("index")
    return MetadataIndex(
        _word(said.get("fqn")),
        None if offset is None else _size(offset),
        None if index is None else _count(index),
    )


def _piece(value: object) -> _StorageInfo:
    said = _state(value, _STORING, "_StorageInfo")
    if said.get("transform_descriptors"):
        raise NonsenseError("a piece that was transformed")
    return _StorageInfo(
        relative_path=_word(said.get("relative_path")),
        offset=_count(said.get("offset")),
        length=_count(said.get("length")),
    )


def _state(value: object, module: str, name: str) -> Mapping[str, object]:
    """Return what is said in an object of a class, by the names of its fields."""
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
