"""How a model is recognized that draws samples from latent variables: by two blocks.

One has the single input ``latent``: it is the decoder. The other, which a variational autoencoder
has, reads an Input and has the outputs ``mean`` and ``log_variance``: it is the encoder.
"""

from dataclasses import dataclass

from engine.graph.block import block_of, entry_of
from engine.graph.model import Graph, Node

LATENT = "latent"
MEAN = "mean"
_ENCODED = frozenset({MEAN, "log_variance"})
_INPUT = "Input"


@dataclass(frozen=True, kw_only=True)
class LatentParts:
    """The nodes of a model with latent variables: its ``decoder``, whose output number ``drawn``
    is a sample, its ``encoder``, whose output number ``mean`` is where a sample lies, and the
    ``field`` of the data that is encoded and drawn.
    """

    decoder: Node
    drawn: int
    encoder: Node
    mean: int
    field: str


def latent_parts(graph: Graph) -> LatentParts | None:
    """Return the parts of a model with latent variables; None for any other."""
    sources = {(edge.target, edge.target_port): edge.source for edge in graph.edges}
    decoder = next(
        (node for node in graph.nodes.values() if _inputs(graph, node) == (LATENT,)), None
    )
    if decoder is None or not _outputs(graph, decoder):
        return None
    for encoder in graph.nodes.values():
        inputs, outputs = _inputs(graph, encoder), _outputs(graph, encoder)
        if len(inputs) != 1 or not set(outputs) >= _ENCODED:
            continue
        read = graph.nodes.get(sources.get((encoder.id, inputs[0]), ""))
        if read is not None and read.type == _INPUT:
            field = str(read.params.get("field", ""))
            drawn = _outputs(graph, decoder)
            return LatentParts(
                decoder=decoder,
                drawn=drawn.index(field) if field in drawn else 0,
                encoder=encoder,
                mean=outputs.index(MEAN),
                field=field,
            )
    return None


def _inputs(graph: Graph, node: Node) -> tuple[str, ...]:
    """Return the inputs of a block; none for what is no block."""
    entry = entry_of(graph, node)
    if block_of(graph, node) is None or entry is None:
        return ()
    return tuple(port.name for port in entry.inputs)


def _outputs(graph: Graph, node: Node) -> tuple[str, ...]:
    """Return the outputs of a block; none for what is no block."""
    entry = entry_of(graph, node)
    if block_of(graph, node) is None or entry is None:
        return ()
    return tuple(port.name for port in entry.output_ports(node.params))
