"""Clipboard of the canvas: the selection as text, and text as nodes, frames and notes."""

from PySide6.QtGui import QGuiApplication

from engine.diagnostics import DiagnosticError
from engine.graph.codec import cut_out, from_text, to_text
from engine.graph.edit.edits import GraphError, InsertFragment, RemoveNodes, insert_fragment
from engine.graph.insert.fragment import fitted
from engine.graph.model import Graph
from engine.spec.defaults import fit_inputs
from studio.i18n import translate
from studio.model.canvas.controller import ModelController
from studio.services import Controller, Services
from widgets.canvas.canvas import Canvas

_OFFSET = 28.0


class ClipboardController(Controller):
    """Glue between the commands for copies, the clipboard of the desktop and the session."""

    def __init__(self, services: Services, model: ModelController, *, canvas: Canvas) -> None:
        super().__init__(services, model)
        self._model = model
        self._canvas = canvas
        canvas.copy_requested.connect(lambda _ids: self.copy())
        canvas.cut_requested.connect(lambda _ids: self.cut())
        canvas.paste_requested.connect(self.paste_at)
        canvas.duplicate_requested.connect(lambda _ids: self.duplicate())

    def copy(self) -> None:
        """Copy the selected nodes, frames and notes and the wires between them as text."""
        chosen = self._model.chosen()
        if chosen:
            QGuiApplication.clipboard().setText(to_text(self._session.level, chosen))

    def cut(self) -> None:
        """Copy what is selected, then take it away."""
        self.copy()
        chosen = self._model.chosen()
        if chosen:
            self._model.try_edit(RemoveNodes(ids=chosen), translate("Model", "Cut"))

    def paste(self) -> None:
        """Put what was copied a little beside where it came from."""
        fragment = self._clipboard()
        if fragment is not None:
            self._insert(fragment, (_OFFSET, _OFFSET), translate("Model", "Paste"))

    def paste_at(self, x: float, y: float) -> None:
        """Put what was copied at a place."""
        fragment = self._clipboard()
        if fragment is None:
            return
        items = (*fragment.nodes.values(), *fragment.annotations.values())
        if items:
            left = min(item.position[0] for item in items)
            top = min(item.position[1] for item in items)
            self._insert(fragment, (x - left, y - top), translate("Model", "Paste"))

    def duplicate(self) -> None:
        """Put copies of what is selected beside it."""
        fragment = cut_out(self._session.level, self._model.chosen())
        if fragment.nodes or fragment.annotations:
            self._insert(fragment, (_OFFSET, _OFFSET), translate("Model", "Duplicate"))

    def _insert(self, fragment: Graph, offset: tuple[float, float], label: str) -> None:
        try:
            _, renamed = insert_fragment(self._session.level, fragment, offset)
        except GraphError as error:
            self._notifications.report(error.problems)
            return
        edit = InsertFragment(fragment=fragment, offset=offset)
        if self._model.try_edit(edit, label, is_foreign=bool(fragment.code)):
            self._model.select_soon(tuple(renamed.values()))

    def _clipboard(self) -> Graph | None:
        """Return what was copied as it can stand here; new inputs of the model take the data."""
        session = self._session
        try:
            copied = from_text(QGuiApplication.clipboard().text())
            fragment = fitted(copied, is_inside=bool(session.path))
            is_other = fragment.nodes != copied.nodes and not session.path
            data = session.findings.data if is_other else None
            return fragment if data is None else fit_inputs(fragment, data)
        except DiagnosticError as error:
            self._notifications.report(error.problems)
            return None
