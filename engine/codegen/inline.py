"""Blocks that are written where they are used, without a class of their own: chains of layers as
``nn.Sequential``, switches as ``nn.ModuleDict``.
"""

from typing import NamedTuple

from engine.graph.block import chain, is_sequential
from engine.graph.edit.switch import switch_of
from engine.graph.model import Block, Graph, Node
from engine.graph.naming import free_name, name_problem, sanitized_name


class Child(NamedTuple):
    """A layer inside, and how it is reached from the block: ``.conv``, ``[0]``, ``["small"]``."""

    node: Node
    access: str


def is_inline(graph: Graph, block: Block) -> bool:
    """Return whether a block is written where it is used."""
    return is_sequential(graph, block) or switch_of(graph, block) is not None


def children_of(graph: Graph, block: Block) -> list[Child]:
    """Return the layers of a block that is written where it is used, in their order."""
    switch = switch_of(graph, block)
    if switch is not None:
        return [Child(node, f'["{node.name}"]') for node in switch.branches]
    children = chain(block) or []
    return [
        Child(node, f".{name}" if name.isidentifier() else f"[{index}]")
        for index, (name, node) in enumerate(zip(child_names(children), children, strict=True))
    ]


def child_names(children: list[Node]) -> list[str]:
    """Return the names of the layers in a chain, each usable and once."""
    names: list[str] = []
    for node in children:
        is_good = name_problem(node.name, is_sequential=True) is None
        names.append(free_name(node.name if is_good else sanitized_name(node.name), names))
    return names
