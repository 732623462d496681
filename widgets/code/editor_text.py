"""Text of the source editor: its keys, the current line, brackets and completion."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QKeyEvent, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QTextEdit, QWidget
from typing_extensions import override

from widgets.code.bracket import bracket_pair
from widgets.code.completion import NameView, completions, word_before
from widgets.code.completion_list import CompletionList
from widgets.code.editing import (
    STEP,
    break_line,
    dedent,
    erase_back,
    go_home,
    indent,
    toggle_comment,
)
from widgets.code.highlighter import PythonHighlighter
from widgets.code.source_text import SourceText, line_selection
from widgets.code.token import is_code
from widgets.common.theme import current_theme, mono_font

_CTRL = Qt.KeyboardModifier.ControlModifier
_NO_KEYS = Qt.KeyboardModifier.NoModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_ESCAPE = (_NO_KEYS, Qt.Key.Key_Escape)
_TAB, _BACKTAB = (_NO_KEYS, Qt.Key.Key_Tab), (_SHIFT, Qt.Key.Key_Backtab)
_MODIFIERS = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta)
_LEAST_LETTERS = 2
_SMALLEST, _LARGEST = 6.0, 40.0
_OWN_KEYS = frozenset(  # the window has commands on some of them
    (_CTRL, key)
    for key in (
        Qt.Key.Key_Space,
        Qt.Key.Key_Slash,
        Qt.Key.Key_D,
        Qt.Key.Key_Plus,
        Qt.Key.Key_Equal,
        Qt.Key.Key_Minus,
        Qt.Key.Key_0,
        *_ENTER,
    )
)


class EditorText(SourceText):
    """The text of a :class:`widgets.code.code_editor.CodeEditor`. ``apply_requested``: Ctrl+Return;
    ``left``: the keyboard goes elsewhere. Tab indents; after Escape it goes on to the next widget.
    """

    apply_requested = Signal()
    left = Signal()

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent, is_read_only=False)
        self.setObjectName(name)
        self.names: tuple[NameView, ...] = ()
        self.colors = PythonHighlighter(self.document())
        self._zoom = 0.0  # points on the program's text size
        self._is_leaving = False  # Escape was the last key
        self._offer = CompletionList(self, name)
        self._offer.chosen.connect(self._on_name_chosen)
        self._keys: dict[tuple[Qt.KeyboardModifier, int], Callable[[], object]] = {
            (_CTRL, Qt.Key.Key_Space): lambda: self.offer_names(is_asked=True),
            (_CTRL, Qt.Key.Key_Slash): lambda: self._change(toggle_comment),
            (_CTRL, Qt.Key.Key_D): self._duplicate_line,
            (_CTRL, Qt.Key.Key_Plus): lambda: self.zoom(+1),
            (_CTRL, Qt.Key.Key_Equal): lambda: self.zoom(+1),
            (_CTRL, Qt.Key.Key_Minus): lambda: self.zoom(-1),
            (_CTRL, Qt.Key.Key_0): lambda: self.zoom(0),
            _TAB: lambda: self._change(indent),
            _BACKTAB: lambda: self._change(dedent),
            (_NO_KEYS, Qt.Key.Key_Backspace): lambda: self._change(erase_back),
            (_NO_KEYS, Qt.Key.Key_Home): lambda: self._go_home(is_selecting=False),
            (_SHIFT, Qt.Key.Key_Home): lambda: self._go_home(is_selecting=True),
        }
        for enter in _ENTER:
            self._keys[_NO_KEYS, enter] = lambda: self._change(break_line)
            self._keys[_CTRL, enter] = self.apply_requested.emit
        self.cursorPositionChanged.connect(self._show_place)
        self.restyle()

    @property
    def offer(self) -> CompletionList:
        """The list of names, shown or not."""
        return self._offer

    def zoom(self, direction: int) -> None:
        """Make the letters a point larger or smaller; 0: as large as the program's text again."""
        size = mono_font().pointSizeF() + self._zoom + direction
        if direction == 0:
            self._zoom = 0.0
        elif _SMALLEST <= size <= _LARGEST:
            self._zoom += direction
        self.restyle()

    def offer_names(self, *, is_asked: bool = False) -> None:
        """Offer what completes the name before the cursor; unasked only where that is likely to be
        of use.
        """
        cursor = self.textCursor()
        prefix = cursor.block().text()[: cursor.positionInBlock()]
        owner, start = word_before(prefix)
        is_likely = len(start) >= _LEAST_LETTERS or (bool(owner) and prefix.endswith((".", start)))
        state = max(cursor.block().previous().userState(), 0)
        if self.isReadOnly() or not is_code(prefix, state, len(prefix)):
            self._offer.hide()
        elif is_asked or is_likely:
            position = self.cursorRect().bottomLeft()
            position.setX(position.x() - self.fontMetrics().horizontalAdvance(start))
            names = completions(prefix, self.toPlainText(), self.names, is_asked=is_asked)
            self._offer.offer(names, self.viewport().mapToGlobal(position))
        else:
            self._offer.hide()

    @override
    def restyle(self) -> None:
        font = mono_font()
        font.setPointSizeF(font.pointSizeF() + self._zoom)
        font.setStyleHint(QFont.StyleHint.Monospace)
        if font != self.font():
            self.setFont(font)
            self.setTabStopDistance(STEP * self.fontMetrics().horizontalAdvance(" "))
        super().restyle()

    def _change(self, edit: Callable[[QTextCursor], object]) -> None:
        if self.isReadOnly():
            return
        cursor = self.textCursor()
        edit(cursor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def _duplicate_line(self) -> None:
        def copy(cursor: QTextCursor) -> None:
            column, text = cursor.positionInBlock(), cursor.block().text()
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
            cursor.insertText("\n" + text)
            cursor.setPosition(cursor.block().position() + column)

        self._change(copy)

    def _go_home(self, *, is_selecting: bool) -> None:
        cursor = self.textCursor()
        mode = QTextCursor.MoveMode
        go_home(cursor, mode.KeepAnchor if is_selecting else mode.MoveAnchor)
        self.setTextCursor(cursor)

    def _on_name_chosen(self, name: str) -> None:
        cursor = self.textCursor()
        _, start = word_before(cursor.block().text()[: cursor.positionInBlock()])
        cursor.movePosition(
            QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(start)
        )
        cursor.insertText(name)
        self.setTextCursor(cursor)

    def _show_place(self) -> None:
        """Colour the line of the cursor and the brackets beside it."""
        theme = current_theme()
        cursor = self.textCursor()
        ground = QColor(theme.hover)
        ground.setAlphaF(0.5)
        is_shown = self.hasFocus() and not cursor.hasSelection()
        self.set_layer("current", [line_selection(cursor.block(), ground)] if is_shown else [])
        pair = bracket_pair(self.document(), cursor.position()) if is_shown else None
        self.set_layer("brackets", [self._bracket(position) for position in pair or ()])

    def _bracket(self, position: int) -> QTextEdit.ExtraSelection:
        theme = current_theme()
        selection = QTextEdit.ExtraSelection()
        selection.format.setBackground(QColor(theme.accent_soft))
        selection.format.setForeground(QColor(theme.accent))
        selection.cursor = QTextCursor(self.document())
        selection.cursor.setPosition(position)
        selection.cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
        return selection

    @override
    def event(self, event: QEvent) -> bool:
        """Keep the keys of the editor from the window, and Tab from the walk through widgets."""
        if isinstance(event, QKeyEvent):
            key = _key(event)
            if event.type() == QEvent.Type.ShortcutOverride and key in _OWN_KEYS:
                event.accept()
                return True
        return super().event(event)

    @override
    def keyPressEvent(self, e: QKeyEvent) -> None:
        if self._is_leaving and _key(e) in (_TAB, _BACKTAB):
            QWidget.focusNextPrevChild(self, _key(e) == _TAB)  # the text's own keeps Tab
            return
        self._is_leaving = _key(e) == _ESCAPE or (self._is_leaving and e.key() in _MODIFIERS)
        act = self._keys.get(_key(e))
        if act is not None and not (self.isReadOnly() and _key(e) not in _OWN_KEYS):
            act()
            e.accept()
        else:
            super().keyPressEvent(e)
        if _key(e) == _ESCAPE:
            e.accept()  # for the Tab that comes next
        if _key(e) == (_CTRL, Qt.Key.Key_Space):
            return
        is_typing = bool(e.text()) and e.text().isprintable()
        if is_typing and not (e.text().isalnum() or e.text() == "_"):
            self._offer.hide()  # at once: Enter may come before the names are looked for
        if is_typing or self._offer.isVisible():
            QTimer.singleShot(0, self, self.offer_names)

    @override
    def wheelEvent(self, e: QWheelEvent) -> None:
        if e.modifiers() & _CTRL:
            self.zoom(1 if e.angleDelta().y() > 0 else -1)
            e.accept()
        else:
            super().wheelEvent(e)

    @override
    def focusInEvent(self, e: QFocusEvent) -> None:
        super().focusInEvent(e)
        self._show_place()

    @override
    def focusOutEvent(self, e: QFocusEvent) -> None:
        super().focusOutEvent(e)
        self._is_leaving = False
        self._show_place()
        self.left.emit()


def _key(event: QKeyEvent) -> tuple[Qt.KeyboardModifier, int]:
    keypad = Qt.KeyboardModifier.KeypadModifier
    return event.modifiers() & ~keypad, event.key()
