"""Starting, steering and following runs. What it finds out goes to the session."""

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from engine.diagnostics import DiagnosticError, sentence
from engine.events import Pause, Resume, RunCommand, Step, Stop, WatchCommand
from engine.project import Project
from engine.runs.folder import RunFolder, runs_of
from engine.runs.record.state import RunState, RunStatus
from engine.runtime import RunHandle, Standby, resume_run, start_run
from engine.spec.length import RunLength
from studio.i18n import translate
from studio.process.thread_handover import ThreadHandover
from studio.run_control.awaited_check import AwaitedCheck
from studio.run_control.file_repairs import FileRepairs
from studio.run_control.forced_end import ForcedEnd
from studio.run_control.machine_gate import MachineGate
from studio.run_control.news import RunNews
from studio.run_control.pause_request import PauseRequest
from studio.run_control.resume import (
    AwaitedWorker,
    can_go_on,
    length_to_come,
    rate_after_failure,
    waits_for_machines,
    what_is_kept,
)
from studio.session.run_follower import RunUpdate, RunWatch
from studio.session.run_trash import RunTrash
from studio.session.session import Session
from studio.session.trust import Trust
from studio.window.banner import BannerView
from studio.window.notifications import Notifications

_AWAIT_MS = 500


class RunController(QObject):
    """Follows one run: the one that was started or chosen last. Others go on by themselves.

    ``notify`` shows a banner; ``rejections`` are fields whose text could not be taken (name, text,
    reason); ``ask_folder`` lets the user choose one, empty for none.
    """

    def __init__(
        self,
        *,
        session: Session,
        trust: Trust,
        handover: ThreadHandover,
        notifications: Notifications,
        language: Callable[[], str],
        notify: Callable[[BannerView], None],
        dismiss: Callable[[str], None],
        rejections: Callable[[], tuple[tuple[str, str, str], ...]],
        gate: MachineGate,
        repairs: FileRepairs,
        ask_folder: Callable[[], str],
    ) -> None:
        super().__init__(session)
        self._session = session
        self._trust = trust
        self._handover = handover
        self._notifications = notifications
        self._language = language
        self._news = RunNews(
            notifications=notifications,
            language=language,
            notify=notify,
            dismiss=dismiss,
            resume=self.resume,
            repairs=repairs,
            ask_folder=ask_folder,
            send=self.send,
            go_on=self.toggle_pause,
        )
        self._rejections = rejections
        self._gate = gate
        self._standby = Standby()
        self._watch: RunWatch | None = None
        self._is_starting = False
        self._followed = ""
        self._pause_request = PauseRequest()
        self._forced_end = ForcedEnd(self, notifications)
        self._last_status: RunStatus | None = None
        self._awaited = AwaitedWorker()
        self._after_end: Callable[[], object] | None = None
        self._listeners: list[Callable[[], object]] = []
        self._project: Project | None = None
        session.project_changed.connect(self._on_project_changed)
        self._check = AwaitedCheck(session)
        self._check.come.connect(self.start)

    def on_runs_changed(self, listener: Callable[[], object]) -> None:
        """Call a listener when there is a new run or one has ended."""
        self._listeners.append(listener)

    def clear_listeners(self) -> None:
        """Forget the listeners (the window is built anew)."""
        self._listeners.clear()

    @property
    def is_starting(self) -> bool:
        """Whether a run was asked for and its folder is being made."""
        return self._is_starting

    @property
    def is_waiting(self) -> bool:
        """Whether a run was asked for and begins when the model is checked."""
        return self._check.is_awaited

    @property
    def is_running(self) -> bool:
        """Whether the run that is followed has a worker."""
        update = self._session.run
        if update is None or waits_for_machines(update):
            return False
        return not update.state.status.is_over()

    @property
    def is_in_window(self) -> bool:
        """Whether the run that is followed trains in the window's own process and ends with it."""
        update = self._session.run
        return self.is_running and update is not None and update.state.pid == os.getpid()

    @property
    def is_paused(self) -> bool:
        """Whether the run that is followed waits."""
        return self.is_running and self._status() is RunStatus.PAUSED

    @property
    def can_start(self) -> bool:
        """Whether a run may be asked for: something to train, no errors, none going on."""
        return not self.refusal()

    @property
    def can_resume(self) -> bool:
        """Whether the run that is followed ended before its time and has a checkpoint."""
        update = self._session.run
        return update is not None and can_go_on(update.state) and not self._is_starting

    def longer(self, state: RunState | None = None) -> RunLength:
        """Return how long a finished run (without one: the run that is followed) can become; empty
        when it cannot be trained on.
        """
        if state is None:
            state = self._session.run.state if self._session.run is not None else RunState()
        is_busy = self._is_starting or self._check.is_awaited or self.is_running
        return RunLength() if is_busy else length_to_come(state, self._session.spec)

    def refusal(self) -> str:
        """Return why no run can be started now; nothing when one can."""
        findings = self._session.findings
        if self._session.project is None:
            return translate("Run", "Open a project first.")
        if self._is_starting or self._check.is_awaited or self.is_running:
            return translate("Run", "A run is in progress. Pause or stop it first.")
        if rejected := self._rejections():  # the form shows another value than would be trained
            return rejected[0][2]
        is_known = findings.is_current or findings.is_checked
        if is_known and findings.errors:  # else they may be mended already
            return sentence(findings.errors[0], self._language())
        return ""

    def warm_up(self) -> None:
        """Have what a run needs loaded, so that the first one starts at once."""
        self._handover.run(self._standby.prepare, Future.result, self._notifications.report)

    def start(self) -> None:
        """Train the model as it is now; where it is still being checked, right after that. Why it
        cannot be is told.
        """
        if reason := self.refusal():
            text = translate("Run", "Training did not start. {reason}").format(reason=reason)
            self._notifications.tell(text, "error")
            return
        session = self._session
        assert session.project is not None
        if not self._check.begin():
            return
        project, graph, spec = session.project.path, session.graph, session.spec
        problems = session.findings.problems
        trusted = self._trust.covers(graph.code)
        self._trust.note_run(graph.code)
        if spec.mode == "thread" and "torch" not in sys.modules:
            self._notifications.tell(
                translate(
                    "Run",
                    "PyTorch is loading in the window's process. The window is slower "
                    "during this run, and closing it ends the run.",
                )
            )
        self.begin(
            lambda: start_run(
                project, graph, spec, problems=problems, standby=self._standby, trusted=trusted
            )
        )

    def go_on(self) -> None:
        """Resume the run that is followed, or train it for longer where it is finished."""
        self.resume(length=self.longer().total)

    def resume(self, run: str = "", checkpoint: str = "latest", length: float = 0.0) -> None:
        """Go on with a run (without a name: the one that is followed) from a checkpoint, up to a
        length in the unit that it ends by (0: as before).
        """
        project = self._session.project
        name = run or self._followed
        if project is None or not name or self._is_starting or self.is_running:
            return
        path = project.path
        self._gate.pass_through(path, [name], lambda: self._resume(path, name, checkpoint, length))

    def _resume(self, path: Path, name: str, checkpoint: str, length: float) -> None:
        if self._is_starting or self.is_running:
            return  # meanwhile: the user was asked something
        trusted = self._trust.covers_resume(path, name)
        self._awaited.begin()
        rate = rate_after_failure(self._session.run, name, self._session.spec)
        graph, spec = self._session.graph, self._session.spec
        if kept := what_is_kept(self._session.run, name, graph, spec, rate):
            self._notifications.tell(kept)
        self.begin(
            lambda: resume_run(
                path,
                name,
                checkpoint=checkpoint,
                length=length,
                learning_rate=rate,
                standby=self._standby,
                trusted=trusted,
                project_spec=spec,
            )
        )

    def send(self, command: RunCommand) -> bool:
        """Tell the run that is followed; return whether it could be told."""
        update = self._session.run
        if update is None:
            return False
        try:
            update.folder.send(command)
        except DiagnosticError as error:
            self._notifications.report(error.problems)
            return False
        return True

    def toggle_pause(self) -> None:
        """Pause the run, or let it go on."""
        if self.is_running:
            is_paused = self._pause_request.will_be_paused(is_paused=self.is_paused)
            if self.send(Resume() if is_paused else Pause()):
                self._pause_request.note_sent(is_pause=not is_paused)

    def step(self, count: int = 1) -> None:
        """Take steps of a run that is paused."""
        if self.is_paused and self.send(Step(count=count)):
            self._pause_request.note_sent(is_pause=True)

    def look(self, command: WatchCommand, steps: int = 1) -> bool:
        """Have the run look into its next steps; return whether it could be told. One that is
        paused takes them; one that stands inside a step is left there, as it has to go on first.
        """
        update = self._session.run
        if update is None or not self.is_running or not self.send(command):
            return False
        if update.state.stop is None:
            self.step(steps)
        else:
            self._notifications.tell(
                translate(
                    "Run",
                    "The run is paused within a step. Continue it in the debugger to "
                    "record the next complete steps.",
                )
            )
        return True

    def stop(self) -> None:
        """End the run, keeping everything; a worker that does not answer is ended for it. A run
        that waits for the check is not begun. One that could not be told goes on.
        """
        self._check.forget()
        if not self.is_running or self._session.run is None:
            return
        run, state = self._session.run.folder, self._session.run.state
        if not self.send(Stop()):
            self._after_end = None  # nothing is to happen when it ends by itself
            return
        self._forced_end.await_stop(run, state.step_s, lambda: self._followed == run.id)

    def stop_then(self, act: Callable[[], object]) -> None:
        """End the run, then do something; at once where it ended while the user was asked."""
        if not self.is_running:
            act()
            return
        self._after_end = act
        self.stop()

    def follow(self, folder: RunFolder) -> None:
        """Follow another run."""
        self.unfollow()
        self._followed = folder.id
        self._last_status = None
        self._pause_request.forget()
        self._watch = RunWatch(folder, self)
        self._watch.arrived.connect(self._on_arrived)
        self._watch.start()

    def unfollow(self) -> None:
        """Stop following; the run goes on."""
        if self._watch is not None:
            self._watch.arrived.disconnect(self._on_arrived)
            self._watch.close()
            self._watch.deleteLater()
            self._watch = None
        self._followed = ""
        self._is_starting = False

    def delete(self, runs: Sequence[Path]) -> list[str]:
        """Move run folders aside and show them no more; return the ids of those that are gone."""
        trash = self._trash()
        if trash is None:
            return []
        gone, problems = trash.move_in(runs)
        self._notifications.report(problems)
        if self._followed in gone:
            self.unfollow()
            self._session.follow(None)
        self.tell_runs_changed()
        return gone

    def bring_back(self, wanted: Sequence[str] = ()) -> None:
        """Bring deleted runs back (none named: all)."""
        trash = self._trash()
        if trash is None:
            return
        back, problems = trash.bring_back(wanted)
        self._notifications.report(problems)
        if not back and not problems:
            text = translate("Run", "There are no deleted runs to restore.")
            self._notifications.tell(text, "hint")
        self.tell_runs_changed()

    def _trash(self) -> RunTrash | None:
        project = self._session.project
        return None if project is None else RunTrash(project.state_folder, project.runs_folder)

    def find_runs(self, project: Path) -> None:
        """Look for a run of a project that goes on and follow it; else show the newest."""

        def look() -> tuple[RunFolder | None, bool]:
            runs = runs_of(project)
            living = [run for run in runs if _is_alive(run)]
            return (living or runs or [None])[-1], bool(living)

        self._handover.run(look, lambda future: self._on_found(project, future))

    def close(self) -> None:
        """Let go of everything; runs go on."""
        self.unfollow()
        self._handover.run(self._standby.close, lambda _: None)

    def _on_project_changed(self) -> None:
        project = self._session.project
        if project is self._project:  # saved; opened again, it is another one
            return
        self._project = project
        self._check.forget()
        self.unfollow()
        if project is not None:
            self.find_runs(project.path)
        trash = self._trash()
        if trash is not None and project is not None and not project.is_read_only:
            self._handover.run(trash.empty, lambda _: None)

    def begin(self, work: Callable[[], RunHandle]) -> None:
        """Make a run in a thread, and follow it."""
        self._is_starting = True
        self._news.dismiss()
        self._session.show_run_again()
        self._handover.run(work, self._on_started)

    def _on_started(self, future: "Future[RunHandle]") -> None:
        error = future.exception()
        self._is_starting = False
        if error is None:
            self.follow(future.result().folder)
            self._is_starting = True
            self._await_worker(future.result())
            self.tell_runs_changed()
            return
        self._session.show_run_again()
        self._awaited.forget()
        if not isinstance(error, DiagnosticError):
            raise error
        self._notifications.report(error.problems)

    def _await_worker(self, handle: RunHandle) -> None:
        """Do not wait for the first word of a resumed run when its worker is gone."""
        if not self._awaited.is_awaited or self._followed != handle.folder.id:
            return
        if handle.is_alive():
            QTimer.singleShot(_AWAIT_MS, self, lambda: self._await_worker(handle))
        else:
            self._awaited.forget()
            self.follow(handle.folder)

    def _on_found(self, project: Path, future: "Future[tuple[RunFolder | None, bool]]") -> None:
        folder, is_alive_now = future.result()
        if self._session.project is None or self._session.project.path != project:
            return
        if folder is None or self._followed:
            return
        self.follow(folder)
        if is_alive_now:
            text = translate("Run", "“{run}” continued while the window was closed.")
            self._notifications.tell(text.format(run=folder.document.name), "success")

    def _on_arrived(self) -> None:
        update = self._watch.take() if self._watch is not None else None
        if update is None:
            return
        is_own = self._is_starting and not self._awaited.is_awaited  # also its first words are new
        update = self._awaited.shown(update)
        if update.events or update.state.status.is_over():
            self._is_starting = False
        self._session.follow(update)
        is_followed = bool(self._last_status) or self._awaited.is_begun or is_own
        self._news.tell_events(update, is_followed=is_followed)
        self._pause_request.note_events(update)
        status = update.state.status
        if status is not self._last_status:
            was, self._last_status = self._last_status, status
            self._on_status_changed(update, was)

    def _on_status_changed(self, update: RunUpdate, was: RunStatus | None) -> None:
        status = update.state.status
        self._pause_request.note_status(status)
        self._news.tell_status(update, is_new=was is not None)
        if status.is_over() and was is not None:
            self.tell_runs_changed()
            self.warm_up()
            if self._after_end is not None:
                act, self._after_end = self._after_end, None
                act()

    def _status(self) -> RunStatus | None:
        return self._session.run.state.status if self._session.run is not None else None

    def tell_runs_changed(self) -> None:
        """Tell those who list runs that there are others now."""
        for listener in self._listeners:
            listener()


def _is_alive(run: RunFolder) -> bool:
    try:
        return run.is_alive()
    except DiagnosticError:
        return False  # its record cannot be read; following it tells that
