"""Highlights of the moment: what is selected, hovered, and in reach of a wire being laid."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from widgets.canvas.view_model import WireEnd, WireKey


@dataclass(kw_only=True, slots=True)
class Look:
    """Marks on nodes, ports and wires, read by the painters.

    ``lands`` is set while a wire is in the hand: it says for a port whether the wire may land
    there. ``anchor`` is the fixed end, ``target`` the port the wire has snapped to,
    ``lifted`` the wire that is being plugged elsewhere (not drawn meanwhile), ``opened`` the one
    that a node in the hand would go into.
    """

    hovered_node: str = ""
    hovered_port: WireEnd | None = None
    hovered_wire: WireKey | None = None
    lands: Callable[[WireEnd], bool] | None = None
    anchor: WireEnd | None = None
    target: WireEnd | None = None
    lifted: WireKey | None = None
    opened: WireKey | None = None
    matches: frozenset[str] | None = None  # nodes that fit what is looked for, while one looks
    stops: frozenset[str] = frozenset()  # nodes that a run stops at
    standing: frozenset[str] = frozenset()  # the node that a run stands before
    bars: Mapping[str, tuple[float, str]] = field(default_factory=dict)  # share and figure
    hovered_box: str = ""
    nodes: dict[str, None] = field(default_factory=dict)  # selected, in order
    boxes: dict[str, None] = field(default_factory=dict)  # selected frames and notes, in order
    wires: dict[WireKey, None] = field(default_factory=dict)  # selected, in order
