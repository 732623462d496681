"""Recovery of what earlier sessions could not save."""

import time
from collections.abc import Callable

from PySide6.QtCore import QObject

from engine.diagnostics import DiagnosticError
from engine.project import AUTOSAVE_NAMES, Project, Recovery
from studio.i18n import translate
from studio.session.session import Document, Session
from studio.session.trust import Trust
from studio.window.banner import BannerView
from studio.window.notifications import Notifications

_MOST_SHOWN = 3


def _key(file: str) -> str:
    return file.removesuffix(".json").replace("autosave", "recovery")


def _time_of(recovery: Recovery, form: str) -> str:
    return time.strftime(form, time.localtime(recovery.saved))


RECOVERY_BANNERS = tuple(map(_key, AUTOSAVE_NAMES))
"""Keys of the offers, one for each file that can hold unsaved work."""


class RecoveryController(QObject):
    """Offers each of them, the newest on top. A file goes when the user discards it, or when what
    was restored from it is saved or left without saving; one without an answer is offered again.
    """

    def __init__(
        self,
        *,
        session: Session,
        trust: Trust,
        notifications: Notifications,
        notify: Callable[[BannerView], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._trust = trust
        self._notifications = notifications
        self._notify = notify
        self._waiting: list[Recovery] = []
        self._restored: list[tuple[Recovery, Document]] = []

    def begin(self, project: Project, *, is_held_elsewhere: bool) -> None:
        """Offer what there is for a project that is opened now. What lies beside one that another
        window holds belongs to that window.
        """
        self.clear()
        if is_held_elsewhere:
            return
        self._waiting += project.recoveries(problems := [])
        self._notifications.report(problems)
        self.show()

    def clear(self) -> None:
        """Offer nothing: no project is open."""
        self._waiting.clear()
        self._restored.clear()

    def taken(self) -> tuple[Recovery, ...]:
        """Return what was restored and is the ground of what is shown; nothing when it was undone.
        Of several that were restored one after the other it is the last.
        """
        for recovery, document in reversed(self._restored):
            if self._session.comes_after(document):
                return (recovery,)
        return ()

    def forget(self, project: Project, taken: tuple[Recovery, ...]) -> None:
        """Forget what was restored: it is saved, or the user does not want it."""
        self._restored = [entry for entry in self._restored if entry[0] not in taken]
        for recovery in taken:
            self._remove(project, recovery)

    def show(self) -> None:
        """Show the newest of the offers that wait for an answer."""
        shown = self._waiting[:_MOST_SHOWN]
        for recovery in reversed(shown):  # each comes on top of those before
            is_last = recovery is shown[-1]
            self._offer(recovery, len(self._waiting) - len(shown) if is_last else 0)

    def _offer(self, recovery: Recovery, more: int) -> None:
        times = [_time_of(each, "%Y-%m-%d %H:%M") for each in self._waiting]
        when = _time_of(recovery, "%Y-%m-%d %H:%M")
        if times.count(when) > 1:  # otherwise their lines could not be told apart
            when = _time_of(recovery, "%Y-%m-%d %H:%M:%S")
        text = translate(
            "Project", "There is unsaved work from {when}. The last session ended unexpectedly."
        )
        if more:
            text = translate(
                "Project",
                "There is unsaved work from {when}, when a session ended unexpectedly, and "
                "older work from {count} other sessions.",
            )
        detail = translate(
            "Project",
            "You can undo restoring in one step. If you do, the work is offered again the "
            "next time you open the project. Once you save or discard your changes, it is "
            "no longer offered.",
        )
        self._notify(
            BannerView(
                key=_key(recovery.files[0]),
                text=text.format(when=when, count=more),
                detail=detail,
                severity="warning",
                actions=(
                    (translate("Project", "Restore"), lambda: self._restore(recovery)),
                    (translate("Project", "Discard"), lambda: self._discard(recovery)),
                ),
            )
        )

    def _restore(self, recovery: Recovery) -> None:
        project = self._session.project
        if project is None:
            return
        self._trust.recognise(project.path, recovery.graph.code)
        label = translate("Project", "Restore unsaved work")
        self._session.change(recovery.graph, recovery.spec, label, is_foreign=True)
        self._restored.append((recovery, self._session.document))
        self._notifications.tell(
            translate("Project", "Restored. Save to keep it, or undo to revert."), "success"
        )
        self._go_on(recovery)

    def _discard(self, recovery: Recovery) -> None:
        if self._session.project is not None:
            self._remove(self._session.project, recovery)
        self._go_on(recovery)

    def _go_on(self, answered: Recovery) -> None:
        """Show those that had no room until now."""
        self._waiting = [waiting for waiting in self._waiting if waiting is not answered]
        if len(self._waiting) >= _MOST_SHOWN:
            self.show()

    def _remove(self, project: Project, recovery: Recovery) -> None:
        try:
            project.discard(recovery)
        except DiagnosticError as error:
            self._notifications.report(error.problems)
