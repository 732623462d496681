"""Findings about the boxes of a source."""

from collections.abc import Mapping

from torch import Tensor

from engine.data.source.box_table import BoxTable
from engine.data.source.boxes.pictures import BoxReport
from engine.data.source.image_check import counted
from engine.data.source.image_walk import names_of
from engine.data.source.source import Part
from engine.diagnostics import Diagnostic, Severity

_FIELD = "data.source.boxes"


def check_boxes(
    table: BoxTable, classes: tuple[str, ...], indices: Mapping[Part, Tensor]
) -> tuple[Diagnostic, ...]:
    """Return the classes that have no box in the training part, as a warning (D285)."""
    training = indices.get("train")
    if training is None or not len(training):
        return ()
    counts = table.class_counts(training, len(classes)).tolist()
    absent = names_of(name for name, count in zip(classes, counts, strict=True) if not count)
    return (counted("D285", Severity.WARNING, absent, None),) if absent else ()


def check_boxed_pictures(report: BoxReport) -> tuple[Diagnostic, ...]:
    """Return what was left out or changed while boxes were given to their pictures."""
    counts = (
        ("D291", Severity.WARNING, report.clipped),
        ("D292", Severity.WARNING, report.empty),
        ("D293", Severity.WARNING, report.absent),
        ("D294", Severity.WARNING, report.unnamed),
        ("D295", Severity.HINT, report.crowds),
        ("D289", Severity.HINT, report.bare),
        ("D434", Severity.WARNING, report.without_outline),
        ("D650", Severity.WARNING, report.boxless),
    )
    return tuple(
        counted(code, severity, names, _FIELD) for code, severity, names in counts if names
    )
