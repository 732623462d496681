"""Switches that a text calls by key: ``self.choice["small"](x)`` is the use of a switch with that
branch computing.
"""

from typing import NamedTuple

from engine.graph.block import BLOCK_INPUT, BLOCK_OUTPUT
from engine.graph.model import Block, Node
from engine.reader.interpreter.value import Made


class Chosen(NamedTuple):
    """The use of a switch, and its block as the text has it."""

    use: Node
    block: Block

    def inputs(self, made: Made) -> dict[str, str]:
        """Return the input of the use for each input of what was called."""
        starts = [node.id for node in self.block.nodes.values() if node.type == BLOCK_INPUT]
        ports = [one.attribute for one in made.inside[0].inputs] if made.inside else [*made.wires]
        return dict(zip(ports, starts, strict=False))

    def output(self) -> str:
        """Return the output of the use."""
        return next(n.id for n in self.block.nodes.values() if n.type == BLOCK_OUTPUT)
