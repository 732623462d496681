"""The Data workspace tells what is being read, and lets it be given up and begun again."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QWidget

from engine.diagnostics import Diagnostic
from engine.query.model.request import Check
from engine.spec.progress import FileProgress


def test_that_reading_is_told_and_can_be_given_up_and_begun_again(checked, host, qtbot):
    checked.window.show_workspace("data")
    qtbot.waitUntil(lambda: checked.window.findChild(QWidget, "data.reading.panel") is not None)
    panel = checked.window.findChild(QWidget, "data.reading.panel")
    assert not panel.isVisibleTo(checked.window)
    request = next(one for one in host.requests if isinstance(one, Check))
    host.on_reading(request, FileProgress(path="/photos/很多", done=60_000, unit="files"))
    qtbot.waitUntil(lambda: panel.isVisibleTo(checked.window))
    said = " ".join(label.text() for label in panel.findChildren(QLabel))
    assert "很多" in said
    assert "60,000" in said
    cancel = panel.findChild(QToolButton, "data.reading.cancel")
    qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    assert host.given_up == 1
    problem = Diagnostic(code="D073", field="data.source.path", params={"folder": "/photos/很多"})
    host.problems = (problem,)
    host.on_reading(request, None)
    checked.services.analyst.ask_again()
    again = checked.window.findChild(QPushButton, "data.fit.again")
    qtbot.waitUntil(lambda: again.isVisibleTo(checked.window))
    assert not panel.isVisibleTo(checked.window)
    host.problems = ()
    qtbot.mouseClick(again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not again.isVisibleTo(checked.window))
