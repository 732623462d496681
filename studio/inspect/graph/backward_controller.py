"""Playback of the backward pass of a captured step on its graph."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace

from PySide6.QtCore import QTimer

from engine.runs.record.autograd_graph import AutogradGraph
from studio.inspect.graph.backward import Moment, Playback
from studio.inspect.graph.colour import marked
from studio.inspect.graph.page import GraphPage
from studio.inspect.graph.presenter import AutogradView
from studio.inspect.graph.state import PlaybackState
from studio.services import Controller, Services


class BackwardController(Controller):
    """Glue between the controls and the recorded calls; ``present`` shows the state and
    ``show_call`` the Function that ran last. Moments are made off Qt's thread, one at a time: what
    is passed over is not drawn.
    """

    def __init__(
        self,
        services: Services,
        page: GraphPage,
        present: Callable[[], object],
        show_call: Callable[[str], object],
    ) -> None:
        super().__init__(services, page)
        self.state = PlaybackState()
        self._page = page
        self._present = present
        self._show_call = show_call
        self._plain = AutogradView()
        self._playback = Playback(AutogradGraph(nodes=(), edges=(), roots=()))
        self._is_drawing = False
        self._timer = QTimer(self, interval=round(1000 / page.playback.speed.currentData()))
        self._timer.timeout.connect(self._tick)
        page.playback.played.connect(self._on_played)
        page.playback.position_chosen.connect(self._on_position)
        page.playback.closed.connect(self.end)
        page.playback.speed_chosen.connect(
            lambda speed: self._timer.setInterval(round(1000 / speed))
        )

    def end(self) -> None:
        """Look at no pass any more."""
        if self.state.is_open:
            self._timer.stop()
            self._set(PlaybackState(count=self.state.count))

    def set_graph(self, captured: AutogradGraph, plain: AutogradView) -> None:
        """Play this graph from now on, on the plain picture. A pass that is looked at stays at its
        position, or begins anew where another step is shown.
        """
        self._plain = plain
        state = self.state
        if captured.calls != self._playback.calls:
            self._playback = Playback(captured)
            self._timer.stop()
            state = replace(state, position=min(state.position, 0), is_playing=False)
        self._set(replace(state, count=len(captured.calls), picture=None))
        self._draw()

    def _set(self, state: PlaybackState) -> None:
        self.state = state
        self._present()

    def _on_played(self, is_on: bool) -> None:
        if not is_on:
            self._pause()
            return
        is_over = self.state.position >= self.state.count
        self._timer.start()
        self._set(replace(self.state, is_playing=True))
        self._move_to(0 if is_over else max(self.state.position, 0))

    def _on_position(self, position: int) -> None:
        self._pause()
        self._move_to(position)

    def _tick(self) -> None:
        if self._is_drawing or not self._page.isVisible():
            return
        if self.state.position >= self.state.count:
            self._pause()
            return
        self._move_to(self.state.position + 1)

    def _pause(self) -> None:
        self._timer.stop()
        self._set(replace(self.state, is_playing=False))

    def _move_to(self, position: int) -> None:
        self._set(replace(self.state, position=min(max(position, 0), self.state.count)))
        self._draw()

    def _draw(self) -> None:
        """Draw the pass at its position; nothing of it before somebody looks at it."""
        if not self.state.is_open or self._is_drawing:
            return
        self._is_drawing = True
        playback, plain, position = self._playback, self._plain, self.state.position

        def draw() -> tuple[Moment, AutogradView]:
            moment = playback.moment(position, plain)
            return moment, marked(plain, moment.marks)

        self._handover.run(draw, lambda future: self._on_drawn(future, plain, position))

    def _on_drawn(
        self, future: "Future[tuple[Moment, AutogradView]]", plain: AutogradView, position: int
    ) -> None:
        self._is_drawing = False
        if plain is not self._plain or position != self.state.position:
            self._draw()
            return
        moment, picture = future.result()
        self._set(replace(self.state, picture=picture, queue=moment.queue, text=moment.text))
        if moment.current:
            self._show_call(moment.current)
