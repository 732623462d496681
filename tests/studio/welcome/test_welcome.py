"""The welcome page: examples in groups, found by their words."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget

from engine.graph.templates import templates

GROUPS = ["first", "image", "table", "sequence", "block"]


@pytest.fixture
def page(studio, qtbot):
    studio.show(None)
    qtbot.waitUntil(lambda: len(cards(studio.bench.welcome)) == len(templates()))
    return studio.bench.welcome


def cards(page) -> list[str]:
    """Return the names of the cards that can be seen, as they come."""
    prefix = "welcome.template."
    return [
        button.objectName().removeprefix(prefix)
        for button in page.findChildren(QPushButton)
        if button.objectName().startswith(prefix) and button.isVisibleTo(page)
    ]


def test_that_every_template_has_a_card_in_its_group(page):
    assert cards(page) == [info.name for info in templates()]
    tops = []
    for name in GROUPS:
        group = page.findChild(QWidget, f"welcome.group.{name}")
        expected = [info.name for info in templates() if info.group == name]
        assert cards(group) == expected
        tops.append(group.mapTo(page, group.rect().topLeft()).y())
    assert tops == sorted(tops)


def test_that_typed_words_leave_the_cards_that_have_them_in_either_language(page, qtbot):
    field = page.findChild(QLineEdit, "welcome.search")
    qtbot.keyClicks(field, "attends DECODER")
    assert cards(page) == ["attention-decoder"]
    assert not page.findChild(QWidget, "welcome.group.first").isVisibleTo(page)
    field.setText("注意力")
    assert cards(page) == ["attention-decoder"]
    field.clear()
    assert len(cards(page)) == len(templates())


def test_that_one_group_is_shown_alone_until_something_is_looked_for(page, qtbot):
    switch = page.findChild(QPushButton, "welcome.show.sequence")
    qtbot.mouseClick(switch, Qt.MouseButton.LeftButton)
    assert cards(page) == [info.name for info in templates() if info.group == "sequence"]
    qtbot.keyClicks(page.findChild(QLineEdit, "welcome.search"), "bilinear")
    assert page.findChild(QPushButton, "welcome.show.all").isChecked()
    assert cards(page) == ["bilinear-pooling"]


def test_that_words_of_no_card_are_told(page, qtbot):
    nothing = page.findChild(QLabel, "welcome.search.nothing")
    assert not nothing.isVisibleTo(page)
    qtbot.keyClicks(page.findChild(QLineEdit, "welcome.search"), "zeppelin")
    assert cards(page) == []
    assert nothing.isVisibleTo(page)


def test_that_enter_opens_the_first_card_that_is_found(page, qtbot):
    field = page.findChild(QLineEdit, "welcome.search")
    chosen: list[str] = []
    page.template_chosen.disconnect()
    page.template_chosen.connect(chosen.append)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert chosen == []  # nothing was asked for
    qtbot.keyClicks(field, "bilinear")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert chosen == ["bilinear-pooling"]


def test_that_rows_hold_as_many_cards_as_there_is_room_for(studio, page, qtbot):
    def columns() -> int:
        group = page.findChild(QWidget, "welcome.group.image")
        buttons = [b for b in group.findChildren(QPushButton) if b.isVisibleTo(page)]
        return len({button.x() for button in buttons})

    studio.window.resize(1000, 700)
    qtbot.waitUntil(lambda: columns() == 2)
    studio.window.resize(1600, 700)
    qtbot.waitUntil(lambda: columns() == 4)


def test_that_cards_are_built_only_when_somebody_looks_at_them(opened, qtbot):
    page = opened.bench.welcome
    assert cards(page) == []
    opened.bench.actions.action("action.file.welcome").trigger()
    qtbot.waitUntil(lambda: len(cards(page)) == len(templates()))
    recent = page.findChild(QPushButton, "welcome.recent.0")
    assert recent.text().startswith("digits")


def test_that_no_text_of_a_card_is_cut(page, qtbot):
    def cut() -> list[str]:
        labels = [
            label
            for button in page.findChildren(QPushButton)
            if button.objectName().startswith("welcome.template.")
            for label in button.findChildren(QLabel)
            if label.wordWrap()
        ]
        assert len(labels) >= 2 * len(templates())
        return [each.text() for each in labels if each.heightForWidth(each.width()) > each.height()]

    qtbot.waitUntil(lambda: not cut())
