"""What is done once a window is seen, and not before."""

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from typing_extensions import override

from studio.window import first_paint
from studio.window.first_paint import FirstPaint


class Painted(QWidget):
    """Notes that it is painted."""

    def __init__(self, told: list[str]) -> None:
        super().__init__()
        self.told = told

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        self.told.append("painted")


def test_that_what_comes_later_waits_for_the_first_paint(qtbot: QtBot) -> None:
    told: list[str] = []
    window = Painted(told)
    qtbot.addWidget(window)
    FirstPaint(window, 0).timeout.connect(lambda: told.append("begun"))
    qtbot.wait(100)
    assert told == []
    window.show()
    qtbot.waitUntil(lambda: "begun" in told)
    assert told[0] == "painted"
    window.update()
    qtbot.waitUntil(lambda: told[-1] == "painted")
    assert told.count("begun") == 1


def test_that_a_window_that_is_not_painted_waits_not_for_ever(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_paint, "_LONGEST_MS", 10)
    told: list[str] = []
    window = Painted(told)
    qtbot.addWidget(window)
    FirstPaint(window, 0).timeout.connect(lambda: told.append("begun"))
    qtbot.waitUntil(lambda: told == ["begun"])
    window.show()
    qtbot.waitUntil(lambda: told[-1] == "painted")
    qtbot.wait(50)
    assert told.count("begun") == 1
