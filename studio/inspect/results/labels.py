"""Words for samples with any number of labels: the names of those that one has."""

from collections.abc import Sequence

from engine.query.results.request import ResultReport
from studio.i18n import listed, translate

_EVEN = 0.5  # probability, above which a label is told
_MOST = 6  # labels in a caption


def has_labels(report: ResultReport) -> bool:
    """Return whether each number of a sample is a label that it has or has not."""
    is_numbers = report.task == "regression" and not report.box_counts
    return is_numbers and bool(report.scores) and len(report.names) == report.outputs


def labels_of(report: ResultReport, values: Sequence[float], number: int) -> tuple[str, ...]:
    """Return the names of the labels that a sample has by ``values``, truths or predictions."""
    first = number * report.outputs
    its = values[first : first + report.outputs]
    return tuple(name for name, value in zip(report.names, its, strict=True) if value > _EVEN)


def labels_text(report: ResultReport, values: Sequence[float], number: int) -> str:
    """Return the labels of a sample in words."""
    names = labels_of(report, values, number)
    if not names:
        return translate("Results", "no label")
    is_cut = len(names) > _MOST or report.width > report.outputs
    return listed((*names[:_MOST], *(("…",) if is_cut else ())))
