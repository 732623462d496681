"""Undo button of a message, and the restoring of a run's model, which has one."""

from collections.abc import Callable

from engine.runs.folder import RunFolder
from studio.i18n import translate
from studio.session.session import Session
from studio.window.notifications import Action, Notifications


def taking_back(session: Session, notifications: Notifications) -> Action:
    """Return the button that takes back the change that was just made, and no other: a message may
    be answered after more was changed.
    """
    before = session.before

    def take_back() -> None:
        if session.before is before:
            session.undo()
        else:
            text = translate(
                "Window",
                "This is no longer the last change. Use Edit, Undo to undo changes one by one.",
            )
            notifications.tell(text)

    return (translate("Window", "Undo"), take_back)


def take_model(
    session: Session, notifications: Notifications, run: RunFolder, go_to: Callable[[str], object]
) -> None:
    """Take model and recipe of a run, as an edit that can be undone, and say so."""
    document = run.document
    label = translate("Runs", "Use the model of a run")
    session.change(document.graph, document.spec, label, is_foreign=True)
    go_to("model")
    text = translate("Runs", "This is the model of “{run}”. Undo to restore yours.")
    notifications.tell(
        text.format(run=document.name),
        "success",
        action=taking_back(session, notifications),
    )
