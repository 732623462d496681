"""Profile of training steps: what is known of it, as tables, sentences and bars on the canvas."""

from dataclasses import dataclass

from engine.events import ProfileTaken
from engine.graph.block import Path, place_name
from engine.graph.model import Graph
from engine.graph.profile_report import OperatorRow, ProfileReport, ProfileRow
from studio.i18n import translate
from studio.view.bars import Bars, bars_of
from studio.view.wording import short_count_text
from widgets.tables.view_model import ColumnView, RowView, TableData


@dataclass(frozen=True, kw_only=True)
class ProfileState:
    """The profile that was taken last, and whether the next one can be taken."""

    taken: ProfileTaken | None = None
    is_on_canvas: bool = False
    is_running: bool = False


@dataclass(frozen=True, kw_only=True)
class ProfileView:
    """What the page shows; ``possible`` are the names of the buttons that can be pressed."""

    layers: TableData
    operators: TableData
    summary: str
    possible: tuple[str, ...]


def present_profile(state: ProfileState, graph: Graph) -> ProfileView:
    """Return what the page shows of a model."""
    taken = state.taken
    report = taken.report if taken is not None else None
    verbs = {"measure": state.is_running, "save": taken is not None}
    return ProfileView(
        layers=_layers(report, graph),
        operators=_operators(report),
        summary=profile_text(taken.report, taken.step) if taken is not None else "",
        possible=tuple(verb for verb, is_possible in verbs.items() if is_possible),
    )


def _layers(report: ProfileReport | None, graph: Graph) -> TableData:
    """Return a row a node with what it takes of a step."""
    rows = report.rows if report is not None else ()
    whole = sum(row.forward_s + row.backward_s for row in rows) or 1.0
    return TableData(
        columns=(
            ColumnView(key="layer", title=translate("Profile", "Layer"), width=18),
            ColumnView(key="forward", title=translate("Profile", "Forward, ms"), kind="number"),
            ColumnView(key="backward", title=translate("Profile", "Backward, ms"), kind="number"),
            ColumnView(key="share", title=translate("Profile", "Share"), kind="percent"),
            ColumnView(
                key="flops",
                title=translate("Profile", "FLOPs forward"),
                kind="count",
                help=translate(
                    "Profile",
                    "Floating point operations of a forward pass as counted by PyTorch "
                    "(matrix products, convolutions and attention)",
                ),
            ),
            ColumnView(
                key="rate",
                title=translate("Profile", "GFLOP/s"),
                kind="number",
                help=translate("Profile", "Forward operations per second"),
            ),
        ),
        rows=tuple(_row(row, graph, whole) for row in rows),
        empty_text=translate(
            "Profile",
            "Not profiled yet. “Profile five steps” times each layer during a run.",
        ),
    )


def _row(row: ProfileRow, graph: Graph, whole: float) -> RowView:
    name = place_name(graph, row.place) if row.place else translate("Profile", "Loss and other")
    rate = row.flops / row.forward_s / 1e9 if row.flops and row.forward_s else None
    return RowView(
        id=row.place or "=",
        cells=(
            name or row.name,
            _read(row.forward_s * 1e3),
            _read(row.backward_s * 1e3),
            (row.forward_s + row.backward_s) / whole,
            row.flops,
            None if rate is None else _read(rate),
        ),
    )


def _operators(report: ProfileReport | None) -> TableData:
    """Return a row for each operator that PyTorch ran in the traced step."""
    return TableData(
        columns=(
            ColumnView(key="name", title=translate("Profile", "Operator"), kind="code", width=30),
            ColumnView(key="calls", title=translate("Profile", "Calls"), kind="count"),
            ColumnView(key="self", title=translate("Profile", "Self time, ms"), kind="number"),
            ColumnView(key="total", title=translate("Profile", "Total time, ms"), kind="number"),
            ColumnView(key="device", title=translate("Profile", "Device, ms"), kind="number"),
        ),
        rows=tuple(_operator(row) for row in (report.operators if report is not None else ())),
        empty_text=translate("Profile", "PyTorch operators are listed here."),
    )


def _operator(row: OperatorRow) -> RowView:
    times = (_read(seconds * 1e3) for seconds in (row.self_s, row.total_s, row.device_s))
    return RowView(id=row.name, cells=(row.name, row.calls, *times))


def _read(value: float) -> float:
    """Return a measured number with as many digits as another measurement would give again."""
    return float(f"{value:.3g}")


def profile_text(report: ProfileReport, step: int) -> str:
    """Return where the time of a step goes, in sentences."""
    text = translate(
        "Profile",
        "Average of the profiled steps up to step {step}: forward {forward}, backward "
        "{backward}, optimizer {optimizer}, data loading and other {between}. FLOPs: "
        "{forward_flops} forward, {backward_flops} backward.",
    )
    return text.format(
        step=f"{step:,}",
        forward=milliseconds(report.forward_s),
        backward=milliseconds(report.backward_s),
        optimizer=milliseconds(report.optimizer_s),
        between=milliseconds(report.between_s),
        forward_flops=short_count_text(report.forward_flops),
        backward_flops=short_count_text(report.backward_flops),
    )


def profile_bars(state: ProfileState, path: Path) -> Bars:
    """Return the bars of the nodes of a level: the time forward and backward, and operations; none
    unless they are wanted on the canvas.
    """
    taken = state.taken if state.is_on_canvas else None
    rows = [row for row in taken.report.rows if row.place] if taken is not None else []
    whole = bars_of({row.place: row.forward_s + row.backward_s for row in rows}, path)
    forward = bars_of({row.place: row.forward_s for row in rows}, path, _digits)
    backward = bars_of({row.place: row.backward_s for row in rows}, path, _digits)
    flops = bars_of({row.place: row.flops for row in rows if row.flops}, path, _flops_text)
    bars: Bars = {}
    for node, (share, _) in whole.items():
        text = f"{forward[node][1]} + {backward[node][1]} ms"
        bars[node] = share, f"{text} · {flops[node][1]}" if node in flops else text
    return bars


def _digits(seconds: float) -> str:
    return f"{_read(seconds * 1e3):g}"


def _flops_text(count: float) -> str:
    return f"{short_count_text(round(count))} FLOPs"


def milliseconds(seconds: float) -> str:
    """Return a short time."""
    return f"{seconds * 1e3:.3g} ms" if seconds < 0.9995 else f"{seconds:.3g} s"
