"""Files of code that another program changes while the project is open."""

import pytest
from PySide6.QtCore import QProcess, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from engine.files import atomic_write
from engine.graph.edit.code_edits import SetCode
from studio.model.custom_code import folder
from studio.process.desktop import editor_command
from studio.window.notifications import Notifications

TEXT = "def f(x):\n    return x\n"
OTHER = "def f(x):\n    return 2 * x\n"


@pytest.fixture
def file(opened, qtbot):
    """Return the file of a saved project with a file of code written here."""
    opened.bench.actions.action("action.code.new_functions").trigger()
    assert opened.bench.project.save()
    return opened.session.project.path / "code" / "functions.py"


def notice(studio):
    return studio.window.banner.view


def press(studio, words: str) -> None:
    buttons = [
        button
        for button in studio.window.banner.findChildren(QPushButton)
        if button.text() == words and button.isVisible()
    ]
    QTest.mouseClick(buttons[0], Qt.MouseButton.LeftButton)


def code(studio):
    return studio.session.graph.code


def wait_for_question(studio, qtbot, word: str) -> None:
    qtbot.waitUntil(lambda: notice(studio) is not None and word in notice(studio).text)


def test_that_a_changed_file_is_loaded_and_trusted_when_the_user_says_so(opened, file, qtbot):
    file.write_text(OTHER)
    wait_for_question(opened, qtbot, "changed")
    assert code(opened)["functions.py"] != OTHER
    press(opened, "Load and trust")
    assert code(opened)["functions.py"] == OTHER
    assert opened.trust.covers(code(opened))
    assert notice(opened) is None
    opened.session.undo()
    assert code(opened)["functions.py"] != OTHER


def test_that_an_atomic_replace_is_seen_each_time(opened, file, qtbot):
    for text in (OTHER, TEXT):
        atomic_write(file, text.encode())
        wait_for_question(opened, qtbot, "changed")
        press(opened, "Load and trust")
        assert code(opened)["functions.py"] == text


def test_that_a_file_loaded_restricted_brings_the_question_of_trust(opened, file, qtbot):
    file.write_text(OTHER)
    wait_for_question(opened, qtbot, "changed")
    press(opened, "Load restricted")
    assert code(opened)["functions.py"] == OTHER
    assert not opened.trust.covers(code(opened))
    assert notice(opened).key == "trust"


def test_that_a_change_on_both_sides_keeps_both_until_the_user_chooses(opened, file, qtbot):
    page = opened.bench.model_page.own_code
    editor = page.editor()
    editor.edit.setFocus()
    opened.window.activateWindow()
    qtbot.waitUntil(editor.edit.hasFocus)
    QTest.keyClicks(editor.edit, "# mine ")
    editor.flush()
    mine = code(opened)["functions.py"]
    file.write_text(OTHER)
    wait_for_question(opened, qtbot, "Both versions")
    press(opened, "Keep both")
    assert code(opened) == {"functions.py": mine, "functions_other.py": OTHER}
    assert opened.bench.project.save()
    assert file.read_text() == mine


@pytest.mark.nightly
def test_that_keeping_mine_lets_the_next_save_write_it(opened, file, qtbot):
    mine = code(opened)["functions.py"]
    file.write_text(OTHER)
    wait_for_question(opened, qtbot, "changed")
    press(opened, "Keep mine")
    assert opened.bench.project.save()
    assert file.read_text() == mine
    assert notice(opened) is None


def test_that_a_deleted_file_stays_here_until_the_user_removes_it(opened, file, qtbot):
    file.unlink()
    wait_for_question(opened, qtbot, "deleted")
    assert "functions.py" in code(opened)
    press(opened, "Remove here too")
    assert code(opened) == {}


@pytest.mark.nightly
def test_that_a_file_that_comes_back_as_it_was_asks_nothing(opened, file, qtbot):
    text = file.read_text()
    file.unlink()
    wait_for_question(opened, qtbot, "deleted")
    file.write_text(text)
    qtbot.waitUntil(lambda: notice(opened) is None)


def test_that_saving_here_asks_nothing(opened, file, qtbot):
    opened.bench.actions.action("action.code.new_losses").trigger()
    assert opened.bench.project.save()
    qtbot.wait(400)
    assert notice(opened) is None


def test_that_the_chosen_program_gets_file_and_line(opened, file, qtbot, monkeypatch):
    started = []

    def start(program, arguments):
        started.append((program, arguments))
        return True, 1

    monkeypatch.setattr(QProcess, "startDetached", start)
    opened.settings.change(outside_editor="edit --at {line}")
    opened.bench.model_page.own_code.editor().go_to(3)
    opened.bench.actions.action("action.code.outside").trigger()
    assert started == [("edit", ["--at", "3", str(file)])]


def test_that_a_shell_is_told_and_not_started(opened, file, monkeypatch):
    told = []
    monkeypatch.setattr(QProcess, "startDetached", lambda *_: pytest.fail("started"))
    monkeypatch.setattr(Notifications, "tell", lambda _, *words: told.append(words))
    opened.settings.change(outside_editor="sh -c 'vim {file}'")
    opened.bench.actions.action("action.code.outside").trigger()
    ((text, severity),) = told
    assert severity == "error"
    assert [word for word in ("“sh”", "{file}", str(file), "Preferences") if word not in text] == []


def test_that_a_batch_file_is_told_and_not_started(opened, file, monkeypatch):
    def windows(command, path, line, _system):
        return editor_command(command, path, line, "win32")

    told = []
    monkeypatch.setattr(folder, "editor_command", windows)
    monkeypatch.setattr(QProcess, "startDetached", lambda *_: pytest.fail("started"))
    monkeypatch.setattr(Notifications, "tell", lambda _, *words: told.append(words))
    opened.settings.change(outside_editor="code.cmd -g {file}:{line}")
    opened.bench.actions.action("action.code.outside").trigger()
    ((text, severity),) = told
    assert severity == "error"
    assert "code.cmd" in text
    assert "Preferences" in text


@pytest.mark.nightly
def test_that_a_program_that_cannot_be_started_is_told(opened, file, qtbot):
    opened.settings.change(outside_editor="no-such-program-anywhere")
    assert not opened.bench.own_code.folder.open_outside("functions.py")


def test_that_saving_over_another_s_change_asks_once_more(opened, file, qtbot):
    opened.session.edit(SetCode(file="functions.py", text=TEXT), "Edit")
    file.write_text(OTHER)
    wait_for_question(opened, qtbot, "Both versions")
    opened.window.banner.dismiss()
    assert not opened.bench.project.save()
    assert "Both versions" in notice(opened).text
    press(opened, "Keep mine")
    assert opened.bench.project.save()
    assert file.read_text() == TEXT
