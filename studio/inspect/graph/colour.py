"""Colours of an autograd graph: what was measured in its step, on a logarithmic scale."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from engine.runs.record.autograd_graph import (
    AutogradGraph,
    AutogradNode,
    BackwardCall,
    Reading,
    saved_size,
)
from studio.i18n import translate
from studio.inspect.graph.presenter import AutogradView
from widgets.canvas.heat_legend import HeatLegendView
from widgets.canvas.view_model import NodeView
from widgets.common.palette import HEATS
from widgets.tables.format import size_text

_FEW = 3  # numbers that a node has room for
_NOTHING = "gray"  # that of a category would stand for a value
_RANGE = 1e4  # from the most to the least that has a colour of its own


class Colouring(StrEnum):
    """What the colours of the graph stand for."""

    NONE = "none"
    VALUE = "value"
    NORM = "norm"
    MEMORY = "memory"
    TIME = "time"


_NORMS = (Colouring.VALUE, Colouring.NORM)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """How a node stands out: colour of the theme, a short text, and what this says in words."""

    color: str = ""
    badge: str = ""
    detail: str = ""
    severity: str | None = None


def measure(colouring: Colouring) -> Callable[[AutogradNode, BackwardCall | None], float]:
    """Return what reads a norm or a time of a Function; NaN where it was not measured."""

    def norm(_: AutogradNode, call: BackwardCall | None) -> float:
        return math.nan if call is None else call.norm

    def value(node: AutogradNode, _: BackwardCall | None) -> float:
        return math.hypot(*(each.norm for each in node.values)) if node.values else math.nan

    def took(_: AutogradNode, call: BackwardCall | None) -> float:
        return math.nan if call is None else call.took_s

    reads = {Colouring.VALUE: value, Colouring.TIME: took}
    return reads.get(colouring, norm)


def coloured(
    view: AutogradView, captured: AutogradGraph, colouring: Colouring
) -> tuple[AutogradView, HeatLegendView | None]:
    """Return the picture with every node in the colour of its value, and the scale."""
    if colouring is Colouring.NONE:
        return view, None
    values = _values(view, captured, colouring)
    texts = _texts(view, captured, colouring)
    seen = [value for value in values.values() if value > 0 and math.isfinite(value)]
    if not seen:
        return view, None
    low, high = max(min(seen), max(seen) / _RANGE), max(seen)
    marks = {
        key: _mark(value, low, high, colouring, texts.get(key, ""))
        if not math.isnan(value) or colouring is Colouring.NORM
        else Mark(color=_NOTHING)
        for key, value in values.items()
    }
    lowest = value_text(low, colouring)
    legend = HeatLegendView(
        title=_title(colouring),
        low=f"≤ {lowest}" if min(seen) < low else lowest,
        high=value_text(high, colouring),
    )
    return marked(view, marks), legend


def marked(view: AutogradView, marks: Mapping[str, Mark]) -> AutogradView:
    """Return the picture with marks on some of its nodes; the others stay the same objects."""
    nodes = tuple(
        _marked(node, marks[node.id]) if node.id in marks else node for node in view.canvas.nodes
    )
    return replace(view, canvas=replace(view.canvas, nodes=nodes))


def value_text(value: float, colouring: Colouring) -> str:
    """Return a value with its unit."""
    if colouring is Colouring.MEMORY:
        return size_text(value)
    if colouring is Colouring.TIME:
        return time_text(value)
    return norm_text(value)


def norm_text(value: float) -> str:
    """Return a norm in three digits."""
    return f"{value:.3g}"


def time_text(seconds: float) -> str:
    """Return a short time in µs or ms."""
    return f"{seconds * 1e6:.0f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.3g} ms"


def _values(view: AutogradView, captured: AutogradGraph, colouring: Colouring) -> dict[str, float]:
    """Return the value of each node: the largest norm inside, the sum of bytes or seconds."""
    groups = {key: members for key, members in view.members.items() if members}
    if colouring is Colouring.MEMORY:
        nodes = {node.id: node for node in captured.nodes}
        return {
            key: float(saved_size(nodes[each] for each in members))
            for key, members in groups.items()
        }
    read = measure(colouring)
    calls = {call.id: call for call in captured.calls}
    numbers = {node.id: read(node, calls.get(node.id)) for node in captured.nodes}
    combine = _largest if colouring in _NORMS else _total
    return {key: combine(numbers[each] for each in members) for key, members in groups.items()}


def _largest(values: Iterable[float]) -> float:
    present = [value for value in values if not math.isnan(value)]
    return max(present) if present else math.nan


def _total(values: Iterable[float]) -> float:
    present = [value for value in values if not math.isnan(value)]
    return sum(present) if present else math.nan


def _texts(view: AutogradView, captured: AutogradGraph, colouring: Colouring) -> dict[str, str]:
    """Return the numbers themselves, for nodes where they are few: what is shown for the norm."""
    readings: dict[str, tuple[Reading | None, ...]] = {}
    if colouring is Colouring.VALUE:
        readings = {node.id: node.values for node in captured.nodes}
    elif colouring is Colouring.NORM:
        readings = {call.id: call.arrived for call in captured.calls}
    single = {
        key: readings.get(members[0], ())
        for key, members in view.members.items()
        if len(members) == 1
    }
    return {
        key: ", ".join(map(norm_text, read[0].values))
        for key, read in single.items()
        if len(read) == 1 and read[0] is not None and 0 < len(read[0].values) <= _FEW
    }


def _mark(value: float, low: float, high: float, colouring: Colouring, numbers: str) -> Mark:
    text = numbers or value_text(value, colouring)
    detail = f"{_title(colouring)}: {value_text(value, colouring)}"
    if not math.isfinite(value):
        return Mark(badge=text, detail=detail, severity="error")
    if value <= 0:
        return Mark(color=_NOTHING, badge=text, detail=detail)
    share = math.log(max(value, low) / low) / math.log(high / low) if high > low else 1.0
    color = HEATS[round(share * (len(HEATS) - 1))]
    return Mark(color=color, badge=text, detail=detail)


def _title(colouring: Colouring) -> str:
    return {
        Colouring.VALUE: translate("Autograd", "Norm of the forward value"),
        Colouring.NORM: translate("Autograd", "Gradient norm"),
        Colouring.MEMORY: translate("Autograd", "Saved tensor memory"),
        Colouring.TIME: translate("Autograd", "Backward Function time"),
    }.get(colouring, "")


def _marked(node: NodeView, mark: Mark) -> NodeView:
    return replace(
        node,
        color=mark.color or node.color,
        badge=mark.badge or node.badge,
        badge_detail=mark.detail or node.badge_detail,
        severity=mark.severity or node.severity,
    )
