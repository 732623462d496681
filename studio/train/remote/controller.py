"""Controller of training on another machine: tests the connection, starts the run, follows it."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import TypeVar

from PySide6.QtWidgets import QFileDialog

from engine.diagnostics import DiagnosticError, sentence
from engine.runs.machine.known_machine import KnownMachines
from engine.runs.machine.remote import Remote
from engine.runtime import RunHandle, look_there, start_run
from studio.i18n import translate
from studio.services import Controller, Services
from studio.train.remote.dialog import RemoteDialog
from studio.train.remote.presenter import RemoteForm, present_report

_MOST_KNOWN = 10
Result = TypeVar("Result")


class RemoteController(Controller):
    """Glue between the dialog, the session and the machine."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, services.window)
        self._trust = services.trust
        self._dialog: RemoteDialog | None = None
        self._remotes: tuple[Remote, ...] = ()

    def show(self) -> None:
        """Show the dialog, with the machine that was used last."""
        if self._session.project is None:
            return
        if self._dialog is None:
            remotes = self._remotes = _remotes()
            dialog = RemoteDialog(self._window, [remote.shown for remote in remotes])
            dialog.machine_chosen.connect(self._fill)
            dialog.edited.connect(lambda: dialog.set_note(""))
            dialog.browse_requested.connect(self._browse)
            dialog.test_requested.connect(self._test)
            dialog.start_requested.connect(self._start)
            dialog.finished.connect(self._on_closed)
            self._dialog = dialog
            if remotes:
                self._fill(0)
        self._dialog.bring_to_front()

    def _on_closed(self) -> None:
        self._dialog = None

    def _fill(self, index: int) -> None:
        if self._dialog is None or not 0 <= index < len(self._remotes):
            return
        remote = self._remotes[index]
        self._dialog.show_form(
            RemoteForm(
                machine=remote.shown, key=remote.key, python=remote.python, folder=remote.folder
            )
        )
        self._dialog.set_note("")

    def _browse(self) -> None:
        dialog = self._dialog
        if dialog is None:
            return
        chosen, _ = QFileDialog.getOpenFileName(
            dialog, translate("Remote", "Choose a private key"), ""
        )
        if chosen:
            dialog.show_form(replace(dialog.form(), key=chosen))
            dialog.set_note("")

    def _test(self) -> None:
        remote = self._wanted()
        if remote is not None:
            self._work(
                lambda: look_there(remote),
                lambda report: self._say(present_report(remote.shown, report)),
            )

    def _start(self) -> None:
        session, remote = self._session, self._wanted()
        if remote is None or session.project is None:
            return
        if not session.findings.is_checked:
            self._say(translate("Remote", "The model is still being checked. Try again."))
            return
        project, graph, spec = session.project.path, session.graph, session.spec
        problems = session.findings.problems
        trusted = self._trust.covers(graph.code)
        self._trust.note_run(graph.code)

        def begin() -> RunHandle:
            look_there(remote)
            return start_run(
                project, graph, spec, problems=problems, trusted=trusted, remote=remote
            )

        self._work(begin, self._on_started)

    def _on_started(self, handle: RunHandle) -> None:
        self._runs.follow(handle.folder)
        self._runs.tell_runs_changed()
        self._window.show_workspace("train")
        if self._dialog is not None:
            self._dialog.accept()

    def _wanted(self) -> Remote | None:
        """Return the machine as it is written; None, with a word about it, when it is none."""
        if self._dialog is None:
            return None
        try:
            return self._dialog.form().remote()
        except DiagnosticError as error:
            self._say(sentence(error.problems[0], self._language()), is_error=True)
            return None

    def _work(self, work: Callable[[], Result], then: Callable[[Result], object]) -> None:
        """Do something that waits for the network on a thread of its own: files do not wait."""
        assert self._dialog is not None
        self._dialog.set_busy(is_busy=True)
        self._dialog.set_note(translate("Remote", "Connecting…"))
        self._handover.deliver(_on_thread(work), lambda future: self._on_done(future, then))

    def _on_done(self, future: "Future[Result]", then: Callable[[Result], object]) -> None:
        if self._dialog is not None:
            self._dialog.set_busy(is_busy=False)
        error = future.exception()
        if isinstance(error, DiagnosticError):
            self._say(sentence(error.problems[0], self._language()), is_error=True)
        elif error is not None:
            raise error
        else:
            then(future.result())

    def _say(self, text: str, *, is_error: bool = False) -> None:
        if self._dialog is not None:
            self._dialog.set_note(text, is_error=is_error)


def _remotes() -> tuple[Remote, ...]:
    """Return the machines that are offered: each once, as it was used last."""
    by_name: dict[str, Remote] = {}
    for remote in KnownMachines().machines:
        by_name.setdefault(remote.shown, remote)
    return tuple(by_name.values())[:_MOST_KNOWN]


def _on_thread(work: Callable[[], Result]) -> "Future[Result]":
    """Return the result to come of something that is done on a thread of its own."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - handed over with the future
            future.set_exception(error)

    threading.Thread(target=run, name="ssh", daemon=True).start()
    return future
