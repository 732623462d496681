"""Shapes, dtypes, parameter counts, problems and source of a graph, before anything runs."""

from itertools import pairwise

from engine.build.codegen import Generated, generate
from engine.build.propagate import Outcome, Propagator, shape_problems
from engine.catalog.spec import Value
from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis, NodeReport
from engine.graph.check import check
from engine.graph.model import Edge, Graph, Node


class Analyser:
    """Analyses graph after graph; after an edit only the nodes that it touched run again.

    May be called from any thread. Changes no random state and writes nothing.
    """

    def __init__(self) -> None:
        self._propagator = Propagator()

    @property
    def runs(self) -> int:
        """How many nodes have been computed so far; the rest came from memory."""
        return self._propagator.runs

    def analyse(self, graph: Graph) -> Analysis:
        """Return what is known about a graph; never raises."""
        structural = check(graph)
        outcomes = self._propagator.outcomes(graph)
        resolved = {node_id: outcome.resolved for node_id, outcome in outcomes.items()}
        generated = generate(graph, resolved)
        return Analysis(
            nodes={node_id: _report(outcomes.get(node_id)) for node_id in graph.nodes},
            problems=(*structural, *shape_problems(graph, outcomes), *_shared_in_place(graph)),
            parameters=_total(generated, outcomes),
            source=generated.source,
            lines=generated.lines,
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


def _report(outcome: Outcome | None) -> NodeReport:
    if outcome is None:
        return NodeReport()
    return NodeReport(
        outputs={port: signal.tensor_type() for port, signal in outcome.outputs.items()},
        parameters=outcome.parameters,
        buffers=outcome.buffers,
        resolved=outcome.resolved,
    )


def _total(generated: Generated, outcomes: dict[str, Outcome]) -> int:
    return sum(outcomes[node_id].parameters for node_id in generated.nodes if node_id in outcomes)


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
        if readers[edge.source, edge.source_port] > 1:
            found.append(
                Diagnostic(
                    code="S026",
                    severity=Severity.WARNING,
                    node=node.id,
                    field="inplace",
                    params={"name": node.name, "source": source.name},
                )
            )
    return found
