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
        node_path.removeprefix(prefix): report
        for node_path, report in analysis.nodes.items()
        if node_path.startswith(prefix)
    }
    block = analysis.nodes.get(SEPARATOR.join(path))
    counts = (block.parameters, block.frozen) if block else (0, 0)
    return replace(analysis, nodes=nodes, parameters=counts[0], frozen=counts[1])


def problems_at(problems: Sequence[Diagnostic], path: Path) -> tuple[Diagnostic, ...]:
    """Return the problems of a level; those inside a block are at the use of it, with no field."""
    prefix = _prefix(path)
    problems_here: list[Diagnostic] = []
    for problem in problems:
        node_path = problem.node or ""
        if not node_path.startswith(prefix):
            continue
        node_id, separator, _ = node_path.removeprefix(prefix).partition(SEPARATOR)
        if separator:
            problems_here.append(replace(problem, node=node_id, field=None))
        elif path:
            problems_here.append(replace(problem, node=node_id))
        else:
            problems_here.append(problem)
    return tuple(problems_here)


def ids_at(node_paths: Sequence[str], path: Path) -> tuple[str, ...]:
    """Return the nodes of a level in or at which places are."""
    prefix = _prefix(path)
    inside = [
        node_path.removeprefix(prefix) for node_path in node_paths if node_path.startswith(prefix)
    ]
    return tuple(dict.fromkeys(node_path.partition(SEPARATOR)[0] for node_path in inside))


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
