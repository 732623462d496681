"""Checkpoint of a run: one file with everything a run needs to go on, bit for bit.

Written whole or not at all, read back before it counts; loaded as tensors and plain values only.
"""

from pathlib import Path
from typing import Annotated

import msgspec
import torch
from torch import Tensor
from typing_extensions import TypeIs

from engine.archive.tensor_archive import read_archive
from engine.decoding import convert
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import WriteTarget, atomic_write, describe_os_error, require_memory, sha256
from engine.runs.record.shard_folder import SHARDS, SUFFIX
from engine.runs.record.state import CheckpointInfo
from engine.spec.live import LiveValue
from engine.train.ranks.world import ALONE, World

FORMAT = 2
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
_OPTIONAL = {
    "tokenizers": dict,
    "techniques": dict,
    "steps": int,
    "minutes": float,
    "live": dict,
    "phases": dict,
    "learned": dict,
}
"""What is left out where a run has none, as in older files, and what it is then."""
SHARDED_FORMAT = 3
"""Of a checkpoint whose weights are in a folder beside it (:mod:`engine.archive.shards`)."""


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run stands between two steps: ``step`` steps were taken in all, ``epoch`` epochs
    are finished, and ``batch`` batches of the one after them are done.
    """

    step: int = 0
    epoch: int = 0
    batch: int = 0


class Checkpoint(msgspec.Struct, kw_only=True):
    """The content of a file. ``graph`` and ``spec`` are JSON documents; ``model``,
    ``optimizer``, ``scheduler`` and ``scaler`` (of mixed precision) are state dictionaries, as are
    those of the ``techniques`` by name and of the ``phases`` beside the first by number;
    ``epochs``, ``steps`` and ``minutes`` are the length of the run
    (:class:`~engine.spec.length.RunLength`);
    ``meter`` is the partial epoch; ``best`` the best monitored value so far; ``history`` the sha256
    of the loss curve so far; ``mark`` the place in the run's record
    (:class:`engine.runs.record.journal.Mark`); ``tokenizers`` the contents of what the texts of the
    data are cut by, where they are of subwords; ``live`` what was changed while the run went on, by
    name; ``learned`` since when each training sample is predicted rightly
    (:mod:`engine.train.learned`).
    """

    graph: str
    spec: str
    model: dict[str, Tensor]
    optimizer: dict[str, object]
    scheduler: dict[str, object]
    scaler: dict[str, object]
    meter: dict[str, object]
    random: dict[str, object]
    position: Position
    epochs: int
    elapsed_s: float
    best: float | None
    history: str
    mark: tuple[int, int]
    tokenizers: dict[str, str] = msgspec.field(default_factory=dict)
    techniques: dict[str, object] = msgspec.field(default_factory=dict)
    steps: int = 0
    minutes: float = 0.0
    live: dict[str, LiveValue] = msgspec.field(default_factory=dict)
    phases: dict[str, object] = msgspec.field(default_factory=dict)
    learned: dict[str, object] = msgspec.field(default_factory=dict)


def save_checkpoint(path: Path, checkpoint: Checkpoint, world: World = ALONE) -> str:
    """Write a checkpoint, read it back, and return its sha256. Where each process of ``world`` has
    a part of the weights, these are in a folder beside it.

    Raises :class:`DiagnosticError` when it cannot be written or read back; nothing is left behind
    and older files stay as they are.
    """
    content: dict[str, object] = {
        name: getattr(checkpoint, name) for name in checkpoint.__struct_fields__
    }
    content["position"] = msgspec.structs.asdict(checkpoint.position)
    for name in _OPTIONAL:
        if not content[name]:
            del content[name]
    content = world.save_shards(path.with_suffix(SUFFIX), content)
    content["format"] = SHARDED_FORMAT if SHARDS in content else FORMAT

    def write(target: WriteTarget) -> None:
        try:
            torch.save(content, target)  # pyright: ignore[reportArgumentType] - it only writes and flushes
        except RuntimeError as error:
            if target.error is not None:
                raise  # the system's error is told
            raise DiagnosticError(_finding("K009", path, str(error))) from error

    return atomic_write(path, write, verify=_read_back)


def load_checkpoint(path: Path, digest: str = "") -> Checkpoint:
    """Read a checkpoint to the CPU. ``digest`` is the sha256 it must have, where known.

    Raises :class:`DiagnosticError` with what is wrong with the file (K001 to K009), P0xx where the
    system does not let it be read.
    """
    if digest:
        _require_digest(path, digest)
    content = load_tensors(path)
    if "format" not in content or "model" not in content:
        raise DiagnosticError(_finding("K007", path))
    version = content.pop("format")
    if not isinstance(version, int) or version > SHARDED_FORMAT:
        raise DiagnosticError(_finding("K008", path, format=str(version)))
    if SHARDS in content:
        content = _with_shards(path, content)
    if version == 1:
        content["scaler"] = {}  # no run scaled its loss then
    for name, empty in _OPTIONAL.items():
        content.setdefault(name, empty())
    if not is_state_dict(content["model"]):
        raise DiagnosticError(_finding("K007", path, "model"))
    try:
        checkpoint = convert(content, _Header)
        values = {name: content[name] for name in Checkpoint.__struct_fields__}
        values["position"] = Position(**msgspec.structs.asdict(checkpoint.position))
        return Checkpoint(**values)  # pyright: ignore[reportArgumentType] - checked by _Header
    except (msgspec.ValidationError, KeyError, TypeError) as error:
        raise DiagnosticError(_finding("K007", path, str(error))) from error


def load_weights(path: Path) -> dict[str, Tensor]:
    """Return the weights in a file: a checkpoint of a run, or a plain state dictionary.

    Raises :class:`DiagnosticError` with what is wrong with the file (K001 to K009).
    """
    content = load_content(path, "model")
    weights = content.get("model", content)
    if not is_state_dict(weights):
        raise DiagnosticError(_finding("K007", path))
    return weights


def load_content(path: Path, below: str = "") -> dict[str, object]:
    """Read a file as :func:`load_tensors` does; of a sharded checkpoint also what is beside it,
    all or ``below`` one entry.
    """
    content = load_tensors(path)
    return _with_shards(path, content, below) if SHARDS in content else content


def load_tensors(path: Path) -> dict[str, object]:
    """Read a file of tensors and plain values to the CPU; no code in it is ever run. Raises as
    :func:`~engine.archive.tensor_archive.read_archive`, and :class:`DiagnosticError` K007 for
    what is no dictionary.
    """
    return _dictionary(path, read_archive(path))


def newest_valid(
    folder: Path, recorded: tuple[CheckpointInfo, ...]
) -> tuple[CheckpointInfo, Checkpoint, list[Diagnostic]]:
    """Return the newest checkpoint that is sound, walking back over damaged ones, and the
    findings about those.

    ``recorded`` are the checkpoints by the run's record, oldest first. Raises
    :class:`DiagnosticError` K010 when none is sound.
    """
    problems: list[Diagnostic] = []
    for info in reversed(recorded):
        try:
            return info, load_checkpoint(folder / info.file, info.sha256), problems
        except DiagnosticError as error:
            problems.extend(error.problems)
    raise DiagnosticError(Diagnostic(code="K010", params={"folder": str(folder)}), *problems)


def _require_digest(path: Path, digest: str) -> None:
    """Refuse a file that was changed (K006). One larger than the memory is refused unread: hashing
    a terabyte takes hours.
    """
    try:
        if not path.is_file():
            return  # reading it raises what is wrong
        require_memory(path.stat().st_size)
        actual = sha256(path)
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, path, "read")) from error
    if actual != digest:
        raise DiagnosticError(_finding("K006", path))


def is_state_dict(value: object) -> TypeIs[dict[str, Tensor]]:
    """Return whether a value of a file is a dictionary of tensors."""
    return isinstance(value, dict) and all(
        isinstance(key, str) and isinstance(one, Tensor) for key, one in value.items()
    )


def _with_shards(path: Path, content: dict[str, object], below: str = "") -> dict[str, object]:
    from engine.archive.shards import joined  # imports half a second that few files need

    return joined(path, content, below)


def _read_back(path: Path) -> None:
    _dictionary(path, read_archive(path, is_own=True))


def _dictionary(path: Path, content: object) -> dict[str, object]:
    if not isinstance(content, dict):
        raise DiagnosticError(_finding("K007", path))
    return content


class _Header(msgspec.Struct, kw_only=True):
    """The parts of a checkpoint whose types can be checked."""

    graph: str
    spec: str
    optimizer: dict[str, object]
    scheduler: dict[str, object]
    scaler: dict[str, object]
    meter: dict[str, object]
    random: dict[str, object]
    position: "_Position"
    epochs: _Count
    elapsed_s: Annotated[float, msgspec.Meta(ge=0, le=1e12)]
    best: float | None
    history: str
    mark: tuple[_Count, _Count]
    tokenizers: dict[str, str]
    techniques: dict[str, dict[str, object]]
    steps: _Count
    minutes: Annotated[float, msgspec.Meta(ge=0, le=1e12)]
    live: dict[str, LiveValue]
    phases: dict[str, dict[str, dict[str, object]]]
    learned: dict[str, object]


class _Position(msgspec.Struct, kw_only=True):
    """A :class:`Position` that tells all of its numbers, and such as there can be."""

    step: _Count
    epoch: _Count
    batch: _Count


def _finding(code: str, path: Path, detail: str = "", **more: str) -> Diagnostic:
    params: dict[str, str | int | float] = {"file": path.name, "folder": str(path.parent), **more}
    return Diagnostic(code=code, params=params, detail=detail)
