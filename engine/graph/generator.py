"""How the generator of a GAN is recognized: by a block that judges what it makes beside data.

The discriminator is a block that stands twice in the model with the same parameters: once it reads
an Input, once what the generator makes, a block whose inputs come from random numbers alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.graph.block import block_of, entry_of
from engine.graph.model import Edge, Graph, Node
from engine.graph.node_state.freezing import weights_owner

_INPUT = "Input"
_RANDOM = frozenset({"randn_like", "rand_like"})
"""Nodes that take from their input its shape alone."""

_Sources = Mapping[str, Sequence[Edge]]


@dataclass(frozen=True, kw_only=True)
class GeneratorParts:
    """The ``generator`` of a GAN, whose output number ``made`` is a sample, and the ``field`` of
    the data that it is like.
    """

    generator: Node
    made: int
    field: str


def generator_parts(graph: Graph) -> GeneratorParts | None:
    """Return the parts of a GAN; None for any other model."""
    sources: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        sources.setdefault(edge.target, []).append(edge)
    uses = [node for node in graph.nodes.values() if block_of(graph, node) is not None]
    reads = {node.id: sources.get(node.id, []) for node in uses}
    for judging in uses:
        if len(reads[judging.id]) != 1:
            continue
        (edge,) = reads[judging.id]
        generator = graph.nodes.get(edge.source)
        if generator not in uses or not _is_of_noise(graph, sources, edge.source):
            continue
        same = [use for use in uses if use != judging and _is_same(graph, use, judging)]
        inputs = [graph.nodes[each.source] for use in same for each in reads[use.id]]
        field = next((str(n.params.get("field", "")) for n in inputs if n.type == _INPUT), "")
        entry = entry_of(graph, generator)
        if field and entry is not None:
            made = [port.name for port in entry.output_ports(generator.params)]
            return GeneratorParts(
                generator=generator, made=made.index(edge.source_port), field=field
            )
    return None


def _is_same(graph: Graph, first: Node, second: Node) -> bool:
    """Return whether two uses of blocks have the same parameters."""
    return weights_owner(graph, first) == weights_owner(graph, second)


def _is_of_noise(graph: Graph, sources: _Sources, node: str) -> bool:
    """Return whether a node computes from random numbers, and from nothing of the data."""
    if graph.nodes[node].type in _RANDOM:
        return True
    before = sources.get(node, ())
    return bool(before) and all(_is_of_noise(graph, sources, each.source) for each in before)
