"""Training on another machine from the window; the machine is played."""

import pytest
from PySide6.QtWidgets import QComboBox, QFileDialog, QLabel, QLineEdit, QPushButton

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.folder import RunFolder
from engine.runs.machine.known_machine import KnownMachines
from engine.runs.machine.remote import Remote, read_remote, send_away
from engine.runtime import RemoteReport, RunHandle
from studio.train.remote import controller

REPORT = RemoteReport(
    python="3.12.1", folder="/home/anna/trellis", free=90 << 30, gpus=("H100",), torch="2.15.0"
)


def part(studio, kind, name):
    return studio.window.findChild(kind, f"dialog.remote.{name}")


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Play the other machine; return what was asked of it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    asked: list[Remote] = []

    def look(remote):
        asked.append(remote)
        if remote.host == "off":
            params = {"machine": "off", "reason": "No route to host"}
            raise DiagnosticError(Diagnostic(code="R403", params=params))
        return REPORT

    def start(project, graph, spec, *, problems, trusted, remote):
        folder = RunFolder.create(project, graph, spec)
        KnownMachines().note(folder, send_away(folder, remote))
        return RunHandle(folder)

    monkeypatch.setattr(controller, "look_there", look)
    monkeypatch.setattr(controller, "start_run", start)
    return asked


@pytest.fixture
def dialog(opened, qtbot, machine):
    opened.bench.actions.action("action.run.remote").trigger()
    qtbot.waitUntil(lambda: part(opened, QPushButton, "start") is not None)
    yield opened
    if (close := part(opened, QPushButton, "close")) is not None:
        close.click()


def write(studio, text, **fields):
    line = part(studio, QLineEdit, "machine.text")
    line.setText(text)
    line.textEdited.emit(text)
    for name, value in fields.items():
        part(studio, QLineEdit, name).setText(value)


@pytest.mark.row("P33")
def test_that_the_connection_is_tested(dialog, qtbot, machine):
    write(dialog, "anna@gpu:2222", key="~/.ssh/id", python="~/venv/bin/python")
    part(dialog, QPushButton, "test").click()
    assert not part(dialog, QPushButton, "start").isEnabled()
    note = part(dialog, QLabel, "note")
    qtbot.waitUntil(lambda: "H100" in note.text())
    assert "anna@gpu:2222 is ready" in note.text()
    assert part(dialog, QPushButton, "start").isEnabled()
    assert machine == [
        Remote(host="gpu", user="anna", port=2222, key="~/.ssh/id", python="~/venv/bin/python")
    ]


@pytest.mark.parametrize(("text", "word"), [("off", "No route to host"), ("a b", "valid machine")])
def test_that_what_is_wrong_is_said_in_its_place(dialog, qtbot, text, word):
    write(dialog, text)
    part(dialog, QPushButton, "start").click()
    note = part(dialog, QLabel, "note")
    qtbot.waitUntil(lambda: word in note.text())
    assert note.property("role") == "error"
    assert dialog.session.run is None
    assert KnownMachines().machines == ()


@pytest.mark.row("P33")
def test_that_a_run_is_sent_followed_and_its_machine_remembered(dialog, qtbot):
    write(dialog, "anna@gpu", folder="/data/anna")
    part(dialog, QPushButton, "start").click()
    qtbot.waitUntil(lambda: dialog.session.run is not None)
    remote = read_remote(dialog.session.run.folder.path).remote
    assert (remote.shown, remote.folder) == ("anna@gpu", "/data/anna")
    assert dialog.window.workspace == "train"
    qtbot.waitUntil(lambda: part(dialog, QComboBox, "machine") is None)
    dialog.bench.actions.action("action.run.remote").trigger()
    assert part(dialog, QComboBox, "machine").currentText() == "anna@gpu"
    assert part(dialog, QLineEdit, "folder").text() == "/data/anna"


def test_that_a_key_is_chosen(dialog, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("/home/anna/key", ""))
    part(dialog, QPushButton, "browse").click()
    assert part(dialog, QLineEdit, "key").text() == "/home/anna/key"
