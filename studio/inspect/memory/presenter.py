"""Memory of a step: what is known of it, as a table, sentences and bars on the canvas."""

from dataclasses import dataclass

from engine.diagnostics import Diagnostic, sentence
from engine.graph.block import Path, node_at, place_name
from engine.graph.memory_report import KeptModel, MemoryReport, MemoryRow
from engine.graph.model import Graph
from studio.i18n import translate
from studio.view.bars import Bars, bars_of
from widgets.plots.view_model import BarsView
from widgets.tables.format import size_text
from widgets.tables.view_model import Cell, ColumnView, RowView, TableData

GIGABYTE = 1_000_000_000
LEAST_GB = 0.001  # that can be named as the memory of a device
_HEAVY = 50_000_000  # bytes of one node that are worth a word
_RECURRENT = ("RNN", "LSTM", "GRU")


@dataclass(frozen=True, kw_only=True)
class MemoryState:
    """The estimate, or why there is none; what the run measured; the memory of the device, None
    before it is known.
    """

    report: MemoryReport | None = None
    problem: Diagnostic | None = None
    measured: MemoryReport | None = None
    limit_gb: float | None = None
    is_on_canvas: bool = False
    is_running: bool = False


@dataclass(frozen=True, kw_only=True)
class MemoryView:
    """What the page shows; ``possible`` are the names of the buttons that can be pressed."""

    table: TableData
    summary: str
    shares: BarsView
    limit_gb: float | None
    possible: tuple[str, ...]


def present_memory(state: MemoryState, graph: Graph, language: str) -> MemoryView:
    """Return what the page shows of a model."""
    report, measured = state.report, state.measured
    limit = round((state.limit_gb or LEAST_GB) * GIGABYTE)
    summary = "" if report is None else memory_text(report, measured, graph, limit)
    return MemoryView(
        table=_table(report, measured if report is not None else None, graph, limit),
        summary=summary if state.problem is None else sentence(state.problem, language),
        shares=_shares(report),
        limit_gb=state.limit_gb,
        possible=("estimate", "measure") if state.is_running else ("estimate",),
    )


def memory_bars(state: MemoryState, path: Path) -> Bars:
    """Return the bars of the nodes of a level; none unless they are wanted on the canvas."""
    rows = state.report.rows if state.report is not None and state.is_on_canvas else ()
    return bars_of({row.place: row.total for row in rows if row.place}, path)


def _table(
    report: MemoryReport | None, measured: MemoryReport | None, graph: Graph, limit: int
) -> TableData:
    """Return a row a node; the one at which ``limit`` bytes are full has a sign."""
    columns = [
        ColumnView(key="layer", title=translate("Memory", "Layer"), width=18),
        *(
            ColumnView(key=key, title=title, kind="size", help=text)
            for key, title, text in _columns()
        ),
    ]
    if measured is not None:
        title = translate("Memory", "Measured")
        text = translate("Memory", "Total, measured in a step of the run")
        columns.append(ColumnView(key="measured", title=title, kind="size", help=text))
    full = report.first_too_much(limit) if report is not None else None
    totals = {_key(row): row.total for row in measured.rows} if measured is not None else None
    return TableData(
        columns=tuple(columns),
        rows=tuple(
            _row(row, graph, totals, is_full=row is full)
            for row in (report.rows if report is not None else ())
        ),
        empty_text=translate("Memory", "No memory estimate yet."),
    )


def _columns() -> tuple[tuple[str, str, str], ...]:
    return (
        ("parameters", translate("Memory", "Parameters"), ""),
        ("gradients", translate("Memory", "Gradients"), ""),
        (
            "optimizer",
            translate("Memory", "Optimizer"),
            translate(
                "Memory", "State that the optimizer keeps for each parameter, such as moments"
            ),
        ),
        ("buffers", translate("Memory", "Buffers"), ""),
        (
            "saved",
            translate("Memory", "Saved tensors"),
            translate(
                "Memory",
                "Tensors that autograd saves from forward to backward. Saved weights are "
                "counted as parameters here, and at their Functions in the autograd graph.",
            ),
        ),
        ("total", translate("Memory", "Total"), ""),
    )


def _row(
    row: MemoryRow, graph: Graph, measured: dict[str, int] | None, *, is_full: bool
) -> RowView:
    cells: tuple[Cell, ...] = (
        _name(row, graph),
        row.parameters,
        row.gradients,
        row.optimizer,
        row.buffers,
        row.saved,
        row.total,
    )
    if measured is not None:
        cells = (*cells, measured.get(_key(row)))
    tip = translate("Memory", "The device memory would run out here") if is_full else ""
    return RowView(id=_key(row), cells=cells, icon="warning" if is_full else "", tooltip=tip)


def _key(row: MemoryRow) -> str:
    return row.place or f"={row.kept or row.name}"


def _name(row: MemoryRow, graph: Graph) -> str:
    if row.kept is not None:
        return _kept_names()[row.kept]
    if row.place:
        return place_name(graph, row.place) or row.name
    return row.name or translate("Memory", "Loss")


def _kept_names() -> dict[KeptModel, str]:
    return {
        "average": translate("Memory", "Average of the weights"),
        "teacher": translate("Memory", "Teacher"),
    }


def memory_text(
    report: MemoryReport, measured: MemoryReport | None, graph: Graph, limit: int
) -> str:
    """Return the whole in sentences."""
    rows = [row for row in report.rows if row.kept is None]
    text = translate(
        "Memory",
        "The tensors of a step need {total}: parameters {parameters}, gradients {gradients}, "
        "optimizer {optimizer}, saved tensors {saved}, batch {batch}{kept}.",
    ).format(
        total=size_text(report.total),
        parameters=size_text(sum(row.parameters for row in rows)),
        gradients=size_text(sum(row.gradients for row in rows)),
        optimizer=size_text(sum(row.optimizer for row in rows)),
        saved=size_text(sum(row.saved for row in rows)),
        batch=size_text(report.batch),
        kept="".join(map(_kept_text, report.rows)),
    )
    parts = [text]
    if report.peak:
        parts.append(_peak_text(report))
    parts.append(_fit_text(report, graph, limit))
    if cause := _cause_text(report, graph):
        parts.append(cause)
    if not report.is_optimizer_known:
        parts.append(
            translate("Memory", "The size of the optimizer state is unknown before the run.")
        )
    if measured is not None:
        line = translate("Memory", "Measured in the run: {total}.")
        parts.append(line.format(total=size_text(measured.total)))
        if measured.allocated:
            line = translate("Memory", "Peak allocation on the device: {size}.")
            parts.append(line.format(size=size_text(measured.allocated)))
    return " ".join(parts)


def _kept_text(row: MemoryRow) -> str:
    size = size_text(row.total)
    match row.kept:
        case "average":
            return translate("Memory", ", average of the weights {size}").format(size=size)
        case "teacher":
            return translate("Memory", ", teacher {size}").format(size=size)
        case None:
            return ""


def _shares(report: MemoryReport | None) -> BarsView:
    """Return what share of the whole each kind of memory has, in percent."""
    if report is None or not report.total:
        return BarsView(labels=(), values=())
    rows = [row for row in report.rows if row.kept is None]
    kinds = {
        translate("Memory", "Parameters"): sum(row.parameters for row in rows),
        translate("Memory", "Gradients"): sum(row.gradients for row in rows),
        translate("Memory", "Optimizer"): sum(row.optimizer for row in rows),
        translate("Memory", "Buffers"): sum(row.buffers for row in rows),
        translate("Memory", "Saved tensors"): sum(row.saved for row in rows),
        translate("Memory", "Batch"): report.batch,
    }
    kinds |= {_kept_names()[row.kept]: row.total for row in report.rows if row.kept is not None}
    shares = tuple(round(100 * size / report.total, 2) for size in kinds.values())
    title = translate("Memory", "Share of total, %")
    return BarsView(labels=tuple(kinds), values=(shares,), title=title)


def _peak_text(report: MemoryReport) -> str:
    least, most = report.most_of_process
    return translate(
        "Memory",
        "At most {peak} at once, with gradients of activations. On a CPU the process grows by "
        "more than its tensors, {least} to {most}, because memory that was freed between them is "
        "not returned to the system.",
    ).format(peak=size_text(report.peak), least=size_text(least), most=size_text(most))


def _fit_text(report: MemoryReport, graph: Graph, limit: int) -> str:
    full = report.first_too_much(limit)
    if full is None:
        line = translate("Memory", "Fits in {limit}.")
        return line.format(limit=size_text(limit))
    text = translate("Memory", "{limit} would run out at {name}. Use a smaller batch size.")
    if report.standing > limit:
        text = translate(
            "Memory",
            "{limit} would run out at {name} even without a batch. Use fewer weights, or "
            "an optimizer with less state.",
        )
    return text.format(limit=size_text(limit), name=_name(full, graph))


def _cause_text(report: MemoryReport, graph: Graph) -> str:
    """Say why one node takes most of all: a large Linear, or a recurrent layer over many steps."""
    row = max(report.rows, key=lambda row: row.total, default=None)
    if row is None or row.total < _HEAVY or 2 * row.total < report.total:
        return ""
    located = node_at(graph, row.place)
    kind = "" if located is None else located[1].type
    standing = row.total - row.saved
    if kind == "Linear" and standing > row.saved:
        return translate(
            "Memory",
            "{name} needs the most: a Linear layer has inputs × outputs weights, and "
            "{times} times as much with gradients and optimizer state. Reduce the number "
            "of its input features, or replace it with two narrower layers.",
        ).format(name=_name(row, graph), times=round(standing / row.parameters))
    if kind in _RECURRENT and row.saved > standing:
        return translate(
            "Memory",
            "{name} needs the most: a recurrent layer saves the states of every time step "
            "for the backward pass. Use shorter sequences.",
        ).format(name=_name(row, graph))
    return ""
