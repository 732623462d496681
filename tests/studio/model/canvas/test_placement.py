"""Selected nodes put in line and apart, and more of them selected, in the whole window."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
CHAIN = ("hidden1", "relu1", "hidden2")


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    canvas.fit()
    canvas.setFocus()
    return canvas


def click(canvas, *node_ids):
    for index, node_id in enumerate(node_ids):
        place = canvas.viewport.to_pixel(canvas.scene.nodes[node_id].rect().center()).toPoint()
        keys = SHIFT if index else Qt.KeyboardModifier.NoModifier
        QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, keys, place)


def action(opened, verb):
    return opened.bench.actions.action(f"action.model.{verb}")


def places(opened, names=CHAIN):
    return [opened.session.level.nodes[name].position for name in names]


@pytest.mark.row("P08")
def test_that_clicked_nodes_come_into_one_column_and_one_undo_takes_it_back(opened, canvas):
    before = places(opened)
    click(canvas, *CHAIN)
    assert opened.session.selection == CHAIN
    QTest.keyClick(canvas, Qt.Key.Key_Left, ALT | SHIFT)
    after = places(opened)
    assert len({x for x, _ in after}) == 1
    assert len({y for _, y in after}) == 3
    opened.bench.actions.action("action.edit.undo").trigger()
    assert places(opened) == before


@pytest.mark.row("P08")
def test_that_gaps_become_equal(opened, canvas):
    click(canvas, *CHAIN)
    canvas.nodes_moved.emit({"hidden1": (0.0, 0.0), "relu1": (222.0, 5.0), "hidden2": (900.0, 0.0)})
    action(opened, "distribute_across").trigger()
    (first, _), (second, _), (third, _) = places(opened)
    assert (first, third) == (0.0, 900.0)
    assert second == pytest.approx(450.0)


def test_that_nodes_inside_a_block_are_put_in_line_there(opened, canvas, qtbot):
    click(canvas, *CHAIN)
    action(opened, "group").trigger()
    qtbot.waitUntil(action(opened, "enter").isEnabled)
    action(opened, "enter").trigger()
    qtbot.waitUntil(lambda: "relu1" in canvas.scene.nodes)
    canvas.select(CHAIN)
    action(opened, "align_left").trigger()
    assert len({x for x, _ in places(opened)}) == 1
    assert opened.session.path


def test_that_commands_wait_for_enough_nodes(opened, canvas):
    for count, verb, is_on in (
        (1, "align_top", False),
        (2, "align_top", True),
        (2, "distribute_down", False),
        (3, "distribute_down", True),
    ):
        canvas.select(())
        click(canvas, *CHAIN[:count])
        assert action(opened, verb).isEnabled() is is_on, (count, verb)


def test_that_all_of_a_type_are_selected(opened, canvas):
    click(canvas, "relu1")
    QTest.keyClick(canvas, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier | SHIFT)
    nodes = opened.session.level.nodes
    chosen = [nodes[node_id].type for node_id in opened.session.selection]
    assert set(chosen) == {"ReLU"}
    assert len(chosen) == sum(node.type == "ReLU" for node in nodes.values()) > 1


def test_that_what_leads_to_a_node_and_what_follows_is_selected(opened, canvas):
    nodes = list(opened.session.level.nodes)
    click(canvas, "relu1")
    action(opened, "select_upstream").trigger()
    place = nodes.index("relu1")
    assert set(opened.session.selection) == set(nodes[: place + 1])
    click(canvas, "relu1")
    action(opened, "select_downstream").trigger()
    assert set(opened.session.selection) == set(nodes[place:])


def titles_of_menu(canvas) -> list[str]:
    canvas.context_menu_requested.emit(canvas.mapToGlobal(QPoint(10, 10)), 0.0, 0.0)
    menu = canvas.findChild(QMenu, "canvas.menu")
    titles = [action.text() for action in menu.actions()]
    menu.close()
    return titles


def test_that_the_menu_of_the_canvas_offers_them(opened, canvas, qtbot):
    click(canvas, *CHAIN)
    titles = titles_of_menu(canvas)
    assert {"Align and distribute", "Select more", "Rename layer"} <= set(titles)
    assert "Zoom to fit" not in titles


def test_that_where_no_layer_is_the_menu_is_that_of_the_canvas(opened, canvas, qtbot):
    titles = titles_of_menu(canvas)
    assert {"Add layer…", "Zoom to fit", "Arrange"} <= set(titles)
    assert not {"Rename layer", "Align and distribute"} & set(titles)
