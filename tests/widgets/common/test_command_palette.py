"""Ctrl+K: letters, Enter."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from widgets.common.command_palette import CommandEntry, CommandPalette

ENTRIES = (
    CommandEntry(id="run", title="Start training", path="Train", shortcut="F5", icon="play"),
    CommandEntry(id="stop", title="Stop training", path="Train", is_enabled=False),
    CommandEntry(id="fit", title="Show everything", path="View", aliases=("zoom", "全部")),
)


@pytest.fixture
def palette(qtbot):
    window = QWidget()
    window.resize(900, 600)
    QVBoxLayout(window).addWidget(QLineEdit(window))
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield CommandPalette(window)
    window.close()


def test_that_typing_and_enter_trigger_the_best_fit(palette, qtbot):
    palette.open_with(ENTRIES)
    qtbot.keyClicks(palette.field, "train")
    assert palette.shown_ids() == ["run", "stop"]
    with qtbot.waitSignal(palette.triggered) as caught:
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert caught.args == ["run"]
    assert not palette.isVisible()


def test_that_an_alias_in_another_language_finds(palette):
    palette.open_with(ENTRIES, "全部")
    assert palette.shown_ids() == ["fit"]


def test_that_a_title_in_english_is_a_title_beside_one_in_another_language(palette):
    entries = (
        CommandEntry(id="finder", title="查找最大批大小…", path="运行", aliases=("memory", "内存")),
        CommandEntry(id="page", title="内存", english="Memory", path="检视"),
    )
    for typed in ("memory", "Mem", "内存"):
        palette.open_with(entries, typed)
        assert palette.shown_ids() == ["page", "finder"], typed


def test_that_a_disabled_command_cannot_be_triggered(palette, qtbot):
    palette.open_with(ENTRIES, "stop")
    with qtbot.assertNotEmitted(palette.triggered):
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()


def test_that_arrows_walk_around_and_what_was_used_stands_first(palette, qtbot):
    palette.open_with(ENTRIES)
    qtbot.keyClick(palette.field, Qt.Key.Key_Up)
    with qtbot.waitSignal(palette.triggered) as caught:
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert caught.args == ["fit"]
    palette.open_with(ENTRIES)
    assert palette.shown_ids()[0] == "fit"


def test_that_escape_closes_and_gives_the_focus_back(palette, qtbot):
    field = palette.parentWidget().findChild(QLineEdit)
    field.setFocus()
    palette.open_with(ENTRIES)
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert palette.parentWidget().focusWidget() is field


def test_that_a_click_triggers(palette, qtbot):
    palette.open_with(ENTRIES)
    place = palette.list.visualRect(palette.list.model().index(1, 0)).center()
    with qtbot.waitSignal(palette.triggered) as caught:
        qtbot.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == ["fit"]


def test_that_nothing_found_is_said(palette):
    palette.open_with(ENTRIES, "zebra")
    assert palette.shown_ids() == []
    assert not palette.list.isVisible()
