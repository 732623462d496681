"""A whole model as a part of another: one node that is the use of a block."""

from msgspec.structs import replace

from engine.graph.block import PREFIX
from engine.graph.edit.edits import InsertFragment
from engine.graph.insert.fragment import fitted
from engine.graph.model import Block, Graph, Node
from engine.graph.naming import free_name

_BELOW = 200.0  # between the lowest node and the new one


def embed(graph: Graph, part: Graph, block: str, name: str) -> tuple[InsertFragment, str]:
    """Return the edit that puts a model into the one on the canvas as a block, below what is there,
    and the name of its node: that comes before the names of its weights.

    ``block`` is the class name wanted for it, ``name`` that of the node. Names that end in a digit
    are not counted on where they are taken: the second resnet18 is no resnet19.
    """
    inside = fitted(part, is_inside=True)
    if block[-1:].isdigit():
        block = f"{block}Net"
    new_name = free_name(block, part.blocks)
    blocks = {**part.blocks, new_name: Block(nodes=inside.nodes, edges=inside.edges)}
    taken = {node.name for node in graph.nodes.values()}
    free = name if name not in taken else free_name(f"{name}_2", taken)
    use = Node(id=free, type=PREFIX + new_name, name=free, position=_free_place(graph))
    fragment = replace(part, nodes={use.id: use}, edges=(), blocks=blocks)
    return InsertFragment(fragment=fragment), free


def _free_place(graph: Graph) -> tuple[float, float]:
    positions = [node.position for node in graph.nodes.values()]
    if not positions:
        return (0.0, 0.0)
    return min(x for x, _ in positions), max(y for _, y in positions) + _BELOW
