"""Opaque model: its class is one node of the canvas, as nodes cannot show what is in it."""

from engine.catalog.code.file import read_file
from engine.catalog.spec import EntryGroup
from engine.graph.code import MODEL_FILE, PARTS_FILE, code_key
from engine.graph.model import Graph, Node
from engine.graph.query import INPUT, OUTPUT


def opaque_node(graph: Graph) -> Node | None:
    """Return the node that the class of the model's text is, with no name before those of its
    weights; nothing where nodes show what is in the class, or anything stands beside it.
    """
    text = graph.code.get(MODEL_FILE)
    inner = [node for node in graph.nodes.values() if node.type not in (INPUT, OUTPUT)]
    if text is None or len(inner) != 1:
        return None
    node = inner[0]
    offers = read_file(MODEL_FILE, text).nodes.items()
    layers = [name for name, entry in offers if entry.group is EntryGroup.LAYER]
    is_it = bool(layers) and node.type == code_key(PARTS_FILE, layers[-1])
    is_plain = not (node.params or node.init or node.frozen or node.bypassed or node.muted)
    return node if is_it and is_plain and node.repeat == 1 else None
