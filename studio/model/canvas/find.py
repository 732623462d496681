"""Search for nodes on the canvas: matches are lit and walked through, inside of blocks too."""

from collections.abc import Iterable

from engine.catalog.text import entry_label
from engine.graph.block import SEPARATOR, block_at, block_name, contains, entry_of
from engine.graph.finding import find_nodes
from engine.graph.model import Graph, Node
from studio.model.canvas.controller import ModelController
from studio.services import Controller, Services
from widgets.canvas.canvas import Canvas
from widgets.canvas.find_line import FindLine
from widgets.common.throttle import Throttle


class FindController(Controller):
    """Glue between the line that finds, the canvas and the session."""

    def __init__(self, services: Services, model: ModelController, *, canvas: Canvas) -> None:
        super().__init__(services, model)
        self._model = model
        self._canvas = canvas
        self._line = FindLine(canvas)
        self._places: tuple[str, ...] = ()
        self._shown = ""  # the place that was walked to
        self._painter = Throttle(60, self._search, self)
        self._line.text_changed.connect(self._on_text_changed)
        self._line.step_requested.connect(self._on_step_requested)
        self._line.closed.connect(self._on_closed)
        for signal in (
            self._session.graph_changed,
            self._session.analysis_changed,
            self._session.level_changed,
        ):
            signal.connect(self._on_changed)

    def ask(self) -> None:
        """Let the user type what is to be found."""
        self._line.ask()

    def _on_text_changed(self) -> None:
        self._shown = ""
        self._search()
        self._canvas.reveal(self._lit()[:1])

    def _on_changed(self) -> None:
        if self._line.isVisible():
            self._painter.request()

    def _search(self) -> None:
        if not self._line.isVisible():
            return
        session, text = self._session, self._line.field.text()
        analysis = session.findings.analysis
        self._places = find_nodes(session.graph, analysis, text, self._words_of, session.path)
        at = self._places.index(self._shown) if self._shown in self._places else None
        self._line.show_found(len(self._places), at)
        self._model.paint()  # the nodes of this level are on the canvas
        self._canvas.mark_found(self._lit() if text.strip() else None)

    def _lit(self) -> tuple[str, ...]:
        """Return the nodes here that were found, and the blocks that have some inside."""
        session = self._session
        prefix = "".join(node_id + SEPARATOR for node_id in session.path)
        paths = {tuple(place.split(SEPARATOR)[:-1]) for place in self._places}
        holders = {block_at(session.graph, path) for path in paths if path}
        matches = set(self._places)
        return tuple(
            node.id
            for node in session.level.nodes.values()
            if prefix + node.id in matches
            or any(contains(session.graph, block_name(node), holder) for holder in holders)
        )

    def _words_of(self, graph: Graph, node: Node) -> Iterable[str]:
        entry = entry_of(graph, node)
        return () if entry is None else (entry_label(entry, self._language()),)

    def _on_step_requested(self, step: int) -> None:
        if not self._places:
            return
        is_on = self._shown in self._places
        at = self._places.index(self._shown) + step if is_on else min(step, 0)
        self._shown = self._places[at % len(self._places)]
        self._model.show_node(self._shown)
        self._search()

    def _on_closed(self) -> None:
        self._places, self._shown = (), ""
        self._canvas.mark_found(None)
