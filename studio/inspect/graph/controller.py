"""Autograd graph of the run that is followed: asked for, read and shown beside the canvas."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QTimer
from typing_extensions import override

from engine.diagnostics import Diagnostic
from engine.events import CaptureGraph
from engine.graph.block import SEPARATOR, node_at
from engine.runs.record.autograd_graph import AutogradGraph, CutPart
from engine.runs.record.graph_files import graph_files, read_graph, step_of
from studio.i18n import translate
from studio.inspect.graph.backward_controller import BackwardController
from studio.inspect.graph.breakpoint import AutogradBreakpoints
from studio.inspect.graph.colour import Colouring, coloured
from studio.inspect.graph.details import link_of, present_details
from studio.inspect.graph.export import export_graph
from studio.inspect.graph.page import GraphPage
from studio.inspect.graph.presenter import (
    AutogradView,
    Zoom,
    find_nodes,
    group_of,
    node_paths,
    part_of_cut,
    place_of_cut,
    present_autograd,
    present_summary,
)
from studio.inspect.graph.state import GraphDrawing, GraphState, present_graph
from studio.services import PageController, Services
from studio.view.phase import of_phase
from widgets.canvas.canvas import Canvas
from widgets.canvas.scene import Scene
from widgets.canvas.view_model import CanvasView

_READABLE = 0.75  # zoom at which names can be read
_FEW = 80  # Functions that are shown one by one at first


class AutogradController(PageController[GraphPage, GraphState]):
    """Glue between the Inspect workspace and the run. Files are read and laid out off Qt's thread;
    ``show_node`` shows a node of the model, by the path of its level and its id.
    """

    def __init__(
        self,
        services: Services,
        page: GraphPage,
        *,
        canvas: Canvas,
        show_node: Callable[[str], object],
    ) -> None:
        super().__init__(services, page, GraphState())
        self._canvas = canvas
        self._show_node = show_node
        self._is_following = False  # a selection on the other side
        self._playback = BackwardController(services, page, self._present, self._show_call)
        self._points = AutogradBreakpoints(page.graph, services.debugging)
        self._timer = QTimer(self, interval=self._state.every_s * 1000)
        self._timer.timeout.connect(self._ask_live)
        self._connect(page)
        self._session.run_changed.connect(self._on_run_changed)
        canvas.selection_changed.connect(self._on_canvas_selected)
        self._present()
        self._on_run_changed()

    def _connect(self, page: GraphPage) -> None:
        page.capture_requested.connect(self.capture)
        page.start_requested.connect(self._begin)
        page.live_changed.connect(self._on_live)
        page.zoom_changed.connect(lambda key: self._draw(fits=True, zoom=Zoom(key)))
        page.colour_changed.connect(lambda key: self._draw(colouring=Colouring(key)))
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

    @override
    def _present(self) -> None:
        self._page.set_view(present_graph(self._state, self._playback.state))

    @property
    def _view(self) -> AutogradView:
        return self._state.drawing.view

    def capture(self) -> None:
        """Ask the run for the graph of its next step; a run that waits takes one step for it."""
        self._update(is_awaited=self._runs.look(CaptureGraph()))

    def _begin(self) -> None:
        if self._runs.is_running:
            self.capture()
            self._forget()
            return
        self._update(is_requested=True)
        self._inspect_run()

    def _on_live(self, is_on: bool) -> None:
        if is_on:
            self._ask_live()
            self._timer.start()
        else:
            self._timer.stop()
        self._change(is_live=is_on)

    def _on_every(self, seconds: int) -> None:
        self._timer.setInterval(seconds * 1000)
        self._change(every_s=seconds)

    def _ask_live(self) -> None:
        is_going = self._runs.is_running and not self._runs.is_paused
        if is_going and self._page.isVisible() and not self._playback.state.is_open:
            self._runs.look(CaptureGraph(live=True))

    def _on_run_changed(self) -> None:
        update, is_running = self._session.run, self._runs.is_running
        rest_s = update.state.graph_rest_s if update is not None and is_running else 0.0
        is_requested = self._state.is_requested
        is_begun = update is not None and is_running and is_requested
        self._update(
            is_running=is_running, rest_s=rest_s, is_requested=is_requested and not is_begun
        )
        if is_begun:
            self.capture()  # its worker finds the wish when it begins
        newest = update.state.graph if update is not None else None
        if update is None or newest is None:
            self._forget()
        elif self._state.newest != update.folder.artefacts / newest.file:
            self._on_newest(update.folder.artefacts / newest.file)

    def _on_newest(self, file: Path) -> None:
        """Show the graph that came last; while a backward pass of the run is played only where the
        user asked for it.
        """
        is_same_run = file.parents[1] == self._state.artefacts
        if self._playback.state.is_open and is_same_run and not self._state.is_awaited:
            return
        self._take(is_awaited=False, newest=file)
        self._read(file)

    def _forget(self) -> None:
        """Show no graph: there is none of this run yet."""
        self._playback.end()
        self._update(
            file=Path(),
            newest=Path(),
            is_read=False,
            is_awaited=self._state.is_awaited and self._runs.is_running,
            is_coming=self._runs.is_waiting or self._runs.is_starting,
        )

    def _read(self, file: Path) -> None:
        update = self._session.run
        if update is None:
            return
        self._take(file=file, model=update.folder.document.graph)
        self._handover.run(
            lambda: read_graph(file),
            lambda future: self._on_read(file, future.result()),
            self._on_unread,
            is_wanted=lambda: file == self._state.file,
        )

    def _on_unread(self, problems: tuple[Diagnostic, ...]) -> None:
        """Say why a graph cannot be read, and offer what can be done without it."""
        self._notifications.report(problems)
        self._present()

    def _step_title(self, step: int) -> str:
        title = translate("Autograd", "Step {step}").format(step=f"{step:,}")
        update = self._session.run
        return title if update is None else of_phase(title, update, step)

    def _on_read(self, file: Path, captured: AutogradGraph) -> None:
        state = self._state
        is_other_run = state.artefacts != file.parents[1]  # it may have another model
        steps = tuple(
            (str(path), self._step_title(step_of(path)))
            for path in reversed(graph_files(file.parents[1]))
        )
        state = replace(
            state, captured=captured, artefacts=file.parents[1], steps=steps, is_read=True
        )
        if not self._view.members:
            few = len(captured.nodes) <= _FEW
            state = replace(
                state,
                zoom=Zoom.FUNCTIONS if few else Zoom.LAYERS,
                details=present_details(captured, [], state.model),
            )
        self._set(state)
        self._draw(fits=is_other_run)

    def _draw(self, *, fits: bool = False, **changes: object) -> None:
        """Draw the graph, in another way where there are changes."""
        self._take(**changes)
        state, captured = self._state, self._state.captured
        size = self._page.graph.size()
        room = size.width() / _READABLE, size.height() / _READABLE

        def draw() -> GraphDrawing:
            plain = present_autograd(captured, state.model, state.zoom, state.opened, room)
            view, legend = coloured(plain, captured, state.colouring)
            is_alike = _lie_alike(view.canvas, state.drawing.view.canvas)
            scene = None if is_alike else Scene.of(view.canvas)
            summary = present_summary(captured)
            return GraphDrawing(plain=plain, view=view, legend=legend, scene=scene, summary=summary)

        self._handover.run(
            draw,
            lambda future: self._on_drawn(future.result(), captured, fits=fits),
            is_wanted=lambda: captured is self._state.captured,
        )

    def _on_drawn(self, drawing: GraphDrawing, captured: AutogradGraph, *, fits: bool) -> None:
        self._take(drawing=drawing)
        self._playback.set_graph(captured, drawing.plain)
        self._points.set_graph(captured, drawing.view)
        if fits:
            self._page.graph.fit()
        self._on_search(self._state.search)
        self._on_canvas_selected()

    def _export(self) -> None:
        title = translate("Autograd", "Export autograd graph")
        name = f"autograd-{step_of(self._state.file)}"
        export_graph(self._page.graph, self._state.captured, title, name, self._notifications)

    def _on_link(self, row: str) -> None:
        if link := link_of(row):
            self._show_function(link)

    def _show_function(self, function: str) -> None:
        """Choose a Function, or the group that it is shown in, and tell of it alone."""
        if key := self._key_of(function):
            self._page.graph.show_node(key)
            self._show_details([function])

    def _show_call(self, function: str) -> None:
        """Choose the Function that ran last while a backward pass is played."""
        if key := self._key_of(function):
            self._follow(lambda: self._page.graph.select((key,)))
            self._page.graph.reveal(key)
            self._show_details([function])

    def _key_of(self, function: str) -> str:
        """Return the node of the picture that a Function is shown in; empty for none."""
        members = self._view.members
        return next((key for key, inside in members.items() if function in inside), "")

    def _show_details(
        self, functions: Sequence[str], cut: str = "", part: CutPart | None = None
    ) -> None:
        state = self._state
        details = present_details(state.captured, functions, state.model, cut, part)
        self._change(details=details)

    def _on_selected(self, ids: tuple[str, ...]) -> None:
        members = [each for key in ids for each in self._view.members.get(key, ())]
        only = ids[0] if len(ids) == 1 else ""
        captured = self._state.captured
        cut = place_of_cut(only, captured)
        self._show_details(members, cut, part_of_cut(only, captured))
        by_function = node_paths(captured)
        paths = {by_function.get(each, "") for each in members} | {cut}
        paths.discard("")
        if len(paths) == 1 and not self._is_following:
            [path] = paths
            if node_at(self._session.graph, path) is not None:
                self._follow(lambda: self._show_node(path))

    def _on_activated(self, key: str) -> None:
        """Open a group, or close the one that a Function is of."""
        state, members = self._state, self._view.members.get(key, ())
        if key in state.opened:
            return
        if len(members) > 1:
            self._draw(opened=state.opened | {key})
        else:
            paths = node_paths(state.captured)
            closed = {group_of(paths.get(each, ""), state.zoom) for each in members}
            self._draw(opened=state.opened - closed)

    def _matches(self) -> list[str]:
        state = self._state
        return find_nodes(self._view, state.captured, state.model, state.search)

    def _on_search(self, text: str) -> None:
        self._take(search=text)
        self._page.graph.mark_found(self._matches() if text.strip() else None)

    def _on_search_next(self) -> None:
        matches, chosen = self._matches(), self._page.graph.selected_nodes()
        if matches:
            index = matches.index(chosen[-1]) + 1 if chosen and chosen[-1] in matches else 0
            self._page.graph.show_node(matches[index % len(matches)])

    def _on_canvas_selected(self) -> None:
        """Show what the nodes chosen on the canvas became."""
        chosen = self._canvas.selected_nodes()
        if len(chosen) != 1 or not self._view.members or self._is_following:
            return
        selected = SEPARATOR.join((*self._session.path, chosen[0]))
        paths = node_paths(self._state.captured)
        keys = [
            key
            for key, members in self._view.members.items()
            if any(_is_inside(paths.get(each, ""), selected) for each in members)
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
    positions = [[(node.id, node.x, node.y) for node in each.nodes] for each in (view, other)]
    wires = [[wire.key for wire in each.wires] for each in (view, other)]
    return positions[0] == positions[1] and wires[0] == wires[1]


def _is_inside(path: str, outer: str) -> bool:
    return path == outer or path.startswith(outer + SEPARATOR)
