"""View model of the canvas, as frozen values: nodes with ports, the wires between them, and the
entries of the search. Two views are compared and only the difference is painted.
"""

from dataclasses import dataclass

WireKey = tuple[str, str, str, str]
"""Source node, source port, target node, target port: what makes a wire that wire."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PortView:
    """One input or output of a node.

    ``label`` is written beside the port (empty: none); ``detail`` tells shape and dtype in the
    tooltip; ``kind`` is free for the studio and only compared. A required input without a wire is
    drawn hollow and dashed.
    """

    name: str
    label: str = ""
    detail: str = ""
    kind: str = ""
    is_connected: bool = False
    is_required: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeView:
    """One node. ``x``, ``y`` is the upper left corner in scene units (pixels at zoom 1).

    ``category`` chooses the colour and the glyph; ``subtitle`` is the type with its key arguments;
    ``badge`` a short figure at the right: the number of parameters, or what ``badge_detail`` says
    of it in the tooltip; ``lines`` more lines of small text. ``severity`` is ``error``,
    ``warning``, ``hint`` or None; ``problem`` its sentence. ``summary`` says in the tooltip what
    the node does. A pinned node shows a pin, a frozen one a padlock, a bypassed one is faded with
    a dashed line through it, a muted one is faded with a zero at its outputs. ``color`` is the name
    of a mark or heat of the theme that tints the card; of a collapsed node only the title is
    shown, all its ports in one place at each side.
    """

    id: str
    title: str
    subtitle: str = ""
    category: str = ""
    x: float = 0.0
    y: float = 0.0
    inputs: tuple[PortView, ...] = ()
    outputs: tuple[PortView, ...] = ()
    severity: str | None = None
    problem: str = ""
    summary: str = ""
    badge: str = ""
    badge_detail: str = ""
    lines: tuple[str, ...] = ()
    is_pinned: bool = False
    is_bypassed: bool = False
    is_muted: bool = False
    is_frozen: bool = False
    is_recomputed: bool = False
    is_block: bool = False
    color: str = ""
    is_collapsed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class WireView:
    """One wire, from an output to an input. ``label`` is its shape (``N×16×8×8``), drawn where it
    hides no node; ``detail`` its dtype, for the tooltip.
    """

    source: str
    source_port: str
    target: str
    target_port: str
    label: str = ""
    detail: str = ""
    severity: str | None = None

    @property
    def key(self) -> WireKey:
        """Return what names this wire in requests."""
        return (self.source, self.source_port, self.target, self.target_port)


@dataclass(frozen=True, kw_only=True, slots=True)
class BoxView:
    """A frame around nodes or a note beside them. ``text`` is the title of the frame or what the
    note says: plain text, whatever it looks like. ``color`` is the name of a mark of the theme.
    """

    id: str
    is_frame: bool
    text: str = ""
    x: float = 0.0
    y: float = 0.0
    width: float = 200.0
    height: float = 100.0
    color: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class CanvasView:
    """Everything on the canvas. Later nodes lie above earlier ones, all of them above frames and
    notes. ``ties`` are pairs of nodes that use the same weights.
    """

    nodes: tuple[NodeView, ...] = ()
    wires: tuple[WireView, ...] = ()
    boxes: tuple[BoxView, ...] = ()
    ties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class WireEnd:
    """A port of a node, as the end of a wire."""

    node: str
    port: str
    is_output: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """Where the search is to add a node, in the scene, and what to link it to: the wire end in the
    hand (then only what fits is offered), the wire that it goes into, or the node before it; or
    the id of the node in whose place it comes.
    """

    x: float
    y: float
    end: WireEnd | None = None
    wire: WireKey | None = None
    is_strict: bool = True
    replaces: str = ""

    def takes(self, entry: "SearchEntry") -> bool:
        """Return whether an entry can be added here."""
        if self.wire is not None or self.replaces:
            return entry.has_inputs and entry.has_outputs
        if self.end is None or not self.is_strict:
            return True
        return entry.has_inputs if self.end.is_output else entry.has_outputs


@dataclass(frozen=True, kw_only=True, slots=True)
class PhrasePart:
    """One node that a phrase would add (``Conv2d(32, 3)``), or why a part is not understood."""

    text: str
    problem: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class PhraseView:
    """What a typed phrase would add. ``is_phrase`` tells that it is one and no search."""

    parts: tuple[PhrasePart, ...] = ()
    is_phrase: bool = True

    def is_ready(self) -> bool:
        """Return whether all of it is understood and something would be added."""
        return bool(self.parts) and not any(part.problem for part in self.parts)


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchEntry:
    """One thing that the search at the cursor can add. ``key`` is what is asked for; ``category``
    gives picture and colour, ``category_title`` is its name where that is another.
    """

    key: str
    label: str
    category: str = ""
    category_title: str = ""
    summary: str = ""
    aliases: tuple[str, ...] = ()
    has_inputs: bool = True
    has_outputs: bool = True
