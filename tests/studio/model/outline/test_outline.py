"""Structure and parameters of the model beside the canvas."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QPushButton, QTabWidget, QTreeWidget
from shiboken6 import isValid

from engine.events import StepDone
from engine.graph.edit.block_edits import GroupNodes, SetRepeat
from engine.query.listing.request import ListModel, ModelListing, ModuleEntry, WeightEntry
from engine.runs.folder import RunFolder
from engine.runs.record.journal import RunJournal
from engine.runs.record.statistic import BINS, Kind, Sample, Statistic
from studio.model.outline.presenter import node_of_weight

LEFT = Qt.MouseButton.LeftButton
LISTING = ModelListing(
    text="Model(\n  (tail): Sequential()\n)",
    weights=(
        WeightEntry(
            name="tail.0.hidden2.weight",
            shape=(32, 64),
            numel=2048,
            dtype="float32",
            initial="uniform",
            spread=0.125,
        ),
        WeightEntry(
            name="norm.running_mean",
            shape=(),
            numel=1,
            dtype="int64",
            is_buffer=True,
            chosen="ones_()",
        ),
    ),
    modules=(
        ModuleEntry(name="", type="Model", modules=("tail",), hooks=("_forward_hooks: 1",)),
        ModuleEntry(
            name="tail.0.hidden2",
            type="Linear",
            parameters=("weight", "bias"),
            buffers=("mask",),
            not_saved=("mask",),
        ),
    ),
)


@pytest.fixture
def host(host):
    host.own[ListModel] = LISTING
    return host


@pytest.fixture
def dialog(opened, qtbot):
    session = opened.session
    session.edit(GroupNodes(ids=("relu1", "hidden2"), name="Tail"), "group")
    session.edit(SetRepeat(id="tail", repeat=2), "repeat")
    qtbot.waitUntil(lambda: session.findings.is_current)
    opened.bench.actions.action("action.model.outline").trigger()
    dialog = opened.window.findChild(object, "dialog.outline")
    yield dialog
    if isValid(dialog):
        dialog.close()


def rows(tree: QTreeWidget) -> list[str]:
    return [tree.topLevelItem(row).text(0) for row in range(tree.topLevelItemCount())]


@pytest.mark.row("S079")
def test_that_the_tree_shows_every_level_and_a_click_selects_the_node(opened, dialog, qtbot):
    tree = dialog.findChild(QTreeWidget, "dialog.outline.tree")
    assert "tail" in rows(tree)
    item = tree.topLevelItem(rows(tree).index("tail"))
    assert "×2" in item.text(1)
    item.setExpanded(True)
    assert [item.child(row).text(0) for row in range(item.childCount())] == [
        "x",
        "relu1",
        "hidden2",
        "output",
    ]
    place = tree.visualItemRect(item.child(2)).center()
    QTest.mouseClick(tree.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, place)
    assert opened.session.path == ("tail",)
    qtbot.waitUntil(lambda: opened.session.selection == ("hidden2",))
    assert item.treeWidget() is tree  # and stays open when the model is checked anew
    opened.session.undo()
    qtbot.waitUntil(lambda: "×2" not in tree.topLevelItem(rows(tree).index("tail")).text(1))
    assert tree.topLevelItem(rows(tree).index("tail")).isExpanded()


def test_that_the_keys_that_open_it_close_it(opened, dialog, qtbot):
    keys = opened.bench.actions.action("action.model.outline").shortcut()
    (own,) = [one for one in dialog.findChildren(QShortcut) if one.key() == keys]
    own.activated.emit()
    qtbot.waitUntil(lambda: not isValid(dialog))


@pytest.mark.row("S078")
def test_that_weights_are_listed_and_a_click_leads_to_their_layer(opened, dialog, qtbot):
    dialog.findChild(QTabWidget, "dialog.outline.tabs").setCurrentIndex(1)
    weights = dialog.findChild(QTreeWidget, "dialog.outline.weights")
    qtbot.waitUntil(lambda: weights.topLevelItemCount() == 2)
    first = weights.topLevelItem(0)
    assert [first.text(column) for column in range(6)] == [
        "tail.0.hidden2.weight",
        "32×64",
        "2,048",
        "float32",
        "parameter",
        "uniform, ±0.125",
    ]
    assert weights.topLevelItem(1).text(5) == "ones_()"  # as it was chosen
    place = weights.visualItemRect(first).center()
    QTest.mouseClick(weights.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, place)
    assert opened.session.path == ("tail",)
    assert node_of_weight(opened.session.graph, "classifier.weight") == "classifier"
    assert node_of_weight(opened.session.graph, "nothing.weight") == ""


@pytest.mark.row("S082")
def test_that_the_dictionaries_of_each_module_are_listed(opened, dialog, qtbot):
    dialog.findChild(QTabWidget, "dialog.outline.tabs").setCurrentIndex(3)
    modules = dialog.findChild(QTreeWidget, "dialog.outline.modules")
    qtbot.waitUntil(lambda: modules.topLevelItemCount() == 2)
    whole, layer = modules.topLevelItem(0), modules.topLevelItem(1)
    found = [layer.text(column) for column in range(6)]
    assert found == ["tail.0.hidden2", "Linear", "weight, bias", "mask (not saved)", "", ""]
    assert (whole.text(4), whole.text(5)) == ("tail", "_forward_hooks: 1")
    place = modules.visualItemRect(layer).center()
    QTest.mouseClick(modules.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, place)
    assert opened.session.path == ("tail",)


@pytest.mark.row("S123")
def test_that_a_filter_lists_layers_by_name_or_type_however_deep(opened, dialog, qtbot):
    tree = dialog.findChild(QTreeWidget, "dialog.outline.tree")
    modules = dialog.findChild(QTreeWidget, "dialog.outline.modules")
    tabs = dialog.findChild(QTabWidget, "dialog.outline.tabs")
    line = dialog.findChild(QLineEdit, "dialog.outline.filter")
    qtbot.waitUntil(lambda: modules.topLevelItemCount() == 2)
    before = rows(tree)
    qtbot.keyClicks(line, "LINEAR")
    assert rows(tree) == ["hidden1", "tail.hidden2", "classifier"]
    assert [modules.topLevelItem(row).isHidden() for row in range(2)] == [True, False]
    tabs.setCurrentIndex(3)
    assert dialog.shown_text().count("\n") == 2  # titles and the one that is left
    tabs.setCurrentIndex(2)
    assert not line.isEnabled()
    tabs.setCurrentIndex(0)
    place = tree.visualItemRect(tree.topLevelItem(1)).center()
    QTest.mouseClick(tree.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, place)
    assert opened.session.path == ("tail",)
    line.clear()
    assert rows(tree) == before
    assert not modules.topLevelItem(0).isHidden()


@pytest.mark.row("S219")
def test_that_the_tree_is_a_summary_with_shapes_and_parameters(dialog):
    tree = dialog.findChild(QTreeWidget, "dialog.outline.tree")
    titles = [tree.headerItem().text(column) for column in range(4)]
    assert titles == ["Name", "Type", "Shape", "Parameters"]
    item = tree.topLevelItem(rows(tree).index("tail"))
    assert (item.text(2), item.text(3)) == ("N×4", "10")


@pytest.mark.row("S081")
def test_that_the_text_of_the_model_is_copied(opened, dialog, qtbot):
    dialog.findChild(QTabWidget, "dialog.outline.tabs").setCurrentIndex(2)
    text = dialog.findChild(QPlainTextEdit, "dialog.outline.text")
    qtbot.waitUntil(lambda: text.toPlainText() == LISTING.text)
    QTest.mouseClick(dialog.findChild(QPushButton, "dialog.outline.copy"), LEFT)
    assert QGuiApplication.clipboard().text() == LISTING.text


def test_that_a_model_that_cannot_be_written_says_why(opened, host, dialog, qtbot):
    del host.own[ListModel]
    opened.session.undo()
    text = dialog.findChild(QPlainTextEdit, "dialog.outline.text")
    qtbot.waitUntil(lambda: not text.toPlainText())


def record_norms(run: RunFolder, step: int) -> None:
    """Write what a run tells of one parameter at a step: norm and gradient go with the step."""
    keys = tuple((kind, "tail.0.hidden2.weight") for kind in (Kind.WEIGHT, Kind.GRADIENT))
    numbers = np.zeros((2, len(Statistic)), np.float32)
    numbers[:, Statistic.NORM] = step, step / 1000
    journal = RunJournal(run.path)
    journal.extend_statistics(step, Sample(keys, numbers, np.zeros((2, BINS), np.uint16)))
    journal.append(StepDone(step=step, epoch=0))
    journal.commit()
    journal.close()


@pytest.mark.row("S078")
def test_that_the_parameters_tell_their_norms_and_gradients_while_a_run_goes_on(
    opened, dialog, qtbot
):
    session = opened.session
    run = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    record_norms(run, 3)
    opened.services.runs.follow(run)
    weights = dialog.findChild(QTreeWidget, "dialog.outline.weights")

    def norms():
        return [weights.topLevelItem(0).text(column) for column in (6, 7)]

    qtbot.waitUntil(lambda: weights.topLevelItemCount() and norms() == ["3", "0.003"])
    record_norms(run, 7)
    qtbot.waitUntil(lambda: norms() == ["7", "0.007"])
    assert weights.topLevelItem(1).text(6) == ""  # a buffer


def test_that_the_dialog_goes_with_its_language(opened, dialog, qtbot):
    opened.settings.change(language="zh_CN")
    opened.apply_language()
    qtbot.waitUntil(lambda: opened.window.findChild(object, "dialog.outline") is None)
    opened.settings.change(language="en")
    opened.apply_language()
