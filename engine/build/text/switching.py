"""Switches that a text calls by key: ``self.choice["small"](x)`` is the use of a switch that the
canvas has, with that branch computing.
"""

from typing import NamedTuple

from msgspec.structs import replace

from engine.build.text.settle import Resolved, node_params
from engine.build.text.value import Made
from engine.graph.block import BLOCK_INPUT, BLOCK_OUTPUT, PREFIX, SEPARATOR, block_of, body
from engine.graph.model import Block, Edge, Graph, Node
from engine.graph.query import input_ports, output_ports
from engine.graph.switch import switch_of


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


def chosen(
    hint: Graph, made: Made, resolved: Resolved, prefix: str, *, is_leading: bool
) -> Chosen | None:
    """Return which switch of a level a layer of the text is a branch of; nothing for any other.

    Where the text leads it may have chosen another branch, or changed its settings; else only what
    is as on the canvas is found: the rest is written anew. What is inside a branch that is a block
    is not looked at.
    """
    name, _, key = made.attribute.partition(".")
    use = next((node for node in hint.nodes.values() if key and node.name == name), None)
    block = None if use is None else block_of(hint, use)
    switch = None if block is None else switch_of(hint, block)
    if use is None or block is None or switch is None:
        return None
    branch = next((node for node in switch.branches if node.name == key), None)
    if branch is None or bool(made.inside) is not branch.type.startswith(PREFIX):
        return None
    path = f"{prefix}{use.id}{SEPARATOR}{branch.id}"
    said = _as_said(branch, made, dict(resolved.get(path, {})))
    found = block if said == switch.active else _with_branch(body(hint, block), block, said)
    return Chosen(use, found) if is_leading or found == block else None


def _as_said(branch: Node, made: Made, sizes: dict[str, int]) -> Node:
    """Return a branch that is a layer with the settings of the text."""
    if made.inside:
        return branch
    params = node_params(made, made.type, branch, [sizes])
    return replace(branch, type=made.type, params=params)


def _with_branch(inside: Graph, block: Block, branch: Node) -> Block:
    """Return a switch with a branch in the place of the one of that id, computing."""
    end = next(node.id for node in block.nodes.values() if node.type == BLOCK_OUTPUT)
    starts = [node.id for node in block.nodes.values() if node.type == BLOCK_INPUT]
    inside = replace(inside, nodes={**inside.nodes, branch.id: branch})
    ports = [port.name for port in input_ports(inside, branch)]
    wires = [
        Edge(source=start, source_port="output", target=branch.id, target_port=port)
        for start, port in zip(starts, ports, strict=False)
    ]
    output = output_ports(inside, branch)[0].name
    edges: list[Edge] = []
    for edge in block.edges:
        if edge.target == end:
            edges.append(replace(edge, source=branch.id, source_port=output))
        elif edge.target != branch.id or edge in wires:
            edges.append(edge)
    edges += [wire for wire in wires if wire not in edges]
    return replace(block, nodes=inside.nodes, edges=tuple(edges))
