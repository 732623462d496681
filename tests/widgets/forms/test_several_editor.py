"""Several of many: marks by mouse and keys, search, what does not fit, what goes with no other."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QListWidget

from widgets.forms.form import FormWidget
from widgets.forms.several_editor import SeveralEditor
from widgets.forms.view_model import FieldView, FormView, GroupView

VIEW = FieldView(
    name="metrics",
    label="Metrics",
    kind="several",
    text="auto",
    choices=(("auto", "by the task"), ("accuracy", "Accuracy"), ("f1", "F1"), ("mae", "MAE")),
    unfit=(("mae", "for regression only"),),
    lone_choice="auto",
)


@pytest.fixture
def form(qtbot):
    widget = FormWidget()
    widget.resize(320, 300)
    qtbot.addWidget(widget)

    def show(text: str) -> None:
        view = replace(VIEW, text="" if text == "none" else text)
        widget.set_view(FormView(key="recipe", groups=(GroupView(fields=(view,)),)))

    show("auto")
    widget.value_changed.connect(lambda _name, text: show(text))
    with qtbot.waitExposed(widget):
        widget.show()
    yield widget
    widget.findChild(SeveralEditor).hidePopup()
    widget.close()


@pytest.fixture
def said(form):
    changes = []
    form.value_changed.connect(lambda _name, text: changes.append(text))
    return changes


def parts(form) -> tuple[SeveralEditor, QLineEdit, QListWidget]:
    return (
        form.findChild(SeveralEditor, "field.metrics"),
        form.findChild(QLineEdit, "field.metrics.search"),
        form.findChild(QListWidget, "field.metrics.list"),
    )


def click(qtbot, listed: QListWidget, row: int) -> None:
    place = listed.visualItemRect(listed.item(row)).center()
    qtbot.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_that_clicks_set_and_take_marks_in_the_order_of_the_list(form, said, qtbot):
    editor, _, listed = parts(form)
    qtbot.mouseClick(editor, Qt.MouseButton.LeftButton)
    click(qtbot, listed, 2)
    click(qtbot, listed, 1)
    assert said == ["f1", "accuracy, f1"]
    assert editor.currentText() == "Accuracy, F1"
    click(qtbot, listed, 2)
    click(qtbot, listed, 1)
    assert said[2:] == ["accuracy", "none"]
    assert editor.currentText() == "none"


def test_that_the_lone_choice_takes_the_place_of_the_others(form, said, qtbot):
    editor, _, listed = parts(form)
    qtbot.mouseClick(editor, Qt.MouseButton.LeftButton)
    click(qtbot, listed, 1)
    click(qtbot, listed, 0)
    assert said == ["accuracy", "auto"]


def test_that_what_does_not_fit_says_why_and_cannot_be_marked_but_be_taken_away(form, said, qtbot):
    editor, _, listed = parts(form)
    qtbot.mouseClick(editor, Qt.MouseButton.LeftButton)
    click(qtbot, listed, 3)
    assert said == []
    assert listed.item(3).text() == "MAE — for regression only"
    form.set_view(FormView(key="recipe", groups=(GroupView(fields=(replace(VIEW, text="mae"),)),)))
    click(qtbot, listed, 3)
    assert said == ["none"]


def test_that_all_of_it_goes_by_keys(form, said, qtbot):
    editor, search, _ = parts(form)
    editor.setFocus()
    qtbot.keyClick(editor, Qt.Key.Key_Space)
    assert QApplication.activePopupWidget() is not None
    qtbot.keyClicks(search, "f1")
    qtbot.keyClick(search, Qt.Key.Key_Return)
    assert said == ["f1"]
    search.clear()
    qtbot.keyClick(search, Qt.Key.Key_Up)
    qtbot.keyClick(search, Qt.Key.Key_Space)
    assert said == ["f1", "accuracy, f1"]
    qtbot.keyClick(search, Qt.Key.Key_Escape)
    assert QApplication.activePopupWidget() is None
    qtbot.keyClick(editor, Qt.Key.Key_Escape)  # to the page: it takes no mark back
    assert said == ["f1", "accuracy, f1"]


def test_that_search_goes_to_what_answers_best(form, said, qtbot):
    choices = (("accuracy", "Accuracy"), ("auroc", "AUROC"))
    view = replace(VIEW, text="", choices=choices, unfit=())
    form.set_view(FormView(key="recipe", groups=(GroupView(fields=(view,)),)))
    editor, search, _ = parts(form)
    editor.showPopup()
    qtbot.keyClicks(search, "aur")
    qtbot.keyClick(search, Qt.Key.Key_Return)
    editor.hidePopup()
    assert said == ["auroc"]


def test_that_search_hides_what_does_not_hold_it(form, qtbot):
    editor, search, listed = parts(form)
    editor.showPopup()
    qtbot.keyClicks(search, "acc")
    hidden = [listed.item(row).isHidden() for row in range(listed.count())]
    assert hidden == [True, False, True, True]


def test_that_a_value_that_is_not_offered_is_shown_and_can_be_taken_away(form, said, qtbot):
    form.set_view(
        FormView(key="recipe", groups=(GroupView(fields=(replace(VIEW, text="beauty, f1"),)),))
    )
    editor, _, listed = parts(form)
    assert editor.currentText() == "beauty, F1"
    qtbot.mouseClick(editor, Qt.MouseButton.LeftButton)
    click(qtbot, listed, 4)
    assert said == ["f1"]
