"""Fixes in the window: by the button, the menu of the node and the key; one undo takes one back."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QToolButton

from engine.diagnostics import Diagnostic
from engine.graph.edit.edits import SetParam
from engine.query.model.request import Repair


@pytest.fixture
def wrong(opened, host, qtbot):
    """Return the program with a layer that expects another number of features than arrive."""
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    session = opened.session
    layer = next(node.id for node in session.graph.nodes.values() if node.type == "Linear")
    host.problems = (
        Diagnostic(
            code="S003", node=layer, field="in_features",
            params={"name": layer, "expected": 9, "actual": 4},
        ),
    )  # fmt: skip
    session.edit(SetParam(id=layer, name="in_features", value=9), "set")
    qtbot.waitUntil(lambda: bool(session.findings.fixes))
    return layer


def in_features(opened, layer: str) -> object:
    return opened.session.graph.nodes[layer].params["in_features"]


@pytest.mark.row("N05")
def test_that_the_menu_of_the_node_mends_it_and_one_undo_takes_it_back(opened, wrong, qtbot):
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and wrong in canvas.scene.nodes)
    canvas.select((wrong,))
    qtbot.waitUntil(lambda: opened.session.selection == (wrong,))
    center = canvas.scene.nodes[wrong].rect().center()
    place = canvas.viewport.to_pixel(center).toPoint()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, canvas.mapToGlobal(place))
    QApplication.sendEvent(canvas, event)
    menu = canvas.findChild(QMenu, "canvas.menu")
    qtbot.waitUntil(menu.isVisible)
    first, second = menu.actions()[:2]
    assert first.text() == f"Fix: Set in_features of “{wrong}” to auto"
    assert second.text() == f"Fix: Set in_features of “{wrong}” to 4"
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(second).center())
    assert in_features(opened, wrong) == 4
    opened.bench.actions.action("action.edit.undo").trigger()
    assert in_features(opened, wrong) == 9


@pytest.mark.row("N05")
def test_that_ctrl_and_the_period_open_the_fixes_and_enter_takes_one(opened, wrong, qtbot):
    opened.bench.actions.action("action.model.fix").trigger()
    button = opened.window.findChild(QToolButton, "problems.fix")
    menu = button.menu()
    qtbot.waitUntil(menu.isVisible)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert in_features(opened, wrong) == "auto"


def test_that_the_key_of_undo_takes_a_fix_back_though_a_field_was_typed_into(opened, wrong, qtbot):
    canvas, inspector = opened.window.page("model").canvas, opened.bench.inspector
    qtbot.waitUntil(lambda: wrong in canvas.scene.nodes)
    canvas.select((wrong,))
    qtbot.waitUntil(lambda: inspector.findChild(QLineEdit, "field.out_features") is not None)
    field = inspector.findChild(QLineEdit, "field.out_features")
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "7")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: opened.session.graph.nodes[wrong].params["out_features"] == 7)
    qtbot.waitUntil(lambda: bool(opened.session.findings.fixes))
    opened.bench.repairs.offer()
    QTest.keyClick(opened.window.findChild(QMenu, "problems.fix.menu"), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: in_features(opened, wrong) == "auto")
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert in_features(opened, wrong) == 9
    assert opened.session.graph.nodes[wrong].params["out_features"] == 7


def test_that_the_tooltip_of_the_red_node_tells_the_fix(opened, wrong, qtbot):
    canvas = opened.window.page("model").canvas
    said = f"Fix: Set in_features of “{wrong}” to auto"
    qtbot.waitUntil(lambda: said in canvas.scene.nodes[wrong].view.problem)


def test_that_a_change_forgets_the_fixes_and_one_question_is_asked_for_a_document(
    opened, host, wrong, qtbot
):
    def asked() -> int:
        return sum(isinstance(request, Repair) for request in host.requests)

    before = asked()
    for value in (5, 6, 7):
        opened.session.edit(SetParam(id=wrong, name="in_features", value=value), "set")
        assert opened.session.findings.fixes == ()
    qtbot.waitUntil(lambda: bool(opened.session.findings.fixes))
    qtbot.wait(300)
    assert asked() == before + 1


def test_that_an_answer_about_an_older_document_is_dropped(opened, host, wrong, qtbot):
    host.is_holding = True
    opened.services.repairer._ask((host.problems[0],))
    host.is_holding = False
    request, future = host.held.pop()
    opened.session.edit(SetParam(id=wrong, name="in_features", value=5), "set")
    host.problems = ()
    host.answer(request, future)
    qtbot.waitUntil(lambda: opened.session.findings.is_checked)
    qtbot.wait(300)
    assert opened.session.findings.fixes == ()


def test_that_without_a_fix_the_key_says_so(opened, qtbot):
    opened.window.show_workspace("model")
    opened.bench.actions.action("action.model.fix").trigger()
    assert "no automatic fix" in opened.bench.log.text.toPlainText()
