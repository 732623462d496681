"""The document on the canvas: a frozen graph of nodes and edges.

A graph is a value. Nothing here is ever changed in place; ``edits.py`` makes new graphs.
The dictionaries inside frozen structs are never mutated either.
"""

import msgspec

from engine.catalog.spec import Value


class Node(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One layer, operator, input or output.

    ``id`` is stable for the life of the node and never shown; ``name`` is a Python identifier,
    unique in the graph: the attribute in the generated class and the prefix in the state_dict.
    ``type`` is a key of the catalogue; an unknown key makes a placeholder that cannot run.
    ``params`` holds only what differs from the default. ``position`` is in scene units.
    """

    id: str
    type: str
    name: str
    params: dict[str, Value] = {}
    position: tuple[float, float] = (0.0, 0.0)


class Edge(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A wire from an output port to an input port. An input port takes one wire at most."""

    source: str
    source_port: str
    target: str
    target_port: str


class Graph(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes by id, in the order of their making, and the edges between them."""

    nodes: dict[str, Node] = {}
    edges: tuple[Edge, ...] = ()
