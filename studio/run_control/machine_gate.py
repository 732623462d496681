"""Asking before SSH is started for what a folder says that the user has not said."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from engine.diagnostics import DiagnosticError
from engine.runs.folder import RunFolder, find_run
from engine.runs.machine.known_machine import KnownMachines
from engine.runs.machine.remote import RemoteRun, read_remote
from studio.i18n import translate
from studio.window.dialog.question import Answer, Question
from studio.window.notifications import Notifications


class MachineGate:
    """Lets runs go on that train here, or where the user knows them to; asks about the others."""

    def __init__(self, window: QWidget, notifications: Notifications) -> None:
        self._window = window
        self._notifications = notifications

    def pass_through(self, project: Path, names: Sequence[str], act: Callable[[], object]) -> None:
        """Do something that goes on with runs of a project; at once where nothing is to be asked.
        What else is wrong with a run is told by those who go on with it.
        """
        for name in names:
            if unknown := _unknown(project, name):
                self._ask(*unknown, lambda: self.pass_through(project, names, act))
                return
        act()

    def _ask(self, run: RunFolder, away: RemoteRun, then: Callable[[], object]) -> None:
        text = translate(
            "Remote",
            "{run} in {project} claims to train on another machine. It was not sent there "
            "from this computer, so it may come from somebody else. If you continue, "
            "Trellis signs in there with your keys and runs the following:\n\nMachine: "
            "{machine}\nUser: {user}\nPython: {python}\nFolder: {folder}/{place}",
        ).format(
            run=run.id,
            project=run.project,
            machine=away.remote.shown,
            user=away.remote.user or translate("Remote", "from the SSH configuration"),
            python=away.remote.python,
            folder=away.remote.folder,
            place=away.place,
        )
        Question(
            self._window,
            "machine",
            title=translate("Remote", "Connect to {machine}?").format(machine=away.remote.shown),
            text=text,
            answers=(
                Answer(
                    name="agree",
                    text=translate("Remote", "Connect and continue"),
                    act=lambda: self._agree(run, away, then),
                ),
            ),
            cancel=translate("Remote", "Do not connect"),
            is_cautious=True,
        ).open()

    def _agree(self, run: RunFolder, away: RemoteRun, then: Callable[[], object]) -> None:
        try:
            KnownMachines().agree(run, away)
        except DiagnosticError as error:
            self._notifications.report(error.problems)
        else:
            then()


def _unknown(project: Path, name: str) -> tuple[RunFolder, RemoteRun] | None:
    """Return a run that says to train where the user does not know it to."""
    try:
        run = find_run(project, name)
        away = read_remote(run.path)
    except DiagnosticError:
        return None  # resuming says why it cannot be read
    if away is None:
        return None
    try:
        KnownMachines().require(run, away)
    except DiagnosticError as error:
        return (run, away) if error.problems[0].code == "R418" else None
    return None
