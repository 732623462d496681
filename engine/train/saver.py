"""Saver of the checkpoints of a run: written, recorded, and old ones removed."""

import math
import re
import time
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from torch import Tensor

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.events import CheckpointRemoved, CheckpointSaved
from engine.files import remove_stale_temporaries
from engine.runs.checkpoint_folder import move_checkpoints
from engine.runs.folder import RunFolder
from engine.runs.record.shard_folder import remove_orphans, remove_parts
from engine.runs.record.state import CheckpointInfo
from engine.spec.run import CheckpointSpec
from engine.train.checkpoint.file import Checkpoint, Position, save_checkpoint
from engine.train.ranks.world import ALONE, World
from engine.train.report import Reporter

_NAME = re.compile(r"^step-\d{8}-(\d{4,})\.ckpt$")
_MIN_KEPT = 2
_REST_S = 1.0


class _Waiting(NamedTuple):
    """A checkpoint in memory, until it is time to write it."""

    checkpoint: Checkpoint
    tags: tuple[str, ...]
    metrics: dict[str, float]


class CheckpointSaver:
    """Writes the checkpoints of one run and keeps the last ones and the best.

    ``recorded`` are those in the record at the start, ``position`` is that of the one the run goes
    on from. A file is removed only after a newer one was written, read back and recorded.
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
    ) -> None:
        self._run = run
        self._folder = folder = run.checkpoints
        self._world = world
        self._keep_last = max(_MIN_KEPT, spec.keep_last)
        self._reporter = reporter
        self._infos = [info for info in recorded if (folder / info.file).is_file()]
        self._number = max(self._numbers(), default=0)
        self._position = position
        self._waiting: _Waiting | None = None
        self._written_at = -math.inf
        remove_stale_temporaries(folder)
        remove_orphans(folder)

    def is_saved(self, position: Position) -> bool:
        """Return whether the newest checkpoint is of this position."""
        return self._position == position

    def forget(self) -> None:
        """Regard the newest checkpoint as out of date: something was changed by hand."""
        self._position = None

    def is_rested(self) -> bool:
        """Return whether the last write is a second ago, so that short epochs do not spend their
        time on checkpoints.
        """
        return time.monotonic() - self._written_at >= _REST_S

    def has_waiting(self) -> bool:
        """Return whether a checkpoint in memory is due to be written."""
        return self._waiting is not None and self.is_rested()

    def keep_in_memory(
        self, checkpoint: Checkpoint, tags: tuple[str, ...], metrics: dict[str, float]
    ) -> None:
        """Keep a copy of a checkpoint in memory. The next save writes it first, unless that one is
        better.
        """
        copied = Checkpoint(
            **{name: _copied(getattr(checkpoint, name)) for name in checkpoint.__struct_fields__}
        )
        self._waiting = _Waiting(copied, tags, dict(metrics))

    def save_waiting(self) -> Diagnostic | None:
        """Write the checkpoint that waits in memory, if one does."""
        waiting, self._waiting = self._waiting, None
        return self._write(*waiting) if waiting is not None else None

    def save(
        self, checkpoint: Checkpoint, tags: tuple[str, ...], metrics: dict[str, float]
    ) -> Diagnostic | None:
        """Write a checkpoint; return what prevented it, if anything did."""
        if "best" in tags:
            self._waiting = None
        return self.save_waiting() or self._write(checkpoint, tags, metrics)

    def move(self, folder: Path) -> tuple[Diagnostic, ...]:
        """Keep the checkpoints in a new folder inside another from now on, those that can still be
        read too. Return where they are, or what prevented it; then all stays as it is.
        """
        target = folder / f"{self._run.project.name}-{self._run.id}-checkpoints"
        try:
            move_checkpoints(self._run.path, target)
        except DiagnosticError as error:
            return error.problems
        self._folder = target
        self._infos = [info for info in self._infos if (target / info.file).is_file()]
        return (Diagnostic.of("D472", severity=Severity.HINT, folder=str(target)),)

    def _write(
        self, checkpoint: Checkpoint, tags: tuple[str, ...], metrics: dict[str, float]
    ) -> Diagnostic | None:
        position = checkpoint.position
        self._number += 1
        path = self._folder / f"step-{position.step:08d}-{self._number:04d}.ckpt"
        try:
            digest = save_checkpoint(path, checkpoint, self._world)
        except DiagnosticError as error:
            return error.problems[0]
        finally:
            self._written_at = time.monotonic()
        info = CheckpointInfo(
            file=path.name,
            sha256=digest,
            step=position.step,
            epoch=position.epoch,
            tags=tags,
            metrics=metrics,
        )
        self._infos.append(info)
        self._position = position
        self._reporter.append(CheckpointSaved(**msgspec.structs.asdict(info)))
        if self._reporter.journal.problem is None:
            self._remove_old()
        return self._reporter.journal.problem

    def _remove_old(self) -> None:
        best = [info for info in self._infos if "best" in info.tags][-1:]
        kept = {info.file for info in [*self._infos[-self._keep_last :], *best]}
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


def _copied(value: Any) -> Any:
    """Return a copy of nested dictionaries and lists that shares no tensor with them."""
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copied(item) for item in value]
    return value
