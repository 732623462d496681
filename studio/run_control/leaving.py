"""Leaving a project: a run that goes on and unsaved work are asked about first."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from studio.i18n import translate
from studio.project.project import ProjectController
from studio.run_control.controller import RunController
from studio.session.session import Session
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
        *,
        flush: Callable[[], object],
        session: Session,
    ) -> None:
        super().__init__(project)
        self._window = window
        self._project = project
        self._runs = runs
        self._notifications = notifications
        self._flush = flush
        self._session = session
        self._awaited: tuple[Callable[[], object], Callable[[], object] | None] | None = None
        self._asked: tuple[Question, Callable[[], object]] | None = None
        self._has_run = False  # while it is asked, a run was there
        # Later: one that waited for the check is not begun yet where it does not wait any more.
        session.run_changed.connect(self._look_later)

    def leave_then(self, act: Callable[[], object]) -> None:
        """Do something for which the project is left. What is being typed is a part of the work."""
        self._flush()
        self._project.leave_then(lambda: self._leave_run_then(act))

    def _leave_run_then(self, act: Callable[[], object]) -> None:
        if not (self._runs.is_running or self._is_coming):
            act()
            return
        stop = Answer(
            name="stop",
            text=translate("Leaving", "Stop and save"),
            act=lambda: self._stop_then(act),
        )
        if self._runs.is_in_window or (self._is_coming and self._session.spec.mode == "thread"):
            self._ask(
                act,
                translate(
                    "Leaving",
                    "It trains in the window's process and cannot continue without it. If "
                    "you stop it now, its checkpoint and curves are kept and you can "
                    "resume it later.",
                ),
                (stop,),
            )
            return
        keep = partial(self._when_begun, act) if self._is_coming else act
        keep_running = Answer(name="keep", text=translate("Leaving", "Keep it running"), act=keep)
        self._ask(
            act,
            translate(
                "Leaving",
                "You can keep it running: it goes on by itself, and you follow it again when you "
                "reopen the project. Or stop it now and resume it later; its checkpoint "
                "and curves are kept.",
            ),
            (keep_running, stop),
        )

    def _stop_then(self, act: Callable[[], object]) -> None:
        self._notifications.tell(translate("Leaving", "Stopping and saving the run…"))
        if self._runs.is_waiting:
            self._runs.stop()  # nothing was begun
            act()
        else:
            self._when_begun(lambda: self._runs.stop_then(act), is_over=act)

    @property
    def _is_coming(self) -> bool:
        """Whether a run was asked for that cannot be told anything yet."""
        return not self._runs.is_running and (self._runs.is_starting or self._runs.is_waiting)

    def _when_begun(
        self, act: Callable[[], object], is_over: Callable[[], object] | None = None
    ) -> None:
        """Do something as soon as the run that was asked for is there; ``is_over``, or nothing,
        where none is: why it could not begin is to be read.
        """
        if self._is_coming:
            self._notifications.tell(translate("Leaving", "Waiting for the run to begin…"))
        self._awaited = (act, is_over)
        self._look()

    def _look_later(self) -> None:
        QTimer.singleShot(0, self, self._look)

    def _look(self) -> None:
        self._look_at_question()
        if self._awaited is None or self._is_coming:
            return
        (act, is_over), self._awaited = self._awaited, None
        if self._runs.is_running:
            act()
        elif is_over is not None:
            is_over()

    def _look_at_question(self) -> None:
        """Ask about a run no longer that has ended meanwhile: nothing is to be kept or stopped any
        more. Why one did not begin is to be read.
        """
        if self._asked is None:
            return
        self._has_run = self._has_run or self._runs.is_running
        if self._runs.is_running or self._is_coming:
            return
        question, act = self._asked
        question.reject()
        if self._has_run:
            self._tell_ended(act)

    def _tell_ended(self, act: Callable[[], object]) -> None:
        """Say that nothing is in the way any more; what was begun is not done unasked by then."""
        Question(
            self._window,
            "ended",
            title=translate("Leaving", "The run has ended"),
            text=translate(
                "Leaving",
                "It ended while you were asked about it. Its checkpoint and curves are kept.",
            ),
            answers=(Answer(name="leave", text=translate("Leaving", "Leave"), act=act),),
            cancel=translate("Leaving", "Cancel"),
        ).open()

    def _ask(self, act: Callable[[], object], text: str, answers: tuple[Answer, ...]) -> None:
        question = Question(
            self._window,
            "running",
            title=translate("Leaving", "A run is in progress"),
            text=text,
            answers=answers,
            cancel=translate("Leaving", "Cancel"),
        )
        self._asked, self._has_run = (question, act), self._runs.is_running
        question.finished.connect(self._forget_question)
        question.open()

    def _forget_question(self) -> None:
        self._asked = None
