"""Autograd graph of the run that is followed: asked for, read and shown beside the canvas."""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from engine.events import CaptureGraph
from engine.graph.block import SEPARATOR, node_at
from engine.graph.model import Graph
from engine.runs.record.autograd_graph import AutogradGraph
from engine.runs.record.graph_files import graph_files, read_graph, step_of
from studio.i18n import translate
from studio.inspect.graph.backward_controller import BackwardController
from studio.inspect.graph.breakpoint import AutogradBreakpoints
from studio.inspect.graph.colour import coloured
from studio.inspect.graph.details import link_of, present_details
from studio.inspect.graph.export import export_graph
from studio.inspect.graph.page import GraphPage
from studio.inspect.graph.presenter import (
    AutogradView,
    Zoom,
    find_nodes,
    group_of,
    part_of_cut,
    place_of_cut,
    places_of_functions,
    present_autograd,
    present_summary,
)
from studio.process.thread_handover import ThreadHandover
from studio.run_control.controller import RunController
from studio.run_control.debugging import Debugging
from studio.session.session import Session
from studio.window.notifications import Notifications
from studio.window.page import EmptyView
from widgets.canvas.canvas import Canvas
from widgets.canvas.heat_legend import HeatLegendView
from widgets.canvas.scene import Scene
from widgets.canvas.view_model import CanvasView

_READABLE = 0.75  # zoom at which names can be read
_FEW = 80  # Functions that are shown one by one at first

_Drawn = tuple[AutogradView, AutogradView, HeatLegendView | None, Scene | None]
"""The picture as it is, in the chosen colours, what these stand for, and how it lies if anew."""


class AutogradController(QObject):
    """Glue between the Inspect workspace and the run. Files are read and laid out off Qt's thread;
    ``show_node`` shows a node of the model, by the path of its level and its id.
    """

    def __init__(
        self,
        *,
        session: Session,
        page: GraphPage,
        runs: RunController,
        border: ThreadHandover,
        messenger: Notifications,
        go_to: Callable[[str], object],
        canvas: Canvas,
        show_node: Callable[[str], object],
        debugging: Debugging,
    ) -> None:
        super().__init__(page)
        self._session = session
        self._page = page
        self._runs = runs
        self._border = border.of(self)
        self._messenger = messenger
        self._go_to = go_to
        self._canvas = canvas
        self._show_node = show_node
        self._is_following = False  # a selection on the other side
        self._artefacts = Path()  # of the run whose graph is shown
        self._file = self._newest = Path()
        self._captured = AutogradGraph(nodes=(), edges=(), roots=())
        self._model = Graph()
        self._view = AutogradView()
        self._opened: frozenset[str] = frozenset()
        self._is_asked = False
        self._is_awaited = False  # a graph that the user asked for just now
        self._playback = BackwardController(page=page, border=border, show_call=self._show_call)
        self._points = AutogradBreakpoints(page.graph, debugging)
        self._timer = QTimer(self, interval=page.chosen.every_s * 1000)
        self._timer.timeout.connect(self._ask_live)
        self._connect(page)
        session.run_changed.connect(self._on_run_changed)
        canvas.selection_changed.connect(self._on_canvas_selected)
        self._on_run_changed()

    def _connect(self, page: GraphPage) -> None:
        page.capture_requested.connect(self.capture)
        page.start_requested.connect(self._begin)
        page.live_changed.connect(self._on_live)
        page.zoom_changed.connect(lambda _: self._draw(fits=True))
        page.colour_changed.connect(self._draw)
        page.playback.closed.connect(self._on_run_changed)
        page.every_changed.connect(self._on_every)
        page.export_requested.connect(self._export)
        page.details.row_activated.connect(self._on_link)
        page.queue.row_activated.connect(self._show_function)
        page.step_chosen.connect(lambda file: self._read(Path(file)))
        page.search_changed.connect(self._on_search)
        page.search_entered.connect(self._on_search_next)
        page.graph.selection_changed.connect(self._on_selected)
        page.graph.node_activated.connect(self._on_activated)

    def capture(self) -> None:
        """Ask the run for the graph of its next step; a run that waits takes one step for it."""
        self._is_awaited = self._runs.look(CaptureGraph())

    def _begin(self) -> None:
        if self._runs.is_running:
            self.capture()
            self._tell_empty()
            return
        self._is_asked = True
        self._runs.start()
        self._go_to("inspect")

    def _on_live(self, is_on: bool) -> None:
        if is_on:
            self._ask_live()
            self._timer.start()
        else:
            self._timer.stop()
        self._show_rest()

    def _on_every(self, seconds: int) -> None:
        self._timer.setInterval(seconds * 1000)
        self._show_rest()

    def _show_rest(self) -> None:
        update = self._session.run
        if update is None or not self._runs.is_running:
            self._page.set_rest(0.0)
        else:
            self._page.set_rest(update.state.graph_rest_s)

    def _ask_live(self) -> None:
        is_going = self._runs.is_running and not self._runs.is_paused
        if is_going and self._page.isVisible() and not self._playback.is_open:
            self._runs.look(CaptureGraph(live=True))

    def _on_run_changed(self) -> None:
        update = self._session.run
        is_running = self._runs.is_running
        self._page.set_running(is_running=is_running)
        self._show_rest()
        if update is None:
            self._tell_empty()
            return
        if is_running and self._is_asked:  # its worker finds the wish when it begins
            self._is_asked = False
            self.capture()
        told = update.state.graph
        if told is None:
            self._tell_empty()
        elif self._newest != update.folder.artefacts / told.file:
            self._on_newest(update.folder.artefacts / told.file)

    def _on_newest(self, file: Path) -> None:
        """Show the graph that came last; while a backward pass of the run is played only where the
        user asked for it.
        """
        is_same_run = file.parents[1] == self._artefacts
        if self._playback.is_open and is_same_run and not self._is_awaited:
            return
        self._is_awaited = False
        self._newest = file
        self._read(file)

    def _tell_empty(self) -> None:
        self._file = self._newest = Path()
        self._playback.end()
        self._is_awaited &= self._runs.is_running
        is_coming = self._is_asked and (self._runs.is_waiting or self._runs.is_starting)
        if self._is_awaited or is_coming:
            title = translate("Autograd", "The next step will be captured")
            action = ""
        elif self._runs.is_running:
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
        self._page.set_empty(EmptyView(title, text, action))

    def _read(self, file: Path) -> None:
        update = self._session.run
        if update is None:
            return
        self._file = file
        self._model = update.folder.document.graph
        self._border.run(
            lambda: read_graph(file),
            lambda future: self._on_read(file, future.result()),
            self._messenger.report,
            is_wanted=lambda: file == self._file,
        )

    def _on_read(self, file: Path, captured: AutogradGraph) -> None:
        self._captured = captured
        is_first = not self._view.members
        before, self._artefacts = self._artefacts, file.parents[1]
        steps = tuple(
            (translate("Autograd", "Step {step}").format(step=f"{step_of(path):,}"), str(path))
            for path in reversed(graph_files(file.parents[1]))
        )
        self._page.set_empty(None)
        self._page.set_steps(steps, str(file))
        if is_first:
            few = len(self._captured.nodes) <= _FEW
            self._page.set_zoom(Zoom.FUNCTIONS if few else Zoom.LAYERS)
            self._on_selected(())
        self._draw(fits=before != self._artefacts)  # another run may have another model

    def _draw(self, *, fits: bool = False) -> None:
        chosen = self._page.chosen
        captured, model, opened = self._captured, self._model, self._opened
        size = self._page.graph.size()
        room = size.width() / _READABLE, size.height() / _READABLE
        shown = self._view.canvas

        def draw() -> _Drawn:
            plain = present_autograd(captured, model, chosen.zoom, opened, room)
            view, legend = coloured(plain, captured, chosen.colouring)
            is_alike = _lie_alike(view.canvas, shown)
            return plain, view, legend, None if is_alike else Scene.of(view.canvas)

        self._border.run(
            draw,
            lambda future: self._on_drawn(future, captured, fits=fits),
            is_wanted=lambda: captured is self._captured,
        )

    def _on_drawn(self, future: "Future[_Drawn]", captured: AutogradGraph, *, fits: bool) -> None:
        plain, self._view, legend, scene = future.result()
        self._page.show_graph(self._view, present_summary(captured), legend, scene)
        self._playback.set_graph(captured, plain, self._view, legend)
        self._points.set_graph(captured, self._view)
        if fits:
            self._page.graph.fit()
        self._on_search(self._page.chosen.search)
        self._on_canvas_selected()

    def _export(self) -> None:
        title = translate("Autograd", "Export autograd graph")
        name = f"autograd-{step_of(self._file)}"
        export_graph(self._page.graph, self._captured, title, name, self._messenger)

    def _on_link(self, row: str) -> None:
        if link := link_of(row):
            self._show_function(link)

    def _show_function(self, function: str) -> None:
        """Choose a Function, or the group that it is shown in, and tell of it alone."""
        key = next((k for k, inside in self._view.members.items() if function in inside), "")
        if key:
            self._page.graph.show_node(key)
            self._page.show_details(present_details(self._captured, [function], self._model))

    def _show_call(self, function: str) -> None:
        """Choose the Function that ran last while a backward pass is played."""
        key = next((k for k, inside in self._view.members.items() if function in inside), "")
        if key:
            self._follow(lambda: self._page.graph.select((key,)))
            self._page.graph.reveal(key)
            self._page.show_details(present_details(self._captured, [function], self._model))

    def _on_selected(self, ids: tuple[str, ...]) -> None:
        members = [each for key in ids for each in self._view.members.get(key, ())]
        only = ids[0] if len(ids) == 1 else ""
        cut, part = place_of_cut(only, self._captured), part_of_cut(only, self._captured)
        self._page.show_details(present_details(self._captured, members, self._model, cut, part))
        places = places_of_functions(self._captured)
        found = {places[each] for each in members if places.get(each)} | ({cut} if cut else set())
        if len(found) == 1 and not self._is_following:
            place = next(iter(found))
            if node_at(self._session.graph, place) is not None:
                self._follow(lambda: self._show_node(place))

    def _on_activated(self, key: str) -> None:
        """Open a group, or close the one that a Function is of."""
        if key in self._opened:
            return
        members = self._view.members.get(key, ())
        if len(members) > 1:
            self._opened |= {key}
        else:
            places = places_of_functions(self._captured)
            zoom = self._page.chosen.zoom
            self._opened -= {group_of(places.get(each, ""), zoom) for each in members}
        self._draw()

    def _on_search(self, text: str) -> None:
        self._page.graph.mark_found(
            find_nodes(self._view, self._captured, self._model, text) if text.strip() else None
        )

    def _on_search_next(self) -> None:
        found = find_nodes(self._view, self._captured, self._model, self._page.chosen.search)
        chosen = self._page.graph.selected_nodes()
        if found:
            index = found.index(chosen[-1]) + 1 if chosen and chosen[-1] in found else 0
            self._page.graph.show_node(found[index % len(found)])

    def _on_canvas_selected(self) -> None:
        """Show what the nodes chosen on the canvas became."""
        chosen = self._canvas.selected_nodes()
        if len(chosen) != 1 or not self._view.members or self._is_following:
            return
        place = SEPARATOR.join((*self._session.path, chosen[0]))
        places = places_of_functions(self._captured)
        keys = [
            key
            for key, members in self._view.members.items()
            if any(_is_inside(places.get(each, ""), place) for each in members)
        ]
        if keys and not set(keys) & set(self._page.graph.selected_nodes()):
            self._follow(lambda: self._page.graph.select(tuple(keys)))
            self._page.graph.reveal(keys[0])

    def _follow(self, select: Callable[[], object]) -> None:
        """Select on the other side, which shall not select here in turn."""
        self._is_following = True
        try:
            select()
        finally:
            self._is_following = False


def _lie_alike(view: CanvasView, other: CanvasView) -> bool:
    """Return whether two pictures differ at most in colours and texts."""
    places = [[(node.id, node.x, node.y) for node in each.nodes] for each in (view, other)]
    wires = [[wire.key for wire in each.wires] for each in (view, other)]
    return places[0] == places[1] and wires[0] == wires[1]


def _is_inside(place: str, outer: str) -> bool:
    return place == outer or place.startswith(outer + SEPARATOR)
