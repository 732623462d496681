"""The machines that the user knows: looked at, forgotten and put back in the window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QTreeWidget

from engine.diagnostics import Diagnostic
from engine.files import FileWriteError
from engine.runs.folder import RunFolder
from engine.runs.machine import known_machine
from engine.runs.machine.known_machine import KnownMachines
from engine.runs.machine.remote import Remote, send_away

MINE = Remote(host="gpu", user="anna", port=2222, key="~/.ssh/mine", python="~/venv/bin/python")
OLD = Remote(host="old", folder="/data/anna")


@pytest.fixture
def known(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return KnownMachines()


def part(studio, kind, name):
    found = studio.window.findChild(kind, f"dialog.known_machines.{name}")
    assert found is not None, name
    return found


def rows(studio):
    table = part(studio, QTreeWidget, "table")
    items = [table.topLevelItem(index) for index in range(table.topLevelItemCount())]
    return [[item.text(column) for column in range(item.columnCount())] for item in items]


def show(studio):
    studio.bench.actions.action("action.run.known_machines").trigger()


@pytest.mark.row("P33")
def test_that_the_window_shows_what_is_known_of_each_machine(opened, known):
    known.remember(OLD)
    session = opened.session
    run = RunFolder.create(session.project.path, session.graph, session.spec)
    known.note(run, send_away(run, MINE))
    show(opened)
    configured = "from the SSH configuration"
    (day,) = {entry.last_day for entry in known.entries() if entry.last_day}
    assert rows(opened) == [
        [
            "anna@gpu:2222",
            "~/.ssh/mine",
            "~/venv/bin/python",
            "~/trellis",
            f"1, last on {day}",
        ],
        ["old", configured, "python3", "/data/anna", "none"],
    ]
    about = part(opened, QTreeWidget, "table").topLevelItem(0).toolTip(0)
    assert [word for word in ("gpu", "anna", "2222", "~/.ssh/mine") if word not in about] == []


@pytest.mark.row("P33")
def test_that_machines_are_forgotten_and_put_back_with_the_keyboard(studio, known, qtbot):
    for remote in (OLD, MINE):
        known.remember(remote)
    show(studio)
    table = part(studio, QTreeWidget, "table")
    qtbot.waitUntil(lambda: table.window().isActiveWindow(), timeout=30_000)
    table.setFocus()
    undo, control = part(studio, QPushButton, "undo"), Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(table, Qt.Key.Key_Down)
    QTest.keyClick(table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: known.machines == (MINE,), timeout=30_000)
    assert [row[0] for row in rows(studio)] == ["anna@gpu:2222"]
    assert "Forgotten: old." in part(studio, QLabel, "note").text()
    QTest.keyClick(table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: known.machines == (), timeout=30_000)
    for expected in ((MINE,), (MINE, OLD)):
        assert undo.isEnabled()
        QTest.keyClick(table, Qt.Key.Key_Z, control)
        qtbot.waitUntil(lambda wanted=expected: known.machines == wanted, timeout=30_000)
    assert not undo.isEnabled()


@pytest.mark.row("P33")
def test_that_without_a_machine_it_is_said_how_one_gets_there(studio, known):
    show(studio)
    assert rows(studio) == []
    assert "Train on another machine…" in part(studio, QLabel, "note").text()
    assert not part(studio, QPushButton, "forget").isEnabled()
    assert not part(studio, QPushButton, "undo").isEnabled()


@pytest.mark.fault("B14")
def test_that_a_list_that_cannot_be_written_is_told_and_keeps_its_machines(
    studio, known, monkeypatch
):
    def fail(path, *_, **__):
        params = {"file": path.name, "folder": str(path.parent)}
        raise FileWriteError(Diagnostic(code="P002", params=params))

    known.remember(MINE)
    told = []
    monkeypatch.setattr(studio.notifications, "report", told.extend)
    monkeypatch.setattr(known_machine, "atomic_write", fail)
    show(studio)
    part(studio, QPushButton, "forget").click()
    assert [problem.code for problem in told] == ["P002"]
    assert [row[0] for row in rows(studio)] == ["anna@gpu:2222"]
    assert not part(studio, QPushButton, "undo").isEnabled()


@pytest.mark.row("P33")
def test_that_the_preferences_lead_to_the_machines(studio, known):
    known.remember(MINE)
    studio.bench.actions.action("action.file.preferences").trigger()
    button = studio.window.findChild(QPushButton, "dialog.preferences.machines")
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    button.click()
    assert [row[0] for row in rows(studio)] == ["anna@gpu:2222"]
    for name in ("dialog.known_machines", "dialog.preferences"):
        studio.window.findChild(QDialog, name).close()
