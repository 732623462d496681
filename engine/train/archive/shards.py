"""Checkpoints in parts: a folder beside the checkpoint's file with the weights of all processes.

Written by :mod:`torch.distributed.checkpoint`, each process its part, and told in the file, which
comes last: a folder without a file is of a writing that did not come to its end. The parts fit
together in any number of processes. No code in a folder is ever run.
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
from engine.train.archive.part_list import NonsenseError, PartList, piece_key, read_metadata
from engine.train.archive.tensor_archive import read_pieces

Content = dict[str, Any]
Place = tuple[str | int, ...]
"""Where a tensor stands in a checkpoint: ``("model", "fc.weight")``."""

_METADATA = ".metadata"


class Shards(msgspec.Struct, frozen=True, kw_only=True):
    """The folder of a checkpoint: its name, the sha256 of each file, and the places in the
    checkpoint whose tensors are in it.
    """

    folder: str
    files: dict[str, str]
    places: list[list[str | int]]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the part of a process; ``number`` is that of the system's refusal."""

    is_written: bool
    number: int = 0
    text: str = ""


Gather = Callable[[Outcome, type[Outcome]], list[Outcome]]
"""Returns what each process gives, by rank."""

_Span = tuple[int, int]


def sharded_tensors(content: Content) -> tuple[list[Place], dict[str, Tensor]]:
    """Return the places of all tensors that are dealt out to processes, and those by their keys."""
    found: dict[Place, Tensor] = {}
    waiting: list[tuple[Place, object]] = [((), content)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, DTensor):
            found[place] = value
        elif isinstance(value, dict):
            waiting.extend(((*place, name), item) for name, item in value.items())
    return list(found), {_key(place): value for place, value in found.items()}


def write_shard(folder: Path, tensors: dict[str, Tensor], rank: int, gather: Gather) -> None:
    """Write this process's part of tensors; all processes have to come here. Each writes alone:
    PyTorch's way to plan it together would unpickle what others send. Rank 0 puts together what
    all tell of their parts.

    Raises :class:`DiagnosticError` K009, or why the system refused, when one of them could not;
    K017 where processes of other machines wrote elsewhere.
    """
    outcomes = gather(_write_alone(folder, tensors, rank), Outcome)
    failed = next((each for each in outcomes if not each.is_written), None)
    if failed is None:
        if rank == 0:
            _put_together(folder, len(outcomes))
        return
    shutil.rmtree(folder, ignore_errors=True)
    if failed.number:
        raise DiagnosticError(
            describe_os_error(OSError(failed.number, failed.text), folder, "write")
        )
    raise DiagnosticError(_finding("K009", folder, failed.text))


def _write_alone(folder: Path, tensors: dict[str, Tensor], rank: int) -> Outcome:
    _allow_one()
    try:
        save(tensors, storage_writer=_Writer(folder, rank), no_dist=True)
    except CheckpointException as error:
        reasons = [one for one, _ in error.failures.values()]
        system = next((one for one in reasons if isinstance(one, OSError) and one.errno), None)
        if system is not None:
            return Outcome(is_written=False, number=system.errno or 0, text=system.strerror or "")
        return Outcome(is_written=False, text=str(error))
    return Outcome(is_written=True)


def _put_together(folder: Path, count: int) -> None:
    """Write what a folder says of its tensors, of what each process says of its part."""
    told = [folder / _Writer.described(rank) for rank in range(count)]
    if not all(path.is_file() for path in told):
        raise DiagnosticError(_finding("K017", folder))
    whole, results = Metadata({}), list[WriteResult]()
    for path in told:
        part = _metadata(path, is_own=True)
        for key, item in part.tensors.items():
            known = whole.state_dict_metadata.setdefault(key, replace(item, chunks=[]))
            cast("TensorStorageMetadata", known).chunks.extend(item.chunks)
        for piece in part.pieces.values():
            results.append(WriteResult(piece.key, piece.stored.length, piece.stored))
    try:
        FileSystemWriter.finish(_Writer(folder), whole, [results])
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, folder, "write")) from error
    for path in told:
        remove_file(path)


def read_back(folder: Path, content: Content, places: list[Place]) -> Content:
    """Return a checkpoint without the tensors that were written into a folder, and with what it
    has to tell of it. Raises :class:`DiagnosticError` where the folder cannot be read, K017 where
    processes of other machines wrote elsewhere.
    """
    pieces = _metadata(folder / _METADATA, is_own=True).pieces.values()
    names = sorted({_METADATA, *(piece.stored.relative_path for piece in pieces)})
    if not all((folder / name).is_file() for name in names):
        raise DiagnosticError(_finding("K017", folder))
    files = {name: sha256(folder / name) for name in names}
    shards = Shards(folder=folder.name, files=files, places=[list(place) for place in places])
    return {**_without(content, set(places), ()), SHARDS: msgspec.to_builtins(shards)}


def joined(path: Path, content: Content, below: str = "") -> Content:
    """Return the content of a checkpoint's file with the tensors of its folder, on the CPU and
    whole; ``below`` (``model``) reads those of one entry only.

    Raises :class:`DiagnosticError`: K016 when the folder is not there or not whole, K003 to K007
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
        shards = msgspec.convert(content[SHARDS], Shards)
    except msgspec.ValidationError as error:
        raise DiagnosticError(_finding("K007", path, str(error))) from error
    folder = path.with_name(Path(shards.folder).name)
    told = _require_whole(folder, shards, path)
    wanted = [tuple(place) for place in shards.places if not below or place[0] == below]
    tensors = _read(folder, told, {_key(place) for place in wanted})
    rest = {name: value for name, value in content.items() if name != SHARDS}
    return _filled(rest, [(place, tensors[_key(place)]) for place in wanted])


class _Writer(FileSystemWriter):
    """Writes parts without the place where they are written: a project may lie anywhere. With a
    rank it writes the part of that one, and beside it what there is to say of it.
    """

    def __init__(self, folder: Path, rank: int | None = None) -> None:
        super().__init__(folder, sync_files=True)
        self._rank = rank

    @staticmethod
    def described(rank: int) -> str:
        """Return the name of the file that tells of a part."""
        return f"__{rank}{_METADATA}"

    @override
    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        if self._rank is not None:
            kwargs |= {"rank": self._rank, "use_collectives": False}
        super().set_up_storage_writer(is_coordinator, *args, **kwargs)

    @override
    def storage_meta(self) -> StorageMeta:
        return StorageMeta()


def _metadata(path: Path, *, is_own: bool = False) -> PartList:
    """Return what a file says of tensors. Raises :class:`DiagnosticError` K003 to K005, V008."""
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


def _read(folder: Path, told: PartList, keys: set[str]) -> dict[str, Tensor]:
    """Return tensors of a folder, whole: each is put together of the pieces that processes had."""
    room = sum(path.stat().st_size for path in folder.iterdir())
    tensors: dict[str, Tensor] = {}
    wanted: dict[str, list[tuple[_Span, Tensor]]] = {}
    for key in keys:
        item = told.tensors.get(key)
        if item is None:
            raise DiagnosticError(_finding("K003", folder, key))
        room -= item.size.numel() * item.properties.dtype.itemsize
        if room < 0:
            raise DiagnosticError(_finding("K004", folder, "tensors larger than their files"))
        tensors[key] = torch.zeros(item.size, dtype=item.properties.dtype)
        if sum(chunk.sizes.numel() for chunk in item.chunks) != item.size.numel():
            raise DiagnosticError(_finding("K003", folder, f"pieces of {key}"))
        for chunk in item.chunks:
            piece = told.pieces.get(piece_key(key, chunk.offsets))
            if piece is None:
                raise DiagnosticError(_finding("K003", folder, f"a piece of {key}"))
            stored = piece.stored
            place = (stored.offset, stored.length), _part_of(tensors[key], chunk)
            wanted.setdefault(stored.relative_path, []).append(place)
    for name, places in wanted.items():
        pieces = read_pieces(folder / name, [span for span, _ in places])
        for (_, target), piece in zip(places, pieces, strict=True):
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


def _allow_one() -> None:
    """Let one process read or write alone without a warning: that is meant. Not put back: filters
    belong to the whole process.
    """
    warnings.filterwarnings("ignore", "torch.distributed is disabled", UserWarning)


def _require_whole(folder: Path, shards: Shards, path: Path) -> PartList:
    """Return what a folder says of its tensors, once all that it names is there as it was written:
    files of its own.
    """
    if is_link(folder):
        raise DiagnosticError(_finding("K003", path, f"{folder.name} is a link"))
    parts = [(folder / Path(name).name, digest) for name, digest in shards.files.items()]
    require_memory(sum(part.stat().st_size for part, _ in parts if part.is_file()))
    for part, digest in parts:
        if not part.is_file() or sha256(part) != digest:
            raise DiagnosticError(_finding("K016", path, part=f"{folder.name}/{part.name}"))
    told = _metadata(folder / _METADATA)
    pieces = [piece.stored for piece in told.pieces.values()]
    room = sum((folder / Path(name).name).stat().st_size for name in shards.files)
    if sum(piece.length for piece in pieces) > room:
        raise DiagnosticError(_finding("K004", folder, "pieces larger than their files"))
    for piece in pieces:
        name = piece.relative_path
        if name not in shards.files or Path(name).name != name:
            raise DiagnosticError(_finding("K016", path, part=f"{folder.name}/{name}"))
    return told


def _without(value: Any, places: set[Place], here: Place) -> Any:
    """Return nested dictionaries with None at some places."""
    if here in places:
        return None
    if not isinstance(value, dict):
        return value
    return {name: _without(item, places, (*here, name)) for name, item in value.items()}


def _filled(value: Mapping[Any, Any], given: list[tuple[Place, Tensor]]) -> Content:
    """Return nested dictionaries with tensors at some places. Only what holds one is another
    dictionary: what a file shares over and over would not fit into memory as copies.
    """
    found, inner = dict(value), dict[str | int, list[tuple[Place, Tensor]]]()
    for (name, *rest), tensor in given:
        if rest:
            inner.setdefault(name, []).append((tuple(rest), tensor))
        else:
            found[name] = tensor
    for name, below in inner.items():
        found[name] = _filled(found.get(name, {}), below)
    return found


def _key(place: Place) -> str:
    return ".".join(map(str, place))


def _finding(code: str, path: Path, detail: str = "", **more: str) -> Diagnostic:
    params: dict[str, str | int | float] = {"file": path.name, "folder": str(path.parent), **more}
    return Diagnostic(code=code, params=params, detail=detail)
