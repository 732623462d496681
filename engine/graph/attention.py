"""Which models attend: they have a layer or a function of PyTorch that does."""

from engine.graph.model import Graph

ATTENDING = frozenset(
    {
        "MultiheadAttention",
        "scaled_dot_product_attention",
        *("Transformer", "TransformerEncoder", "TransformerDecoder"),
        *("TransformerEncoderLayer", "TransformerDecoderLayer"),
    }
)
"""Types of nodes with attention weights."""


def attends(graph: Graph) -> bool:
    """Return whether a node of a graph or of one of its blocks has attention weights."""
    nodes = [*graph.nodes.values()]
    for block in graph.blocks.values():
        nodes += block.nodes.values()
    return any(node.type in ATTENDING for node in nodes)
