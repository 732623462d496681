"""Forms: typing, stepping, errors, and nothing lost under the user's hands."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QToolButton, QWidget

from widgets.forms.form import FormWidget
from widgets.forms.view_model import FieldView, FormView, GroupView

FIELDS = (
    FieldView(name="lr", label="Learning rate", kind="float", text="0.001", minimum=0),
    FieldView(
        name="in", label="In features", kind="int", text="auto", auto=True, is_auto=True,
        resolved="576",
    ),
    FieldView(name="kernel", label="Kernel size", kind="ints", text="3, 3", length=2),
    FieldView(name="bias", label="Bias", kind="bool", text="true", help="Adds <b>b</b>."),
    FieldView(
        name="mode", label="Mode", kind="choice", text="zeros",
        choices=(("zeros", "Zeros"), ("reflect", "Reflect")),
    ),
    FieldView(name="clip", label="Clip", kind="float", optional=True, is_none=True),
    FieldView(name="eps", label="Eps", kind="float", text="1e-05", advanced=True),
)  # fmt: skip


def view_of(*fields, key="conv1"):
    return FormView(key=key, title="conv1", groups=(GroupView(fields=fields, title="Conv2d"),))


@pytest.fixture
def form(qtbot):
    widget = FormWidget()
    widget.resize(320, 480)
    qtbot.addWidget(widget)
    widget.set_view(view_of(*FIELDS))
    with qtbot.waitExposed(widget):
        widget.show()
    widget.activateWindow()
    yield widget
    widget.close()


@pytest.fixture
def said(form):
    changes = []
    form.value_changed.connect(lambda name, text: changes.append((name, text)))
    return changes


def field(form, name, kind=QLineEdit):
    return form.findChild(kind, f"field.{name}")


def changed(name, **values):
    return view_of(*(replace(f, **values) if f.name == name else f for f in FIELDS))


def test_that_what_is_typed_is_told_on_enter_as_it_stands(form, said, qtbot):
    editor = field(form, "lr")
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, "1e-3")
    assert said == []
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert said == [("lr", "1e-3")]


def test_that_what_is_typed_is_told_after_a_pause_and_on_leaving(form, said, qtbot):
    editor = field(form, "kernel")
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, "5")
    qtbot.waitUntil(lambda: said == [("kernel", "5")])
    qtbot.keyClicks(editor, ", 7")
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    assert said[-1] == ("kernel", "5, 7")


def test_that_a_wrong_value_keeps_its_text_and_shows_why_under_the_field(form, said, qtbot):
    editor = field(form, "lr")
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, "abc")
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    form.set_view(changed("lr", error="“abc” is not a number."))
    assert editor.text() == "abc"
    assert editor.property("invalid")
    message = form.findChild(QLabel, "field.lr.message")
    assert message.isVisible()
    assert message.text() == "“abc” is not a number."
    form.set_view(changed("lr"))
    assert editor.text() == "0.001"
    assert not message.isVisible()


def test_that_a_refresh_while_typing_moves_neither_text_nor_caret(form, said, qtbot):
    editor = field(form, "kernel")
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, "5,7")
    editor.setCursorPosition(1)
    form.set_view(view_of(*FIELDS))
    assert (editor.text(), editor.cursorPosition()) == ("5,7", 1)
    qtbot.waitUntil(lambda: bool(said))
    form.set_view(changed("kernel", text="5, 7", is_modified=True))
    assert (editor.text(), editor.cursorPosition()) == ("5,7", 1)
    assert editor.hasFocus()
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.text() == "5, 7"


def test_that_an_undo_elsewhere_reaches_the_focused_field(form, said, qtbot):
    editor = field(form, "kernel")
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, "5")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    form.set_view(changed("kernel", text="5, 5"))
    form.set_view(changed("kernel", text="3, 3"))
    assert editor.text() == "3, 3"


def test_that_arrows_and_wheel_step(form, said, qtbot):
    editor = field(form, "lr")
    editor.setFocus()
    qtbot.keyClick(editor, Qt.Key.Key_Up)
    qtbot.keyClick(editor, Qt.Key.Key_Down)
    qtbot.keyClick(editor, Qt.Key.Key_Down)
    assert said == [("lr", "0.002"), ("lr", "0.001"), ("lr", "0.0009")]


def test_that_the_wheel_over_a_field_without_focus_scrolls_the_form(form, said, qtbot):
    editor = field(form, "lr")
    field(form, "kernel").setFocus()
    middle = QPointF(editor.rect().center())
    wheel = QWheelEvent(
        middle, editor.mapToGlobal(middle), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,  # noqa: FBT003
    )  # fmt: skip
    QApplication.sendEvent(editor, wheel)
    assert said == []
    assert not wheel.isAccepted()


def test_that_escape_takes_back_what_was_typed(form, said, qtbot):
    editor = field(form, "lr")
    editor.setFocus()
    qtbot.keyClicks(editor, "99")
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.text() == "0.001"
    assert said == [("lr", "0.001")]


def test_that_automatic_shows_what_it_means_and_can_be_left_and_taken(form, said, qtbot):
    editor = field(form, "in")
    assert editor.text() == ""
    assert "576" in editor.placeholderText()
    button = form.findChild(QToolButton, "field.in.auto")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert said[-1] == ("in", "576")
    form.set_view(changed("in", text="512", is_auto=False))
    assert editor.text() == "512"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert said[-1] == ("in", "auto")


def test_that_automatic_is_shown_where_its_value_is_not_known(form):
    form.set_view(changed("in", resolved=""))
    assert field(form, "in").placeholderText() == "auto"


def test_that_an_emptied_field_means_automatic_or_none(form, said, qtbot):
    form.set_view(changed("clip", text="1.5", is_none=False))
    editor = field(form, "clip")
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_Backspace)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert said == [("clip", "none")]


def test_that_a_switch_turns_by_click_and_space(form, said, qtbot):
    switch = field(form, "bias", QWidget)
    qtbot.mouseClick(switch, Qt.MouseButton.LeftButton)
    qtbot.keyClick(switch, Qt.Key.Key_Space)
    assert said == [("bias", "false"), ("bias", "true")]


def test_that_a_choice_is_made_by_key_and_only_changes_are_told(form, said, qtbot):
    combo = field(form, "mode", QComboBox)
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert said == [("mode", "reflect")]
    form.set_view(changed("mode", text="reflect"))
    assert said == [("mode", "reflect")]
    assert combo.currentText() == "Reflect"


def test_that_many_choices_can_be_searched(form, said, qtbot):
    choices = tuple((f"v{at}", f"Label {at}") for at in range(30))
    many = FieldView(name="many", label="Many", kind="choice", text="v0", choices=choices)
    form.set_view(view_of(many))
    combo = field(form, "many", QComboBox)
    line = combo.lineEdit()
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "label 17")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert said == [("many", "v17")]
    line.selectAll()
    qtbot.keyClicks(line, "nonsense")
    line.clearFocus()
    assert combo.currentData() == "v17"


def test_that_enter_takes_the_first_choice_that_is_left_of_what_is_typed(form, said, qtbot):
    labels = ("Breast cancer", "Iris flowers", *(f"Set {at}" for at in range(20)), "Circles")
    choices = tuple((label.split()[-1], label) for label in labels)
    many = FieldView(name="many", label="Many", kind="choice", text="cancer", choices=choices)
    form.set_view(view_of(many))
    line = field(form, "many", QComboBox).lineEdit()
    for typed in ("ir", "cer"):  # the first begins a label, the second is only in one
        qtbot.mouseClick(line, Qt.MouseButton.LeftButton)
        qtbot.keyClicks(line, typed)
        qtbot.keyClick(line, Qt.Key.Key_Return)
    assert said == [("many", "flowers"), ("many", "cancer")]


def test_that_a_choice_is_found_by_its_value_and_no_match_is_told(form, said, qtbot):
    choices = (("LFWPairs", "Pairs of faces"), *((f"v{at}", f"Set {at}") for at in range(20)))
    many = FieldView(name="many", label="Many", kind="choice", text="v3", choices=choices)
    form.set_view(view_of(many))
    combo = field(form, "many", QComboBox)
    line = combo.lineEdit()
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(combo.completer().popup(), "lfwp")
    shown = combo.completer().popup().model()
    assert [shown.index(row, 0).data() for row in range(shown.rowCount())] == ["Pairs of faces"]
    qtbot.keyClick(combo.completer().popup(), Qt.Key.Key_Down)
    qtbot.keyClick(combo.completer().popup(), Qt.Key.Key_Return)
    assert (said, combo.currentText()) == ([("many", "LFWPairs")], "Pairs of faces")
    message = form.findChild(QLabel, "field.many.message")
    assert not message.isVisible()
    line.selectAll()
    qtbot.keyClicks(line, "nonsense")
    line.clearFocus()
    assert combo.currentText() == "Pairs of faces"
    assert message.isVisible()
    assert "nonsense" in message.text()


def test_that_a_click_into_a_searched_choice_shows_all_of_them(form, said, qtbot):
    choices = tuple((f"v{at}", f"Label {at}") for at in range(30))
    many = FieldView(name="many", label="Many", kind="choice", text="v7", choices=choices)
    form.set_view(view_of(many))
    combo = field(form, "many", QComboBox)
    qtbot.mouseClick(combo.lineEdit(), Qt.MouseButton.LeftButton)
    popup = combo.completer().popup()
    qtbot.waitUntil(popup.isVisible)
    assert popup.model().rowCount() == 30
    qtbot.keyClicks(popup, "el 29")
    assert popup.model().rowCount() == 1
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert said == [("many", "v29")]


def test_that_reset_is_offered_only_when_something_was_changed(form, qtbot):
    button = form.findChild(QToolButton, "field.kernel.reset")
    assert not button.isVisible()
    form.set_view(changed("kernel", is_modified=True, default_text="1"))
    assert button.isVisible()
    with qtbot.waitSignal(form.reset_requested) as caught:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert caught.args == ["kernel"]


def test_that_advanced_fields_are_folded_until_asked_for_or_wrong(form, qtbot):
    editor = field(form, "eps")
    assert not editor.isVisible()
    fold = form.findChild(QToolButton, "fold.group0")
    qtbot.mouseClick(fold, Qt.MouseButton.LeftButton)
    assert editor.isVisible()
    qtbot.mouseClick(fold, Qt.MouseButton.LeftButton)
    assert not editor.isVisible()
    form.set_view(changed("eps", error="too small"))
    assert editor.isVisible()


def test_that_focus_survives_fields_that_come_and_go(form, said, qtbot):
    editor = field(form, "kernel")
    editor.setFocus()
    extra = FieldView(name="extra", label="Extra", kind="int", text="1")
    form.set_view(view_of(FIELDS[0], extra, *FIELDS[2:]))
    assert editor.hasFocus()
    assert field(form, "kernel") is editor
    assert field(form, "in") is None or not field(form, "in").isVisible()


def test_that_another_thing_gets_new_fields(form):
    editor = field(form, "kernel")
    form.set_view(view_of(*FIELDS, key="conv2"))
    (shown,) = (each for each in form.findChildren(QLineEdit, "field.kernel") if each.isVisible())
    assert shown is not editor


def test_that_a_named_field_is_found_also_when_folded(form):
    assert form.focus_field("eps")
    assert field(form, "eps").hasFocus()
    assert not form.focus_field("nothing")


def test_that_every_editor_has_a_name_for_scripts_and_for_screen_readers(form):
    for one in FIELDS:
        editor = field(form, one.name, QWidget)
        assert editor.accessibleName() == one.label
    assert "&lt;b&gt;" in field(form, "bias", QWidget).toolTip()


def test_that_an_empty_form_says_what_to_do(qtbot):
    form = FormWidget()
    qtbot.addWidget(form)
    form.set_view(FormView(key="", empty_text="Select a node."))
    form.show()
    assert "Select a node." in [label.text() for label in form.findChildren(QLabel)]


def test_that_tab_goes_from_field_to_field(form, qtbot):
    field(form, "lr").setFocus()
    qtbot.keyClick(field(form, "lr"), Qt.Key.Key_Tab)
    assert field(form, "in").hasFocus()


def test_that_a_message_wraps_whole_and_never_widens_the_form(form, qtbot):
    long = f"“{'9' * 60}” is not a number. Learning rate takes a number that is finite."
    form.set_view(changed("lr", error=long))
    form.resize(form.minimumSizeHint().width(), 480)
    message = form.findChild(QLabel, "field.lr.message")
    qtbot.waitUntil(message.isVisible)
    qtbot.waitUntil(lambda: message.height() >= message.heightForWidth(message.width()))
    assert form.widget().width() <= form.viewport().width()
    assert message.text().replace("\u200b", "") == long


def test_that_of_a_long_path_the_end_is_shown_and_all_of_it_is_told(form):
    path = "/home/somebody/data/of last year/with a long name/我的 照片/train"
    view = FieldView(name="path", label="Folder", kind="path", text=path, browse="Choose a folder")
    form.set_view(view_of(view, key="folder"))
    shown = field(form, "path")
    assert shown.cursorPosition() == len(path)  # what is beside the cursor is shown
    assert path in shown.toolTip()
    other = view_of(replace(view, text=f"{path} 2"), key="folder")
    form.set_view(other)
    assert shown.cursorPosition() == len(path) + 2
