"""The editors of form fields, one for each way of giving a value."""

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit, QWidget
from typing_extensions import override

from widgets.common.combo_box import ComboBox
from widgets.common.eliding_line import ElidingLine
from widgets.common.switch import Switch
from widgets.common.throttle import Debounce
from widgets.common.undo_key import UndoKey
from widgets.forms.several_editor import SeveralEditor
from widgets.forms.stepping import stepped
from widgets.forms.view_model import FieldView

_TYPING_PAUSE_MS = 400
_MANY_CHOICES = 10
_VALUE = Qt.ItemDataRole.UserRole
_SEARCHED = Qt.ItemDataRole.UserRole + 1  # label and value of a choice
_WHOLE, _START, _PART = (
    Qt.MatchFlag.MatchFixedString,
    Qt.MatchFlag.MatchStartsWith,
    Qt.MatchFlag.MatchContains,
)


class TextEditor(QLineEdit):
    """Text as the user types it. ``edited`` is emitted after a pause, on Enter, on leaving and on
    a step; what stands here is never replaced under the user's hands.
    """

    edited = Signal(str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: FieldView | None = None
        self._is_dirty = False  # holds something that no view has confirmed
        self._acknowledged: str | None = None  # view text that answered what was sent
        self._typing = Debounce(_TYPING_PAUSE_MS, self._send, self)
        self.textEdited.connect(self._on_text_edited)
        UndoKey(self)

    def set_view(self, view: FieldView) -> None:
        """Show a value; typed text stays while it is wrong or being worked on."""
        previous, self._view = self._view, view
        self.setReadOnly(view.is_read_only)
        self.setPlaceholderText(self._placeholder(view))
        text = "" if view.is_auto or view.is_none else view.text
        if text == self.text():
            self._is_dirty = False
            return
        if self._is_dirty and previous is not None and self._keeps_typed(previous, view):
            return
        self._replace(text)

    def flush(self) -> None:
        """Tell what was typed now, without waiting for the pause."""
        self._typing.flush()

    def forget_typed(self) -> bool:
        """Show the value of the view again; return whether something else stood here."""
        if not self._is_dirty or self._view is None:
            return False
        self._typing.cancel()
        self._acknowledged = None
        self._replace("" if self._view.is_auto or self._view.is_none else self._view.text)
        return True

    def _keeps_typed(self, previous: FieldView, view: FieldView) -> bool:
        if view.error or self._typing.is_pending():
            return True
        if not self.hasFocus():
            return False
        if view.text == previous.text:
            return True
        if self._acknowledged is None:  # the answer to what was sent: the same value, tidied
            self._acknowledged = view.text
            return True
        return view.text == self._acknowledged

    def _replace(self, text: str) -> None:
        caret = self.cursorPosition()
        self.setText(text)
        is_path = self._view is not None and bool(self._view.browse)  # its end says the most
        self.setCursorPosition(len(text) if is_path else min(caret, len(text)))
        self._is_dirty = False

    def _placeholder(self, view: FieldView) -> str:
        if view.is_auto:
            known = self.tr("auto: {value}").format(value=view.resolved)
            return known if view.resolved else self.tr("auto")
        return self.tr("none") if view.is_none or view.optional else view.example

    def _on_text_edited(self) -> None:
        self._is_dirty = True
        self._acknowledged = None
        self._typing.request()

    def _send(self) -> None:
        view = self._view
        text = self.text()
        if view is not None and not text.strip():
            if view.auto:
                text = "auto"
            elif view.optional:
                text = "none"
        self.edited.emit(text)

    def _step(self, direction: int, factor: int) -> bool:
        view = self._view
        if view is None or view.is_read_only or view.kind in ("str", "literal"):
            return False
        moved = stepped(
            self.text() or view.resolved or view.default_text,
            direction,
            is_float=view.kind in ("float", "floats"),
            caret=self.cursorPosition(),
            minimum=view.minimum,
            maximum=view.maximum,
            factor=factor,
        )
        if moved is not None:
            self.setText(moved[0])
            self.setCursorPosition(moved[1])
            self._on_text_edited()
            self.flush()
        return True

    @override
    def keyPressEvent(self, arg__1: QKeyEvent) -> None:
        key = arg__1.key()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            is_coarse = bool(arg__1.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if self._step(1 if key == Qt.Key.Key_Up else -1, 10 if is_coarse else 1):
                return
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._typing.is_pending():
            self.flush()
            return
        super().keyPressEvent(arg__1)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y()
        if not self.hasFocus() or not turned or not self._step(1 if turned > 0 else -1, 1):
            event.ignore()  # the form is being scrolled

    @override
    def focusOutEvent(self, arg__1: QFocusEvent) -> None:
        self.flush()
        super().focusOutEvent(arg__1)
        view = self._view
        if self._is_dirty and view is not None and not view.error and self._acknowledged:
            self._replace("" if view.is_auto or view.is_none else view.text)
        self.left.emit()


class _ChoiceCompleter(QCompleter):
    """Finds choices by their labels and by the values that these stand for."""

    @override
    def pathFromIndex(self, index: QModelIndex | QPersistentModelIndex, /) -> str:
        return str(index.data(Qt.ItemDataRole.DisplayRole) or "")


class ChoiceEditor(ComboBox):
    """One of several; with many it can be searched by typing any part of a label, or of the value
    that it stands for. ``unmatched`` tells of a text that is part of none, and is put back.
    """

    edited = Signal(str)
    unmatched = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices: tuple[tuple[str, str], ...] | None = None
        self._value = ""
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMaxVisibleItems(16)
        self.activated.connect(self._on_activated)

    def set_view(self, view: FieldView) -> None:
        """Show the choices and which one it is."""
        none = (("none", self.tr("none")),) if view.optional else ()
        choices = none + view.choices
        with QSignalBlocker(self):
            if choices != self._choices:
                self._fill(choices)
            self._value = "none" if view.is_none else view.text
            index = self.findData(self._value)
            if index < 0 and self._value:  # not offered (any more): shown, so that it can be mended
                self.addItem(self._value, self._value)
                index = self.count() - 1
            if index != self.currentIndex() or not self.hasFocus():
                self.setCurrentIndex(index)
        self.setEnabled(not view.is_read_only)

    def forget_typed(self) -> bool:
        """Show the choice again; return whether something else was typed."""
        index = self.findData(self._value)
        if not self.isEditable() or self.currentText() == self.itemText(index):
            return False
        self.setCurrentIndex(index)
        self.setEditText(self.itemText(index))
        return True

    def _fill(self, choices: tuple[tuple[str, str], ...]) -> None:
        self._choices = choices
        self.clear()
        for value, label in choices:
            self.addItem(label, value)
            self.setItemData(self.count() - 1, f"{label} {value}", _SEARCHED)
        is_searched = len(choices) > _MANY_CHOICES
        if is_searched == self.isEditable():
            return
        self.setEditable(is_searched)
        if is_searched:
            line = ElidingLine(self)
            self.setLineEdit(line)
            self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            completer = _ChoiceCompleter(self.model(), self)
            completer.setCompletionRole(_SEARCHED)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setMaxVisibleItems(16)
            self.setCompleter(completer)
            line.returnPressed.connect(self._on_return_pressed)
            line.editingFinished.connect(self._on_editing_finished)
            UndoKey(line, self)  # a combo box has the keys of its line
            line.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show all choices on a click into the text; typing then leaves those that hold it."""
        line, completer = self.lineEdit(), self.completer()
        is_click = event.type() == QEvent.Type.MouseButtonRelease and watched is line
        if is_click and line is not None and completer is not None and self.isEnabled():
            line.selectAll()
            completer.setCompletionPrefix("")
            completer.complete()
        return super().eventFilter(watched, event)

    def _on_activated(self, index: int) -> None:
        value = self.itemData(index)
        if line := self.lineEdit():
            line.setText(line.text())  # what was typed is a choice now: no text to undo
        if isinstance(value, str) and value != self._value:
            self._value = value
            self.edited.emit(value)

    def _on_return_pressed(self) -> None:
        """Take the first of the choices that are left: best one that begins as typed."""
        typed = self.currentText().strip()
        rows = (
            *(self.findText(typed, how) for how in (_WHOLE, _START)),
            self.findData(typed, _VALUE, _WHOLE),
            self.findText(typed, _PART),
            self.findData(typed, _SEARCHED, _PART),
        )
        index = next((row for row in rows if row >= 0), -1)
        if typed and index >= 0:
            self.setCurrentIndex(index)
            self._on_activated(index)

    def _on_editing_finished(self) -> None:
        index = self.findText(self.currentText(), Qt.MatchFlag.MatchFixedString)
        if index >= 0:
            self.setCurrentIndex(index)
            self._on_activated(index)
        else:
            typed = self.currentText().strip()
            self.setCurrentIndex(self.findData(self._value))
            if typed and self.findData(typed, _SEARCHED, _PART) < 0:
                self.unmatched.emit(typed)

    @override
    def showPopup(self) -> None:
        """Show the choices in full, however narrow the field is."""
        bar = self.view().verticalScrollBar().sizeHint().width()
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + bar)
        super().showPopup()

    @override
    def wheelEvent(self, e: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(e)
        else:  # the form is being scrolled
            e.ignore()


class SwitchEditor(Switch):
    """On or off, told as ``true`` or ``false``."""

    edited = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.clicked.connect(lambda on: self.edited.emit("true" if on else "false"))

    def set_view(self, view: FieldView) -> None:
        """Show the value."""
        with QSignalBlocker(self):
            self.setChecked(view.text == "true")
        self.setEnabled(not view.is_read_only)
        self.update()


Editor = TextEditor | ChoiceEditor | SwitchEditor | SeveralEditor


def build_editor(view: FieldView, parent: QWidget) -> Editor:
    """Return the editor for a field's kind."""
    if view.kind == "bool":
        return SwitchEditor(parent)
    if view.kind == "several":
        return SeveralEditor(parent)
    if view.choices or view.kind in ("choice", "dtype"):
        return ChoiceEditor(parent)
    return TextEditor(parent)
