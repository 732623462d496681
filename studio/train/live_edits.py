"""Edits of recipe and model that take effect in the run that goes on, where the user wants that."""

from collections.abc import Iterator

from PySide6.QtCore import QObject

from engine.events import SetValue
from engine.spec.live import live_names
from engine.spec.live_edits import LiveEdit, edits_of_layers, edits_of_spec, has_same_owner
from studio.run_control.controller import RunController
from studio.session.session import Session


class LiveEdits(QObject):
    """Sends what is edited to the run that is followed, while that is switched on. An undo is an
    edit like another: it sends the value back.
    """

    def __init__(self, session: Session, runs: RunController, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._runs = runs
        self._is_on = False
        self._spec, self._graph = session.spec, session.graph
        session.spec_changed.connect(self._on_edited)
        session.graph_changed.connect(self._on_edited)

    def switch(self, *, is_on: bool) -> None:
        """Have edits from now on take effect in the run, or in the next one only."""
        self._is_on = is_on
        self._spec, self._graph = self._session.spec, self._session.graph

    def names(self) -> frozenset[str]:
        """Return the settings of the recipe that take effect at once."""
        update = self._session.run
        if not self._is_on or update is None or not self._runs.is_running:
            return frozenset()
        running, spec = update.folder.document, self._session.spec
        names = live_names(running.spec, running.graph.code)
        return frozenset(name for name in names if has_same_owner(name, spec, running.spec))

    def _on_edited(self) -> None:
        edits = list(self._edits()) if self._is_on and self._runs.is_running else []
        self._spec, self._graph = self._session.spec, self._session.graph
        for edit in edits:
            self._runs.send(SetValue(name=edit.name, value=edit.value))

    def _edits(self) -> Iterator[LiveEdit]:
        update = self._session.run
        if update is None:
            return
        running, code = update.folder.document.spec, update.folder.document.graph.code
        yield from edits_of_spec(self._spec, self._session.spec, running, code)
        yield from edits_of_layers(self._graph, self._session.graph)
