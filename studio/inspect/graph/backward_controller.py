"""Playback of the backward pass of a captured step on its graph."""

from collections.abc import Callable
from concurrent.futures import Future

from PySide6.QtCore import QObject, QTimer

from engine.runs.record.autograd_graph import AutogradGraph
from studio.inspect.graph.backward import Moment, Playback
from studio.inspect.graph.colour import marked
from studio.inspect.graph.page import GraphPage
from studio.inspect.graph.presenter import AutogradView
from studio.process.thread_handover import ThreadHandover
from widgets.canvas.heat_legend import HeatLegendView


class BackwardController(QObject):
    """Glue between the controls and the recorded calls; ``show_call`` is told which Function ran
    last. Moments are made off Qt's thread, one at a time: what is passed over is not drawn.
    """

    def __init__(
        self, *, page: GraphPage, border: ThreadHandover, show_call: Callable[[str], object]
    ) -> None:
        super().__init__(page)
        self._page = page
        self._bar = page.playback
        self._border = border.of(self)
        self._show_call = show_call
        self._view = self._rest_view = AutogradView()
        self._legend: HeatLegendView | None = None
        self._playback = Playback(AutogradGraph(nodes=(), edges=(), roots=()))
        self._position = -1  # no pass is looked at
        self._is_drawing = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self._bar.played.connect(self._on_played)
        self._bar.position_chosen.connect(self._on_position)
        self._bar.closed.connect(self._on_closed)
        self._bar.speed.currentIndexChanged.connect(lambda _: self._set_speed())
        self._set_speed()

    @property
    def is_open(self) -> bool:
        """Whether a pass is looked at."""
        return self._position >= 0

    def end(self) -> None:
        """Look at no pass any more."""
        if self.is_open:
            self._on_closed()

    def set_graph(
        self,
        captured: AutogradGraph,
        plain: AutogradView,
        rest: AutogradView,
        legend: HeatLegendView | None = None,
    ) -> None:
        """Play this graph from now on, on the plain picture; ``rest`` is what is shown afterwards,
        in the colours of ``legend``. A pass that is looked at stays where it is, or begins anew
        where another step is shown.
        """
        self._view, self._rest_view, self._legend = plain, rest, legend
        if captured.calls != self._playback.calls:
            self._playback = Playback(captured)
            self._position = min(self._position, 0)
            self._rest()
        self._bar.set_calls(len(captured.calls), max(self._position, 0))
        self._show()

    def _on_played(self, is_on: bool) -> None:
        if not is_on:
            self._rest()
            return
        if self._position >= len(self._playback.calls):
            self._position = 0
        self._bar.set_playing(on=True)
        self._timer.start()
        self._move_to(max(self._position, 0))

    def _on_position(self, position: int) -> None:
        self._rest()
        self._move_to(position)

    def _on_closed(self) -> None:
        self._rest()
        self._position = -1
        self._bar.set_calls(len(self._playback.calls), 0)
        self._page.graph.set_view(self._rest_view.canvas)
        self._show()

    def _tick(self) -> None:
        if self._is_drawing or not self._page.isVisible():
            return
        if self._position >= len(self._playback.calls):
            self._rest()
            return
        self._move_to(self._position + 1)

    def _rest(self) -> None:
        self._timer.stop()
        self._bar.set_playing(on=False)

    def _set_speed(self) -> None:
        self._timer.setInterval(round(1000 / self._bar.speed.currentData()))

    def _move_to(self, position: int) -> None:
        self._position = min(max(position, 0), len(self._playback.calls))
        self._bar.set_calls(len(self._playback.calls), self._position)
        self._show()

    def _show(self) -> None:
        """Show the pass where it stands; nothing of it before somebody looks at it."""
        self._page.show_colours(self._legend, is_played=self.is_open)
        if self._position < 0:
            self._page.show_queue(None)
            self._bar.show_now("", is_open=False)
            return
        if self._is_drawing:
            return
        self._is_drawing = True
        playback, view, position = self._playback, self._view, self._position

        def make() -> tuple[Moment, AutogradView]:
            moment = playback.moment(position, view)
            return moment, marked(view, moment.marks)

        self._border.run(make, lambda future: self._on_made(future, view, position))

    def _on_made(
        self, future: "Future[tuple[Moment, AutogradView]]", view: AutogradView, position: int
    ) -> None:
        self._is_drawing = False
        if (view, position) != (self._view, self._position):
            self._show()
            return
        moment, picture = future.result()
        self._page.graph.set_view(picture.canvas)
        self._page.show_queue(moment.queue)
        self._bar.show_now(moment.text, is_open=True)
        if moment.current:
            self._show_call(moment.current)
