"""Figures of layers as bars below the nodes of the canvas."""

from collections.abc import Callable, Mapping
from operator import add

from engine.graph.block import Path, node_on_level
from widgets.tables.format import size_text

Bars = dict[str, tuple[float, str]]
"""Share of the largest, and the figure in words, by node."""


def bars_of(
    values: Mapping[str, float],
    path: Path,
    say: Callable[[float], str] = size_text,
    join: Callable[[float, float], float] = add,
    whole: float = 0.0,
) -> Bars:
    """Return the bars of the nodes of a level, from the figures by place; a block has those of what
    is in it, joined to one. ``say`` writes a figure, ``whole`` is that of a full bar (0: the
    largest one of the level).
    """
    found: dict[str, float] = {}
    for place, value in values.items():
        node = node_on_level(place, path)
        if node is not None:
            found[node] = join(found[node], value) if node in found else value
    whole = whole or max(found.values(), default=0) or 1
    return {node: (value / whole, say(value)) for node, value in found.items()}
