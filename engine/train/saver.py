"""Saver of the checkpoints of a run: written, recorded, and old ones removed.

A large one is copied to the memory of the computer and written by a thread, while training goes
on. The copy is of one moment, and the file comes to be whole or not at all, as it does without.
"""

import math
import re
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import torch
from torch import Tensor

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.events import CheckpointRemoved, CheckpointSaved
from engine.files import remove_stale_temporaries, require_memory
from engine.runs.checkpoint_folder import move_checkpoints
from engine.runs.folder import RunFolder
from engine.runs.record.shard_folder import remove_orphans, remove_parts
from engine.runs.record.state import CheckpointInfo
from engine.spec.run import CheckpointSpec
from engine.train.checkpoint.file import Checkpoint, Position, save_checkpoint
from engine.train.ranks.world import ALONE, World
from engine.train.report import Reporter
from engine.train.rollback import to_go_back_to

_NAME = re.compile(r"^step-\d{8}-(\d{4,})\.ckpt$")
ASKED = "asked"
"""The tag of a checkpoint that the user asked for, which is kept."""
_MIN_KEPT = 2
_REST_S = 1.0
_RESTS = 20  # times as long as training stood still for a large checkpoint
_LARGE_BYTES = 1 << 20  # a smaller one is written in some milliseconds


class _Waiting(NamedTuple):
    """A checkpoint in memory, until it is time to write it."""

    checkpoint: Checkpoint
    tags: tuple[str, ...]
    metrics: dict[str, float]


class _Writing(NamedTuple):
    """A checkpoint that is being written: its file, and the sha256 that will come."""

    path: Path
    position: Position
    tags: tuple[str, ...]
    metrics: dict[str, float]
    digest: "Future[str]"


class CheckpointSaver:
    """Writes the checkpoints of one run and keeps the last ones, the best, and those asked for.

    ``recorded`` are those in the record at the start, ``position`` is that of the one the run goes
    on from. A file is removed only after a newer one was written, read back and recorded. Where the
    run ``rolls_back`` those that it would go back to are kept, too.
    """

    def __init__(
        self,
        run: RunFolder,
        spec: CheckpointSpec,
        reporter: Reporter,
        recorded: tuple[CheckpointInfo, ...],
        position: Position | None,
        *,
        world: World = ALONE,
        rolls_back: bool = False,
    ) -> None:
        self._run = run
        self._folder = folder = run.checkpoints
        self._world = world
        self._rolls_back = rolls_back
        self._keep_last = max(_MIN_KEPT, spec.keep_last)
        self._reporter = reporter
        self._infos = [info for info in recorded if (folder / info.file).is_file()]
        self._number = max(self._numbers(), default=0)
        self._position = position
        self._waiting: _Waiting | None = None
        self._writing: _Writing | None = None
        self._thread = ThreadPoolExecutor(1, "checkpoint")
        self._written_at = -math.inf
        self._rest_s = _REST_S
        remove_stale_temporaries(folder)
        remove_orphans(folder)

    def is_saved(self, position: Position) -> bool:
        """Return whether the newest checkpoint, also one being written, is of this position."""
        return self._position == position

    def forget(self) -> None:
        """Regard the newest checkpoint as out of date: something was changed by hand."""
        self._position = None

    def is_rested(self) -> bool:
        """Return whether the last write is a second ago, longer for large ones, so that short
        epochs do not spend their time on checkpoints.
        """
        return self._writing is None and time.monotonic() - self._written_at >= self._rest_s

    def has_waiting(self) -> bool:
        """Return whether a checkpoint in memory is due to be written."""
        return self._waiting is not None and self.is_rested()

    def keep_in_memory(
        self, checkpoint: Checkpoint, tags: tuple[str, ...], metrics: dict[str, float]
    ) -> None:
        """Keep a copy of a checkpoint in memory. The next save writes it first, unless that one is
        better.
        """
        self._waiting = _Waiting(copied(checkpoint), tags, dict(metrics))

    def save_waiting(self, *, beside: bool = False) -> Diagnostic | None:
        """Write the checkpoint that waits in memory, if one does, after the one being written; with
        ``beside`` a large one as :meth:`save` does.
        """
        problem = self.finish()
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return problem
        if beside and _size(waiting.checkpoint) >= _LARGE_BYTES:
            self._start(*waiting)
            return problem
        return self._write(*waiting) or problem

    def save(
        self,
        checkpoint: Checkpoint,
        tags: tuple[str, ...],
        metrics: dict[str, float],
        *,
        beside: bool = False,
    ) -> Diagnostic | None:
        """Write a checkpoint, after the one being written; return what prevented either, if
        anything did.

        With ``beside`` a large one is written while training goes on: what prevents it is told by
        :meth:`finish`.
        """
        if "best" in tags:
            self._waiting = None
        problem = self.save_waiting()
        if problem is not None:
            return problem
        if not beside or self._world.is_sharded or not _is_worth_a_copy(checkpoint):
            return self._write(checkpoint, tags, metrics)
        begun = time.monotonic()
        copy = copied(checkpoint)
        self._rest_s = max(_REST_S, _RESTS * (time.monotonic() - begun))
        self._start(copy, tags, metrics)
        return None

    def _start(self, copy: Checkpoint, tags: tuple[str, ...], metrics: dict[str, float]) -> None:
        """Have a checkpoint that nobody else changes written by the thread."""
        path, position = self._next_path(copy.position), copy.position
        digest = self._thread.submit(save_checkpoint, path, copy)
        self._writing = _Writing(path, position, tags, dict(metrics), digest)
        self._position = position

    def is_written(self) -> bool:
        """Return whether a checkpoint that was written beside training is to be recorded."""
        return self._writing is not None and self._writing.digest.done()

    def finish(self) -> Diagnostic | None:
        """Wait for the checkpoint that is being written, if one is, and record it; return what
        prevented it, if anything did.
        """
        writing, self._writing = self._writing, None
        if writing is None:
            return None
        try:
            digest = writing.digest.result()
        except DiagnosticError as error:
            self._position = None
            return error.problems[0]
        finally:
            self._written_at = time.monotonic()
        return self._record(writing.path, digest, writing.position, writing.tags, writing.metrics)

    def move(self, folder: Path) -> tuple[Diagnostic, ...]:
        """Keep the checkpoints in a new folder inside another from now on, those that can still be
        read too. Return where they are, or what prevented it; then all stays as it is.
        """
        before = self.finish()
        target = folder / f"{self._run.project.name}-{self._run.id}-checkpoints"
        try:
            move_checkpoints(self._run.path, target)
        except DiagnosticError as error:
            return error.problems if before is None else (before, *error.problems)
        self._folder = target
        self._infos = [info for info in self._infos if (target / info.file).is_file()]
        moved = Diagnostic.of("D472", severity=Severity.HINT, folder=str(target))
        return (moved,) if before is None else (before, moved)

    def _write(
        self, checkpoint: Checkpoint, tags: tuple[str, ...], metrics: dict[str, float]
    ) -> Diagnostic | None:
        path = self._next_path(checkpoint.position)
        try:
            digest = save_checkpoint(path, checkpoint, self._world)
        except DiagnosticError as error:
            return error.problems[0]
        finally:
            self._written_at = time.monotonic()
        self._position = checkpoint.position
        return self._record(path, digest, checkpoint.position, tags, metrics)

    def _next_path(self, position: Position) -> Path:
        self._number += 1
        return self._folder / f"step-{position.step:08d}-{self._number:04d}.ckpt"

    def _record(
        self,
        path: Path,
        digest: str,
        position: Position,
        tags: tuple[str, ...],
        metrics: dict[str, float],
    ) -> Diagnostic | None:
        info = CheckpointInfo(
            file=path.name,
            sha256=digest,
            step=position.step,
            epoch=position.epoch,
            tags=tags,
            metrics=metrics,
        )
        self._infos.append(info)
        self._reporter.append(CheckpointSaved(**msgspec.structs.asdict(info)))
        if self._reporter.journal.problem is None:
            self._remove_old()
        return self._reporter.journal.problem

    def _remove_old(self) -> None:
        best = [info for info in self._infos if "best" in info.tags][-1:]
        asked = [info for info in self._infos if ASKED in info.tags]
        back = to_go_back_to(self._infos) if self._rolls_back else []
        kept = {info.file for info in [*self._infos[-self._keep_last :], *best, *asked, *back]}
        self._infos = [info for info in self._infos if info.file in kept]
        for path in self._folder.iterdir():
            if _NAME.match(path.name) and path.name not in kept:
                # Recorded first: a kill in between leaves a file that nobody misses.
                self._reporter.append(CheckpointRemoved(file=path.name))
                path.unlink(missing_ok=True)
                remove_parts(path)

    def _numbers(self) -> list[int]:
        names = [_NAME.match(path.name) for path in self._folder.iterdir()]
        return [int(match.group(1)) for match in names if match]


def copied(checkpoint: Checkpoint) -> Checkpoint:
    """Return a copy in the memory of the computer that shares no tensor with a checkpoint; what is
    one tensor in it is one in the copy.
    """
    copies: dict[object, Tensor] = {}

    def copy(value: Any) -> Any:
        if isinstance(value, Tensor):
            place = _place(value)
            if place not in copies:
                copies[place] = value.detach().to("cpu", copy=True)
            return copies[place]
        if isinstance(value, dict):
            return {key: copy(item) for key, item in value.items()}
        if isinstance(value, list):
            return [copy(item) for item in value]
        return value

    return Checkpoint(
        **{name: copy(getattr(checkpoint, name)) for name in checkpoint.__struct_fields__}
    )


def _place(tensor: Tensor) -> object:
    """Return what two tensors have in common that are the same numbers in memory."""
    if tensor.layout is not torch.strided or not tensor.numel():
        return id(tensor)
    start = tensor.untyped_storage().data_ptr()
    parts = tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype
    return (tensor.device, start, *parts)


def _size(checkpoint: Checkpoint) -> int:
    """Return the bytes of the tensors of a checkpoint."""
    values = [getattr(checkpoint, name) for name in checkpoint.__struct_fields__]
    return sum(value.nbytes for value in _tensors(values))


def _is_worth_a_copy(checkpoint: Checkpoint) -> bool:
    """Return whether a checkpoint is large, and the computer has memory for a second one."""
    size = _size(checkpoint)
    if size < _LARGE_BYTES:
        return False
    try:
        require_memory(2 * size)  # the rest of the computer goes on, too
    except OSError:
        return False
    return True


def _tensors(value: object) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from _tensors(item)
