"""The recipe in the window: metrics, undo, what a field says when a value cannot be."""

import importlib
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QListWidget, QMenu, QToolButton

from engine.graph.model import Graph
from engine.project import Project
from engine.query.ask import ask
from engine.query.data.request import DescribeData, ProposeData
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState
from engine.spec.choice import NO_CODE
from engine.spec.codec import from_document, to_document
from engine.spec.fields import set_text
from engine.spec.run import RunSpec
from engine.spec.series import best_mode
from studio.i18n import Language
from studio.session.run_follower import RunUpdate
from studio.view.curve import present_curves
from studio.view.recipe import RecipeState, present_data_form
from studio.view.recipe_field import field_title
from studio.view.run import ProgressView, kind_of, series_label
from widgets.forms.several_editor import SeveralEditor


@pytest.fixture
def train(opened):
    opened.window.show_workspace("train")
    return opened.window.page("train")


def marked(train) -> str:
    return train.form.findChild(SeveralEditor, "field.metrics").currentText()


def mark(qtbot, train, text: str) -> None:
    editor = train.form.findChild(SeveralEditor, "field.metrics")
    search = train.form.findChild(QLineEdit, "field.metrics.search")
    editor.showPopup()
    qtbot.keyClicks(search, text)
    qtbot.keyClick(search, Qt.Key.Key_Return)
    editor.hidePopup()


def test_that_each_metric_is_a_step_of_undo_and_the_choice_is_kept_in_the_file(
    opened, train, qtbot
):
    session = opened.session
    assert session.spec.metrics == ("auto",)
    qtbot.waitUntil(lambda: marked(train) == "automatic (Accuracy)")
    mark(qtbot, train, "accuracy")
    mark(qtbot, train, "f1")
    assert session.spec.metrics == ("accuracy", "f1")
    qtbot.waitUntil(lambda: marked(train) == "Accuracy, F1")
    assert from_document(to_document(session.spec)) == session.spec
    opened.bench.project.save()
    assert Project.open(session.project.path).spec.metrics == ("accuracy", "f1")
    session.undo()
    assert session.spec.metrics == ("accuracy",)
    session.undo()
    assert session.spec.metrics == ("auto",)


def test_that_the_metrics_go_back_to_the_choice_by_the_task(opened, train, qtbot):
    mark(qtbot, train, "f1")
    opened.services.editor.reset("metrics")
    assert opened.session.spec.metrics == ("auto",)


def test_that_metrics_for_numbers_stand_last_and_say_so_where_classes_are_predicted(train, qtbot):
    qtbot.waitUntil(lambda: marked(train).endswith("(Accuracy)"))
    listed = train.form.findChild(QListWidget, "field.metrics.list")
    texts = [listed.item(row).text() for row in range(listed.count())]
    assert texts[1] == "Accuracy"
    assert texts[-1].endswith(" — for regression only")
    fits = [" — " not in text for text in texts]
    assert fits == sorted(fits, reverse=True)


def test_that_every_metric_has_curves_of_its_own_colours_and_validation_lies_on_top(opened):
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    points = (np.array([1, 2]), np.array([0.1, 0.2]))
    names = [f"{part}.{name}" for part in ("train", "validation") for name in ("accuracy", "f1")]
    update = RunUpdate(
        folder=folder, state=RunState(), curves=dict.fromkeys(names, points), starts=1
    )
    series = present_curves(update, "metric").series
    assert [one.name for one in series] == [
        "train.accuracy", "validation.accuracy", "train.f1", "validation.f1",
    ]  # fmt: skip
    assert len({one.color for one in series}) == 4
    assert [one.is_strong for one in series] == [False, True, False, True]


@pytest.mark.row("S161")
def test_that_the_button_beside_a_loss_offers_those_for_the_target(opened, train, qtbot):
    button = train.form.findChild(QToolButton, "field.losses.0.loss.browse")
    qtbot.waitUntil(button.isVisible)
    before = opened.session.spec.losses
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: train.findChild(QMenu, "loss.guide") is not None)
    menu = train.findChild(QMenu, "loss.guide")
    (action,) = [each for each in menu.actions() if each.objectName() == "loss.MultiMarginLoss"]
    action.trigger()
    (term,) = opened.session.spec.losses
    assert term.loss.type == "MultiMarginLoss"
    assert term.inputs == before[0].inputs
    menu.close()


def test_that_undo_takes_a_choice_back_while_the_focus_is_still_in_its_line(opened, train, qtbot):
    session = opened.session
    before = session.spec.optimizer.type
    box = train.form.findChild(QComboBox, "field.optimizer")
    box.setFocus()
    box.lineEdit().selectAll()
    qtbot.keyClicks(box, "RMSprop")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: session.spec.optimizer.type == "RMSprop")
    qtbot.keyClick(box, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: session.spec.optimizer.type == before)


def test_that_time_and_speed_of_a_run_never_widen_the_window(train):
    view = ProgressView(title="run-0001 · finished", text="epoch 20 of 20", permille=1000)
    train.set_progress(view)
    width = train.minimumSizeHint().width()
    train.set_progress(replace(view, time="1 h 12 min 33 s", throughput="9 steps/s " * 9))
    assert train.minimumSizeHint().width() == width


@pytest.mark.parametrize(
    ("code", "titles"),
    [
        ("en", ["Loss", "Optimizer", "Learning rate schedule"]),
        ("zh_CN", ["损失", "优化器", "学习率调度"]),
    ],
)
def test_that_the_list_of_problems_names_choices_in_the_language_of_the_window(qapp, code, titles):
    language = Language(qapp)
    language.switch(code)
    names = ("losses.0.loss", "optimizer", "scheduler")
    try:
        assert [field_title(RunSpec(), name, code, NO_CODE) for name in names] == titles
    finally:
        language.switch("en")


def test_that_the_value_of_the_best_checkpoint_is_picked_with_its_direction(opened, train, qtbot):
    session = opened.session

    def box():
        return train.form.findChild(QComboBox, "field.checkpoint.monitor")

    qtbot.waitUntil(lambda: box() is not None and box().findData("validation.accuracy") >= 0)
    offered = [box().itemText(index) for index in range(box().count())]
    assert "validation accuracy" in offered
    box().setCurrentIndex(box().findData("validation.accuracy"))
    box().activated.emit(box().currentIndex())
    chosen = session.spec.checkpoint
    assert (chosen.monitor, chosen.mode) == ("validation.accuracy", "max")
    session.undo()
    chosen = session.spec.checkpoint
    assert (chosen.monitor, chosen.mode) == ("validation.loss", "min")


def test_that_the_overlap_of_a_class_is_a_metric_whatever_the_class_is_called():
    assert kind_of("validation.iou.glossy.paint") == "metric"
    assert series_label("validation.iou.glossy.paint") == "validation IoU of glossy.paint"
    assert series_label("validation.iou") == "validation IoU"
    assert series_label("validation.mask_map_50") == "validation mask mAP 50"
    assert kind_of("train.recall.mae") == "metric"
    assert kind_of("train.mae.price") == "error"
    assert series_label("train.mae.price") == "training mae of price"
    assert best_mode("validation.mae.price") == "min"
    assert best_mode("validation.r2.price") == "max"
    assert series_label("train.recall.mae") == "training recall of mae"
    assert series_label("validation.top_3") == "validation top-3 accuracy"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_that_a_form_offers_encoding_and_delimiter_for_files_that_have_them_alone(tmp_path, ending):
    pyarrow = pytest.importorskip("pyarrow")
    columns = {"a": [1.5, 2.0, 3.0] * 8, "label": ["x", "y", "y"] * 8}
    file = tmp_path / f"rows.{ending}"
    module = importlib.import_module(f"pyarrow.{ending}")
    getattr(module, "write_table" if ending == "parquet" else "write_csv")(
        pyarrow.table(columns), file
    )
    spec = ask(ProposeData(path=str(file))).spec
    state = RecipeState(spec=spec, graph=Graph(), data=ask(DescribeData(data=spec.data)))

    def shown(state: RecipeState) -> set[str]:
        form = present_data_form(state)
        return {field.name.rpartition(".")[2] for group in form.groups for field in group.fields}

    of_text = {"encoding", "delimiter", "decimal", "skip_rows", "header"}
    assert shown(state) & of_text == (of_text if ending == "csv" else set())
    assert "keep_totals" in shown(state)
    changed = set_text(spec, "data.source.encoding", "gb18030", NO_CODE)
    assert "encoding" in shown(replace(state, spec=changed))
