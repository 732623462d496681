"""A project that another window holds, or that cannot be written: nothing is lost, a way out."""

import json
import socket

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QPushButton

from engine.graph.edit.edits import AddNode
from engine.graph.model import Node
from engine.project import Project
from engine.runs.folder import RunFolder
from engine.runs.process.process_start import process_start
from engine.runs.record.journal import RunJournal
from studio.project import project


@pytest.fixture
def held(studio, project_path, qtbot):
    """Return the program with a project that another process holds, and changed there."""
    other = psutil.Process().parent()
    holder = {"pid": other.pid, "created": process_start(other.pid), "host": socket.gethostname()}
    lock = project_path / ".trellis" / "lock"
    lock.parent.mkdir()
    lock.write_text(json.dumps(holder))
    (lock.parent / "autosave.json").write_text("of the other window")
    studio.show(project_path)
    studio.session.edit(AddNode(node=Node(id="extra", type="ReLU", name="extra")), "Add")
    return studio


def press(qtbot, parent, name: str) -> None:
    qtbot.mouseClick(parent.findChild(QPushButton, name), Qt.MouseButton.LeftButton)


def choose(monkeypatch, path) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))


@pytest.mark.fault("F23")
def test_that_a_copy_is_offered_where_a_project_is_read_only(held, qtbot, monkeypatch, tmp_path):
    assert held.window.banner.view.key == "read_only"
    assert not held.bench.project.save()
    choose(monkeypatch, tmp_path / "copy")
    press(qtbot, held.window.banner, "notice.action0")
    assert held.session.project.path == tmp_path / "copy"
    assert "extra" in Project.open(tmp_path / "copy").graph.nodes
    assert held.window.banner.view is None


@pytest.mark.fault("F23")
def test_that_leaving_a_read_only_project_offers_a_copy_and_forgets_nothing_of_the_other(
    held, qtbot, monkeypatch, tmp_path, project_path
):
    left = []
    choose(monkeypatch, "")
    for answer, is_left in (("save", False), ("discard", True)):
        held.bench.leaving.leave_then(lambda: left.append("left"))
        question = held.window.findChild(QDialog, "question.unsaved")
        press(qtbot, question, f"question.unsaved.{answer}")
        qtbot.waitUntil(lambda: held.window.findChild(QDialog, "question.unsaved") is None)
        assert bool(left) == is_left
    autosave = project_path / ".trellis" / "autosave.json"
    assert autosave.read_text() == "of the other window"


@pytest.mark.fault("F23")
def test_that_trying_again_takes_a_project_that_was_let_go(held, qtbot, project_path):
    held.session.undo()
    (project_path / ".trellis" / "lock").unlink()
    press(qtbot, held.window.banner, "notice.action1")
    assert not held.session.project.is_read_only


@pytest.mark.fault("F23")
def test_that_a_project_that_is_opened_again_shows_its_last_run_again(opened, qtbot):
    session = opened.session
    run = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    RunJournal(run.path).close()
    for _ in range(2):
        opened.bench.project.open(session.project.path)
        assert session.run is None
        qtbot.waitUntil(lambda: session.run is not None and session.run.folder.id == run.id)


@pytest.mark.fault("B14")
def test_that_a_folder_that_went_away_is_told_with_a_copy_to_save(opened, tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(
        opened.notifications,
        "tell",
        lambda text, *_, action=None, **__: told.append((text, action)),
    )
    opened.session.edit(AddNode(node=Node(id="extra", type="ReLU", name="extra")), "Add")
    opened.session.project.path.rename(tmp_path / "elsewhere")
    assert not opened.bench.project.save()
    text, action = told[-1]
    assert str(tmp_path / "digits") in text
    choose(monkeypatch, tmp_path / "copy")
    assert action[1]()
    assert "extra" in Project.open(tmp_path / "copy").graph.nodes


def test_that_the_choice_of_a_place_begins_near_where_projects_belong(
    opened, tmp_path, monkeypatch
):
    monkeypatch.setattr(project, "projects_folder", lambda: tmp_path / "not" / "made" / "yet")
    begun = []

    def ask(_parent, _title: str, start: str) -> tuple[str, str]:
        begun.append(start)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    opened.bench.project.ask_save_as()
    assert begun == [str(tmp_path / "digits")]
