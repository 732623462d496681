"""Findings of the doctor: what is known of a model, and what the page shows of it."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.diagnostics import Diagnostic, Severity
from engine.graph.repair.case import RepairProposal
from engine.query.doctor.request import BatchCurve, CheckUp, CheckUpReport
from studio.i18n import translate
from studio.view.problem import present_problems
from studio.view.wording import metric_text
from studio.window.page import EmptyView
from widgets.plots.view_model import XyLine, XyView
from widgets.tables.view_model import ProblemView

MODEL, RUN = "model", "run"
_GRAVE = (Severity.ERROR, Severity.WARNING)
_FAR = 100  # times the first loss: drawn evenly, the others would be one line at the bottom
Key = tuple[str, str | None, str | None]


@dataclass(frozen=True, kw_only=True)
class DoctorState:
    """``asked`` is the checkup that goes on, or that is shown; it ended with a report or with the
    problems of a model that cannot be trained. ``analysed`` are problems of the same model known
    without a checkup, ``fixes`` what has been tried against ``problems``; ``run`` is the name of
    the run with a checkpoint.
    """

    run: str = ""
    subject: str = MODEL
    asked: CheckUp | None = None
    report: CheckUpReport | None = None
    problems: tuple[Diagnostic, ...] = ()
    analysed: tuple[Diagnostic, ...] = ()
    fixes: dict[Key, tuple[RepairProposal, ...]] = field(default_factory=dict)
    is_trying: bool = False

    @property
    def is_busy(self) -> bool:
        """Whether a checkup goes on."""
        return self.asked is not None and self.report is None and not self.problems

    @property
    def shown(self) -> tuple[Diagnostic, ...]:
        """The problems in the list: a Softmax before cross-entropy or a loss that broadcasts is
        found by looking at the model alone.
        """
        grave = (one for one in self.analysed if one.severity in _GRAVE)
        return (*self.problems, *(one for one in grave if one not in self.problems))


@dataclass(frozen=True, kw_only=True)
class DoctorView:
    """What the page shows: ``empty``, or problems with the loss on one batch below them."""

    run: str
    subject: str
    empty: EmptyView | None
    is_busy: bool
    is_trying: bool
    problems: tuple[ProblemView, ...]
    losses: XyView
    passed: str


def problem_key(problem: Diagnostic) -> Key:
    """Return what a problem is the same by in another report."""
    return (problem.code, problem.node, problem.field)


def present_doctor(
    state: DoctorState,
    language: str,
    repairs_of: Callable[[Diagnostic], tuple[RepairProposal, ...]],
) -> DoctorView:
    """Return what the page shows."""
    asked = state.asked
    problems = ()
    if asked is not None:
        problems = present_problems(state.shown, asked.graph, asked.spec, language, repairs_of)
    passed = translate("Doctor", "Fix these problems first. The model cannot be trained.")
    return DoctorView(
        run=state.run,
        subject=state.subject,
        empty=_empty(state),
        is_busy=state.is_busy,
        is_trying=state.is_trying,
        problems=problems,
        losses=present_batch(state.report or CheckUpReport(rules=())),
        passed=present_passed(state.report) if state.report is not None else passed,
    )


def _empty(state: DoctorState) -> EmptyView | None:
    if state.is_busy:
        return EmptyView(
            translate("Doctor", "Examining…"),
            translate("Doctor", "A copy of the model trains on one batch for a few seconds."),
        )
    if state.asked is not None:
        return None
    return EmptyView(
        translate("Doctor", "Not examined yet"),
        translate(
            "Doctor",
            "Check the model before a long run: can it overfit one batch, does the "
            "initial loss match guessing, do all layers receive gradients, are units "
            "dead, do samples leak?",
        ),
        translate("Doctor", "Examine model"),
    )


def rule_titles() -> dict[str, str]:
    """Return what is looked at, by rule."""
    return {
        "initial_loss": translate("Doctor", "initial loss"),
        "overfitting": translate("Doctor", "overfits one batch"),
        "update_ratio": translate("Doctor", "update size"),
        "gradient_flow": translate("Doctor", "gradients in all layers"),
        "dead_relu": translate("Doctor", "no dead ReLU units"),
        "unused_parameter": translate("Doctor", "no unused parameters"),
        "mixing": translate("Doctor", "no leaks between samples"),
        "leakage": translate("Doctor", "no leaks between splits"),
        "imbalance": translate("Doctor", "class balance"),
    }


def present_passed(report: CheckUpReport) -> str:
    """Return what is all right, in one sentence, and how fast the data comes."""
    fine = [result.rule for result in report.rules if not result.problems]
    told = (
        (translate("Doctor", "Passed: {checks}."), fine),
        (translate("Doctor", "Not applicable: {checks}."), report.nothing),
    )
    titles, separator = rule_titles(), translate("Doctor", ", ")
    parts = [
        text.format(checks=separator.join(titles[rule] for rule in rules))
        for text, rules in told
        if rules
    ]
    speed = translate("Doctor", "Data loading: {count} samples per second.").format(
        count=f"{report.samples_per_s:,.0f}"
    )
    return " ".join((*parts, speed))


def present_batch(report: CheckUpReport) -> XyView:
    """Return the loss of the batch that was learned by heart, by each kind of step; on a
    logarithmic axis where it shoots up, so that the rest is still to be seen.
    """
    drawn = [_Drawn.of(curve) for curve in report.curves if curve.losses]
    is_log = any(_shoots_up(one.losses) for one in drawn) and all(one.is_positive for one in drawn)
    return XyView(
        lines=tuple(line for index, one in enumerate(drawn) for line in one.lines(index, is_log)),
        x_label=translate("Doctor", "Steps on a single batch"),
        y_label=translate("Doctor", "Loss"),
        is_log=is_log,
    )


@dataclass(frozen=True, kw_only=True)
class _Drawn:
    """The losses of a batch and that of guessing (NaN where it is not known), to be drawn."""

    name: str
    losses: NDArray[np.float64]
    guess: float

    @classmethod
    def of(cls, curve: BatchCurve) -> Self:
        """Return a curve as it is to be drawn."""
        guess = math.nan if curve.expected is None else curve.expected
        return cls(name=curve.name, losses=np.asarray(curve.losses, np.float64), guess=guess)

    @property
    def is_positive(self) -> bool:
        """Whether the curve can be drawn over powers of ten."""
        finite = self.losses[np.isfinite(self.losses)]
        return not self.guess <= 0 and bool((finite > 0).all())

    def lines(self, index: int, is_log: bool) -> Iterator[XyLine]:
        """Yield the line of the losses, and that of guessing."""
        steps = np.arange(len(self.losses), dtype=np.float64)
        label = self.name or translate("Doctor", "Loss on one batch")
        losses, guess = self.losses, np.full(2, self.guess)
        if is_log:
            losses, guess = np.log10(losses), np.log10(guess)
        yield XyLine(name=f"loss{index or ''}", label=label, x=steps, y=losses, color=2 * index)
        if not math.isnan(self.guess):
            text = translate("Doctor", "guessing ({loss})").format(loss=metric_text(self.guess))
            yield XyLine(
                name=f"guess{index or ''}",
                label=f"{self.name}: {text}" if self.name else text,
                x=steps[[0, -1]],
                y=guess,
                color=2 * index + 1,
                dash="dash",
            )


def _shoots_up(losses: NDArray[np.float64]) -> bool:
    """Return whether losses, all of them positive, rise far above the first one."""
    finite = losses[np.isfinite(losses)]
    return bool(finite.size and finite.min() > 0 and finite.max() > _FAR * finite[0])
