"""Early stopping: the end of training once a measure does not get better any more."""

import math
from typing import Literal

from typing_extensions import override

from engine.diagnostics import Diagnostic, Severity
from engine.spec.run import RunSpec
from engine.spec.technique import EarlyStoppingSpec
from engine.train.technique.base import Technique


class EarlyStopping(Technique):
    """Ends a run after ``patience`` epochs in a row in which ``monitor`` got better than the best
    before by ``min_delta`` at most. An epoch without a value, or with NaN, is one of these. What
    ended once counts from the start again where the run is extended.
    """

    def __init__(
        self,
        spec: EarlyStoppingSpec,
        monitor: str,
        mode: Literal["min", "max"],
        length: Literal["epochs", "steps", "minutes"] = "epochs",
    ) -> None:
        self._spec = spec
        self._length = length  # what the run would have ended by
        self._monitor = monitor
        self._sign = -1.0 if mode == "max" else 1.0
        self._best = math.inf  # with the sign of a value that gets smaller
        self._waited = 0

    @override
    def configure(self, spec: RunSpec) -> None:
        self._spec = spec.early_stopping

    @override
    def epoch_done(self, value: float | None, epoch: int) -> Diagnostic | None:
        signed = math.nan if value is None else self._sign * value
        if signed < self._best - self._spec.min_delta:
            self._best, self._waited = signed, 0
            return None
        self._waited += 1
        if self._waited < self._spec.patience:
            return None
        epochs, self._waited = self._waited, 0
        least = self._spec.min_delta
        return Diagnostic.of(
            "R574" if least else "R218",
            severity=Severity.HINT,
            field="early_stopping.patience",
            epoch=epoch,
            epochs=epochs,
            monitor=self._monitor,
            best=f"{self._sign * self._best:.4g}",
            length=self._length,
            **({"least": f"{least:.4g}"} if least else {}),
        )

    @override
    def state_dict(self) -> dict[str, object]:
        return {"best": self._best, "waited": self._waited}

    @override
    def load_state_dict(self, state: dict[str, object]) -> None:
        best, waited = state["best"], state["waited"]
        if not isinstance(best, float) or not isinstance(waited, int):
            raise TypeError(type(best))
        self._best, self._waited = best, waited
