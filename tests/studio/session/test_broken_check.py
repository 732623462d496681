"""A check that breaks down says so at once: in the list, at F5, and with a way to its details."""

import pytest
from PySide6.QtWidgets import QPushButton

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.edit.edits import RenameNode
from engine.query.model.request import Check
from studio.window.notifications import Notifications
from tests.studio.view.test_taking_back import Screen

BROKEN = Diagnostic(code="E014", params={"request": "Check"}, detail="KeyError: 'nosuch'")


@pytest.fixture
def broken(opened, host, qtbot) -> None:
    host.own[Check] = DiagnosticError(BROKEN)
    first = next(iter(opened.session.graph.nodes))
    opened.session.edit(RenameNode(id=first, name="renamed"), "Rename")
    qtbot.waitUntil(lambda: BROKEN in opened.session.findings.problems, timeout=60_000)


def test_that_nobody_waits_for_a_check_that_broke_down(opened, broken):
    assert opened.session.findings.is_checked
    opened.services.runs.start()
    assert not opened.services.runs.is_waiting
    assert "failed unexpectedly" in opened.services.runs.refusal()


def test_that_the_message_about_it_leads_to_the_details(opened, broken, qtbot):
    if opened.window.is_dock_shown("log"):
        opened.window.toggle_dock("log")
    (button,) = [
        each for each in opened.window.findChildren(QPushButton) if each.text() == "Show details"
    ]
    button.click()
    qtbot.waitUntil(lambda: opened.window.is_dock_shown("log"), timeout=60_000)
    assert BROKEN.detail in opened.bench.log.text.toPlainText()


def test_that_a_message_without_details_has_no_button_for_them():
    told = []
    screen = Screen()
    screen.show_message = lambda *message: told.append(message)
    notifications = Notifications(lambda: "en")
    notifications.attach(screen)
    notifications.report([Diagnostic(code="E011")])
    assert [action for _, _, action in told] == [None]
