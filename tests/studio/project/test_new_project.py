"""The dialog for a new project: what cannot be is told in it, and it stays."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QPushButton, QTreeWidget

from studio.project.project import typed_folder


@pytest.fixture
def dialog(studio, qtbot):
    studio.show(None)
    studio.bench.help.ask_new()
    return studio.window.findChild(QDialog, "dialog.new")


def fill(dialog, qtbot, place, name: str) -> None:
    for field, text in (("folder", str(place)), ("name", name)):
        edit = dialog.findChild(QLineEdit, f"dialog.new.{field}")
        edit.selectAll()
        qtbot.keyClicks(edit, text)


def said(dialog) -> str:
    return dialog.findChild(QLabel, "dialog.new.problem").text()


@pytest.mark.fault("B13")
def test_that_a_name_that_no_disk_takes_is_told_and_can_be_mended(studio, dialog, qtbot, tmp_path):
    create = dialog.findChild(QPushButton, "dialog.new.create")
    fill(dialog, qtbot, tmp_path, "x" * 300)
    qtbot.mouseClick(create, Qt.MouseButton.LeftButton)
    assert "too long" in said(dialog)
    assert dialog.isVisible()
    assert studio.session.project is None
    fill(dialog, qtbot, tmp_path, "a model")
    assert said(dialog) == ""
    qtbot.mouseClick(create, Qt.MouseButton.LeftButton)
    assert studio.session.project.path == tmp_path / "a model"
    assert not dialog.isVisible()


def test_that_a_folder_that_is_taken_or_is_a_file_is_told_in_the_dialog(dialog, qtbot, tmp_path):
    (tmp_path / "file").touch()
    create = dialog.findChild(QPushButton, "dialog.new.create")
    fill(dialog, qtbot, tmp_path, "file")
    assert "already" in said(dialog)
    assert not create.isEnabled()
    fill(dialog, qtbot, tmp_path / "file", "inside")
    qtbot.mouseClick(create, Qt.MouseButton.LeftButton)
    assert str(tmp_path / "file") in said(dialog)
    assert dialog.isVisible()


def test_that_a_template_is_found_by_its_words_and_begun_with(studio, dialog, qtbot, tmp_path):
    tree = dialog.findChild(QTreeWidget, "dialog.new.template")
    assert tree.topLevelItemCount() > 3
    assert tree.currentItem().text(0) == "Empty model"
    search = dialog.findChild(QLineEdit, "dialog.new.search")
    qtbot.keyClicks(search, "spiral")
    shown = [
        heading.child(row).text(0)
        for place in range(tree.topLevelItemCount())
        for heading in [tree.topLevelItem(place)]
        for row in range(heading.childCount())
        if not heading.isHidden() and not heading.child(row).isHidden()
    ]
    assert shown == [tree.currentItem().text(0)] == ["Spiral"]
    fill(dialog, qtbot, tmp_path, "swirl")
    create = dialog.findChild(QPushButton, "dialog.new.create")
    qtbot.mouseClick(create, Qt.MouseButton.LeftButton)
    assert studio.session.project.path == tmp_path / "swirl"
    assert studio.session.graph.nodes


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Return the folder of the user's projects, while the program was started elsewhere."""
    folder = tmp_path / "home" / "mine"
    monkeypatch.setenv("HOME", str(folder.parent))
    monkeypatch.setattr("studio.project.project.projects_folder", lambda: folder)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.mark.parametrize("typed", ["~/mine/of today", "of today"])
def test_that_a_project_lies_at_home_and_not_where_the_program_was_started(
    mine, dialog, qtbot, typed
):
    fill(dialog, qtbot, typed, "flowers")
    create = dialog.findChild(QPushButton, "dialog.new.create")
    qtbot.mouseClick(create, Qt.MouseButton.LeftButton)
    assert (mine / "of today" / "flowers" / "project.json").is_file()


def test_that_a_home_of_nobody_is_a_folder_of_that_name(mine):
    assert typed_folder("~nobody-at-all/x") == mine / "~nobody-at-all" / "x"
