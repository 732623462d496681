"""Restoring of a run's model and recipe to the canvas."""

from collections.abc import Callable

from engine.runs.folder import RunFolder
from studio.i18n import translate
from studio.session.session import Session
from studio.view.taking_back import taking_back
from studio.window.notifications import Notifications


def take_model(
    session: Session, messenger: Notifications, run: RunFolder, go_to: Callable[[str], object]
) -> None:
    """Take model and recipe of a run, as an edit that can be undone, and say so."""
    document = run.document
    label = translate("Runs", "Use the model of a run")
    session.change(document.graph, document.spec, label, is_foreign=True)
    go_to("model")
    text = translate("Runs", "This is the model of “{run}”. Undo to restore yours.")
    messenger.tell(
        text.format(run=document.name),
        "success",
        action=taking_back(session, messenger),
    )
