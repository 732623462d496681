"""Batch norms that take their statistics over the batches of all processes: ``SyncBatchNorm``."""

from msgspec.structs import replace

from engine.graph.error import GraphError
from engine.graph.model import Graph, Node

SYNC_NORM = "SyncBatchNorm"
BATCH_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")
"""The layers that normalize by the samples of a batch of one process."""


def synchronized(graph: Graph) -> Graph:
    """Return the graph with a SyncBatchNorm for each batch norm, inside of blocks too, as
    ``torch.nn.SyncBatchNorm.convert_sync_batchnorm`` does it: settings and names of weights stay.

    Raises :class:`GraphError` where there is none.
    """
    blocks = {
        name: replace(block, nodes=_converted(block.nodes)) for name, block in graph.blocks.items()
    }
    converted = replace(graph, nodes=_converted(graph.nodes), blocks=blocks)
    if converted == graph:
        raise GraphError.of("G129")
    return converted


def _converted(nodes: dict[str, Node]) -> dict[str, Node]:
    return {
        key: replace(node, type=SYNC_NORM) if node.type in BATCH_NORMS else node
        for key, node in nodes.items()
    }
