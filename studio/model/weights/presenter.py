"""Comparison of a weights file with the model: what fits, is missing, or has another shape."""

from collections.abc import Iterable, Sequence
from typing import Literal

from engine.runtime import CheckpointComparison
from studio.i18n import filled, translate
from widgets.tables.view_model import ColumnView, RowView, TableData

_LISTED = 5_000
_ICONS = {
    "different": "warning",
    "missing": "error",
    "unexpected": "warning",
    "matched": "success",
}


Status = Literal["matched", "missing", "unexpected", "different"]
STATUSES: tuple[Status, ...] = ("different", "missing", "unexpected", "matched")


def status_texts() -> dict[Status, str]:
    """Return what is said of a tensor, by its status."""
    return {
        "matched": translate("Export", "matches"),
        "missing": translate("Export", "not in the file"),
        "unexpected": translate("Export", "not in the model"),
        "different": translate("Export", "different shape or dtype"),
    }


def present_comparison(
    comparison: CheckpointComparison,
    statuses: Sequence[Status] = ("different", "missing", "unexpected"),
) -> TableData:
    """Return a row for every name of some statuses, usually of those that do not fit."""
    columns = (
        ColumnView(key="name", title=translate("Export", "Tensor"), kind="code"),
        ColumnView(key="model", title=translate("Export", "In the model"), kind="code"),
        ColumnView(key="file", title=translate("Export", "In the file"), kind="code"),
        ColumnView(key="status", title=translate("Export", "Status")),
    )
    rows = [row for status in statuses for row in _rows(comparison, status)]
    text = translate(
        "Export", "The file contains every tensor of the model with the same shape and dtype."
    )
    if not comparison.fits() or "matched" in statuses:
        text = translate("Export", "No matching tensors.")
    return TableData(columns=columns, rows=tuple(rows[:_LISTED]), empty_text=text)


def _rows(comparison: CheckpointComparison, status: Status) -> list[RowView]:
    nothing, there = "—", translate("Export", "present")
    found: Iterable[tuple[str, str, str]]
    match status:
        case "different":
            found = (
                (
                    one.name,
                    _tensor(one.expected_shape, one.expected_dtype),
                    _tensor(one.found_shape, one.found_dtype),
                )
                for one in comparison.mismatched
            )
        case "missing":
            found = ((name, there, nothing) for name in comparison.missing)
        case "unexpected":
            found = ((name, nothing, there) for name in comparison.unexpected)
        case "matched":
            found = (
                (one.name, both, both)
                for one in comparison.matched
                for both in (_tensor(one.shape, one.dtype),)
            )
    text, icon = status_texts()[status], _ICONS[status]
    return [RowView(id=cells[0], cells=(*cells, text), icon=icon) for cells in found]


def comparison_text(comparison: CheckpointComparison) -> str:
    """Return in a sentence how a file and the model go together."""
    if comparison.fits():
        text = translate("Export", "“{file}” matches the model: {count} {count|tensor|tensors}.")
        return filled(text, file=comparison.file, count=comparison.matching)
    text = translate(
        "Export",
        "“{file}” partly matches the model. Matching: {matching}. Not in the file: "
        "{missing}. Not in the model: {unexpected}. Different shape or dtype: {mismatched}.",
    )
    if comparison.matching == 0:
        text = translate(
            "Export",
            "“{file}” does not match the model. Not in the file: {missing}. Not in the "
            "model: {unexpected}. Different shape or dtype: {mismatched}.",
        )
    return text.format(
        file=comparison.file,
        matching=comparison.matching,
        missing=len(comparison.missing),
        unexpected=len(comparison.unexpected),
        mismatched=len(comparison.mismatched),
    )


def _tensor(shape: tuple[int, ...], dtype: str) -> str:
    return f"{'×'.join(map(str, shape)) or '()'} {dtype}"
