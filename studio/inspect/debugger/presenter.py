"""The debugger as tables and sentences: breakpoints, where the run stands, tensors, values."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from engine.events import Breakpoint, DebugStopped, DebugValue, TensorRead
from engine.graph.block import place_name
from engine.graph.model import Graph
from engine.runs.condition import parse_condition
from studio.i18n import translate
from studio.window.page import EmptyView
from widgets.tables.view_model import ColumnView, RowView, TableData

_INTEGER = re.compile(r"-?\d{1,18}")
_WRITABLE = ("variable", "parameter", "buffer", "gradient", "incoming")
_EXACT = 1e15  # integers below it are written in full


@dataclass(frozen=True, kw_only=True)
class DebuggerState:
    """Where the run stands, and what is selected and typed on the page. ``chosen`` are breakpoints
    by their index, ``tensor`` is a key, ``value`` the flat index of one of its values and ``start``
    that of the first that is shown. ``problem`` is of a breakpoint, ``value_problem`` of a value.
    """

    points: tuple[Breakpoint, ...] = ()
    stop: DebugStopped | None = None
    read: TensorRead | None = None
    is_running: bool = False
    chosen: tuple[int, ...] = ()
    condition: str = ""
    typed: str = ""
    problem: str = ""
    tensor: str = ""
    value: int | None = None
    start: int = 0
    first: str = ""
    value_problem: str = ""

    @property
    def chosen_point(self) -> Breakpoint | None:
        """The breakpoint that is selected, if it is a single one that can have a condition."""
        point = self.points[self.chosen[0]] if len(self.chosen) == 1 else None
        return point if point is not None and point.kind != "condition" else None

    @property
    def tensor_value(self) -> DebugValue | None:
        """What was told of the tensor that is selected."""
        values = self.stop.values if self.stop is not None else ()
        return next((value for value in values if value.key == self.tensor), None)


@dataclass(frozen=True, kw_only=True)
class DebuggerView:
    """What the page shows; ``target`` is what a new value would be put into."""

    empty: EmptyView | None
    is_running: bool
    points: TableData
    condition: str
    can_limit: bool
    typed: str
    problem: str
    where: str
    tensors: TableData
    values: TableData
    can_write: bool
    target: str
    span: str
    first: str
    value_problem: str


def present_debugger(state: DebuggerState, graph: Graph) -> DebuggerView:
    """Return the page."""
    value = state.tensor_value
    shape = value.shape if value is not None else ()
    read = state.read if value is not None and state.read is not None else None
    if read is not None and value is not None and read.key != value.key:
        read = None
    return DebuggerView(
        empty=_empty(state) if state.stop is None else None,
        is_running=state.is_running,
        points=present_breakpoints(state.points, graph),
        condition=state.condition,
        can_limit=state.chosen_point is not None,
        typed=state.typed,
        problem=state.problem,
        where=stop_text(state.stop, graph) if state.stop is not None else "",
        tensors=present_tensors(state.stop),
        values=present_values(read, shape),
        can_write=value is not None and value.kind in _WRITABLE,
        target=_target(state, shape),
        span=present_span(read, shape),
        first=state.first,
        value_problem=state.value_problem,
    )


def _empty(state: DebuggerState) -> EmptyView:
    text = translate(
        "Debugger",
        "The run stops before a layer with a breakpoint, or when you step. Here you "
        "can view and change its tensors. Stopping does not affect the training "
        "results.",
    )
    action = translate("Debugger", "Stop before the first layer")
    if not state.is_running:
        action = translate("Debugger", "Train and stop before the first layer")
    return EmptyView(translate("Debugger", "The run is not paused within a step"), text, action)


def _target(state: DebuggerState, shape: Sequence[int]) -> str:
    if not state.tensor:
        return ""
    if state.value is None:
        return translate("Debugger", "All of {tensor} =").format(tensor=state.tensor)
    return f"{state.tensor}{_index_text(state.value, shape)} ="


def kinds() -> tuple[tuple[str, str, str], ...]:
    """Return the breakpoints that are set by hand: kind, what it is called, an example of its
    value (empty: it needs none).
    """
    return (
        ("step", translate("Debugger", "Start of step"), "100"),
        ("loss", translate("Debugger", "Loss above"), "2.5"),
        ("gradient", translate("Debugger", "Gradient norm above"), "10"),
        ("not_finite", translate("Debugger", "NaN or infinite value"), ""),
        ("function", translate("Debugger", "Backward Function"), "AddmmBackward0"),
        ("condition", translate("Debugger", "Condition"), "loss > 3 and step > 10"),
    )


def breakpoint_of(kind: str, text: str) -> Breakpoint | None:
    """Return the breakpoint of a kind with what was typed; nothing where that does not fit.

    Raises :class:`DiagnosticError` with what is wrong with a condition.
    """
    text = text.strip()
    match kind:
        case "not_finite":
            return Breakpoint(kind=kind)
        case "function":
            return Breakpoint(kind=kind, place=text) if text.isidentifier() else None
        case "condition":
            if text:
                parse_condition(text)
            return Breakpoint(kind=kind, condition=text) if text else None
        case "step" | "loss" | "gradient":
            try:
                value = float(text)
            except ValueError:
                return None
            is_good = math.isfinite(value) and (kind != "step" or value == int(value) >= 1)
            return Breakpoint(kind=kind, value=value) if is_good else None
        case _:
            return None


def present_breakpoints(points: Sequence[Breakpoint], graph: Graph) -> TableData:
    """Return a row for each breakpoint; those that are switched off are muted."""
    hint = translate("Debugger", "Press Enter to enable or disable it, Del to remove it")
    return TableData(
        columns=(
            ColumnView(key="on", title=translate("Debugger", "On"), kind="flag"),
            ColumnView(key="where", title=translate("Debugger", "Breakpoint"), width=30),
        ),
        rows=tuple(
            RowView(
                id=str(index),
                cells=(point.is_on, _limited(point, graph)),
                is_muted=not point.is_on,
                tooltip=f"{_limited(point, graph)}\n{hint}",
            )
            for index, point in enumerate(points)
        ),
        empty_text=translate(
            "Debugger", "No breakpoints yet. Select a layer on the canvas and press F9, or add one."
        ),
    )


def _limited(point: Breakpoint, graph: Graph) -> str:
    """Return what a breakpoint waits for, and under which condition."""
    text = point_text(point, graph)
    if not point.condition or point.kind == "condition":
        return text
    limited = translate("Debugger", "{breakpoint} if {condition}")
    return limited.format(breakpoint=text, condition=point.condition)


def point_text(point: Breakpoint, graph: Graph) -> str:
    """Return what a breakpoint waits for."""
    name = place_name(graph, point.place) if point.kind in ("layer", "backward") else point.place
    texts = {
        "layer": translate("Debugger", "Layer {name}"),
        "backward": translate("Debugger", "Gradient of layer {name}"),
        "function": translate("Debugger", "Function {name}"),
        "step": translate("Debugger", "Start of step {value}"),
        "not_finite": translate("Debugger", "NaN or infinite value"),
        "loss": translate("Debugger", "Loss above {value}"),
        "gradient": translate("Debugger", "Gradient norm above {value}"),
    }
    if point.kind == "function" and point.within:
        layer = place_name(graph, point.within) or point.within
        return translate("Debugger", "Function {name} of {layer}").format(name=name, layer=layer)
    if point.kind == "condition":
        return point.condition
    missing = translate("Debugger", "(no longer exists)")
    return texts[point.kind].format(name=name or missing, value=f"{point.value:g}")


def stop_text(stop: DebugStopped, graph: Graph) -> str:
    """Return where the run stands, in a sentence; a node that is not in the graph by its name in
    the code. Of values that are not finite the first tensor that has some is named.
    """
    name = stop.parameter or (place_name(graph, stop.place) if stop.place else "") or stop.layer
    texts = {
        "forward": translate("Debugger", "Step {step}, forward: before {name} (line {line})"),
        "loss": translate("Debugger", "Step {step}: loss computed, backward pass next"),
        "backward": translate("Debugger", "Step {step}, backward: before {function} of {name}"),
        "gradients": translate("Debugger", "Step {step}: gradients computed, optimizer next"),
        "updated": translate("Debugger", "Step {step}: optimizer has updated the weights"),
    }
    if not name:
        texts["backward"] = translate("Debugger", "Step {step}, backward: before {function}")
    if not stop.line:
        texts["forward"] = translate("Debugger", "Step {step}, forward: before {name}")
    text = texts[stop.phase].format(
        step=f"{stop.step:,}", name=name, line=stop.line, function=stop.function
    )
    return _with_reason(text, stop)


def _with_reason(position: str, stop: DebugStopped) -> str:
    """Return the position with why the run stands there, where it does not tell it by itself."""
    first = next((value.key for value in stop.values if value.bad), "")
    if stop.reason == "not_finite" and not first:
        return position
    reasons = {
        "not_finite": translate("Debugger", "{place}. {tensor} contains NaN or infinite values"),
        "loss": translate("Debugger", "{place}. The loss exceeds a breakpoint"),
        "gradient": translate("Debugger", "{place}. The gradient norm exceeds a breakpoint"),
        "condition": translate("Debugger", "{place}. A condition became true"),
    }
    return reasons.get(stop.reason, "{place}").format(place=position, tensor=first)


def present_tensors(stop: DebugStopped | None) -> TableData:
    """Return a row for each tensor that can be seen where the run stands."""
    return TableData(
        columns=(
            ColumnView(key="name", title=translate("Debugger", "Tensor"), kind="code", width=18),
            ColumnView(key="kind", title=translate("Debugger", "Kind")),
            ColumnView(key="shape", title=translate("Debugger", "Shape"), kind="code"),
            ColumnView(key="dtype", title=translate("Debugger", "dtype"), kind="code"),
            _figures("mean", translate("Debugger", "Mean")),
            _figures("std", translate("Debugger", "Std. deviation")),
            _figures("minimum", translate("Debugger", "Minimum")),
            _figures("maximum", translate("Debugger", "Maximum")),
            ColumnView(
                key="bad",
                title=translate("Debugger", "Not finite"),
                kind="count",
                help=translate("Debugger", "Number of NaN or infinite values"),
            ),
        ),
        rows=tuple(_tensor_row(value) for value in (stop.values if stop is not None else ())),
        empty_text=translate("Debugger", "No tensors here."),
    )


def _figures(key: str, title: str) -> ColumnView:
    """Return a column that is wide enough for numbers of the places that come after, too."""
    return ColumnView(key=key, title=title, kind="number", width=15)


def _tensor_row(value: DebugValue) -> RowView:
    kinds_of = {
        "variable": translate("Debugger", "variable"),
        "parameter": translate("Debugger", "parameter"),
        "buffer": translate("Debugger", "buffer"),
        "gradient": translate("Debugger", "gradient"),
        "incoming": translate("Debugger", "incoming gradient"),
        "loss": translate("Debugger", "loss"),
    }
    return RowView(
        id=value.key,
        cells=(
            value.key,
            kinds_of.get(value.kind, value.kind),
            "×".join(map(str, value.shape)) or translate("Debugger", "scalar"),
            value.dtype,
            value.mean,
            value.std,
            value.minimum,
            value.maximum,
            value.bad,
        ),
        icon="warning" if value.bad else "",
    )


def present_values(read: TensorRead | None, shape: Sequence[int]) -> TableData:
    """Return a row for each value that was read, with its index."""
    rows: list[RowView] = []
    if read is not None:
        for flat, value in enumerate(read.values, read.start):
            rows.append(RowView(id=str(flat), cells=(_index_text(flat, shape), _number(value))))
    return TableData(
        columns=(
            ColumnView(key="index", title=translate("Debugger", "Index"), kind="code", width=12),
            ColumnView(key="value", title=translate("Debugger", "Value"), kind="code", width=14),
        ),
        rows=tuple(rows),
        empty_text=translate("Debugger", "Select a tensor to see its values."),
    )


def present_span(read: TensorRead | None, shape: Sequence[int]) -> str:
    """Return which values of a tensor are shown; nothing where all are."""
    if read is None or len(read.values) == prod(shape):
        return ""
    return translate("Debugger", "Values {first} to {last} of {count}, from").format(
        first=f"{read.start + 1:,}",
        last=f"{read.start + len(read.values):,}",
        count=f"{prod(shape):,}",
    )


def flat_index(text: str, shape: Sequence[int]) -> int | None:
    """Return the flat index of ``[0, 3, -1]``; axes that are not named are 0, negative numbers
    count from the end. None for a text that is no index of the shape.
    """
    inner = text.strip().removeprefix("[").removesuffix("]").strip()
    parts = inner.split(",") if inner else []
    if len(parts) > len(shape) or not all(_INTEGER.fullmatch(part.strip()) for part in parts):
        return None
    numbers = [int(part) for part in parts] + [0] * (len(shape) - len(parts))
    start = 0
    for number, size in zip(numbers, shape, strict=True):
        if not -size <= number < size:
            return None
        start = start * size + number % size
    return start


def _index_text(flat: int, shape: Sequence[int]) -> str:
    numbers: list[str] = []
    for size in reversed(shape):
        flat, number = divmod(flat, max(size, 1))
        numbers.append(str(number))
    return f"[{', '.join(reversed(numbers))}]"


def _number(value: float | str) -> str:
    """Return a value with the digits that float32 holds; integers as they are."""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if value % 1 == 0 and abs(value) < _EXACT else f"{value:.7g}"
