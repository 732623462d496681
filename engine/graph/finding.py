"""Search for nodes by what is typed: their name, their type, or the shape of what they give."""

import re
from collections.abc import Callable, Iterable

from engine.graph.analysis import Analysis
from engine.graph.block import SEPARATOR, Path, block_at, first_uses, level
from engine.graph.model import Graph, Node

_SHAPE = re.compile(r"(?:[0-9nb?*x×,]|-1)+", re.IGNORECASE)
_BETWEEN = re.compile(r"[x×,*]+")


def find_nodes(
    graph: Graph,
    analysis: Analysis,
    text: str,
    words_of: Callable[[Graph, Node], Iterable[str]],
    path: Path = (),
) -> tuple[str, ...]:
    """Return the paths of the nodes that fit every word of a text, in the order of the model; what
    is inside a block once, in its first use, or in the one that ``path`` leads into.

    A word fits when it is in the name, in the type or in one of ``words_of`` the node (``relu``),
    or when it is a part of a shape that comes out of the node (``16x8x8``, ``N,10``).
    """
    words = text.casefold().split()
    if not words:
        return ()
    paths: list[str] = []
    for inside in _levels(graph, path):
        here = level(graph, inside) or graph
        for node in here.nodes.values():
            node_path = SEPARATOR.join((*inside, node.id))
            texts = [node.name, node.type, *words_of(here, node)]
            haystack = "\n".join(texts).casefold()
            shapes = _shapes(analysis, node_path)
            if all(word in haystack or _is_in_shape(word, shapes) for word in words):
                paths.append(node_path)
    return tuple(paths)


def _levels(graph: Graph, path: Path) -> list[Path]:
    """Return a path into each block that is used; the ways through ``path`` before others."""
    opened = {block_at(graph, path[:depth]): path[:depth] for depth in range(1, len(path) + 1)}
    uses = first_uses(graph)
    return [(), *(opened.get(name, use) for name, (use, _) in uses.items())]


def _shapes(analysis: Analysis, node_path: str) -> list[list[str]]:
    report = analysis.nodes.get(node_path)
    if report is None:
        return []
    return [[str(axis).casefold() for axis in kind.shape] for kind in report.outputs.values()]


def _is_in_shape(word: str, shapes: list[list[str]]) -> bool:
    """Return whether the sizes that a word lists follow one another in one of the shapes."""
    if not shapes or not _SHAPE.fullmatch(word):
        return False
    wanted = [size for size in _BETWEEN.split(word) if size]
    count = len(wanted)
    return count > 0 and any(
        shape[start : start + count] == wanted
        for shape in shapes
        for start in range(len(shape) - count + 1)
    )
