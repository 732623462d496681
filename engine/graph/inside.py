"""Levels of a model: analysis and problems as seen from inside one of its blocks."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from engine.diagnostics import Diagnostic
from engine.graph.analysis import Analysis
from engine.graph.block import SEPARATOR, Path, block_name, block_of, body
from engine.graph.model import Graph, Node


def analysis_at(analysis: Analysis, path: Path) -> Analysis:
    """Return an analysis with the nodes at a level by their ids there, and the parameters of the
    block that it is the inside of; the source stays whole.
    """
    if not path:
        return analysis
    prefix = _prefix(path)
    nodes = {
        place.removeprefix(prefix): report
        for place, report in analysis.nodes.items()
        if place.startswith(prefix)
    }
    block = analysis.nodes.get(SEPARATOR.join(path))
    counts = (block.parameters, block.frozen) if block else (0, 0)
    return replace(analysis, nodes=nodes, parameters=counts[0], frozen=counts[1])


def problems_at(problems: Sequence[Diagnostic], path: Path) -> tuple[Diagnostic, ...]:
    """Return the problems of a level; those inside a block are at the use of it, with no field."""
    prefix = _prefix(path)
    found: list[Diagnostic] = []
    for problem in problems:
        place = problem.node or ""
        if not place.startswith(prefix):
            continue
        node_id, separator, _ = place.removeprefix(prefix).partition(SEPARATOR)
        if separator:
            found.append(replace(problem, node=node_id, field=None))
        elif path:
            found.append(replace(problem, node=node_id))
        else:
            found.append(problem)
    return tuple(found)


def ids_at(places: Sequence[str], path: Path) -> tuple[str, ...]:
    """Return the nodes of a level in or at which places are."""
    prefix = _prefix(path)
    inside = [place.removeprefix(prefix) for place in places if place.startswith(prefix)]
    return tuple(dict.fromkeys(place.partition(SEPARATOR)[0] for place in inside))


def walk_nodes(graph: Graph) -> Iterator[tuple[Path, Graph, Node]]:
    """Yield every node of a model with the path of the block that it is in and its level, what is
    inside a use of a block behind the use. Uses of a block inside itself are not entered.
    """
    yield from _walk_nodes(graph, (), ())


def _walk_nodes(graph: Graph, path: Path, names: Path) -> Iterator[tuple[Path, Graph, Node]]:
    for node in graph.nodes.values():
        yield path, graph, node
        block, name = block_of(graph, node), block_name(node)
        if block is not None and name not in names:
            yield from _walk_nodes(body(graph, block), (*path, node.id), (*names, name))


def _prefix(path: Path) -> str:
    return "".join(node_id + SEPARATOR for node_id in path)
