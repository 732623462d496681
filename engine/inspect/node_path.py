"""Paths of the nodes that Functions belong to, from the lines and modules that made them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Self

from engine.codegen.construction import child_names
from engine.graph.block import SEPARATOR, block_of, body, chain, is_sequential
from engine.graph.expand import place_of
from engine.graph.model import Graph, Node
from engine.inspect.origin import Origin
from engine.model.source import generate_whole


class NodePaths:
    """The nodes of a graph by the source that was written of it.

    ``lines`` are the paths of the nodes by line of the source, as ``engine.model.source`` gives
    them: of a class of a block those of its first use. ``code_lines`` are, by line too, the files
    of custom code and the lines there.
    """

    def __init__(
        self,
        graph: Graph,
        lines: Mapping[int, str],
        code_lines: Mapping[int, tuple[str, int]] = MappingProxyType({}),
    ) -> None:
        self._graph = graph
        self._lines = lines
        self._code_lines = code_lines

    @classmethod
    def of(cls, graph: Graph) -> Self:
        """Return the node paths of a graph, its source written for that."""
        whole = generate_whole(graph)
        return cls(graph, whole.lines, whole.code_lines)

    @property
    def graph(self) -> Graph:
        """The graph that the source was written of."""
        return self._graph

    def line(self, origin: Origin) -> tuple[str, int]:
        """Return the line that was running as the user knows it: the file of custom code, empty for
        the source of the graph, and the line there.
        """
        return self._code_lines.get(origin.line, ("", origin.line))

    def path(self, origin: Origin) -> str:
        """Return the path of the node, as ids joined by ``/``; empty where no node made it."""
        level, path = self._graph, list[str]()
        ends = [*(owner for owner, _ in origin.steps[1:]), origin.module]
        for (owner, line), end in zip(origin.steps, ends, strict=False):
            node = level.nodes.get(place_of(self._lines.get(line, "")).rpartition(SEPARATOR)[2])
            if node is None:
                break
            path.append(node.id)
            names = end.removeprefix(owner).strip(".").split(".")[1:]
            level, inside = _enter(level, node, names[1:] if node.repeat > 1 else names)
            path += inside
        return SEPARATOR.join(path)


def _enter(level: Graph, node: Node, names: list[str]) -> tuple[Graph, list[str]]:
    """Return the inside of a block and the path of layers in ``nn.Sequential`` that lead there:
    that has no lines of its own.
    """
    path: list[str] = []
    block = block_of(level, node)
    for name in names:
        if block is None or not is_sequential(level, block):
            break
        level = body(level, block)
        children = chain(block) or []
        child = dict(zip(child_names(children), children, strict=True)).get(name)
        if child is None:
            break
        path.append(child.id)
        block = block_of(level, child)
    return (level if block is None else body(level, block)), path
