"""Alignment and distribution of the selected nodes, and selection of their relatives."""

from engine.graph.edit.edits import MoveNodes
from engine.graph.layout.aligning import Line, align, distribute
from engine.graph.query import ancestors, dependents
from studio.i18n import filled, translate
from studio.model.canvas.controller import ModelController
from studio.services import Controller, Services
from widgets.canvas.canvas import Canvas


class PlacementController(Controller):
    """Glue between the commands for selected nodes, the canvas and the session."""

    def __init__(self, services: Services, model: ModelController, *, canvas: Canvas) -> None:
        super().__init__(services, model)
        self._model = model
        self._canvas = canvas

    def align(self, line: Line) -> None:
        """Put the selected nodes in line; one step to undo."""
        session = self._session
        if len(session.selection) > 1:
            places = align(session.level, session.selection, self._model.sizes(), line)
            self._move(places, translate("Model", "Align"))

    def distribute(self, *, across: bool) -> None:
        """Make the gaps between the selected nodes equal; one step to undo."""
        session = self._session
        if len(session.selection) > 2:
            places = distribute(
                session.level, session.selection, self._model.sizes(), across=across
            )
            self._move(places, translate("Model", "Distribute"))

    def select_type(self) -> None:
        """Select every node here of the types that are selected."""
        nodes = self._session.level.nodes
        types = {nodes[node_id].type for node_id in self._session.selection}
        self._select(tuple(node.id for node in nodes.values() if node.type in types))

    def select_upstream(self) -> None:
        """Select all that the selected nodes depend on, with them."""
        self._select(tuple(ancestors(self._session.level, self._session.selection)))

    def select_downstream(self) -> None:
        """Select all that depends on the selected nodes, with them."""
        self._select(tuple(dependents(self._session.level, self._session.selection)))

    def _select(self, ids: tuple[str, ...]) -> None:
        """Select nodes; those that were selected already come first."""
        before = self._session.selection
        chosen = set(ids)
        others = [key for key in self._session.level.nodes if key in chosen and key not in before]
        self._canvas.select((*before, *others))
        text = translate("Model", "{count} {count|node is|nodes are} selected.")
        self._canvas.show_hint(filled(text, count=len(self._session.selection)))

    def _move(self, places: dict[str, tuple[float, float]], label: str) -> None:
        nodes = self._session.level.nodes
        moved = {key: place for key, place in places.items() if nodes[key].position != place}
        if moved:
            self._session.edit_level(MoveNodes(positions=moved), label)
        elif not places:
            self._canvas.show_hint(
                translate("Model", "All of them are pinned, so nothing was moved.")
            )
