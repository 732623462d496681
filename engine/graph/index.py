"""Index of the edges of a graph by node, made once for the questions about one graph and carried
along from edit to edit.
"""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import NamedTuple

from engine.graph.model import Edge, Graph

_source = attrgetter("source")
_target = attrgetter("target")


class Index(NamedTuple):
    """Wires by the node where they end and by the node where they begin."""

    edges: tuple[Edge, ...]
    by_target: dict[str, tuple[Edge, ...]]
    by_source: dict[str, tuple[Edge, ...]]

    def ancestors(self, ids: Iterable[str]) -> frozenset[str]:
        """Return the nodes that the given ones depend on, these included."""
        return _reached(self.by_target, ids, _source)

    def dependents(self, ids: Iterable[str]) -> frozenset[str]:
        """Return the nodes that depend on the given ones, these included."""
        return _reached(self.by_source, ids, _target)

    def has_path(self, start: str, goal: str) -> bool:
        """Return whether wires lead from one node to another; searched from both ends at once."""
        ahead, behind = [start], [goal]
        seen_ahead, seen_behind = {start}, {goal}
        while ahead and behind:
            node = ahead.pop()
            if node in seen_behind:
                return True
            _push(map(_target, self.by_source.get(node, ())), ahead, seen_ahead)
            node = behind.pop()
            if node in seen_ahead:
                return True
            _push(map(_source, self.by_target.get(node, ())), behind, seen_behind)
        return False


_last: list[Index] = []  # at most one: questions come in series about one graph


def index_of(graph: Graph) -> Index:
    """Return the index of a graph, from memory where it is the graph asked about last."""
    index = _last[0] if _last else None
    if index is None or index.edges is not graph.edges:
        index = Index(graph.edges, _grouped(graph.edges, _target), _grouped(graph.edges, _source))
        _last[:] = [index]
    return index


def carry_index(previous: Graph, after: Graph, gone: Iterable[Edge], new: Edge) -> None:
    """Remember the index of a graph that differs from one before by a few wires."""
    old = index_of(previous)
    carried = Index(after.edges, old.by_target.copy(), old.by_source.copy())
    for edge in gone:
        _take(carried.by_target, edge.target, edge)
        _take(carried.by_source, edge.source, edge)
    carried.by_target[new.target] = (*carried.by_target.get(new.target, ()), new)
    carried.by_source[new.source] = (*carried.by_source.get(new.source, ()), new)
    _last[:] = [carried]


def _grouped(edges: Iterable[Edge], key: Callable[[Edge], str]) -> dict[str, tuple[Edge, ...]]:
    groups: dict[str, list[Edge]] = {}
    for edge in edges:
        groups.setdefault(key(edge), []).append(edge)
    return {node_id: tuple(group) for node_id, group in groups.items()}


def _take(groups: dict[str, tuple[Edge, ...]], node_id: str, edge: Edge) -> None:
    groups[node_id] = tuple(other for other in groups[node_id] if other is not edge)


def _push(neighbours: Iterable[str], waiting: list[str], seen: set[str]) -> None:
    for neighbour in neighbours:
        if neighbour not in seen:
            seen.add(neighbour)
            waiting.append(neighbour)


def _reached(
    edges: Mapping[str, tuple[Edge, ...]], ids: Iterable[str], follow: Callable[[Edge], str]
) -> frozenset[str]:
    waiting = list(ids)
    reached = set(waiting)
    while waiting:
        _push(map(follow, edges.get(waiting.pop(), ())), waiting, reached)
    return frozenset(reached)
