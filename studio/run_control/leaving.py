"""Leaving a project: a run that goes on and unsaved work are asked about first."""

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from studio.i18n import translate
from studio.project.project import ProjectController
from studio.run_control.controller import RunController
from studio.window.dialog.question import Answer, Question
from studio.window.notifications import Notifications


class LeavingController(QObject):
    """Asks at most two things, one after the other; any "stay" ends it."""

    def __init__(
        self,
        window: QWidget,
        project: ProjectController,
        runs: RunController,
        notifications: Notifications,
        flush: Callable[[], object],
    ) -> None:
        super().__init__(project)
        self._window = window
        self._project = project
        self._runs = runs
        self._notifications = notifications
        self._flush = flush

    def leave_then(self, act: Callable[[], object]) -> None:
        """Do something for which the project is left. What is being typed is a part of the work."""
        self._flush()
        self._project.leave_then(lambda: self._leave_run_then(act))

    def _leave_run_then(self, act: Callable[[], object]) -> None:
        if not self._runs.is_running:
            act()
            return
        stop = Answer(
            name="stop",
            text=translate("Leaving", "Stop and save"),
            act=lambda: self._stop_then(act),
        )
        if self._runs.is_in_window:
            self._ask(
                translate(
                    "Leaving",
                    "It trains in the window's process and cannot continue without it. If "
                    "you stop it now, its checkpoint and curves are kept and you can "
                    "resume it later.",
                ),
                (stop,),
            )
            return
        keep = Answer(name="keep", text=translate("Leaving", "Keep it running"), act=act)
        self._ask(
            translate(
                "Leaving",
                "You can keep it running without the window and follow it again when you "
                "reopen the project. Or stop it now and resume it later; its checkpoint "
                "and curves are kept.",
            ),
            (keep, stop),
        )

    def _stop_then(self, act: Callable[[], object]) -> None:
        self._notifications.tell(translate("Leaving", "Stopping and saving the run…"))
        self._runs.stop_then(act)

    def _ask(self, text: str, answers: tuple[Answer, ...]) -> None:
        Question(
            self._window,
            "running",
            title=translate("Leaving", "A run is in progress"),
            text=text,
            answers=answers,
            cancel=translate("Leaving", "Cancel"),
        ).open()
