"""Source editor: the text with everything around it."""

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from widgets.code.completion import NameView
from widgets.code.editor_text import EditorText
from widgets.code.mark import MarkView
from widgets.code.replace_bar import ReplaceBar
from widgets.common import parts
from widgets.common.live_widget import LiveWidget

PAUSE_MS = 500


class CodeEditor(LiveWidget):
    """Python to be written: colours, line numbers, marks at lines, brackets, indentation, comments
    (Ctrl+/), finding and replacing (Ctrl+F, Ctrl+H), completion (while typing, and Ctrl+Space),
    zoom (Ctrl and the wheel), an undo of its own. Escape and then Tab leaves it.

    Signals, all of them about what the *user* does, never about :meth:`set_text`:

    - ``text_edited()``: at each change, also by the editor's own undo.
    - ``text_settled(str)``: the text after a pause of typing, at Ctrl+Return, when the keyboard
      goes elsewhere, and at :meth:`flush`; only when it is another than the one told before.
    - ``apply_requested()``: Ctrl+Return, after ``text_settled``.
    - ``line_activated(int)``: a line (from 1) was clicked, or the cursor went to another by keys.
    - ``place_changed(int, int)``: line and column (from 1) of the cursor.

    The object names are ``<name>`` for the text, ``<name>.find`` and ``<name>.replace`` for the
    fields of the bar above it.
    """

    text_edited = Signal()
    text_settled = Signal(str)
    apply_requested = Signal()
    line_activated = Signal(int)
    place_changed = Signal(int, int)

    def __init__(self, parent: QWidget | None = None, name: str = "editor") -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}.panel")
        self.edit = EditorText(self, name)
        self.find_bar = ReplaceBar(self.edit, name)
        parts.column(self.find_bar, (self.edit, 1), margins=(0, 0, 0, 0), spacing=0, parent=self)
        self.setFocusProxy(self.edit)
        self._settled = ""
        self._title = ""
        self._line = 1
        self._highlighted: tuple[int, ...] = ()
        self._is_setting = False
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        self.edit.textChanged.connect(self._on_text_changed)
        self.edit.left.connect(self.flush)
        self.edit.apply_requested.connect(self._on_apply_requested)
        self.edit.line_clicked.connect(self._on_line_clicked)
        self.edit.cursorPositionChanged.connect(self._on_place_changed)
        self.retranslate()

    def text(self) -> str:
        """Return the text as it stands there."""
        return self.edit.source()

    def open_text(self, text: str) -> None:
        """Show another text from its beginning, with nothing to undo."""
        self._set(lambda: self.edit.setPlainText(text))

    def set_text(self, text: str) -> None:
        """Show a changed text: cursor, place and undo stay. What was typed and not told yet is
        replaced, so ask :meth:`has_pending` first.
        """
        self._set(lambda: self.edit.set_text(text))

    def has_pending(self) -> bool:
        """Return whether something was typed that ``text_settled`` has not told yet."""
        return self.text() != self._settled

    def flush(self) -> None:
        """Tell what was typed, now."""
        self._pause.stop()
        text = self.text()
        if text != self._settled:
            self._settled = text
            self.text_settled.emit(text)

    def set_title(self, title: str) -> None:
        """Say what the text is, for those who hear the window."""
        self._title = title
        self.retranslate()

    def set_read_only(self, *, is_read_only: bool) -> None:
        """Let the text be read only; the cursor still moves."""
        self.edit.setReadOnly(is_read_only)
        if is_read_only:
            flag = Qt.TextInteractionFlag
            self.edit.setTextInteractionFlags(
                flag.TextSelectableByMouse | flag.TextSelectableByKeyboard
            )

    def set_names(self, names: Sequence[NameView]) -> None:
        """Say which names exist beside those of the text and of Python itself."""
        self.edit.names = tuple(names)

    def set_marks(self, marks: Sequence[MarkView]) -> None:
        """Mark lines, in place of the marks before."""
        self.edit.set_marks(marks)

    def set_links(self, lines: Iterable[int]) -> None:
        """Put a dot beside the lines (from 1) that lead somewhere."""
        self.edit.linked = set(lines)
        self.edit.restyle()

    def highlight_lines(self, lines: Iterable[int], *, scroll: bool = True) -> None:
        """Light lines (from 1) and bring the first of them into view."""
        self._highlighted = tuple(sorted(lines))
        self.edit.highlight_lines(self._highlighted)
        if scroll and self._highlighted and not self.edit.hasFocus():
            self.go_to(self._highlighted[0])

    def go_to(self, line: int, column: int = 1) -> None:
        """Put the cursor at a line and column (from 1), in view."""
        block = self.edit.document().findBlockByNumber(
            min(max(line, 1), self.edit.blockCount()) - 1
        )
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + min(max(column, 1) - 1, block.length() - 1))
        self.edit.setTextCursor(cursor)
        self.edit.centerCursor()

    def place(self) -> tuple[int, int]:
        """Return line and column (from 1) of the cursor."""
        cursor = self.edit.textCursor()
        return cursor.blockNumber() + 1, cursor.positionInBlock() + 1

    def _set(self, put: Callable[[], object]) -> None:
        self._is_setting = True
        put()
        self._is_setting = False
        self._pause.stop()
        self._settled = self.text()

    def _on_text_changed(self) -> None:
        if self._is_setting or self.text() == self._settled:
            return
        self.text_edited.emit()
        self._pause.start()

    def _on_apply_requested(self) -> None:
        self.flush()
        self.apply_requested.emit()

    def _on_line_clicked(self, line: int) -> None:
        self._line = line
        self.line_activated.emit(line)

    def _on_place_changed(self) -> None:
        line, column = self.place()
        self.place_changed.emit(line, column)
        if line != self._line and self.edit.hasFocus() and not self._is_setting:
            self._line = line
            self.line_activated.emit(line)

    @override
    def retranslate(self) -> None:
        self.edit.setAccessibleName(self._title or self.tr("Source code"))
        self.edit.setAccessibleDescription(
            self.tr("Tab indents. Press Esc, then Tab to move to the next control.")
        )
        self.edit.offer.list.setAccessibleName(self.tr("Suggestions"))

    @override
    def restyle(self) -> None:
        self.edit.colors.restyle()
        self.edit.restyle()
        self.edit.set_marks(self.edit.marks())
        self.edit.highlight_lines(self._highlighted)
