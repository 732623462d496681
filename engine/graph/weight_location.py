"""Location of the weights of a ``state_dict`` among the nodes."""

from typing import NamedTuple

from engine.graph.block import SEPARATOR, block_of, body
from engine.graph.expand import copy_mark
from engine.graph.model import Graph

_TENSORS = ("Parameter", "Buffer")


class WeightLocation(NamedTuple):
    """The path of a flat node and the name that a weight has in it; empty where the node is the
    weight itself.
    """

    path: str
    weight: str


def weight_location(level: Graph, name: str, above: str = "") -> WeightLocation | None:
    """Return where the weight ``layer1.0.conv1.weight`` of a level is; nothing where there is none.

    ``above`` is the path of the level with a separator behind.
    """
    for node in level.nodes.values():
        rest = name.removeprefix(f"{node.name}.")
        if node.shares or (rest == name and name != node.name):
            continue
        path = f"{above}{node.id}"
        if rest == name:
            return WeightLocation(path, "") if node.type in _TENSORS else None
        if node.repeat > 1 and not node.tied:
            number, _, rest = rest.partition(".")
            path += copy_mark(int(number)) if number.isdigit() else ""
        block = block_of(level, node)
        if block is None:
            return WeightLocation(path, rest)
        return weight_location(body(level, block), rest, f"{path}{SEPARATOR}")
    return None
