"""Classes of blocks that need not be written again: nothing that they are made of has changed."""

from collections.abc import Callable, Hashable
from typing import TypeVar

from engine.codegen.inferred import Sizes
from engine.codegen.parts import Parts
from engine.graph.block import used_blocks
from engine.graph.memory import Memory
from engine.graph.model import Graph
from engine.syntax.format import Line

T = TypeVar("T")
_STATES = 8  # an edit before a block gives it other sizes, and undo gives back the first ones


class Written:
    """What was written of the blocks of a graph, in this analysis or in one before it.

    The class of a block follows from the block, those inside it and the user's code, the numbers
    for its "auto" sizes, the arguments of the classes inside and which of those can be written.
    """

    def __init__(self, graph: Graph, sizes: Sizes) -> None:
        self._graph = graph
        self._sizes = sizes
        self._inside: dict[str, list[str]] = {}

    def parts(self, name: str, complete: set[str], look: Callable[[], Parts]) -> Parts:
        """Return which nodes of a block can be written."""
        return self._recall(_parts, name, complete, look)

    def lines(self, name: str, complete: set[str], write: Callable[[], list[Line]]) -> list[Line]:
        """Return the class of a block."""
        return self._recall(_lines, name, complete, write)

    def _recall(
        self,
        memory: Memory[dict[Hashable, T]],
        name: str,
        complete: set[str],
        work_out: Callable[[], T],
    ) -> T:
        blocks = self._graph.blocks
        inside = self._inside.get(name)
        if inside is None:
            inside = self._inside[name] = used_blocks(blocks, blocks[name].nodes.values())
        made_of = (blocks[name], *(blocks[inner] for inner in inside), self._graph.code)
        known = memory.recall(made_of, dict[Hashable, T])
        arguments = tuple(tuple(self._sizes.slots.get(each, {}).items()) for each in inside)
        key = (
            name,
            self._sizes.first_use(name),
            self._sizes.written(name),
            tuple(inside),
            arguments,
            frozenset(complete.intersection(inside)),
        )
        if key not in known:
            if len(known) >= _STATES:
                known.clear()
            known[key] = work_out()
        return known[key]


_parts = Memory[dict[Hashable, Parts]](300)
_lines = Memory[dict[Hashable, list[Line]]](300)
