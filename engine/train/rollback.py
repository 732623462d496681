"""Roll back of a run: to its last checkpoint after a step that is not finite, at half the rate.

Where it goes back to depends on the recipe alone, and on what the user had changed or saved: not on
a pause or a stop in between, nor on how fast the computer is. So a run that was stopped or killed,
and resumed, computes the same as one that never was.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.diagnostics import Diagnostic, Severity
from engine.runs.record.state import CheckpointInfo
from engine.train.checkpoint.file import Checkpoint, newest_valid
from engine.train.finite import NotFiniteError
from engine.train.optim import learning_rates
from engine.train.technique.registry import ROLLING_BACK
from engine.train.technique.rolling_back import MOST_ROLLBACKS, RollingBack
from engine.train.training import Training

_BY_THE_WAY = frozenset({"pause", "stop", "error"})
_BAD_DATA = "R131"


@dataclass(frozen=True, kw_only=True)
class Rollback:
    """A roll back that is to come, the number ``count`` of its run, after the step ``step``. The
    one before went to the step ``before`` (-1: there was none). Its ``cause`` is a diagnostic with
    the layer, where one is known.
    """

    step: int
    loss: float
    count: int
    before: int
    cause: Diagnostic

    @classmethod
    def after(
        cls, error: NotFiniteError, training: Training, step: int, cause: Diagnostic
    ) -> "Rollback | Diagnostic":
        """Return what follows a step that is not finite, or why the run ends with it: that is no
        rule of this run, or it would not help.
        """
        rolling = counted(training)
        if rolling is None or cause.code == _BAD_DATA:  # the same batch would come again
            return cause
        if rolling.count >= MOST_ROLLBACKS:
            params: dict[str, str | int | float] = {
                "step": step,
                "count": rolling.count,
                "rate": _rates_text(training),
            }
            return Diagnostic(code="R480", node=cause.node, params=params)
        count, before = rolling.count + 1, rolling.step
        return cls(step=step, loss=error.loss, count=count, before=before, cause=cause)

    def target(
        self, folder: Path, recorded: Sequence[CheckpointInfo]
    ) -> tuple[CheckpointInfo, Checkpoint, list[Diagnostic]]:
        """Return the checkpoint to go back to, and the findings about damaged ones: the newest that
        is sound and not by the way. Where the run went there before, and came to no newer one, its
        weights had grown too large already: then it is that before. Where there is none, any
        counts. Raises :class:`DiagnosticError` K010.
        """
        wanted = [info for info in recorded if not is_by_the_way(info)]
        if wanted and wanted[-1].step == self.before:
            wanted = [info for info in wanted if info.step < self.before] or wanted
        others = [info for info in recorded if info not in wanted]
        return newest_valid(folder, (*others, *wanted))

    def apply(self, training: Training, step: int) -> None:
        """Halve the learning rates of what was made from the checkpoint of a step, as often as it
        has not been done there.
        """
        rolling = counted(training)
        assert rolling is not None  # another run does not roll back
        for phase in training.phases.all:
            phase.schedule.scale(0.5 ** (self.count - rolling.count))
        rolling.count, rolling.step = self.count, step

    def warning(self, training: Training, step: int) -> Diagnostic:
        """Return that the run went back to a step."""
        layer = self.cause.params.get("layer", "")
        params: dict[str, str | int | float] = {
            "step": self.step,
            "loss": f"{self.loss:.6g}",
            "to": step,
            "rate": _rates_text(training),
            "count": self.count,
            "most": MOST_ROLLBACKS,
        }
        return Diagnostic(
            code="R482" if layer else "R479",
            severity=Severity.WARNING,
            node=self.cause.node,
            params=params | ({"layer": layer} if layer else {}),
        )


def _rates_text(training: Training) -> str:
    """Return the learning rates of the phases, in words."""
    return ", ".join(f"{learning_rates(each.optimizer)[0]:.4g}" for each in training.phases.all)


def counted(training: Training) -> RollingBack | None:
    """Return the count of roll backs, where the run has that rule."""
    found = training.techniques.get(ROLLING_BACK)
    return found if isinstance(found, RollingBack) else None


def is_by_the_way(info: CheckpointInfo) -> bool:
    """Return whether a checkpoint is only of a pause, a stop or an error."""
    return not _BY_THE_WAY.isdisjoint(info.tags)


def to_go_back_to(infos: Sequence[CheckpointInfo]) -> list[CheckpointInfo]:
    """Return the checkpoints that a run may go back to: the newest, and that before its step."""
    found = [info for info in infos if not is_by_the_way(info)]
    earlier = [info for info in found if info.step < found[-1].step]
    return [*earlier[-1:], *found[-1:]]
