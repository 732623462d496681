"""Shapes, dtypes, parameter counts, problems and source of a graph, before anything runs."""

from itertools import pairwise

from engine.catalog.spec import Value
from engine.codegen.weight_tying import with_ties
from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis
from engine.graph.check import check
from engine.graph.expand import place_of
from engine.graph.model import Edge, Graph, Node
from engine.model.source import Generated, generate
from engine.shape.propagate import Propagator
from engine.shape.survey import Resolved, Survey, survey


class Analyser:
    """Analyses graph after graph; after an edit only the nodes that it touched run again.

    ``propagator`` may know nodes already; otherwise all begins with nothing. May be called from any
    thread. Changes no random state and writes nothing.
    """

    def __init__(self, propagator: Propagator | None = None) -> None:
        self._propagator = propagator or Propagator()

    @property
    def runs(self) -> int:
        """How many nodes have been computed so far; the rest came from memory."""
        return self._propagator.runs

    def resolved(self, graph: Graph) -> Resolved:
        """Return the numbers that stand for "auto", by the path of the node."""
        return survey(graph, self._propagator).resolved

    def analyse(self, graph: Graph) -> Analysis:
        """Return what is known about a graph; never raises."""
        structural = check(graph)
        found = survey(graph, self._propagator)
        generated = generate(graph, found.resolved)
        found = with_ties(found, generated.ties, graph) if generated.ties else found
        parameters, frozen = _totals(generated, found)
        return Analysis(
            nodes=found.reports(),
            problems=(
                *structural,
                *found.problems(),
                *_shared_in_place(found.flat.graph),
                *generated.problems,
            ),
            parameters=parameters,
            frozen=frozen,
            source=generated.source,
            lines=generated.lines,
            code_lines=generated.code_lines,
        )


def analyse(graph: Graph) -> Analysis:
    """Return what is known about a graph; never raises. For repeated use see :class:`Analyser`."""
    return Analyser().analyse(graph)


def warm_up() -> None:
    """Pay for what PyTorch imports at the first operations on the meta device (seconds)."""
    chain = ("Input", "Conv2d", "BatchNorm2d", "ReLU", "Flatten", "Linear", "Output")
    params: dict[str, dict[str, Value]] = {
        "Input": {"shape": (1, 8, 8)},
        "Conv2d": {"out_channels": 2, "kernel_size": 3},
        "Linear": {"out_features": 2},
    }
    nodes = {
        key: Node(id=key, type=key, name=f"{key.lower()}1", params=params.get(key, {}))
        for key in chain
    }
    edges = tuple(
        Edge(source=source, source_port="output", target=target, target_port="input")
        for source, target in pairwise(chain)
    )
    analyse(Graph(nodes=nodes, edges=edges))


def _totals(generated: Generated, found: Survey) -> tuple[int, int]:
    """Return how many parameters there are, and how many of them are frozen."""
    total = frozen = 0
    for node_id, outcome in found.outcomes.items():
        if node_id not in found.flat.tied and place_of(node_id) in generated.nodes:
            total += outcome.parameters
            frozen += outcome.parameters if found.is_frozen(node_id) else 0
    return total, frozen


def _shared_in_place(graph: Graph) -> list[Diagnostic]:
    """Find nodes that overwrite what other nodes read as well."""
    readers: dict[tuple[str, str], int] = {}
    for edge in graph.edges:
        source = (edge.source, edge.source_port)
        readers[source] = readers.get(source, 0) + 1
    found: list[Diagnostic] = []
    for edge in graph.edges:
        node, source = graph.nodes.get(edge.target), graph.nodes.get(edge.source)
        if node is None or source is None or node.params.get("inplace") is not True:
            continue
        if source.type == "Parameter" and source.params.get("requires_grad", True):
            params: dict[str, str | int | float] = {"name": node.name, "source": source.name}
            found.append(
                Diagnostic(code="S044", node=place_of(node.id), field="inplace", params=params)
            )
        elif readers[edge.source, edge.source_port] > 1:
            found.append(
                Diagnostic(
                    code="S026",
                    severity=Severity.WARNING,
                    node=place_of(node.id),
                    field="inplace",
                    params={"name": node.name, "source": source.name},
                )
            )
    return found
