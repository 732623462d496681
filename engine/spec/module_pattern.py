"""Names of the parameters of a node, as parameter groups and phases have them."""

from collections.abc import Iterator

from engine.graph.block import Path, block_of, body
from engine.graph.model import Graph, Node
from engine.spec.group import fits

_WILD = ("*", "?", "[")


def module_pattern(graph: Graph, place: Path) -> str:
    """Return what names the parameters of a node, as a group has it: ``layer1.0.conv1``; with a
    star where the node is inside of a block that is repeated: ``layers.*.linear.*``.
    """
    names: list[str] = []
    level = graph
    is_each = False
    for part in place:
        if names and is_each:
            names.append("*")
        node = level.nodes.get(part)
        if node is None:
            return ""
        names.append(node.name)
        is_each = node.repeat > 1 and not node.tied
        level = _inside(level, node)
    return ".".join((*names, "*") if "*" in names else names)


def _inside(level: Graph, node: Node) -> Graph:
    block = block_of(level, node)
    return level if block is None else body(level, block)


def without(pattern: str, taken: tuple[str, ...], modules: frozenset[str]) -> Iterator[str]:
    """Yield what a pattern named but for what is taken out of it. One with a star of the user's own
    stays as it is: it may name parameters, such as ``*.bias``.
    """
    if any(pattern == each or (not _is_wild(each) and fits(each, pattern)) for each in taken):
        return
    if _is_wild(pattern) or not any(each.startswith(f"{pattern}.") for each in taken):
        yield pattern
        return
    depth = pattern.count(".") + 2
    below = (name for name in modules if name.startswith(f"{pattern}."))
    children = {".".join(name.split(".")[:depth]) for name in below}
    for child in sorted(children):
        yield from without(child, taken, modules)


def _is_wild(pattern: str) -> bool:
    return any(sign in pattern for sign in _WILD)
