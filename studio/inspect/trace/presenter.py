"""Trace of a forward pass: what is known of it, and the table that shows it."""

from dataclasses import dataclass

from engine.diagnostics import Diagnostic, sentence
from engine.graph.block import SEPARATOR
from engine.query.trace.request import TraceLine, TraceReport
from studio.i18n import filled, translate
from widgets.tables.view_model import ColumnView, RowView, TableData


@dataclass(frozen=True, kw_only=True)
class TraceState:
    """The trace, or why there is none; ``is_narrow``: of the selected node alone."""

    report: TraceReport | None = None
    problem: Diagnostic | None = None
    is_narrow: bool = False


@dataclass(frozen=True, kw_only=True)
class TraceView:
    """The tensors of the lines, and a sentence about them."""

    table: TableData
    summary: str


def present_trace(state: TraceState, path: str, language: str) -> TraceView:
    """Return what the page shows while the node at ``path`` is selected."""
    summary = trace_text(state.report)
    if state.problem is not None:
        summary = sentence(state.problem, language)
    return TraceView(table=_table(state.report, path if state.is_narrow else ""), summary=summary)


def _table(report: TraceReport | None, path: str) -> TableData:
    """Return a row for each tensor, in the order of the lines; of one node where ``path`` is not
    empty. The id of a row is its number among all.
    """
    lines = report.lines if report is not None else ()
    return TableData(
        columns=(
            ColumnView(key="line", title=translate("Trace", "Line number"), kind="count", width=8),
            ColumnView(key="code", title=translate("Trace", "Code"), kind="code", width=32),
            ColumnView(key="name", title=translate("Trace", "Variable"), kind="code", width=12),
            ColumnView(key="shape", title=translate("Trace", "Shape"), kind="code", width=12),
            ColumnView(key="dtype", title="dtype", kind="code", width=9),
            ColumnView(key="device", title="device", kind="code", width=7),
            ColumnView(key="requires_grad", title="requires_grad", kind="flag"),
            ColumnView(key="grad_fn", title="grad_fn", kind="code", width=24),
        ),
        rows=tuple(
            _row(str(number), line)
            for number, line in enumerate(lines)
            if not path or line.place == path or line.place.startswith(path + SEPARATOR)
        ),
        empty_text=translate("Trace", "Lines appear after the model has been checked.")
        if report is None
        else translate("Trace", "No line of the forward pass belongs to the selected node."),
    )


def trace_text(report: TraceReport | None) -> str:
    """Return what was traced in a sentence."""
    if report is None:
        return ""
    text = translate(
        "Trace", "{count} {count|tensor|tensors} for a batch of 2, in training mode on the CPU"
    )
    summary = filled(text, count=f"{len(report.lines):,}")
    return summary + (translate("Trace", "; the rest is omitted") if report.is_cut else "")


def _row(number: str, line: TraceLine) -> RowView:
    shape = "×".join(map(str, line.shape)) or translate("Trace", "scalar")
    return RowView(
        id=number,
        cells=(
            line.line,
            line.text,
            line.name,
            shape,
            line.dtype,
            line.device,
            line.requires_grad,
            line.function.rpartition("::")[2],
        ),
        tooltip=translate("Trace", "Double-click to go to the node") if line.place else line.text,
    )
