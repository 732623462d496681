"""What is told of one Function, or of a group of them, beside the picture of the graph."""

from collections.abc import Iterable

from engine.graph.block import place_name
from engine.graph.model import Graph
from engine.runs.autograd_graph import AutogradGraph, AutogradNode, SavedValue, TensorMeta
from studio.i18n import translate
from widgets.tables.format import size_text
from widgets.tables.view_model import ColumnView, RowView, TableData


def present_details(captured: AutogradGraph, ids: Iterable[str], model: Graph) -> TableData:
    """Return a line for each thing that is known of the chosen Functions."""
    wanted = set(ids)
    chosen = [node for node in captured.nodes if node.id in wanted]
    rows = _one(captured, chosen[0], model) if len(chosen) == 1 else _several(chosen)
    return TableData(
        columns=(
            ColumnView(key="what", title=translate("Autograd", "What"), width=16),
            ColumnView(key="value", title=translate("Autograd", "Value"), kind="code", width=30),
        ),
        rows=tuple(
            RowView(id=str(number), cells=(what, value))
            for number, (what, value) in enumerate(rows)
        ),
        empty_text=translate("Autograd", "Click a Function to see what it keeps and where from."),
    )


def _several(chosen: list[AutogradNode]) -> list[tuple[str, str]]:
    return [(node.name, node.parameter or _metas(node.outputs)) for node in chosen]


def _one(captured: AutogradGraph, node: AutogradNode, model: Graph) -> list[tuple[str, str]]:
    names = {each.id: each.parameter or each.name for each in captured.nodes}
    following = [names[target] for source, target, _ in captured.edges if source == node.id]
    before = [names[source] for source, target, _ in captured.edges if target == node.id]
    rows = [(translate("Autograd", "Function"), node.name)]
    if node.parameter:
        rows.append((translate("Autograd", "Parameter"), node.parameter))
    if node.place:
        rows.append((translate("Autograd", "Node"), place_name(model, node.place)))
    if node.layer:
        rows.append((translate("Autograd", "Module"), node.layer))
    if node.line:
        rows.append((translate("Autograd", "Line of the code"), str(node.line)))
    rows.append((translate("Autograd", "Output of forward"), _metas(node.outputs)))
    if node.sequence >= 0:
        rows.append((translate("Autograd", "Order of making"), str(node.sequence)))
    if before:
        rows.append((translate("Autograd", "Gradient from"), ", ".join(before)))
    if following:
        rows.append((translate("Autograd", "Gradient to"), ", ".join(following)))
    return rows + [(f"_saved_{value.name}", _saved(value)) for value in node.saved]


def _saved(value: SavedValue) -> str:
    if value.tensor is None:
        return value.text
    version = translate("Autograd", "version {number}").format(number=value.version)
    return f"{_meta(value.tensor)}  {size_text(value.size)}  {version}"


def _metas(metas: Iterable[TensorMeta]) -> str:
    return ", ".join(map(_meta, metas))


def _meta(meta: TensorMeta) -> str:
    shape = "×".join(map(str, meta.shape)) or translate("Autograd", "scalar")
    device = "" if meta.device == "cpu" else f" {meta.device}"
    return f"{shape} {meta.dtype}{device}"
