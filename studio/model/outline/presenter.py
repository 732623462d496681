"""Tree of the model's nodes, and its weights as rows of a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.catalog.text import entry_label
from engine.graph.analysis import Analysis, NodeReport
from engine.graph.block import SEPARATOR, Path, block_of, entry_of, level
from engine.graph.model import Graph
from engine.graph.query import OUTPUT, order
from engine.query.listing.request import ModelListing, WeightEntry
from engine.runs.record.statistic import Kind, Statistic, StatisticHistory
from studio.i18n import filled, translate
from studio.view.wording import metric_text, shape_text

MOST_WEIGHTS = 20_000

Norms = dict[str, tuple[str, str]]
"""By parameter the norm of its values and that of its gradient, in words."""

_NORMED = (Kind.WEIGHT, Kind.GRADIENT)


@dataclass(frozen=True, kw_only=True)
class OutlineRow:
    """A node in the tree, by its ``path``; ``is_block`` says that there is more inside."""

    path: str
    name: str
    type: str
    shape: str
    parameters: str
    is_block: bool
    trained: str = ""


def present_level(
    graph: Graph, analysis: Analysis, path: Path, language: str
) -> tuple[OutlineRow, ...]:
    """Return the nodes of a level in the order of computing."""
    inside = level(graph, path)
    if inside is None:
        return ()
    rows: list[OutlineRow] = []
    for node_id in order(inside):
        node = inside.nodes[node_id]
        node_path = SEPARATOR.join((*path, node_id))
        entry = entry_of(inside, node)
        label = entry_label(entry, language) if entry is not None else node.type
        report = analysis.nodes.get(node_path)
        outputs = list(report.outputs.values()) if report is not None else []
        is_shown = node.type not in (OUTPUT, "BlockOutput")
        rows.append(
            OutlineRow(
                path=node_path,
                name=node.name,
                type=f"{label} ×{node.repeat}" if node.repeat > 1 else label,
                shape=", ".join(map(shape_text, outputs)) if is_shown else "",
                parameters=f"{report.parameters:,}" if report and report.parameters else "",
                is_block=block_of(inside, node) is not None,
                trained=_trained_text(report),
            )
        )
    return tuple(rows)


def present_matches(
    graph: Graph, analysis: Analysis, wanted: str, language: str
) -> tuple[OutlineRow, ...]:
    """Return the nodes of all levels whose dotted name or type contains a text."""

    def found(path: Path, prefix: str) -> Iterator[OutlineRow]:
        for row in present_level(graph, analysis, path, language):
            name = prefix + row.name
            if wanted.casefold() in f"{name} {row.type}".casefold():
                yield replace(row, name=name, is_block=False)
            if row.is_block:
                yield from found(tuple(row.path.split(SEPARATOR)), f"{name}.")

    return tuple(found((), ""))


def _trained_text(report: NodeReport | None) -> str:
    """Return how many of a node's parameters are trained: all, none or a number."""
    if report is None or not report.parameters:
        return ""
    if report.frozen == report.parameters:
        return translate("Outline", "frozen")
    return f"{report.parameters - report.frozen:,}"


def present_weights(listing: ModelListing) -> tuple[tuple[str, ...], ...]:
    """Return a row for each weight: name, shape, elements, dtype, kind, how it begins."""
    kinds = (translate("Outline", "parameter"), translate("Outline", "buffer"))
    return tuple(
        (
            entry.name,
            "×".join(map(str, entry.shape)) or translate("Outline", "scalar"),
            f"{entry.numel:,}",
            entry.dtype,
            kinds[entry.is_buffer],
            _initial(entry),
        )
        for entry in listing.weights[:MOST_WEIGHTS]
    )


def present_norms(history: StatisticHistory) -> Norms:
    """Return the norms of all parameters at the last step at which they were recorded."""
    names = dict.fromkeys(name for kind, name in history.columns if kind in _NORMED)
    return {
        name: (_norm(history, Kind.WEIGHT, name), _norm(history, Kind.GRADIENT, name))
        for name in names
    }


def _norm(history: StatisticHistory, kind: Kind, name: str) -> str:
    numbers = history.track((kind, name)).numbers
    return metric_text(float(numbers[-1][Statistic.NORM])) if len(numbers) else ""


def present_modules(listing: ModelListing) -> tuple[tuple[str, ...], ...]:
    """Return a row for each module with what its dictionaries hold."""
    whole = translate("Outline", "(the model)")
    unsaved = translate("Outline", "not saved")
    return tuple(
        (
            entry.name or whole,
            entry.type,
            ", ".join(entry.parameters),
            ", ".join(
                f"{name} ({unsaved})" if name in entry.not_saved else name for name in entry.buffers
            ),
            ", ".join(entry.modules),
            ", ".join(entry.hooks),
        )
        for entry in listing.modules[:MOST_WEIGHTS]
    )


def weights_summary(listing: ModelListing) -> str:
    """Return how many weights there are."""
    parameters = [entry.numel for entry in listing.weights if not entry.is_buffer]
    buffers = [entry.numel for entry in listing.weights if entry.is_buffer]
    text = translate(
        "Outline",
        "{count} parameter {count|tensor|tensors} with {numbers} "
        "{numbers|element|elements}; {buffers} {buffers|element|elements} in buffers",
    )
    numbers, kept = f"{sum(parameters):,}", f"{sum(buffers):,}"
    return filled(text, count=len(parameters), numbers=numbers, buffers=kept)


def node_of_weight(graph: Graph, name: str) -> str:
    """Return the path of the node that a weight belongs to; empty where none is found."""
    node_ids: list[str] = []
    parts = name.split(".")
    inside: Graph | None = graph
    while parts and inside is not None:
        node = next((n for n in inside.nodes.values() if n.name == parts[0]), None)
        if node is None:
            break
        node_ids.append(node.id)
        copies = 2 if node.repeat > 1 and not node.tied else 1
        parts = parts[copies:]
        inside = level(graph, tuple(node_ids)) if block_of(inside, node) is not None else None
    return SEPARATOR.join(node_ids)


def _initial(entry: WeightEntry) -> str:
    if entry.chosen:
        return entry.chosen
    spread = f"{entry.spread:.4g}"
    texts = {
        "uniform": translate("Outline", "uniform, ±{spread}"),
        "xavier": translate("Outline", "Xavier uniform, ±{spread}"),
        "normal": translate("Outline", "normal, std {spread}"),
        "constant": translate("Outline", "all {spread}"),
        "ones": translate("Outline", "ones"),
        "zeros": translate("Outline", "zeros"),
        "unknown": "",
    }
    return texts[entry.initial].format(spread=spread)


def titles() -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """Return the headings of the tree, of the weights and of the modules."""
    return (
        (
            translate("Outline", "Name"),
            translate("Outline", "Type"),
            translate("Outline", "Shape"),
            translate("Outline", "Parameters"),
            translate("Outline", "Trainable"),
        ),
        (
            translate("Outline", "Name"),
            translate("Outline", "Shape"),
            translate("Outline", "Elements"),
            translate("Outline", "Data type"),
            translate("Outline", "Kind"),
            translate("Outline", "Initialization"),
            translate("Outline", "Norm in the run"),
            translate("Outline", "Norm of the gradient"),
        ),
        (
            translate("Outline", "Name"),
            translate("Outline", "Type"),
            "_parameters",
            "_buffers",
            "_modules",
            translate("Outline", "Hooks"),
        ),
    )
