"""Frames, notes and looks in the whole window."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu, QPlainTextEdit

from engine.graph.edit.annotation import COLORS
from engine.project import Project
from studio.model.canvas.context_menu import fill_context_menu
from widgets.common.palette import MARKS

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    canvas.setFocus()
    return canvas


def trigger(opened, verb):
    opened.bench.actions.action(f"action.{verb}").trigger()


def write_title(canvas, text):
    field = canvas.findChild(QLineEdit, "canvas.frame_title")
    assert field.isVisible()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def test_that_window_and_document_name_the_same_colours():
    assert MARKS == COLORS


@pytest.mark.row("P10")
def test_that_a_frame_goes_around_the_selection_is_saved_and_undone(opened, canvas, qtbot):
    before = opened.session.graph
    canvas.select(("relu1", "hidden2"))
    QTest.keyClick(canvas, Qt.Key.Key_J, CTRL)
    write_title(canvas, "Middle")
    (frame,) = opened.session.graph.annotations.values()
    assert frame.text == "Middle"
    qtbot.waitUntil(lambda: canvas.scene.boxes[frame.id].view.text == "Middle")
    assert set(canvas.scene.inside(frame.id)) == {"relu1", "hidden2"}
    trigger(opened, "model.color_blue")
    assert opened.session.graph.annotations[frame.id].color == "blue"
    trigger(opened, "file.save")
    assert Project.open(opened.session.project.path).graph == opened.session.graph
    for _ in range(3):
        trigger(opened, "edit.undo")
    assert opened.session.graph == before


def test_that_dragging_a_frame_is_one_step_and_moves_its_nodes(opened, canvas, qtbot):
    canvas.select(("relu1", "hidden2"))
    trigger(opened, "model.frame")
    write_title(canvas, "Middle")
    before = opened.session.graph
    strip = canvas.scene.boxes["frame.1"].title_rect()
    start = canvas.viewport.to_pixel(QPointF(strip.right() - 30, strip.center().y())).toPoint()
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    for step in (10, 30, 60):
        QTest.mouseMove(canvas, start + QPoint(step, step))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=start + QPoint(60, 60))
    after = opened.session.graph
    for key in ("relu1", "hidden2"):
        assert after.nodes[key].position != before.nodes[key].position
    assert after.annotations["frame.1"].position != before.annotations["frame.1"].position
    trigger(opened, "edit.undo")
    assert opened.session.graph == before


def test_that_notes_are_copied_cut_and_pasted_with_nodes(opened, canvas, qtbot):
    canvas.select(("relu1",))
    trigger(opened, "model.note")
    field = canvas.findChild(QPlainTextEdit, "canvas.note")
    QTest.keyClicks(field, "keeps what is positive")
    QTest.keyClick(field, Qt.Key.Key_Return, CTRL)
    (note,) = opened.session.graph.annotations.values()
    assert note.text == "keeps what is positive"
    qtbot.waitUntil(lambda: canvas.scene.boxes[note.id].view.text == note.text)
    canvas.select(("relu1",), boxes=(note.id,))
    trigger(opened, "edit.duplicate")
    assert len(opened.session.graph.annotations) == 2
    trigger(opened, "edit.undo")
    canvas.select((), boxes=(note.id,))
    trigger(opened, "edit.cut")
    assert opened.session.graph.annotations == {}
    assert "keeps what is positive" in QGuiApplication.clipboard().text()
    trigger(opened, "edit.paste")
    qtbot.waitUntil(lambda: canvas.selected_boxes() == ("note.1",))
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    assert opened.session.graph.annotations == {}


def test_that_a_frame_goes_into_the_block_that_its_nodes_become(opened, canvas, qtbot):
    canvas.select(("relu1", "hidden2"))
    trigger(opened, "model.frame")
    write_title(canvas, "Middle")
    canvas.select(("relu1", "hidden2"))
    trigger(opened, "model.group")
    session = opened.session
    assert session.graph.annotations == {}
    (block,) = session.graph.blocks.values()
    assert [value.text for value in block.annotations.values()] == ["Middle"]
    qtbot.waitUntil(lambda: len(canvas.selected_nodes()) == 1)
    trigger(opened, "model.enter")
    qtbot.waitUntil(lambda: "frame.1" in canvas.scene.boxes)
    assert set(canvas.scene.inside("frame.1")) == {"relu1", "hidden2"}
    trigger(opened, "model.note")
    QTest.keyClick(canvas.findChild(QPlainTextEdit, "canvas.note"), Qt.Key.Key_Escape)
    assert session.graph.annotations == {}
    assert len(session.level.annotations) == 2


def test_that_frames_follow_when_the_model_is_arranged(opened, canvas, qtbot):
    canvas.select(("relu1", "hidden2"))
    trigger(opened, "model.frame")
    write_title(canvas, "Middle")
    canvas.nodes_moved.emit({"relu1": (900.0, 900.0), "frame.1": (880.0, 850.0)})
    qtbot.waitUntil(lambda: canvas.scene.nodes["relu1"].x == 900.0)
    trigger(opened, "model.arrange")
    qtbot.waitUntil(lambda: canvas.scene.nodes["relu1"].x != 900.0)
    assert "relu1" in canvas.scene.inside("frame.1")


def test_that_nodes_are_painted_and_collapsed_and_back(opened, canvas, qtbot):
    before = opened.session.graph
    canvas.select(("relu1", "hidden2"))
    trigger(opened, "model.color_red")
    trigger(opened, "model.collapse")
    node = opened.session.graph.nodes["relu1"]
    assert (node.color, node.collapsed) == ("red", True)
    action = opened.bench.actions.action("action.model.collapse")
    qtbot.waitUntil(lambda: canvas.scene.nodes["relu1"].view.is_collapsed)
    assert action.isChecked()
    trigger(opened, "model.collapse")
    trigger(opened, "model.color_none")
    assert opened.session.graph == before


def test_that_commands_for_nodes_are_off_while_only_a_note_is_selected(opened, canvas, qtbot):
    trigger(opened, "model.note")
    QTest.keyClick(canvas.findChild(QPlainTextEdit, "canvas.note"), Qt.Key.Key_Escape)
    assert canvas.selected_boxes() == ("note.1",)
    actions = opened.bench.actions
    for verb in ("edit.copy", "edit.delete", "model.color_red", "model.rename"):
        assert actions.action(f"action.{verb}").isEnabled(), verb
    for verb in ("model.group", "model.pin", "model.bypass", "model.collapse"):
        assert not actions.action(f"action.{verb}").isEnabled(), verb
    menu = QMenu()
    fill_context_menu(opened.context, menu)
    titles = [action.text() for action in menu.actions()]
    assert "Color" in titles
    menu.deleteLater()
