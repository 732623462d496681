"""What the doctor found, and what is all right."""

import numpy as np

from engine.query.doctor.report import CheckUpReport
from studio.i18n import translate
from studio.view.wording import metric_text
from widgets.plots.view_model import XyLine, XyView

_FAR = 100  # times the first loss: drawn evenly, the others would be one line at the bottom


def rule_titles() -> dict[str, str]:
    """Return what is looked at, by rule."""
    return {
        "initial_loss": translate("Doctor", "loss at the beginning"),
        "overfitting": translate("Doctor", "one batch learned by heart"),
        "update_ratio": translate("Doctor", "size of the steps"),
        "gradient_flow": translate("Doctor", "gradients of all layers"),
        "dead_relu": translate("Doctor", "dead ReLU units"),
        "unused_parameter": translate("Doctor", "unused parameters"),
        "mixing": translate("Doctor", "leaks between samples"),
        "leakage": translate("Doctor", "leaks between parts"),
        "imbalance": translate("Doctor", "balance of the classes"),
    }


def present_passed(report: CheckUpReport) -> str:
    """Return what is all right, in one sentence, and how fast the data comes."""
    titles = rule_titles()
    fine = [titles[result.rule] for result in report.rules if not result.problems]
    speed = translate("Doctor", "The data comes at {count} samples a second.").format(
        count=f"{report.samples_per_s:,.0f}"
    )
    if not fine:
        return speed
    separator = translate("Doctor", ", ")
    text = translate("Doctor", "All right: {checks}.").format(checks=separator.join(fine))
    return f"{text} {speed}"


def present_batch(report: CheckUpReport) -> XyView:
    """Return the loss of the batch that was learned by heart; on a logarithmic axis where it shoots
    up, so that the rest is still to be seen.
    """
    losses = np.asarray(report.losses, np.float64)
    steps = np.arange(len(losses), dtype=np.float64)
    guess = np.full(2, np.nan if report.expected is None else report.expected)
    is_log = _shoots_up(losses) and not (guess <= 0).any()
    if is_log:
        losses, guess = np.log10(losses), np.log10(guess)
    label = translate("Doctor", "Loss on one batch")
    lines = [XyLine(name="loss", label=label, x=steps, y=losses)] if len(steps) else []
    if report.expected is not None and len(steps):
        level = metric_text(report.expected)
        text = translate("Doctor", "guessing ({loss})").format(loss=level)
        ends = steps[[0, -1]]
        lines.append(XyLine(name="guess", label=text, x=ends, y=guess, color=1, dash="dash"))
    return XyView(
        lines=tuple(lines),
        x_label=translate("Doctor", "Steps on one and the same batch"),
        y_label=translate("Doctor", "Loss"),
        is_log=is_log,
    )


def _shoots_up(losses: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> bool:
    """Return whether losses, all of them positive, rise far above the first one."""
    known = losses[np.isfinite(losses)]
    return bool(known.size and known.min() > 0 and known.max() > _FAR * known[0])
