"""The checkpoints of a run on disk: written, told, and the old ones removed."""

import re
from pathlib import Path

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import CheckpointRemoved, CheckpointSaved
from engine.files import remove_stale_temporaries
from engine.runs.state import CheckpointInfo
from engine.spec.run import CheckpointSpec
from engine.train.checkpoint import Checkpoint, Position, save_checkpoint
from engine.train.report import Reporter

_NAME = re.compile(r"^step-\d{8}-(\d{4,})\.ckpt$")
_FEWEST = 2


class CheckpointSaver:
    """Writes the checkpoints of one run into its folder and keeps the last ones and the best.

    ``known`` are those that stand in the record at the start, ``saved`` the place of the one the
    run goes on from. A file goes only after a newer one
    was written, read back and told.
    """

    def __init__(
        self,
        folder: Path,
        spec: CheckpointSpec,
        reporter: Reporter,
        known: tuple[CheckpointInfo, ...],
        saved: Position | None,
    ) -> None:
        self._folder = folder
        self._keep_last = max(_FEWEST, spec.keep_last)
        self._reporter = reporter
        self._known = [info for info in known if (folder / info.file).is_file()]
        self._number = max(self._numbers(), default=0)
        self._saved = saved
        remove_stale_temporaries(folder)

    def is_saved(self, position: Position) -> bool:
        """Return whether the newest checkpoint is of this position."""
        return self._saved == position

    def forget(self) -> None:
        """Regard the newest checkpoint as out of date: something was changed by hand."""
        self._saved = None

    def save(
        self, checkpoint: Checkpoint, tags: tuple[str, ...], metrics: dict[str, float]
    ) -> Diagnostic | None:
        """Write a checkpoint; return what prevented it, if anything did."""
        position = checkpoint.position
        self._number += 1
        path = self._folder / f"step-{position.step:08d}-{self._number:04d}.ckpt"
        try:
            digest = save_checkpoint(path, checkpoint)
        except DiagnosticError as error:
            return error.problems[0]
        info = CheckpointInfo(
            file=path.name,
            sha256=digest,
            step=position.step,
            epoch=position.epoch,
            tags=tags,
            metrics=metrics,
        )
        self._known.append(info)
        self._saved = position
        self._reporter.append(CheckpointSaved(**msgspec.structs.asdict(info)))
        if self._reporter.journal.problem is None:
            self._remove_old()
        return self._reporter.journal.problem

    def _remove_old(self) -> None:
        best = [info for info in self._known if "best" in info.tags][-1:]
        kept = {info.file for info in [*self._known[-self._keep_last :], *best]}
        self._known = [info for info in self._known if info.file in kept]
        for path in self._folder.iterdir():
            if _NAME.match(path.name) and path.name not in kept:
                path.unlink(missing_ok=True)
                self._reporter.append(CheckpointRemoved(file=path.name))

    def _numbers(self) -> list[int]:
        names = [_NAME.match(path.name) for path in self._folder.iterdir()]
        return [int(match.group(1)) for match in names if match]
