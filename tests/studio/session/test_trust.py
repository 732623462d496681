"""Code from elsewhere does not run until the user has agreed; what is typed here does."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton

from engine.custom.trust import is_trusted as engine_trusts
from engine.graph.codec import to_text
from engine.graph.edit.code_edits import SetCode
from engine.graph.edit.edits import AddNode, apply
from engine.graph.model import Node
from engine.graph.shipped_code import shipped_files
from engine.project import Project
from widgets.common.toast import ToastStack

LAYER = (
    "from torch import nn\n\n\nclass Own(nn.Module):\n    def forward(self, x):\n        return x\n"
)


@pytest.fixture
def foreign(tmp_path):
    """Return the folder of a project that somebody else made, with a file of code."""
    path = tmp_path / "foreign"
    project = Project.create(path, "digits-mlp")
    project.graph = apply(SetCode(file="own.py", text=LAYER), project.graph)
    project.save()
    return path


@pytest.fixture
def restricted(studio, foreign, qtbot):
    studio.show(foreign)
    studio.start_background()
    qtbot.waitUntil(lambda: studio.session.findings.is_checked)
    return studio


def notice(studio):
    return studio.window.banner.view


def press(studio, words: str) -> None:
    buttons = [
        button
        for button in studio.window.banner.findChildren(QPushButton)
        if button.text() == words and button.isVisible()
    ]
    QTest.mouseClick(buttons[0], Qt.MouseButton.LeftButton)


def trigger(studio, verb: str) -> None:
    studio.window.show_workspace("model")
    action = studio.bench.actions.action(f"action.edit.{verb}")
    assert action.isEnabled()
    action.trigger()


def badge(studio):
    return studio.window.findChild(QToolButton, "status.trust")


def is_trusted(studio) -> bool:
    return studio.trust.covers(studio.session.graph.code)


@pytest.mark.fault("S03")
def test_that_a_foreign_project_asks_and_stays_restricted_until_it_is_answered(restricted):
    assert notice(restricted).key == "trust"
    assert "own.py" in notice(restricted).text
    assert badge(restricted).isVisible()
    assert not is_trusted(restricted)
    press(restricted, "Keep restricted")
    assert (
        "“Code › Trust project code…”"
        in restricted.window.findChild(ToastStack).toasts[-1].view.text
    )
    assert notice(restricted) is None
    assert not is_trusted(restricted)
    QTest.mouseClick(badge(restricted), Qt.MouseButton.LeftButton)
    assert notice(restricted).key == "trust"


@pytest.mark.nightly
def test_that_looking_opens_the_files_and_the_question_stays(restricted):
    press(restricted, "Review code")
    page = restricted.bench.model_page.own_code
    assert page.isVisible()
    assert page.editor().text() == LAYER
    assert notice(restricted).key == "trust"
    assert not is_trusted(restricted)


def test_that_trust_is_remembered_for_the_project_and_withdrawn_again(restricted, foreign):
    press(restricted, "Trust and run")
    assert is_trusted(restricted)
    assert not badge(restricted).isVisible()
    assert restricted.open(foreign)
    assert is_trusted(restricted)
    restricted.bench.actions.action("action.code.withdraw").trigger()
    assert not is_trusted(restricted)
    assert badge(restricted).isVisible()
    assert restricted.open(foreign)
    assert not is_trusted(restricted)


@pytest.mark.fault("S04")
def test_that_code_that_was_changed_since_is_asked_about_again(restricted, foreign, qtbot):
    press(restricted, "Trust and run")
    restricted.bench.project.close()
    (foreign / "code" / "own.py").write_text(LAYER + "\nimport os\n")
    assert restricted.open(foreign)
    assert not is_trusted(restricted)
    assert notice(restricted).key == "trust"


@pytest.mark.nightly
def test_that_another_folder_with_the_same_code_is_asked_about(restricted, tmp_path):
    press(restricted, "Trust and run")
    other = Project.create(tmp_path / "other", "digits-mlp")
    other.graph = apply(SetCode(file="own.py", text=LAYER), other.graph)
    other.save()
    assert restricted.open(other.path)
    assert not is_trusted(restricted)


def test_that_what_is_written_here_is_trusted_also_after_saving_and_undo(opened, project_path):
    opened.bench.actions.action("action.code.new_layers").trigger()
    assert is_trusted(opened)
    assert opened.bench.project.save()
    assert opened.open(project_path)
    assert opened.session.graph.code
    assert is_trusted(opened)
    assert notice(opened) is None
    opened.bench.actions.action("action.code.new_losses").trigger()
    opened.session.undo()
    opened.session.redo()
    assert is_trusted(opened)


def test_that_code_from_the_clipboard_is_asked_about(opened, foreign, qtbot):
    graph = Project.open(foreign).graph
    node = Node(id="own", type="code.own.Own", name="own")
    graph = apply(AddNode(node=node), graph)
    QApplication.clipboard().setText(to_text(graph, ["own"]))
    trigger(opened, "paste")
    assert opened.session.graph.code == {"own.py": LAYER}
    assert not is_trusted(opened)
    assert notice(opened).key == "trust"
    opened.session.undo()
    assert notice(opened) is None


@pytest.mark.nightly
def test_that_what_was_copied_here_is_trusted_when_it_is_pasted(opened, qtbot):
    opened.bench.actions.action("action.code.new_layers").trigger()
    opened.bench.palette.add_requested.emit("code.layers.Centered")
    (node,) = [n.id for n in opened.session.graph.nodes.values() if n.type.startswith("code.")]
    opened.bench.model.show_node(node)
    qtbot.waitUntil(lambda: opened.session.selection == (node,))
    trigger(opened, "copy")
    trigger(opened, "paste")
    assert sum(n.type.startswith("code.") for n in opened.session.graph.nodes.values()) == 2
    assert is_trusted(opened)


def test_that_unsaved_work_of_one_s_own_is_trusted_when_it_is_restored(opened, project_path):
    opened.bench.actions.action("action.code.new_layers").trigger()
    opened.bench.project.autosave()
    opened.bench.project.release()
    opened.bench.project.open(project_path)
    press(opened, "Restore")
    assert "layers.py" in opened.session.graph.code
    assert is_trusted(opened)


def test_that_code_that_ships_with_the_program_is_not_asked_about(studio, foreign):
    project = Project.open(foreign)
    code = shipped_files("anchors.py")
    project.graph = replace(project.graph, code=code)
    project.save()
    project.release()
    studio.show(foreign)
    assert is_trusted(studio)
    assert engine_trusts(code)
    other = {**code, "pictures.py": code["pictures.py"] + "import os\n"}
    assert not studio.trust.covers(other)
    assert not engine_trusts(other)
