"""The Code panel both ways: typing changes the canvas, the canvas changes the text."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton

from engine.graph.code import DRAFT_FILE, MODEL_FILE
from engine.graph.edit.edits import RenameNode
from engine.project import Project
from engine.query.ask import ask
from engine.query.model.request import Analyse, FollowText

LEFT = Qt.MouseButton.LeftButton
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def coded(opened, host, monkeypatch, qtbot):
    """Return the program with a host that really reads and writes code, and the panel shown."""
    plain = host.answer

    def answer(request, future) -> None:
        if isinstance(request, FollowText):
            future.set_result(ask(request))
        else:
            plain(request, future)

    monkeypatch.setattr(host, "answer", answer)
    monkeypatch.setattr(host, "analysis", lambda graph: ask(Analyse(graph=graph)))
    opened.services.analyst.ask_again()
    opened.window.show_workspace("model")
    opened.window.show_dock("code")
    code = opened.bench.code
    qtbot.waitUntil(lambda: "class Model(nn.Module):" in code.editor.text())
    qtbot.waitUntil(code.text.isVisible)
    opened.window.activateWindow()
    code.text.setFocus()
    return opened


def select(code, text: str) -> None:
    found = code.text.document().find(text)
    assert not found.isNull()
    code.text.setTextCursor(found)


def type_over(qtbot, code, old: str, new: str) -> None:
    """Type a text in the place of another one, then Ctrl+Return."""
    select(code, old)
    qtbot.keyClicks(code.text, new)
    qtbot.keyClick(code.text, Qt.Key.Key_Escape)  # what completion offers
    qtbot.keyClick(code.text, Qt.Key.Key_Return, CTRL)


def names(studio) -> list[str]:
    return [node.name for node in studio.session.graph.nodes.values()]


def state(studio) -> str:
    return studio.bench.code.findChild(QLabel, "code.state").text()


def test_that_a_typed_change_is_one_edit_of_the_canvas(coded, qtbot):
    session, code = coded.session, coded.bench.code
    before = session.graph
    layer = next(node for node in before.nodes.values() if node.type == "Linear")
    line = next(one for one in code.editor.text().splitlines() if f"self.{layer.name} =" in one)
    type_over(qtbot, code, line.strip(), line.strip() + "  # mine")
    qtbot.waitUntil(lambda: MODEL_FILE in session.graph.code)
    assert "# mine" in session.graph.code[MODEL_FILE]
    assert session.graph.nodes == before.nodes
    qtbot.waitUntil(lambda: "in sync" in state(coded))
    session.undo()
    assert session.graph == before
    qtbot.waitUntil(lambda: "# mine" not in code.editor.text())


def test_that_the_canvas_follows_after_a_pause_of_typing(coded, qtbot):
    session, code = coded.session, coded.bench.code
    layer = next(node for node in session.graph.nodes.values() if node.type == "Linear")
    found = code.text.document().find(f"self.{layer.name} = nn.Linear(")
    end = code.text.document().find(")", found)
    cursor = QTextCursor(end)
    cursor.setPosition(end.selectionStart())
    code.text.setTextCursor(cursor)
    qtbot.keyClicks(code.text, ", bias=False")
    qtbot.waitUntil(lambda: session.graph.nodes[layer.id].params.get("bias") is False)
    assert session.graph.nodes[layer.id].position == layer.position


def test_that_a_change_of_the_canvas_keeps_the_comments(coded, qtbot):
    session, code = coded.session, coded.bench.code
    layer = next(node for node in session.graph.nodes.values() if node.type == "Linear")
    type_over(qtbot, code, "super().__init__()", "super().__init__()  # first of all")
    qtbot.waitUntil(lambda: MODEL_FILE in session.graph.code)
    session.edit(RenameNode(id=layer.id, name="renamed"), "Rename")
    qtbot.waitUntil(lambda: "self.renamed = nn.Linear(" in code.editor.text())
    assert "super().__init__()  # first of all" in code.editor.text()
    assert "renamed" in names(coded)


def test_that_a_mistake_is_marked_and_nothing_typed_is_lost(coded, qtbot):
    session, code = coded.session, coded.bench.code
    nodes = session.graph.nodes
    type_over(qtbot, code, "super().__init__()", "super().__init__(")
    qtbot.waitUntil(lambda: DRAFT_FILE in session.graph.code)
    qtbot.waitUntil(lambda: bool(code.text.marks()))
    assert session.graph.nodes == nodes
    assert "not valid Python" in state(coded)
    assert [problem.code for problem in session.findings.problems] == ["T001"]
    coded.bench.project.save()
    saved = Project.open(session.project.path)
    assert "super().__init__(\n" in saved.graph.code[DRAFT_FILE]
    coded.bench.panels.show_problem(session.findings.problems[0])
    assert code.editor.place()[0] == session.findings.problems[0].params["line"]
    type_over(qtbot, code, "super().__init__(", "super().__init__()")
    qtbot.waitUntil(lambda: DRAFT_FILE not in session.graph.code)
    qtbot.waitUntil(lambda: not code.text.marks())


def test_that_an_answer_about_an_older_text_is_dropped(coded, host, qtbot):
    session, code = coded.session, coded.bench.code
    host.is_holding = True
    type_over(qtbot, code, "super().__init__()", "super().__init__()  # one")
    type_over(qtbot, code, "# one", "# two")
    host.is_holding = False
    for request, future in host.held:
        if not future.done():
            host.answer(request, future)
    qtbot.waitUntil(lambda: MODEL_FILE in session.graph.code)
    qtbot.waitUntil(lambda: DRAFT_FILE not in session.graph.code)
    assert "# two" in session.graph.code[MODEL_FILE]
    session.undo()
    assert not session.graph.code


def test_that_the_code_can_be_written_anew(coded, qtbot):
    session, code = coded.session, coded.bench.code
    button = code.findChild(QToolButton, "code.rewrite")
    assert not button.isEnabled()
    type_over(qtbot, code, "super().__init__()", "super().__init__()  # mine")
    qtbot.waitUntil(button.isEnabled)
    qtbot.waitUntil(lambda: MODEL_FILE in session.graph.code)
    command = coded.bench.actions.action("action.code.rewrite")
    for press_it in (lambda: qtbot.mouseClick(button, LEFT), command.trigger):
        qtbot.waitUntil(command.isEnabled)
        press_it()
        qtbot.waitUntil(lambda: "# mine" not in code.editor.text())
        assert MODEL_FILE not in session.graph.code
        qtbot.waitUntil(lambda: not command.isEnabled())
        session.undo()
        qtbot.waitUntil(lambda: "# mine" in code.editor.text())


def test_that_keys_undo_typing_inside_the_text(coded, qtbot):
    code = coded.bench.code
    before = code.editor.text()
    select(code, "super().__init__()")
    qtbot.keyClicks(code.text, "x")
    qtbot.keyClick(code.text, Qt.Key.Key_Z, CTRL)
    assert code.editor.text() == before


def test_that_a_layer_is_found_again_however_often_it_is_renamed(coded, qtbot):
    session, code = coded.session, coded.bench.code
    layer = next(node for node in session.graph.nodes.values() if node.type == "Linear")
    line = next(one for one in code.editor.text().splitlines() if f"self.{layer.name} =" in one)
    type_over(qtbot, code, line.strip(), line.strip() + "  # mine")
    qtbot.waitUntil(lambda: MODEL_FILE in session.graph.code)
    for name in ("one", "two", "three"):
        session.edit(RenameNode(id=layer.id, name=name), "Rename")
        qtbot.waitUntil(lambda name=name: f"self.{name} = nn.Linear(" in code.editor.text())
    assert "self.two = " in session.graph.code[MODEL_FILE]
    assert "# mine" in code.editor.text()


def press(studio, words: str) -> None:
    buttons = studio.window.banner.findChildren(QPushButton)
    shown = [one for one in buttons if one.text() == words and one.isVisible()]
    QTest.mouseClick(shown[0], LEFT)


def question(studio) -> str:
    view = studio.window.banner.view
    return "" if view is None else view.text


@pytest.mark.row("N03")
def test_that_what_no_layer_computes_becomes_a_node_of_own_code(coded, qtbot):
    session, code = coded.session, coded.bench.code
    before = session.graph
    last = next(one.strip() for one in code.editor.text().splitlines() if "return " in one)
    value = last.removeprefix("return ")
    typed = f"turned = {value}[:, [1, 0]] * torch.special.expit({value})  # mine"
    type_over(qtbot, code, last, f"{typed}")
    qtbot.keyClick(code.text, Qt.Key.Key_Return)
    qtbot.keyClicks(code.text, "return turned")
    qtbot.keyClick(code.text, Qt.Key.Key_Escape)
    text = code.editor.text()
    qtbot.keyClick(code.text, Qt.Key.Key_Return, CTRL)
    assert "import torch\n" not in text
    qtbot.waitUntil(lambda: "turned" in names(coded))
    node = next(one for one in session.graph.nodes.values() if one.name == "turned")
    assert node.type == "code.model_parts.compute_turned"
    assert "def compute_turned(" in session.graph.code["model_parts.py"]
    assert coded.trust.covers(session.graph.code)
    line = "from torch import nn\n"
    shown = text.replace(line, f"{line}import torch\n")
    qtbot.waitUntil(lambda: code.editor.text() == shown)
    session.undo()
    assert session.graph == before


@pytest.mark.row("N03")
def test_that_a_text_changed_by_another_program_changes_the_canvas(coded, qtbot):
    session, code = coded.session, coded.bench.code
    layer = next(node for node in session.graph.nodes.values() if node.type == "Linear")
    type_over(qtbot, code, "super().__init__()", "super().__init__()  # mine")
    qtbot.waitUntil(lambda: MODEL_FILE in session.graph.code)
    session.edit(RenameNode(id=layer.id, name="renamed"), "Rename")
    qtbot.waitUntil(lambda: "self.renamed = nn.Linear(" in code.editor.text())
    assert coded.bench.project.save()
    file = session.project.path / "code" / MODEL_FILE
    assert "self.renamed = nn.Linear(" in file.read_text()
    file.write_text(file.read_text().replace("self.renamed", "self.outside"))
    qtbot.waitUntil(lambda: MODEL_FILE in question(coded))
    press(coded, "Load and trust")
    qtbot.waitUntil(lambda: "outside" in names(coded))
    assert session.graph.nodes[layer.id].name == "outside"
    assert session.graph.code.keys() == {MODEL_FILE}
    session.undo()
    assert session.graph.nodes[layer.id].name == "renamed"


def test_that_a_text_changed_here_and_outside_waits_for_a_choice(coded, qtbot):
    session, code = coded.session, coded.bench.code
    layer = next(node for node in session.graph.nodes.values() if node.type == "Linear")
    type_over(qtbot, code, "super().__init__()", "super().__init__()  # mine")
    qtbot.waitUntil(lambda: MODEL_FILE in session.graph.code)
    assert coded.bench.project.save()
    session.edit(RenameNode(id=layer.id, name="here"), "Rename")
    qtbot.waitUntil(lambda: "self.here = nn.Linear(" in code.editor.text())
    file = session.project.path / "code" / MODEL_FILE
    file.write_text(file.read_text().replace("# mine", "# outside"))
    qtbot.waitUntil(lambda: "Both versions" in question(coded))
    press(coded, "Keep mine")
    assert coded.bench.project.save()
    assert "self.here = nn.Linear(" in file.read_text()
    assert "# mine" in file.read_text()


def test_that_a_text_changed_while_the_project_was_closed_is_followed(coded, qtbot):
    session, code = coded.session, coded.bench.code
    layer = next(node for node in session.graph.nodes.values() if node.type == "Linear")
    type_over(qtbot, code, "super().__init__()", "super().__init__()  # mine")
    qtbot.waitUntil(lambda: MODEL_FILE in session.graph.code)
    assert coded.bench.project.save()
    path = session.project.path
    coded.bench.project.close()
    file = path / "code" / MODEL_FILE
    file.write_text(file.read_text().replace(f"self.{layer.name}", "self.outside"))
    assert coded.bench.project.open(path)
    qtbot.waitUntil(lambda: "outside" in names(coded))
    assert DRAFT_FILE not in session.graph.code


def test_that_a_model_that_becomes_one_node_says_why_and_undo_brings_the_nodes_back(coded, qtbot):
    session, code = coded.session, coded.bench.code
    before = session.graph
    layer = next(node.name for node in before.nodes.values() if node.type == "Linear")
    line = next(one for one in code.editor.text().splitlines() if "return " in one).strip()
    type_over(qtbot, code, line, f"{line} if self.{layer}.bias.sum() > 0 else self.{layer}(None)")
    told = (
        "The entire model is now a single node: it runs as written, but cannot be shown as nodes. "
        "Line "
    )
    qtbot.waitUntil(lambda: any(told in one.text for one in coded.notifications.lines))
    assert len(session.graph.nodes) < len(before.nodes)
    session.undo()
    assert session.graph == before
