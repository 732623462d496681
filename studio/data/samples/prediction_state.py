"""State of the predictions for the samples, and how it is shown."""

from dataclasses import dataclass
from typing import Literal

from engine.diagnostics import Diagnostic, sentence
from engine.query.results.request import PredictionStep
from engine.spec.browse import PARTS_OF_RUN
from studio.i18n import filled, translate
from widgets.common.progress import ProgressView, time_left

Stale = Literal["", "checkpoint", "labels"]


@dataclass(frozen=True, kw_only=True)
class PredictionState:
    """What predicts, and what came of it. ``key`` names the predictions that are listed with the
    samples. ``is_other_data`` says that the run was trained on other samples, ``stale`` what has
    changed since the predictions; ``too_many`` is the number of samples of data that are not
    predicted unasked. ``has_parts`` says that samples can be listed in the parts of the run,
    ``wants_parts`` that they are to be, and not in those that the next run gets. ``unread`` is the
    number of samples without a prediction, as they cannot be read, ``reason`` why not the first.
    ``output`` is one of several ``outputs`` that are compared with the data, where there are.
    """

    has_run: bool = False
    outputs: tuple[tuple[str, str], ...] = ()
    output: str = ""
    is_other_data: bool = False
    is_running: bool = False
    key: str = ""
    has_parts: bool = False
    wants_parts: bool = True
    stale: Stale = ""
    too_many: int = 0
    is_stopped: bool = False
    unread: int = 0
    reason: Diagnostic | None = None
    progress: ProgressView | None = None
    problem: Diagnostic | None = None

    @property
    def shows_parts(self) -> bool:
        """Whether samples are listed in the parts of the run."""
        return bool(self.key) and self.has_parts and self.wants_parts

    @property
    def listed(self) -> str:
        """The name of what is listed with the samples; empty for nothing."""
        return f"{self.key}{PARTS_OF_RUN}" if self.shows_parts else self.key


@dataclass(frozen=True, kw_only=True)
class PredictionView:
    """What the line shows; without a run it is not there. ``tip`` is the whole of what is told."""

    is_there: bool
    outputs: tuple[tuple[str, str], ...] = ()
    output: str = ""
    can_predict: bool = False
    progress: ProgressView | None = None
    told: str = ""
    tip: str = ""
    has_results: bool = False
    has_parts: bool = False
    shows_parts: bool = False


def present_predictions(state: PredictionState, language: str) -> PredictionView:
    """Return the line."""
    told, tip = _told(state, language)
    is_possible = state.has_run and not state.is_other_data and state.progress is None
    return PredictionView(
        is_there=state.has_run,
        outputs=() if state.is_other_data else state.outputs,
        output=state.output,
        can_predict=is_possible and (not state.key or state.stale == "checkpoint"),
        progress=state.progress,
        told=told,
        tip=tip or told,
        has_results=state.has_run and state.progress is None,
        has_parts=bool(state.key) and state.has_parts and state.progress is None,
        shows_parts=state.shows_parts,
    )


def present_waiting() -> ProgressView:
    """Return that predictions were asked for: the model has to be loaded first."""
    return ProgressView(text=translate("Samples", "Opening the model…"), can_cancel=True)


def present_step(step: PredictionStep, passed_s: float) -> ProgressView:
    """Return how far predictions are that go on for so long."""
    share = step.done / step.total if step.total else 0.0
    text = translate("Samples", "Predicting: {done} of {total}")
    return ProgressView(
        text=text.format(done=f"{step.done:,}", total=f"{step.total:,}"),
        fraction=share,
        left_s=time_left(share, passed_s),
        can_cancel=True,
    )


def _told(state: PredictionState, language: str) -> tuple[str, str]:
    """Return what is told in the line, and more of it where there is more."""
    if state.progress is not None:
        return "", ""
    if state.problem is not None and not state.is_other_data:
        text = sentence(state.problem, language)
        return translate("Samples", "No predictions: {reason}").format(reason=text), text
    if state.stale:
        return _stale_texts()[state.stale]
    if not state.key:
        return _why_none(state)
    if state.reason is None:
        return "", ""
    text = translate("Samples", "{count} {count|sample|samples} left out: {reason}")
    whole = filled(text, count=f"{state.unread:,}", reason=sentence(state.reason, language))
    return whole, whole


def _stale_texts() -> dict[Stale, tuple[str, str]]:
    return {
        "checkpoint": (
            translate("Samples", "Out of date: the run has gone on"),
            translate(
                "Samples", "The run has saved another checkpoint since. Press Predict to use it."
            ),
        ),
        "labels": (
            translate("Samples", "Loss by the old labels"),
            translate(
                "Samples",
                "Samples were relabeled since this run was started. Loss and correct are by the "
                "labels that it was trained on; train again to use the new ones.",
            ),
        ),
    }


def _why_none(state: PredictionState) -> tuple[str, str]:
    """Return why there are no predictions of a run that can be asked."""
    if state.is_other_data:
        return translate("Samples", "Trained on other data"), translate(
            "Samples", "This run was trained on other samples than those that are shown."
        )
    if state.too_many:
        text = translate("Samples", "{count} {count|sample|samples}, predicted when you ask")
        return filled(text, count=f"{state.too_many:,}"), ""
    if state.is_stopped:
        return translate("Samples", "Stopped"), translate(
            "Samples", "What is predicted so far is kept. Press Predict to go on from there."
        )
    if state.is_running:
        return translate("Samples", "The run is going on"), translate(
            "Samples",
            "The samples are predicted by themselves when the run ends. Press Predict to use its "
            "checkpoint of now.",
        )
    return "", ""
