"""Names of the modules of a model in its ``state_dict``, by the paths of its nodes."""

import re

from engine.graph.block import SEPARATOR, block_of, body
from engine.graph.expand import expand
from engine.graph.model import Graph
from engine.graph.opaque_model import opaque_node

_COPY = re.compile(r"\[(\d+)\]$")


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


def _name(graph: Graph, path: str) -> str:
    names: list[str] = []
    level: Graph = graph
    for part in path.split(SEPARATOR):
        copy = _COPY.search(part)
        node = level.nodes.get(part[: copy.start()] if copy else part)
        if node is None:
            return ""
        names.append(node.name)
        if node.repeat > 1 and not node.tied:
            names.append(copy[1] if copy else "0")
        block = block_of(level, node)
        level = level if block is None else body(level, block)
    return ".".join(names)
