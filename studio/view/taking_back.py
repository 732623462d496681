"""Undo button of a message."""

from studio.i18n import translate
from studio.session.session import Session
from studio.window.notifications import Action, Notifications


def taking_back(session: Session, messenger: Notifications) -> Action:
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
            messenger.tell(text)

    return (translate("Window", "Undo"), take_back)
