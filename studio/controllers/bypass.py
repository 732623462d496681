"""Skipping the selected nodes: what arrives at them goes on where their output goes."""

from PySide6.QtCore import QObject

from engine.graph.bypass import BypassNodes
from engine.graph.error import GraphError
from studio.controllers.model import ModelController
from studio.i18n import translate
from studio.messenger import Messenger
from studio.session import Session


class BypassController(QObject):
    """Glue between the command that skips and the session."""

    def __init__(self, *, session: Session, model: ModelController, messenger: Messenger) -> None:
        super().__init__(model)
        self._session = session
        self._messenger = messenger

    def toggle(self) -> None:
        """Skip the selected nodes; if all of them are skipped already, no longer."""
        session = self._session
        if not session.selection:
            return
        is_on = not is_bypassed(session)
        label = translate("Model", "Skip") if is_on else translate("Model", "End skipping")
        try:
            session.edit_level(BypassNodes(ids=session.selection, bypassed=is_on), label)
        except GraphError as error:
            self._messenger.report(error.problems)


def is_bypassed(session: Session) -> bool:
    """Return whether something is selected and all of it is skipped."""
    chosen = [session.level.nodes[node_id] for node_id in session.selection]
    return bool(chosen) and all(node.bypassed for node in chosen)
