"""Sharded checkpoints: a folder beside the checkpoint's file with the shards of all ranks.

Each rank writes its shards by :mod:`torch.distributed.checkpoint`; the file, which lists them, is
written last: a folder without a file is an unfinished checkpoint. Any number of processes can read
the shards. No code in a folder is ever run.
"""

import shutil
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import msgspec
import torch
from torch import Tensor
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.filesystem import FileSystemWriter
from torch.distributed.checkpoint.metadata import (
    ChunkStorageMetadata,
    Metadata,
    StorageMeta,
    TensorStorageMetadata,
)
from torch.distributed.checkpoint.state_dict_saver import save
from torch.distributed.checkpoint.storage import WriteResult
from torch.distributed.tensor import DTensor
from typing_extensions import override

from engine.archive.part_list import NonsenseError, PartList, piece_key, read_metadata
from engine.archive.tensor_archive import read_pieces
from engine.decoding import convert
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import (
    TooLargeError,
    describe_os_error,
    is_link,
    remove_file,
    require_memory,
    sha256,
)
from engine.runs.record.shard_folder import SHARDS
from engine.sandbox.inert import ExcessivePickleError, ForeignPickleError, PickleError
from engine.sandbox.reading import NoAnswerError

Content = dict[str, Any]
KeyPath = tuple[str | int, ...]
"""The path of keys to a tensor in a checkpoint: ``("model", "fc.weight")``."""

_METADATA = ".metadata"


class Shards(msgspec.Struct, frozen=True, kw_only=True):
    """The folder of a checkpoint: its name, the sha256 of each file, and the key paths of the
    tensors in it.
    """

    folder: str
    files: dict[str, str]
    places: list[list[str | int]]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of the write of one rank; ``number`` is the ``errno`` of a system error."""

    is_written: bool
    number: int = 0
    text: str = ""


Gather = Callable[[Outcome, type[Outcome]], list[Outcome]]
"""Returns the values of all ranks, by rank."""

_Span = tuple[int, int]


def sharded_tensors(content: Content) -> tuple[list[KeyPath], dict[str, Tensor]]:
    """Return the key paths of all sharded tensors, and the tensors by their joined keys."""
    tensors: dict[KeyPath, Tensor] = {}
    stack: list[tuple[KeyPath, object]] = [((), content)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, DTensor):
            tensors[path] = value
        elif isinstance(value, dict):
            stack.extend(((*path, name), item) for name, item in value.items())
    return list(tensors), {_key(path): value for path, value in tensors.items()}


def write_shard(folder: Path, tensors: dict[str, Tensor], rank: int, gather: Gather) -> None:
    """Write this rank's shards of tensors; a collective. Each rank writes alone: PyTorch's way to
    plan the write together would unpickle what others send. Rank 0 merges the metadata of all.

    Raises :class:`DiagnosticError` K009, or the system's error, when one of them could not write;
    K017 where ranks on other machines wrote to another file system.
    """
    outcomes = gather(_write_alone(folder, tensors, rank), Outcome)
    failed = next((each for each in outcomes if not each.is_written), None)
    if failed is None:
        if rank == 0:
            _merge_metadata(folder, len(outcomes))
        return
    shutil.rmtree(folder, ignore_errors=True)
    if failed.number:
        raise DiagnosticError(
            describe_os_error(OSError(failed.number, failed.text), folder, "write")
        )
    raise DiagnosticError(_finding("K009", folder, failed.text))


def _write_alone(folder: Path, tensors: dict[str, Tensor], rank: int) -> Outcome:
    _ignore_no_dist_warning()
    try:
        save(tensors, storage_writer=PartWriter(folder, rank), no_dist=True)
    except CheckpointException as error:
        reasons = [one for one, _ in error.failures.values()]
        system = next((one for one in reasons if isinstance(one, OSError) and one.errno), None)
        if system is not None:
            return Outcome(is_written=False, number=system.errno or 0, text=system.strerror or "")
        return Outcome(is_written=False, text=str(error))
    return Outcome(is_written=True)


def _merge_metadata(folder: Path, count: int) -> None:
    """Merge the metadata files of all ranks into that of the folder."""
    files = [folder / PartWriter.described(rank) for rank in range(count)]
    if not all(path.is_file() for path in files):
        raise DiagnosticError(_finding("K017", folder))
    merged, results = Metadata({}), list[WriteResult]()
    for path in files:
        part = read_part_list(path, is_own=True)
        for key, item in part.tensors.items():
            tensor = merged.state_dict_metadata.setdefault(key, replace(item, chunks=[]))
            cast("TensorStorageMetadata", tensor).chunks.extend(item.chunks)
        for piece in part.pieces.values():
            results.append(WriteResult(piece.key, piece.stored.length, piece.stored))
    try:
        FileSystemWriter.finish(PartWriter(folder), merged, [results])
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, folder, "write")) from error
    for path in files:
        remove_file(path)


def read_back(folder: Path, content: Content, key_paths: list[KeyPath]) -> Content:
    """Return a checkpoint without the tensors that were written into a folder, and with the list
    of its files. Raises :class:`DiagnosticError` where the folder cannot be read, K017 where ranks
    on other machines wrote to another file system.
    """
    pieces = read_part_list(folder / _METADATA, is_own=True).pieces.values()
    names = sorted({_METADATA, *(piece.stored.relative_path for piece in pieces)})
    if not all((folder / name).is_file() for name in names):
        raise DiagnosticError(_finding("K017", folder))
    files = {name: sha256(folder / name) for name in names}
    shards = Shards(
        folder=folder.name, files=files, places=[list(key_path) for key_path in key_paths]
    )
    return {**_without(content, set(key_paths), ()), SHARDS: msgspec.to_builtins(shards)}


def joined(path: Path, content: Content, below: str = "") -> Content:
    """Return the content of a checkpoint's file with the full tensors of its folder, on the CPU;
    ``below`` (``model``) reads those of one entry only.

    Raises :class:`DiagnosticError`: K016 when the folder is missing or incomplete, K003 to K007
    when it cannot be read.
    """
    try:
        return _joined(path, content, below)
    except DiagnosticError:
        raise
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, path, "read")) from error
    except (Exception, CheckpointException) as error:
        # Damaged and hostile folders raise a dozen different types here.
        raise DiagnosticError(_finding("K003", path, str(error))) from error


def _joined(path: Path, content: Content, below: str) -> Content:
    try:
        shards = convert(content[SHARDS], Shards)
    except msgspec.ValidationError as error:
        raise DiagnosticError(_finding("K007", path, str(error))) from error
    folder = path.with_name(Path(shards.folder).name)
    metadata = _require_whole(folder, shards, path)
    wanted = [tuple(each) for each in shards.places if not below or each[0] == below]
    tensors = _read(folder, metadata, {_key(each) for each in wanted})
    rest = {name: value for name, value in content.items() if name != SHARDS}
    return _filled(rest, [(each, tensors[_key(each)]) for each in wanted])


class PartWriter(FileSystemWriter):
    """Writes shards without the path of the folder, which is private. With a rank it writes the
    shards of that one, and their metadata.
    """

    def __init__(self, folder: Path, rank: int | None = None) -> None:
        super().__init__(folder, sync_files=True)
        self._rank = rank

    @staticmethod
    def described(rank: int) -> str:
        """Return the name of the metadata file of a rank."""
        return f"__{rank}{_METADATA}"

    @override
    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        if self._rank is not None:
            kwargs |= {"rank": self._rank, "use_collectives": False}
        super().set_up_storage_writer(is_coordinator, *args, **kwargs)

    @override
    def storage_meta(self) -> StorageMeta:
        return StorageMeta()


def read_part_list(path: Path, *, is_own: bool = False) -> PartList:
    """Return the metadata in a file. Raises :class:`DiagnosticError` K003 to K005, V008."""
    try:
        return read_metadata(path, is_own=is_own)
    except ForeignPickleError as error:
        raise DiagnosticError(_finding("K005", path, str(error))) from error
    except (ExcessivePickleError, TooLargeError) as error:
        raise DiagnosticError(_finding("K004", path, str(error))) from error
    except NoAnswerError as error:
        raise DiagnosticError(_finding("V008", path, str(error))) from error
    except (OSError, PickleError, NonsenseError) as error:  # a pipe is no file either
        raise DiagnosticError(_finding("K003", path, str(error))) from error


def _read(folder: Path, metadata: PartList, keys: set[str]) -> dict[str, Tensor]:
    """Return full tensors of a folder, each put together from the pieces of all ranks."""
    room = sum(path.stat().st_size for path in folder.iterdir())
    tensors: dict[str, Tensor] = {}
    wanted: dict[str, list[tuple[_Span, Tensor]]] = {}
    for key in keys:
        item = metadata.tensors.get(key)
        if item is None:
            raise DiagnosticError(_finding("K003", folder, key))
        room -= item.size.numel() * item.properties.dtype.itemsize
        if room < 0:
            raise DiagnosticError(_finding("K004", folder, "tensors larger than their files"))
        tensors[key] = torch.zeros(item.size, dtype=item.properties.dtype)
        if sum(chunk.sizes.numel() for chunk in item.chunks) != item.size.numel():
            raise DiagnosticError(_finding("K003", folder, f"pieces of {key}"))
        for chunk in item.chunks:
            piece = metadata.pieces.get(piece_key(key, chunk.offsets))
            if piece is None:
                raise DiagnosticError(_finding("K003", folder, f"a piece of {key}"))
            stored = piece.stored
            target = (stored.offset, stored.length), _part_of(tensors[key], chunk)
            wanted.setdefault(stored.relative_path, []).append(target)
    for name, targets in wanted.items():
        pieces = read_pieces(folder / name, [span for span, _ in targets])
        for (_, target), piece in zip(targets, pieces, strict=True):
            _put(folder / name, piece, target)
    return tensors


def _part_of(tensor: Tensor, chunk: ChunkStorageMetadata) -> Tensor:
    """Return the part of a tensor that a piece fills."""
    part = tensor
    for axis, (first, size) in enumerate(zip(chunk.offsets, chunk.sizes, strict=True)):
        part = part.narrow(axis, first, size)
    return part


def _put(path: Path, piece: object, target: Tensor) -> None:
    if not isinstance(piece, Tensor) or (piece.shape, piece.dtype) != (target.shape, target.dtype):
        raise DiagnosticError(_finding("K003", path, "a piece of another size"))
    target.copy_(piece)


def _ignore_no_dist_warning() -> None:
    """Suppress the warning about one process that reads or writes alone. For good: warning filters
    are process-wide.
    """
    warnings.filterwarnings("ignore", "torch.distributed is disabled", UserWarning)


def _require_whole(folder: Path, shards: Shards, path: Path) -> PartList:
    """Return the metadata of a folder, once all files that it names are there as they were
    written.
    """
    if is_link(folder):
        raise DiagnosticError(_finding("K003", path, f"{folder.name} is a link"))
    parts = [(folder / Path(name).name, digest) for name, digest in shards.files.items()]
    require_memory(sum(part.stat().st_size for part, _ in parts if part.is_file()))
    for part, digest in parts:
        if not part.is_file() or sha256(part) != digest:
            raise DiagnosticError(_finding("K016", path, part=f"{folder.name}/{part.name}"))
    metadata = read_part_list(folder / _METADATA)
    pieces = [piece.stored for piece in metadata.pieces.values()]
    room = sum((folder / Path(name).name).stat().st_size for name in shards.files)
    if sum(piece.length for piece in pieces) > room:
        raise DiagnosticError(_finding("K004", folder, "pieces larger than their files"))
    for piece in pieces:
        name = piece.relative_path
        if name not in shards.files or Path(name).name != name:
            raise DiagnosticError(_finding("K016", path, part=f"{folder.name}/{name}"))
    return metadata


def _without(value: Any, key_paths: set[KeyPath], here: KeyPath) -> Any:
    """Return nested dictionaries with None at some key paths."""
    if here in key_paths:
        return None
    if not isinstance(value, dict):
        return value
    return {name: _without(item, key_paths, (*here, name)) for name, item in value.items()}


def _filled(value: Mapping[Any, Any], given: list[tuple[KeyPath, Tensor]]) -> Content:
    """Return nested dictionaries with tensors at some key paths. Only dictionaries on these paths
    are copied: what a hostile file shares over and over would not fit into memory as copies.
    """
    filled, inner = dict(value), dict[str | int, list[tuple[KeyPath, Tensor]]]()
    for (name, *rest), tensor in given:
        if rest:
            inner.setdefault(name, []).append((tuple(rest), tensor))
        else:
            filled[name] = tensor
    for name, below in inner.items():
        filled[name] = _filled(filled.get(name, {}), below)
    return filled


def _key(path: KeyPath) -> str:
    return ".".join(map(str, path))


def _finding(code: str, path: Path, detail: str = "", **more: str) -> Diagnostic:
    params: dict[str, str | int | float] = {"file": path.name, "folder": str(path.parent), **more}
    return Diagnostic(code=code, params=params, detail=detail)
