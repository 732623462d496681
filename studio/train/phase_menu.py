"""Menu of a phase of the recipe: duplicate, move and remove it."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from engine.spec.phase_edit import can_move, moved, with_copy, without_phase
from engine.spec.run import RunSpec
from studio.i18n import translate
from studio.session.session import Session
from studio.view.phase import phase_index


class PhaseMenu(QMenu):
    """Offers what can be done with the phase that a field is of; each is a step of undo."""

    def __init__(self, session: Session, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("phase.menu")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session = session
        index, spec = phase_index(name), session.spec
        self._offer(
            "duplicate", translate("Train", "Duplicate phase"), lambda s: with_copy(s, index)
        )
        for key, title, by in (
            ("up", translate("Train", "Move phase up"), -1),
            ("down", translate("Train", "Move phase down"), 1),
        ):
            self._offer(
                key, title, lambda s, by=by: moved(s, index, by), is_on=can_move(spec, index, by)
            )
        self._offer(
            "remove",
            translate("Train", "Remove phase"),
            lambda s: without_phase(s, index),
            is_on=bool(spec.phases),
        )

    def _offer(
        self, key: str, title: str, change: Callable[[RunSpec], RunSpec], *, is_on: bool = True
    ) -> None:
        action = self.addAction(title)
        action.setObjectName(f"phase.{key}")
        action.setEnabled(is_on)
        action.triggered.connect(lambda: self._change(title, change))

    def _change(self, title: str, change: Callable[[RunSpec], RunSpec]) -> None:
        session = self._session
        session.seal()
        session.change(session.graph, change(session.spec), title)
