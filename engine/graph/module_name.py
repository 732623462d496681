"""Names of the modules of a model in its ``state_dict`` by the paths of its nodes, and back."""

import re
from typing import NamedTuple

from engine.graph.block import SEPARATOR, block_of, body
from engine.graph.expand import copy_mark, expand
from engine.graph.model import Graph
from engine.graph.node_state.freezing import weights_owner
from engine.graph.opaque_model import opaque_node

_COPY = re.compile(r"\[(\d+)\]$")
_TENSORS = ("Parameter", "Buffer")


def module_names(graph: Graph) -> dict[str, str]:
    """Return the name of the module of each flat node: ``layer1.0.conv1``. A node that calls the
    module of another one has that one's name.
    """
    if opaque_node(graph) is not None:
        return {}
    flat = expand(graph)
    names: dict[str, str] = {}
    for path in flat.graph.nodes:
        name = _name(graph, flat.tied.get(path, path))
        if name:
            names[path] = name
    return names


def module_name(graph: Graph, path: str) -> str:
    """Return the name of the module of a node: that of its owner where it is shared, that of the
    first copy where there are several and the path names none; empty for the model itself.
    """
    return "" if opaque_node(graph) is not None else _name(graph, path)


def _name(graph: Graph, path: str) -> str:
    names: list[str] = []
    level: Graph | None = graph
    for part in path.split(SEPARATOR):
        copy = _COPY.search(part)
        node_id = part[: copy.start()] if copy else part
        node = None if level is None else level.nodes.get(node_id)
        if level is None or node is None:
            return ""
        node = weights_owner(level, node)
        names.append(node.name)
        if node.repeat > 1 and not node.tied:
            names.append(copy[1] if copy else "0")
        block = block_of(level, node)
        level = None if block is None else body(level, block)
    return ".".join(names)


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
