"""Details of one Function, or of a group of them, beside the picture of the graph."""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.graph.block import node_at, place_name
from engine.graph.model import Graph
from engine.runs.record.autograd_graph import (
    AutogradGraph,
    AutogradNode,
    CutPart,
    SavedValue,
    TensorMeta,
)
from engine.runs.record.derivative import derivative
from studio.i18n import language_code, translate
from studio.inspect.graph.backward import name_of, reading_text
from studio.inspect.graph.colour import time_text
from studio.inspect.graph.presenter import line_text
from widgets.tables.format import size_text
from widgets.tables.view_model import ColumnView, RowView, TableData

_LINK = ">"


@dataclass(frozen=True)
class _Row:
    """One line; ``link`` is the Function that it leads to."""

    what: str
    value: str
    link: str = ""
    icon: str = ""


def link_of(row_id: str) -> str:
    """Return the Function that a line leads to; empty for one that leads nowhere."""
    return row_id.partition(_LINK)[2]


def present_details(
    captured: AutogradGraph,
    ids: Iterable[str],
    model: Graph,
    cut: str = "",
    part: CutPart | None = None,
) -> TableData:
    """Return a line for each thing that is known of the chosen Functions, or of a node of the
    canvas beyond a cut, or where the line ``part`` of its code is one.
    """
    wanted = set(ids)
    chosen = [node for node in captured.nodes if node.id in wanted]
    rows = _one(captured, chosen[0], model) if len(chosen) == 1 else _several(chosen)
    rows = rows or [*_part(part), *_cut(model, cut)]
    return TableData(
        columns=(
            ColumnView(key="what", title=translate("Autograd", "Item"), width=16),
            ColumnView(key="value", title=translate("Autograd", "Value"), kind="code", width=30),
        ),
        rows=tuple(
            RowView(
                id=f"{number}{_LINK}{row.link}",
                cells=(row.what, row.value),
                icon="arrow-right" if row.link else row.icon,
                tooltip=translate("Autograd", "Double-click to go there")
                if row.link
                else row.value,
            )
            for number, row in enumerate(rows)
        ),
        empty_text=translate(
            "Autograd", "Click a Function to see its saved tensors and where they come from."
        ),
    )


def _several(chosen: list[AutogradNode]) -> list[_Row]:
    return [
        _Row(node.name, node.parameter or _metas(node.outputs), link=node.id) for node in chosen
    ]


def _part(part: CutPart | None) -> list[_Row]:
    if part is None:
        return []
    line = line_text(part.file, part.line)
    return [
        _Row(translate("Autograd", "Detached by"), part.kind),
        _Row(translate("Autograd", "Line of code"), line),
    ]


def _cut(model: Graph, place: str) -> list[_Row]:
    if node_at(model, place) is None:
        return []
    text = translate("Autograd", "no Function: frozen, detached or under no_grad")
    name = place_name(model, place)
    return [_Row(translate("Autograd", "Node"), name), _Row("grad_fn", text)]


def _one(captured: AutogradGraph, node: AutogradNode, model: Graph) -> list[_Row]:
    rows = [
        _Row(translate("Autograd", "Function"), node.name),
        _Row(translate("Autograd", "ATen operator"), node.operator),
        _Row(translate("Autograd", "Parameter"), node.parameter),
        _Row(translate("Autograd", "Node"), _node(node, model)),
        _Row(translate("Autograd", "Module"), node.layer),
        _Row(translate("Autograd", "Line of code"), _code(node)),
        *_formula(node.name),
        _Row(translate("Autograd", "Output of forward"), _metas(node.outputs)),
        *(_Row(translate("Autograd", "Forward value"), reading_text(each)) for each in node.values),
        _Row(
            translate("Autograd", "Creation order"),
            str(node.sequence) if node.sequence >= 0 else "",
        ),
        *_links(captured, node),
        *_call(captured, node),
        *(_saved(value) for value in node.saved),
        *_after(node),
        *(_Row(f"metadata[{key!r}]", text) for key, text in node.metadata.items()),
    ]
    return [row for row in rows if row.value]


def _node(node: AutogradNode, model: Graph) -> str:
    if node.place:
        return place_name(model, node.place)
    is_of_model = node.layer or node.line or node.parameter
    return "" if is_of_model else translate("Autograd", "Loss")


def _code(node: AutogradNode) -> str:
    return f"{node.file}:{node.line}" if node.file else str(node.line or "")


def _formula(name: str) -> list[_Row]:
    formula = derivative(name, language_code())
    if formula is None:
        return []
    return [
        _Row(translate("Autograd", "Forward"), formula.forward),
        _Row(translate("Autograd", "Vector-Jacobian product"), formula.backward),
    ]


def _links(captured: AutogradGraph, node: AutogradNode) -> list[_Row]:
    """Return where gradients come from and, as ``next_functions``, where they go."""
    by_id = {each.id: each for each in captured.nodes}
    before = [
        _Row(translate("Autograd", "Gradient from"), name_of(by_id[source]), link=source)
        for source in dict.fromkeys(s for s, target, _ in captured.edges if target == node.id)
    ]
    following = [
        _Row("next_functions", _next(by_id[target], number), link=target)
        for source, target, number in captured.edges
        if source == node.id
    ]
    return before + following


def _next(node: AutogradNode, number: int) -> str:
    """Return a Function as in ``next_functions``, and what the gradient that goes there is like."""
    meta = _meta(node.outputs[number]) if number < len(node.outputs) else ""
    return f"{name_of(node)}, {number}  {meta}".strip()


def _call(captured: AutogradGraph, node: AutogradNode) -> list[_Row]:
    """Return what was recorded as the engine called the Function."""
    order = next((n for n, call in enumerate(captured.calls) if call.id == node.id), None)
    if order is None:
        return []
    call = captured.calls[order]
    text = translate("Autograd", "{number} of {count}, after {start}, took {took}")
    line = text.format(
        number=order + 1,
        count=len(captured.calls),
        start=time_text(call.start_s),
        took=time_text(call.took_s),
    )
    arrived = translate("Autograd", "Incoming gradient")
    left = translate("Autograd", "Outgoing gradient")
    return [
        _Row(translate("Autograd", "Engine call"), line),
        *(_Row(arrived, reading_text(each)) for each in call.arrived),
        *(_Row(left, reading_text(each)) for each in call.left),
    ]


def _saved(value: SavedValue) -> _Row:
    name = f"_saved_{value.name}"
    if value.is_packed:
        what = _meta(value.tensor) if value.tensor else value.text
        text = translate(
            "Autograd", "{what}, saved by a hook that returns the tensor during backward"
        )
        return _Row(name, text.format(what=what))
    if value.tensor is None:
        return _Row(name, value.text)
    version = translate("Autograd", "version {number}").format(number=value.version)
    if value.is_changed:
        text = translate("Autograd", "version {number}, saved at {expected}: modified in place")
        version = text.format(number=value.version, expected=value.expected)
    text = f"{_meta(value.tensor)}  {size_text(value.size)}  {version}"
    return _Row(name, text, icon="error" if value.is_changed else "")


def _after(node: AutogradNode) -> list[_Row]:
    """Return what a second backward pass would find here."""
    if node.parameter:
        return []
    if node.is_changed:
        text = translate("Autograd", "fails: a saved tensor was modified")
    elif node.is_freed:
        text = translate("Autograd", "fails: the saved tensors were freed (no retain_graph)")
    else:
        text = translate("Autograd", "works: nothing that it needs was freed")
    return [_Row(translate("Autograd", "Second backward pass"), text)]


def _metas(metas: Iterable[TensorMeta]) -> str:
    return ", ".join(map(_meta, metas))


def _meta(meta: TensorMeta) -> str:
    shape = "×".join(map(str, meta.shape)) or translate("Autograd", "scalar")
    device = "" if meta.device == "cpu" else f" {meta.device}"
    return f"{shape} {meta.dtype}{device}"
