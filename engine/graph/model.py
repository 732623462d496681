"""Document on the canvas: a frozen graph of nodes and edges.

A graph is a value. Nothing here is ever changed in place; ``edits.py`` makes new graphs.
The dictionaries inside frozen structs are never mutated either.
"""

from enum import StrEnum

import msgspec

from engine.catalog.spec import Value


class Initial(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a parameter of a layer begins: an initialiser of the catalogue and what it is told."""

    type: str
    params: dict[str, Value] = {}


class Node(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One layer, operator, input or output.

    ``id`` is stable for the life of the node and never shown; ``name`` is a Python identifier,
    unique in the graph: the attribute in the generated class and the prefix in the state_dict.
    ``type`` is a key of the catalogue; an unknown key makes a placeholder that cannot run.
    ``params`` holds only what differs from the default. ``position`` is in scene units; a
    ``pinned`` node keeps it when the graph is laid out anew.

    ``repeat`` copies follow one another, what comes out of one going into the next; each has its
    own weights, or all have the same ones where they are ``tied``. ``shares`` is the id of a node
    beside it whose module is called a second time here; its parameters are those of that node.
    A ``bypassed`` node is skipped: what arrives goes on to where its output goes; from a ``muted``
    one zeros go on. ``init`` holds by name of a parameter (``weight``) how it begins, where that is
    not as PyTorch has it.
    ``color`` is the name of one; of a ``collapsed`` node only the title is shown. The parameters
    of a ``frozen`` node, and of all inside a frozen use of a block, are not trained. With
    ``recompute`` the activations of a node are not kept but computed again in the backward pass.
    """

    id: str
    type: str
    name: str
    params: dict[str, Value] = {}
    position: tuple[float, float] = (0.0, 0.0)
    pinned: bool = False
    repeat: int = 1
    tied: bool = False
    shares: str = ""
    bypassed: bool = False
    muted: bool = False
    color: str = ""
    collapsed: bool = False
    init: dict[str, Initial] = {}
    frozen: bool = False
    recompute: bool = False


class AnnotationKind(StrEnum):
    """What stands on the canvas beside the nodes."""

    FRAME = "frame"  # a rectangle with a title; what lies in it moves with it
    NOTE = "note"  # a text


class Annotation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A frame around nodes or a note beside them; it says nothing about what is computed.

    ``id`` is the kind, a dot and a number (``frame.2``): no node can have it. ``text`` is the title
    of the frame, or the note: plain text, shown as it is. ``position`` and ``size`` are in scene
    units; ``color`` is the name of one, empty for the plain look.
    """

    id: str
    kind: AnnotationKind
    text: str = ""
    position: tuple[float, float] = (0.0, 0.0)
    size: tuple[float, float] = (200.0, 100.0)
    color: str = ""


class Edge(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A wire from an output port to an input port. An input port takes one wire at most."""

    source: str
    source_port: str
    target: str
    target_port: str


class BlockStyle(StrEnum):
    """How the generated code writes a block."""

    CLASS = "class"  # as a class of its own, named like the block
    SEQUENTIAL = "sequential"  # as nn.Sequential where it is used; for chains of layers
    SWITCH = "switch"  # as nn.ModuleDict where it is used; one branch of several computes


class Block(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a model made once and used as often as wanted, each use with its own weights.

    Its nodes of type ``BlockInput`` and ``BlockOutput`` are its ports, in their order. ``note`` is
    what its maker says about it. A block that is ``kept`` stays in the library of the project
    though nothing uses it.
    """

    nodes: dict[str, Node] = {}
    edges: tuple[Edge, ...] = ()
    style: BlockStyle = BlockStyle.CLASS
    note: str = ""
    kept: bool = False
    annotations: dict[str, Annotation] = {}


class Graph(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes by id, in the order of their making, and the edges between them.

    ``blocks`` are the blocks that nodes of the type ``block.NAME`` are uses of, by name; blocks
    may use other blocks. The inside of a block is looked at as a graph too; then ``style`` is how
    the block is written. ``code`` is what the user wrote, by name of the file (``layers.py``);
    nodes of the type ``code.layers.Norm`` are made from it. ``annotations`` are frames and notes by
    id, lower ones first.
    """

    nodes: dict[str, Node] = {}
    edges: tuple[Edge, ...] = ()
    blocks: dict[str, Block] = {}
    style: BlockStyle = BlockStyle.CLASS
    code: dict[str, str] = {}
    annotations: dict[str, Annotation] = {}
