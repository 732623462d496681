"""Freezing as lines of a class: ``requires_grad_(False)`` in ``__init__``, and a ``train`` that
leaves the running statistics of frozen batch norms alone.
"""

from collections.abc import Callable, Iterator, Mapping

from engine.catalog.registry import catalog
from engine.codegen.inline import children_of, is_inline
from engine.graph.block import SEPARATOR, block_name, block_of, body, entry_of
from engine.graph.model import Block, Graph, Node
from engine.graph.node_state.freezing import has_statistics
from engine.syntax.format import INDENT, Line, call, statement, tuple_of

_DEPTH = 2
_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm")
Leaf = Callable[[Graph, Node, str, int], list[str]]


def freezing(graph: Graph, made: Mapping[str, str]) -> list[Line]:
    """Return the statements of ``__init__`` that freeze; ``made`` is how each node's module or
    tensor is reached, by id. Uses of blocks that are classes of their own freeze themselves inside.
    """
    lines = _all(graph, made, _still)
    if _all(graph, made, _evaluating):
        lines.append(Line(f"{INDENT * _DEPTH}self.train()"))
    return lines


def training_mode(graph: Graph, made: Mapping[str, str]) -> list[Line]:
    """Return the ``train`` method that keeps frozen batch norms in eval; none where there are
    none.
    """
    lines = _all(graph, made, _evaluating)
    if not lines:
        return []
    indent = INDENT * _DEPTH
    return [
        Line(f"{INDENT}def train(self, mode=True):"),
        Line(f"{indent}super().train(mode)"),
        *lines,
        Line(f"{indent}return self"),
        Line(""),
    ]


def _all(graph: Graph, made: Mapping[str, str], leaf: Leaf) -> list[Line]:
    return [
        line
        for node_id, reached in made.items()
        for line in _copies(graph, graph.nodes[node_id], (reached, node_id), _DEPTH, leaf)
    ]


def _copies(graph: Graph, node: Node, at: tuple[str, str], depth: int, leaf: Leaf) -> list[Line]:
    """Return the lines about a node; ``at`` is how it is reached, and its path in the class."""
    reached, place = at
    if node.frozen:
        return [Line(text, place) for text in leaf(graph, node, reached, depth)]
    block = block_of(graph, node)
    if block is None or not is_inline(graph, block):
        return []
    if node.repeat == 1 or node.tied:
        return _children(graph, block, at, depth, leaf)
    copy = "layer" if depth == _DEPTH else f"layer_{depth}"
    lines = _children(graph, block, (copy, place), depth + 1, leaf)
    return [Line(f"{INDENT * depth}for {copy} in {reached}:", place), *lines] if lines else []


def _children(
    graph: Graph, block: Block, at: tuple[str, str], depth: int, leaf: Leaf
) -> list[Line]:
    inside = body(graph, block)
    lines: list[Line] = []
    for node, access in children_of(graph, block):
        inner = (f"{at[0]}{access}", f"{at[1]}{SEPARATOR}{node.id}")
        lines += _copies(inside, node, inner, depth, leaf)
    return lines


def _still(graph: Graph, node: Node, reached: str, depth: int) -> list[str]:
    del graph, node
    return [f"{INDENT * depth}{reached}.requires_grad_(False)"]


def _evaluating(graph: Graph, node: Node, reached: str, depth: int) -> list[str]:
    types = list(dict.fromkeys(_kinds(graph, node, ())))
    if not types:
        return []
    if block_of(graph, node) is None and has_statistics(graph, node):
        return [f"{INDENT * depth}{reached}.eval()"]
    kinds = types[0] if len(types) == 1 else tuple_of(list(types))
    indent = INDENT * depth
    part = f"part_{depth}" if depth > _DEPTH else "part"
    return [
        f"{indent}for {part} in {reached}.modules():",
        *statement("if ", call("isinstance", [part, kinds]), depth + 1, ":"),
        f"{INDENT * (depth + 2)}{part}.eval()",
    ]


def _kinds(graph: Graph, node: Node, inside: tuple[str, ...]) -> Iterator[str]:
    """Yield the classes of batch norms in a node; all where nothing is known about its inside."""
    entry = entry_of(graph, node)
    if has_statistics(graph, node):
        yield "" if entry is None else entry.target
        return
    name, block = block_name(node), block_of(graph, node)
    if block is not None and name not in inside:
        level = body(graph, block)
        for inner in block.nodes.values():
            yield from _kinds(level, inner, (*inside, name))
    elif entry is not None and catalog().node(entry.key) is None and not name:
        yield from (f"nn.{norm}" for norm in _NORMS)
