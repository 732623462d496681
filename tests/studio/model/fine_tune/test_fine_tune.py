"""Model > Fine-tune in the window, with clicks."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDoubleSpinBox, QLabel, QPushButton, QSlider, QSpinBox, QTreeWidget

from engine.graph.edit.edits import SetParam, apply
from studio.model.fine_tune.dialog import FineTuneDialog
from widgets.common.toast import ToastStack


@pytest.fixture
def dialog(opened, qtbot):
    opened.window.show_workspace("model")
    opened.bench.actions.action("action.model.finetune").trigger()
    dialog = opened.window.findChild(FineTuneDialog)
    qtbot.waitUntil(dialog.isVisible)
    return dialog


def part(dialog, kind, name):
    return dialog.findChild(kind, f"dialog.finetune.{name}")


def rows(dialog):
    tree = part(dialog, QTreeWidget, "parts")
    items = [tree.topLevelItem(index) for index in range(tree.topLevelItemCount())]
    return [(item.text(0), item.text(2)) for item in items]


def test_that_all_but_the_head_is_frozen_at_first_and_the_classes_are_those_of_the_data(
    opened, dialog, qtbot
):
    *body, head = rows(dialog)
    assert body
    assert {fate for _, fate in body} == {"frozen"}
    assert head[1] == "new head"
    qtbot.waitUntil(lambda: opened.session.findings.data is not None)
    assert not part(dialog, QDoubleSpinBox, "rate").isEnabled()
    assert "Random initialization" in part(dialog, QLabel, "weights").text()


@pytest.mark.row("S119")
@pytest.mark.row("S120")
@pytest.mark.row("S170")
def test_that_the_choice_becomes_one_step_of_undo(opened, dialog, qtbot):
    before = opened.session.document
    slider = part(dialog, QSlider, "slider")
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    (first, fate), (_, second), *_ = rows(dialog)
    assert (fate, second) == ("frozen", "trained")
    classes = part(dialog, QSpinBox, "classes")
    classes.selectAll()
    qtbot.keyClicks(classes, "23")
    rate = part(dialog, QDoubleSpinBox, "rate")
    assert rate.isEnabled()
    rate.selectAll()
    qtbot.keyClicks(rate, "0.0002")
    assert opened.session.document == before
    qtbot.mouseClick(part(dialog, QPushButton, "apply"), Qt.MouseButton.LeftButton)
    after = opened.session.document
    assert [node.name for node in after.graph.nodes.values() if node.frozen] == [first]
    heads = [node for node in after.graph.nodes.values() if node.params.get("out_features") == 23]
    assert len(heads) == 1
    assert after.spec.optimizer.params["lr"] == pytest.approx(0.0002)
    (group,) = after.spec.groups
    assert group.match == heads[0].name
    opened.session.undo()
    assert opened.session.document == before


def test_that_a_model_without_loss_gets_one_and_its_user_hears_of_missing_data(
    opened, dialog, qtbot
):
    session = opened.session
    qtbot.waitUntil(lambda: session.findings.data is not None)
    x = next(node for node in session.graph.nodes.values() if node.type == "Input")
    graph = apply(SetParam(id=x.id, name="field", value=""), session.graph)
    session.change(graph, msgspec.structs.replace(session.spec, losses=()), "as an import has it")
    qtbot.mouseClick(part(dialog, QPushButton, "apply"), Qt.MouseButton.LeftButton)
    assert [term.loss.type for term in session.spec.losses] == ["CrossEntropyLoss"]
    assert "Choose matching data" in opened.window.findChild(ToastStack).toasts[-1].view.text


def test_that_a_click_on_a_part_freezes_until_there(dialog, qtbot):
    tree = part(dialog, QTreeWidget, "parts")
    place = tree.visualItemRect(tree.topLevelItem(0)).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert [fate for _, fate in rows(dialog)][:2] == ["frozen", "trained"]


def test_that_cancelling_changes_nothing(opened, dialog, qtbot):
    before = opened.session.document
    qtbot.mouseClick(part(dialog, QPushButton, "cancel"), Qt.MouseButton.LeftButton)
    assert opened.session.document is before
    assert opened.window.findChild(FineTuneDialog) is None or not dialog.isVisible()
