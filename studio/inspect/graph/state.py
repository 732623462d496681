"""State of the Autograd graph page and of the pass that is played, and how they are shown."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from engine.graph.model import Graph
from engine.runs.record.autograd_graph import AutogradGraph
from studio.i18n import translate
from studio.inspect.graph.colour import Colouring
from studio.inspect.graph.presenter import AutogradView, Zoom
from studio.window.page import EmptyView
from widgets.canvas.heat_legend import HeatLegendView
from widgets.canvas.scene import Scene
from widgets.canvas.view_model import CanvasView
from widgets.tables.view_model import TableData


@dataclass(frozen=True, kw_only=True)
class GraphDrawing:
    """A graph as it is drawn: plain, in colours and what these stand for; ``scene`` is how it is
    laid out, where it is another picture than before.
    """

    plain: AutogradView = field(default_factory=AutogradView)
    view: AutogradView = field(default_factory=AutogradView)
    legend: HeatLegendView | None = None
    scene: Scene | None = None
    summary: str = ""


@dataclass(frozen=True, kw_only=True)
class GraphState:
    """What is captured and how it is shown. ``file`` is that of the graph, ``newest`` the one that
    came last, ``artefacts`` the folder of ``captured``; ``is_awaited`` says that the user asked for
    a graph just now, ``is_requested`` that the run which starts is asked for one.
    """

    is_running: bool = False
    is_coming: bool = False
    is_awaited: bool = False
    is_requested: bool = False
    is_live: bool = False
    every_s: int = 2
    rest_s: float = 0.0
    artefacts: Path = Path()
    file: Path = Path()
    newest: Path = Path()
    is_read: bool = False
    steps: tuple[tuple[str, str], ...] = ()
    model: Graph = field(default_factory=Graph)
    captured: AutogradGraph = field(
        default_factory=lambda: AutogradGraph(nodes=(), edges=(), roots=())
    )
    zoom: Zoom = Zoom.LAYERS
    colouring: Colouring = Colouring.NONE
    search: str = ""
    opened: frozenset[str] = frozenset()
    drawing: GraphDrawing = field(default_factory=GraphDrawing)
    details: TableData = field(default_factory=TableData)


@dataclass(frozen=True, kw_only=True)
class PlaybackState:
    """A backward pass of ``count`` calls, of which ``position`` have been made; -1 while none is
    looked at. ``picture`` is the graph at this position, ``queue`` what waits to be called then.
    """

    count: int = 0
    position: int = -1
    is_playing: bool = False
    text: str = ""
    queue: TableData | None = None
    picture: AutogradView | None = None

    @property
    def is_open(self) -> bool:
        """Whether a pass is looked at."""
        return self.position >= 0


@dataclass(frozen=True, kw_only=True)
class GraphView:
    """What the page shows; ``picture`` stands in place of the drawing while a pass is played."""

    empty: EmptyView | None
    can_capture: bool
    rest: str
    steps: tuple[tuple[str, str], ...]
    step: str
    zoom: Zoom
    summary: str
    legend: HeatLegendView | None
    can_colour: bool
    drawing: GraphDrawing
    picture: CanvasView | None
    details: TableData
    queue: TableData | None
    playback: PlaybackState


def present_graph(state: GraphState, playback: PlaybackState) -> GraphView:
    """Return the page; those of the colours of a pass that is played are its own."""
    return GraphView(
        empty=None if state.is_read else _why_empty(state),
        can_capture=state.is_running,
        rest=_rest_text(state),
        steps=state.steps,
        step=str(state.file),
        zoom=state.zoom,
        summary=state.drawing.summary,
        legend=None if playback.is_open else state.drawing.legend,
        can_colour=not playback.is_open,
        drawing=state.drawing,
        picture=playback.picture.canvas if playback.picture is not None else None,
        details=state.details,
        queue=playback.queue,
        playback=playback,
    )


def _rest_text(state: GraphState) -> str:
    """Return how often a live capture comes where the limit of watching puts it off."""
    seconds = state.every_s * math.ceil(state.rest_s / state.every_s)
    if not state.is_live or seconds <= state.every_s:
        return ""
    return translate("Autograd", "currently every {count} s").format(count=seconds)


def _why_empty(state: GraphState) -> EmptyView:
    if state.is_awaited or (state.is_requested and state.is_coming):
        title, action = translate("Autograd", "The next step will be captured"), ""
    elif state.is_running:
        title = translate("Autograd", "No step captured yet")
        action = translate("Autograd", "Capture step")
    else:
        title = translate("Autograd", "No graph yet")
        action = translate("Autograd", "Train and capture step")
    text = translate(
        "Autograd",
        "In each training step, PyTorch builds a graph of Functions from the loss back "
        "to the parameters and runs it backward.",
    )
    if action:
        text += translate("Autograd", " Capture a step to see it.")
    return EmptyView(title, text, action)
