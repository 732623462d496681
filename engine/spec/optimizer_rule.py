"""Rules for the optimizer: its settings, and the model that it has to train."""

from collections.abc import Iterator, Sequence

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, Need
from engine.diagnostics import Diagnostic
from engine.graph.analysis import Analysis
from engine.graph.model import Graph, Node
from engine.graph.node_state.mute import ZEROS
from engine.graph.query import OUTPUT
from engine.spec.choice import chosen_entry
from engine.spec.run import RunSpec

_MATRIX_LAYERS = ("Embedding", "EmbeddingBag")
_WITH_BIAS = ("Linear", "RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell")
"""Layers all of whose parameters have two axes, once they have no bias."""

_STOPS = ("detach", ZEROS)
"""What lets no gradient through."""


def check_optimizer(spec: RunSpec, graph: Graph, analysis: Analysis) -> Iterator[Diagnostic]:
    """Yield the findings about the optimizer."""
    entry = chosen_entry(EntryGroup.OPTIMIZER, spec.optimizer)
    if entry is None:
        return
    trained = [
        node
        for node in graph.nodes.values()
        if (report := analysis.nodes.get(node.id)) is not None and report.parameters > report.frozen
    ]
    is_late = bool(spec.unfreezing.schedule) and not trained  # check_unfreezing tells
    if graph.nodes and analysis.is_ok() and not is_late:
        yield from _check_work(entry, graph, analysis, trained)
    is_chosen = bool(spec.phase.match) or spec.phase.parameters == "matrices"
    if Need.MATRICES in entry.needs and not is_chosen and not spec.phases:
        for node in trained:
            if not _has_only_matrices(node):
                yield _about_node("R051", entry, node)
    if Need.SPARSE_GRADIENTS in entry.needs:
        for node in trained:
            if not _is_sparse(node):
                yield _about_node("R052", entry, node)
    elif any(_is_sparse(node) for node in trained) and not _takes_sparse(entry):
        for node in trained:
            if _is_sparse(node):
                yield _about_node("R053", entry, node)
    yield from check_optimizer_settings(spec)


def _check_work(
    entry: Entry, graph: Graph, analysis: Analysis, trained: Sequence[Node]
) -> Iterator[Diagnostic]:
    """Yield that there is nothing to train."""
    if analysis.parameters == 0:
        yield Diagnostic(code="R050", field="optimizer", params={"optimizer": entry.key})
    elif analysis.parameters == analysis.frozen:
        yield Diagnostic(code="R058", field="optimizer", params={"count": analysis.parameters})
    elif any(node.type in _STOPS for node in graph.nodes.values()) and not _is_reached(
        graph, trained
    ):
        yield Diagnostic(code="R077", field="optimizer")


def _is_reached(graph: Graph, trained: Sequence[Node]) -> bool:
    """Return whether a gradient comes from an output to a layer of a kind that is trained; muted
    and detached nodes give none on.
    """
    kinds = {node.type for node in trained}
    sources: dict[str, list[str]] = {}
    for edge in graph.edges:
        sources.setdefault(edge.target, []).append(edge.source)
    waiting = [node.id for node in graph.nodes.values() if node.type == OUTPUT]
    seen: set[str] = set()
    while waiting:
        node_id = waiting.pop()
        kind = graph.nodes[node_id].type
        if kind in kinds:
            return True
        if node_id not in seen and kind not in _STOPS:
            waiting += sources.get(node_id, [])
        seen.add(node_id)
    return False


def check_optimizer_settings(spec: RunSpec) -> Iterator[Diagnostic]:
    """Yield the settings of the optimizer that do not go together."""
    entry = chosen_entry(EntryGroup.OPTIMIZER, spec.optimizer)
    if entry is None:
        return

    def value(name: str) -> object:
        return entry.value(spec.optimizer.params, name)

    if value("nesterov") is True and (
        value("momentum") == 0 or value("dampening") not in (0, None)
    ):
        yield Diagnostic(code="R054", field="optimizer.nesterov")
    etas = value("etas")
    if isinstance(etas, tuple) and not (etas[0] < 1 < etas[1]):
        yield Diagnostic(code="R057", field="optimizer.etas")
    switched_on = [name for name in ("foreach", "fused") if value(name) is True]
    if len(switched_on) == 2:
        yield Diagnostic(code="R055", field="optimizer.fused")


def _about_node(code: str, entry: Entry, node: Node) -> Diagnostic:
    return Diagnostic(
        code=code,
        node=node.id,
        field="optimizer",
        params={"optimizer": entry.key, "name": node.name, "type": node.type},
    )


def _has_only_matrices(node: Node) -> bool:
    if node.type in _MATRIX_LAYERS:
        return True
    entry = catalog().node(node.type)
    return (
        node.type in _WITH_BIAS and entry is not None and entry.value(node.params, "bias") is False
    )


def _is_sparse(node: Node) -> bool:
    return node.type in _MATRIX_LAYERS and node.params.get("sparse") is True


def _takes_sparse(entry: Entry) -> bool:
    """Return whether ``step`` takes sparse gradients (torch 2.15: these alone)."""
    return entry.key in ("SGD", "Adagrad", "SparseAdam")
