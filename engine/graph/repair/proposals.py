"""Proposals that may repair a problem, best first: changes that can be undone like any other.

Nothing here knows whether a fix helps; ``engine.model.repair`` tries each on tensors without
values and keeps those that do.
"""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from engine.diagnostics import Diagnostic
from engine.graph.analysis import Analysis, TensorType
from engine.graph.block import SEPARATOR, Path, block_at, entry_of, level
from engine.graph.edit.edits import EditBlock, apply
from engine.graph.error import GraphError
from engine.graph.model import Graph
from engine.graph.query import OUTPUT, incoming
from engine.graph.repair.case import Case, RepairProposal
from engine.graph.repair.dtype import dtype, fill, one_dtype, refused, value
from engine.graph.repair.loss import (
    activation,
    input_of_data,
    losses,
    numbers,
    other_loss,
    shapes,
    small_batch,
    table,
    width,
)
from engine.graph.repair.shape import (
    division,
    features,
    in_place,
    joined,
    missing_axis,
    order,
    parts,
    plain_dropout,
    product,
    rank,
    reshape,
    untied_weights,
    view,
    window,
)
from engine.graph.repair.wire import missing_input, missing_output, missing_wire, stray_wire, unused

Remedy = Callable[[Case], Iterator[RepairProposal | None]]
_REMEDIES: dict[str, Remedy] = {
    **dict.fromkeys(("S003", "S004"), features),
    "S001": refused,
    "S005": rank,
    "S006": window,
    **dict.fromkeys(("S007", "S013"), division),
    **dict.fromkeys(("S008", "S009"), dtype),
    **dict.fromkeys(("S010", "S014", "S017", "S018"), joined),
    "S011": product,
    **dict.fromkeys(("S012", "S028"), reshape),
    "S015": one_dtype,
    **dict.fromkeys(("S016", "S019", "S027"), missing_axis),
    **dict.fromkeys(("S023", "S024"), order),
    **dict.fromkeys(("S025", "R016"), plain_dropout),
    **dict.fromkeys(("S026", "S044"), in_place),
    "S031": untied_weights,
    "S035": fill,
    "S040": view,
    "S043": parts,
    **dict.fromkeys(("R010", "R011", "R012", "R013"), input_of_data),
    **dict.fromkeys(("R014", "R015"), small_batch),
    **dict.fromkeys(("R035", "R036"), width),
    "R075": table,
    **dict.fromkeys(("R038", "R039"), shapes),
    **dict.fromkeys(("R042", "R043", "R044", "R045", "R074", "R078"), activation),
    **dict.fromkeys(("R034", "R070", "R071", "R072"), other_loss),
    "R037": numbers,
    **dict.fromkeys(("G023", "G031", "G033"), missing_wire),
    "G026": unused,
}
_STRAY = ("G010", "G011", "G021")  # of wires: what stands at their ends may be anything


def proposals(problem: Diagnostic, graph: Graph, analysis: Analysis) -> tuple[RepairProposal, ...]:
    """Return what might mend a problem of a model of which ``analysis`` is known, best first.

    Every edit can be applied to the graph; none is there twice.
    """
    *path, node_id = (problem.node or "").split(SEPARATOR)
    inside = level(graph, tuple(path))
    if inside is None:
        return ()
    block = block_at(graph, tuple(path))
    repairs: list[RepairProposal] = []
    for proposal in _candidates(
        replace(problem, node=node_id or None), inside, tuple(path), analysis
    ):
        whole = proposal
        if proposal is not None and proposal.edit is not None and block:
            whole = replace(proposal, edit=EditBlock(block=block, edit=proposal.edit))
        if whole is not None and whole not in repairs and _can_be_made(whole, graph):
            repairs.append(whole)
    return tuple(repairs)


def _candidates(
    problem: Diagnostic, graph: Graph, path: Path, analysis: Analysis
) -> Iterator[RepairProposal | None]:
    if problem.code in _STRAY:
        yield from stray_wire(problem, graph)
        return
    node = graph.nodes.get(problem.node or "")
    if node is None:
        if problem.code == "G024":
            yield from missing_output(graph)
        if problem.code == "G025":
            yield from missing_input(graph)
        if any(node.type == OUTPUT for node in graph.nodes.values()):
            yield from losses(problem.code, problem.field or "")
        return
    entry = entry_of(graph, node)
    if entry is None:
        return
    case = Case(
        problem=problem,
        graph=graph,
        node=node,
        entry=entry,
        arriving=_arriving(graph, node.id, path, analysis),
    )
    remedy = _REMEDIES.get(problem.code, value if problem.code.startswith("C") else None)
    if remedy is not None:
        yield from remedy(case)


def _arriving(graph: Graph, node_id: str, path: Path, analysis: Analysis) -> dict[str, TensorType]:
    signals: dict[str, TensorType] = {}
    for edge in incoming(graph, node_id):
        report = analysis.nodes.get(SEPARATOR.join((*path, edge.source)))
        arriving = None if report is None else report.outputs.get(edge.source_port)
        if arriving is not None:
            signals[edge.target_port] = arriving
    return signals


def _can_be_made(proposal: RepairProposal, graph: Graph) -> bool:
    """Return whether a fix changes something that the graph allows to be changed."""
    if proposal.edit is None:
        return True
    try:
        return apply(proposal.edit, graph) != graph
    except GraphError:
        return False
