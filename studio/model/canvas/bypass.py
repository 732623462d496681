"""Bypassing and muting of the selected nodes: inputs are passed on, or zeros."""

from engine.graph.node_state.bypass import BypassNodes
from engine.graph.node_state.mute import MuteNodes
from studio.i18n import translate
from studio.services import Controller
from studio.session.session import Session


class BypassController(Controller):
    """Glue between the commands that skip and mute and the session."""

    def toggle(self) -> None:
        """Skip the selected nodes; if all of them are skipped already, no longer."""
        is_on = not is_bypassed(self._session)
        label = translate("Model", "Bypass") if is_on else translate("Model", "Stop bypassing")
        self._edit(BypassNodes(ids=self._session.selection, bypassed=is_on), label)

    def toggle_mute(self) -> None:
        """Mute the selected nodes; if all of them are muted already, no longer."""
        is_on = not is_muted(self._session)
        label = translate("Model", "Mute") if is_on else translate("Model", "Unmute")
        self._edit(MuteNodes(ids=self._session.selection, muted=is_on), label)

    def _edit(self, edit: BypassNodes | MuteNodes, label: str) -> None:
        if not edit.ids:
            return
        self._succeeds(lambda: self._session.edit_level(edit, label))


def is_bypassed(session: Session) -> bool:
    """Return whether something is selected and all of it is skipped."""
    chosen = [session.level.nodes[node_id] for node_id in session.selection]
    return bool(chosen) and all(node.bypassed for node in chosen)


def is_muted(session: Session) -> bool:
    """Return whether something is selected and all of it is muted."""
    chosen = [session.level.nodes[node_id] for node_id in session.selection]
    return bool(chosen) and all(node.muted for node in chosen)
