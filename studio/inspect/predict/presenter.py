"""Presenter of files of predictions."""

from engine.diagnostics import sentence
from engine.query.predicting.request import (
    FORMATS,
    DecimalChoice,
    OnDamaged,
    PredictionProgress,
    PredictionReport,
)
from studio.i18n import filled, translate
from studio.view.data import split_title
from widgets.tables.view_model import ColumnView, RowView, TableData

OWN = "own"
"""What stands for data of the user's own among the sets of the data."""


def present_sources() -> tuple[tuple[str, str], ...]:
    """Return what can be predicted."""
    return (
        (OWN, translate("Predict", "File or folder")),
        *((part, split_title(part)) for part in ("test", "validation", "train")),
    )


def present_damaged() -> tuple[tuple[OnDamaged, str], ...]:
    """Return what can be done with samples that cannot be read."""
    return (
        ("project", translate("Predict", "As set for the data")),
        ("skip", translate("Predict", "Leave out and name")),
        ("stop", translate("Predict", "Stop")),
    )


def present_decimals() -> tuple[tuple[DecimalChoice, str], ...]:
    """Return the decimal marks that a table can have."""
    return (
        ("auto", translate("Predict", "Find it for each column")),
        ("point", translate("Predict", "Point (1.5)")),
        ("comma", translate("Predict", "Comma (1,5)")),
    )


def file_filters() -> str:
    """Return the kinds of files that can be written, as a file dialog takes them."""
    titles = {
        "csv": "CSV",
        "parquet": "Parquet",
        "npy": "NumPy",
        "npz": "NumPy",
        "jsonl": translate("Predict", "JSON lines"),
    }
    return ";;".join(f"{titles[ending]} (*.{ending})" for ending in FORMATS)


def present_progress(progress: PredictionProgress) -> tuple[str, int, int]:
    """Return how far it is, in samples, and in thousandths (of 0: not known)."""
    if progress.found:
        text = translate("Predict", "Looking for files: {count}")
        return text.format(count=f"{progress.found:,}"), 0, 0
    if not progress.total:
        text = filled(
            translate("Predict", "{done} {done|sample|samples} predicted"),
            done=f"{progress.done:,}",
        )
        return text, 0, 0
    total = max(progress.done, progress.total)
    text = filled(
        translate("Predict", "{done} of {total} {total|sample|samples} predicted"),
        done=f"{progress.done:,}",
        total=f"{total:,}",
    )
    return text, round(1000 * progress.done / total), 1000


def present_report(report: PredictionReport, language: str) -> str:
    """Return what was written, and what is worth to know of it."""
    lines = [
        filled(
            translate("Predict", "{count} {count|sample|samples} predicted: {file}"),
            count=f"{report.samples:,}",
            file=report.output,
        )
    ]
    if report.folder:
        text = translate("Predict", "The masks are in {folder}.")
        lines.append(text.format(folder=report.folder))
    if report.skipped:
        text = translate("Predict", "Left out because they cannot be read: {count}.")
        lines.append(text.format(count=f"{report.skipped:,}"))
        lines += [sentence(problem, language) for problem in report.skips[:2]]
    lines += [sentence(problem, language) for problem in report.notices]
    return "\n".join(lines)


def present_rows(report: PredictionReport | None) -> TableData:
    """Return the first predictions as they stand in the file."""
    if report is None:
        return TableData()
    columns = tuple(ColumnView(key=name, title=name) for name in report.columns)
    rows = tuple(
        RowView(id=str(number), cells=tuple(map(_shown, row)))
        for number, row in enumerate(report.rows)
    )
    return TableData(columns=columns, rows=rows)


def _shown(cell: str) -> str:
    """Return a cell with as many digits as can be looked at."""
    if "." not in cell and "e" not in cell:
        return cell
    try:
        return f"{float(cell):.4g}"
    except ValueError:
        return cell
