"""The offer of unsaved work: after an end that was none, of all that was left, and never else."""

import os
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QDialog, QFileDialog, QFrame, QPushButton

from engine.graph.edit.edits import AddNode
from engine.graph.model import Node
from engine.project import Project
from studio.window.main_window import MainWindow


@pytest.fixture
def opened(studio, project_path):
    """Return the program with a project open; the pages are not needed."""
    studio.show(project_path)
    return studio


def add(studio, name: str) -> None:
    studio.session.edit(AddNode(node=Node(id=name, type="ReLU", name=name)), "add")


def autosave(studio) -> None:
    studio.bench.project.autosave()
    studio.writer.wait()


def reopen(studio, path: Path | None = None) -> None:
    """Let the project go as at an ordinary end, and open it as the next start does."""
    path = path or studio.session.project.path
    studio.bench.project.close()
    assert studio.bench.project.open(path)


def offers(window: MainWindow) -> list[QFrame]:
    """Return the offers of unsaved work on the screen, from the top."""
    column = window.banner.layout()
    lines = [column.itemAt(index).widget() for index in range(column.count())]
    return [line for line in lines if line.view.key.startswith("recovery")]


def leave_behind(path: Path, epochs: int, name: str = "autosave.json", age_s: float = 0) -> None:
    """Leave what a session leaves that is killed."""
    project = Project.open(path)
    state = project.state_folder
    known = set(state.glob("autosave*")) if state.is_dir() else set()
    project.spec = msgspec.structs.replace(project.spec, epochs=epochs)
    project.autosave()
    (made,) = set(state.glob("autosave*")) - known
    file = made.rename(state / name)
    os.utime(file, (file.stat().st_atime, file.stat().st_mtime - age_s))


def left_in(path: Path) -> list[int]:
    return [found.spec.epochs for found in Project.open(path).recoveries()]


def press(line: QFrame, words: str) -> None:
    (button,) = [each for each in line.findChildren(QPushButton) if each.text() == words]
    button.click()


def answer(studio, choice: str) -> None:
    question = studio.window.findChild(QDialog, "question.unsaved")
    question.findChild(QPushButton, f"question.unsaved.{choice}").click()


def test_that_what_was_taken_back_is_not_offered(opened):
    add(opened, "a")
    autosave(opened)
    opened.session.undo()
    reopen(opened)
    assert not offers(opened.window)
    assert opened.window.banner.view is None


def test_that_what_was_taken_back_goes_from_the_disk_soon(opened, qtbot):
    add(opened, "a")
    autosave(opened)
    path = opened.session.project.path
    assert len(Project.open(path).recoveries()) == 1
    opened.session.undo()
    qtbot.waitUntil(lambda: Project.open(path).recoveries() == (), timeout=30_000)
    opened.session.redo()
    qtbot.waitUntil(lambda: len(Project.open(path).recoveries()) == 1, timeout=30_000)


def test_that_what_was_not_to_be_saved_is_not_offered_though_it_was_written_meanwhile(opened):
    path = opened.session.project.path

    def leave_late() -> None:
        autosave(opened)  # while the user chooses what to open
        reopen(opened, path)

    add(opened, "a")
    autosave(opened)
    opened.bench.leaving.leave_then(leave_late)
    answer(opened, "discard")
    assert not offers(opened.window)


def test_that_a_signal_after_all_keeps_what_was_not_to_be_saved(opened):
    path = opened.session.project.path
    add(opened, "a")
    opened.bench.leaving.leave_then(lambda: None)
    answer(opened, "discard")  # and then the user stayed
    opened.keep_work()
    opened.quit()
    assert "a" in Project.open(path).recoveries()[0].graph.nodes


@pytest.mark.fault("F02")
def test_that_an_offer_without_an_answer_outlasts_sessions_that_save(opened):
    path = opened.session.project.path
    leave_behind(path, 42)
    reopen(opened)
    assert len(offers(opened.window)) == 1
    add(opened, "a")
    autosave(opened)
    assert opened.bench.project.save()
    add(opened, "b")
    autosave(opened)
    opened.bench.leaving.leave_then(lambda: reopen(opened))
    answer(opened, "discard")
    (line,) = offers(opened.window)
    press(line, "Restore")
    assert opened.session.spec.epochs == 42


def test_that_each_of_several_can_be_restored_or_discarded(opened):
    path = opened.session.project.path
    leave_behind(path, 50, "autosave.json", age_s=3600)
    leave_behind(path, 60, "autosave-2.json")
    reopen(opened)
    newest, older = offers(opened.window)
    press(older, "Restore")
    assert opened.session.spec.epochs == 50
    press(newest, "Restore")
    assert opened.session.spec.epochs == 60
    opened.session.undo()
    assert opened.session.spec.epochs == 50
    opened.session.undo()
    reopen(opened)
    newest, older = offers(opened.window)
    press(newest, "Discard")
    assert left_in(path) == [50]
    assert offers(opened.window) == [older]


def test_that_two_of_the_same_minute_can_be_told_apart(opened):
    path = opened.session.project.path
    for number, name in enumerate(("autosave.json", "autosave-2.json")):
        leave_behind(path, 50 + number, name)
        os.utime(path / ".trellis" / name, (0, 1_700_000_001 + number))
    reopen(opened)
    one, other = (line.view.text for line in offers(opened.window))
    assert one != other


def test_that_those_without_room_come_when_others_are_answered(opened):
    path = opened.session.project.path
    names = ["autosave.json", *(f"autosave-{number}.json" for number in range(2, 6))]
    for number, name in enumerate(names):
        leave_behind(path, 50 + number, name, age_s=60 * number)
    reopen(opened)
    for rest in range(5, 0, -1):
        assert len(left_in(path)) == rest
        press(offers(opened.window)[0], "Discard")
    assert left_in(path) == []
    assert not offers(opened.window)


def test_that_restored_work_is_forgotten_when_it_is_saved(opened):
    path = opened.session.project.path
    leave_behind(path, 42)
    reopen(opened)
    press(offers(opened.window)[0], "Restore")
    add(opened, "a")
    assert left_in(path) == [42]  # what is on the screen could be lost yet
    assert opened.bench.project.save()
    assert left_in(path) == []


def test_that_restored_work_that_was_taken_back_is_kept_when_something_else_is_saved(opened):
    path = opened.session.project.path
    leave_behind(path, 42)
    reopen(opened)
    press(offers(opened.window)[0], "Restore")
    opened.session.undo()
    add(opened, "a")
    assert opened.bench.project.save()
    assert left_in(path) == [42]


def test_that_of_two_that_were_restored_only_the_one_that_is_saved_is_forgotten(opened):
    path = opened.session.project.path
    leave_behind(path, 50, "autosave.json", age_s=3600)
    leave_behind(path, 60, "autosave-2.json")
    reopen(opened)
    for line in offers(opened.window):
        press(line, "Restore")
    assert opened.session.spec.epochs == 50
    assert opened.bench.project.save()
    assert left_in(path) == [60]


def test_that_restored_work_that_is_not_to_be_saved_is_forgotten(opened):
    path = opened.session.project.path
    leave_behind(path, 42)
    reopen(opened)
    press(offers(opened.window)[0], "Restore")
    add(opened, "a")
    opened.bench.leaving.leave_then(lambda: reopen(opened, path))
    answer(opened, "discard")
    assert not offers(opened.window)
    assert left_in(path) == []


def test_that_a_copy_of_restored_work_answers_the_offer(opened, monkeypatch, tmp_path):
    path = opened.session.project.path
    leave_behind(path, 42)
    reopen(opened)
    press(offers(opened.window)[0], "Restore")
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_, **__: (str(tmp_path / "copy"), "")
    )
    assert opened.bench.project.ask_save_as()
    assert Project.open(tmp_path / "copy").spec.epochs == 42
    assert left_in(path) == []


def test_that_an_offer_stays_in_a_window_of_another_language(opened):
    path = opened.session.project.path
    leave_behind(path, 42)
    reopen(opened)
    opened.settings.change(language="zh_CN")
    opened.apply_language()
    (line,) = offers(opened.window)
    press(line, "恢复")
    assert opened.session.spec.epochs == 42


@pytest.mark.fault("F23")
def test_that_a_project_that_moved_or_was_copied_brings_the_offer_along(opened, tmp_path):
    path = opened.session.project.path
    leave_behind(path, 42)
    opened.bench.project.close()
    moved = path.rename(tmp_path / "moved")
    assert opened.bench.project.open(moved)
    assert len(offers(opened.window)) == 1


def test_that_work_that_cannot_be_removed_is_told_and_stays(opened, monkeypatch):
    path = opened.session.project.path
    leave_behind(path, 42)
    reopen(opened)
    told: list[object] = []
    monkeypatch.setattr(opened.notifications, "report", told.extend)
    unlink = Path.unlink

    def refuse(file: Path, *args: object, **options: object) -> None:
        if file.name.startswith("autosave"):
            raise PermissionError(13, "Permission denied", str(file))
        unlink(file, *args, **options)

    with monkeypatch.context() as locked:
        locked.setattr(Path, "unlink", refuse)
        press(offers(opened.window)[0], "Discard")
    assert len(told) == 1
    assert left_in(path) == [42]
