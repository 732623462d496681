"""Result of a gradient check, in words and numbers."""

from collections.abc import Sequence

from engine.query.gradient.request import GradientDifference, GradientReport
from studio.i18n import translate

_MOST = 4


def present_gradient(report: GradientReport) -> str:
    """Return the answer as plain text, a line for each place that differs."""
    names = ", ".join(report.checked)
    if report.passed:
        text = translate(
            "Gradient",
            "The gradients with respect to {names} match finite differences in double precision.",
        )
        return text.format(names=names)
    if not report.differences:
        text = translate("Gradient", "The check stopped. {reason}")
        return text.format(reason=report.reason)
    lines = [translate("Gradient", "The gradients do not match. Largest differences:")]
    lines += [_line(difference) for difference in report.differences[:_MOST]]
    return "\n".join([*lines, *_good(report.checked, report.differences)])


def _line(difference: GradientDifference) -> str:
    text = translate(
        "Gradient",
        "• ∂{of}[{output}]/∂{by}[{input}]: backward gives {given}, finite differences give "
        "{expected}",
    )
    return text.format(
        of=difference.of,
        output=difference.output_index,
        by=difference.by,
        input=difference.input_index,
        given=f"{difference.given:.6g}",
        expected=f"{difference.expected:.6g}",
    )


def _good(checked: Sequence[str], differences: Sequence[GradientDifference]) -> list[str]:
    """Return a line that names what is right, where something is."""
    wrong = {difference.by for difference in differences}
    right = [name for name in checked if name not in wrong]
    text = translate("Gradient", "The gradients with respect to {names} match.")
    return [text.format(names=", ".join(right))] if right else []
