"""How a diffusion model is recognized: by a block that adds noise, and one that tells what it was.

The first has the inputs ``clean``, ``noise`` and ``time``; the second the inputs ``noised``, which
the first one's output goes to, and ``time``, and the output ``noise``.
"""

from dataclasses import dataclass

from engine.graph.block import block_of, entry_of
from engine.graph.model import Graph, Node

_NOISING = frozenset({"clean", "noise", "time"})
_DENOISING = frozenset({"noised", "time"})
_INPUT = "Input"


@dataclass(frozen=True, kw_only=True)
class DiffusionParts:
    """The nodes of a diffusion model: what adds noise, what tells it, and the ``field`` of the data
    that noise is added to, so that samples of it can be made.
    """

    noising: Node
    denoiser: Node
    field: str


def diffusion_parts(graph: Graph) -> DiffusionParts | None:
    """Return the parts of a diffusion model; None for any other."""
    sources = {(edge.target, edge.target_port): edge.source for edge in graph.edges}
    for node in graph.nodes.values():
        if not _is_like(graph, node, _DENOISING, "noise"):
            continue
        noising = graph.nodes.get(sources.get((node.id, "noised"), ""))
        if noising is None or not _is_like(graph, noising, _NOISING, ""):
            continue
        clean = graph.nodes.get(sources.get((noising.id, "clean"), ""))
        if clean is not None and clean.type == _INPUT:
            return DiffusionParts(
                noising=noising, denoiser=node, field=str(clean.params.get("field", ""))
            )
    return None


def _is_like(graph: Graph, node: Node, inputs: frozenset[str], output: str) -> bool:
    """Return whether a node is a block with these inputs and one output of that name, or any."""
    entry = entry_of(graph, node)
    if block_of(graph, node) is None or entry is None:
        return False
    outputs = [port.name for port in entry.output_ports(node.params)]
    is_like = frozenset(port.name for port in entry.inputs) == inputs
    return is_like and len(outputs) == 1 and output in ("", outputs[0])
