"""Log view: lines as they come, by level, following the end while the end is in view."""

from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QShowEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QApplication,
    QPlainTextEdit,
    QWidget,
)
from typing_extensions import override

from widgets.common import parts
from widgets.common.find_bar import FindBar
from widgets.common.live_widget import LiveWidget
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, mono_font
from widgets.tables.view_model import Level, LogLine

_LEVELS: tuple[Level, ...] = ("debug", "info", "warning", "error")
_SOURCES = ("all", "program", "run")
_MOST_LINES = 20_000


class LogView(LiveWidget):
    """Keeps the last 20,000 lines; everything a run prints is in its ``log.txt``, which
    ``open_requested`` and ``reveal_requested`` ask for.
    """

    cleared = Signal()
    open_requested = Signal()
    reveal_requested = Signal()

    def __init__(self, parent: QWidget | None = None, name: str = "log") -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}.panel")
        self._lines: list[LogLine] = []
        self._unwritten = 0  # lines at the end: while nobody sees them, writing is left
        self._is_writing = False
        self.text = QPlainTextEdit(self, readOnly=True)
        self.text.setObjectName(name)
        self.text.setProperty("frameless", "true")
        self.text.setMaximumBlockCount(_MOST_LINES)
        self.text.setUndoRedoEnabled(False)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setTabChangesFocus(True)
        self._level = parts.combo(self, f"{name}.level")
        for level in _LEVELS:
            self._level.addItem("", level)
        self._level.setCurrentIndex(1)
        self._source = parts.combo(self, f"{name}.source")
        for source in _SOURCES:
            self._source.addItem("", source)
        self._find = FindBar(self.text, name)
        self._follow = parts.tool_button(self, f"{name}.follow", icon="follow")
        self._follow.setCheckable(True)
        self._follow.setChecked(True)
        self._search = parts.tool_button(self, f"{name}.search", icon="search")
        self._copy = parts.tool_button(self, f"{name}.copy", icon="copy")
        self._open = parts.tool_button(self, f"{name}.open", icon="external")
        self._reveal = parts.tool_button(self, f"{name}.reveal", icon="folder")
        self._clear = parts.tool_button(self, f"{name}.clear", icon="delete")
        self._arrange()
        self._level.currentIndexChanged.connect(self._rewrite)
        self._source.currentIndexChanged.connect(self._on_source_changed)
        self._follow.toggled.connect(self._on_follow_toggled)
        self._search.clicked.connect(self._find.ask)
        self._copy.clicked.connect(self.copy_all)
        self._clear.clicked.connect(self.clear)
        self._open.clicked.connect(self.open_requested)
        self._reveal.clicked.connect(self.reveal_requested)
        self.text.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.set_file(is_there=False)
        self.retranslate()
        self.restyle()

    def _arrange(self) -> None:
        bar = parts.row(
            self._source,
            self._level,
            None,
            self._follow,
            self._search,
            self._copy,
            self._open,
            self._reveal,
            self._clear,
            margins=(8, 4, 6, 4),
            spacing=3,
        )
        parts.column(bar, self._find, (self.text, 1), margins=(0, 0, 0, 0), spacing=0, parent=self)
        self.setFocusProxy(self.text)

    def append(self, lines: Sequence[LogLine]) -> None:
        """Add lines at the end."""
        self._lines.extend(lines)
        if len(self._lines) > _MOST_LINES:
            del self._lines[: len(self._lines) - _MOST_LINES]
        self._unwritten = min(self._unwritten + len(lines), len(self._lines))
        if self.isVisible():
            self._catch_up()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catch_up()

    def _catch_up(self) -> None:
        """Write the lines that came since it was seen last."""
        lines = self._lines[len(self._lines) - self._unwritten :]
        self._unwritten = 0
        self._write([line for line in lines if self._is_shown(line)])

    def drop_run(self) -> None:
        """Take the lines of the run away (another run comes)."""
        self._lines = [line for line in self._lines if line.source != "run"]
        self._rewrite()

    def set_file(self, *, is_there: bool) -> None:
        """Offer the log file of a run, where there is one."""
        for button in (self._open, self._reveal):
            button.setEnabled(is_there)

    def clear(self) -> None:
        """Show nothing; files are not touched."""
        self._lines.clear()
        self._rewrite()
        self.cleared.emit()

    def copy_all(self) -> None:
        """Put the selection, else all that is shown, on the clipboard."""
        selected = self.text.textCursor().selectedText().replace("\u2029", "\n")
        QApplication.clipboard().setText(selected or self.text.toPlainText())

    def _is_shown(self, line: LogLine) -> bool:
        source = self._source.currentData()
        is_wanted = source in ("all", line.source)
        return is_wanted and _LEVELS.index(line.level) >= self._level.currentIndex()

    def _on_source_changed(self) -> None:
        self.text.setPlaceholderText(self._empty_text())
        self._rewrite()

    def _empty_text(self) -> str:
        if self._source.currentData() == "run":
            return self.tr("Messages and output of the run appear here.")
        if self._source.currentData() == "program":
            return self.tr("Application messages appear here.")
        return self.tr("Messages from the application and the run appear here.")

    def _rewrite(self) -> None:
        self._is_writing = True
        self.text.clear()
        self._is_writing = False
        self._unwritten = len(self._lines)
        if self.isVisible():
            self._catch_up()

    def _write(self, lines: Sequence[LogLine]) -> None:
        if not lines:
            return
        bar = self.text.verticalScrollBar()
        position = bar.value()
        self._is_writing = True  # scrolls of ours are no wish of the user
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        is_first = self.text.document().isEmpty()
        today = datetime.now(tz=UTC).astimezone().date()
        for line in lines:
            if not is_first:
                cursor.insertBlock()
            is_first = False
            if line.time:
                clock = datetime.fromtimestamp(line.time, tz=UTC).astimezone()
                day = "" if clock.date() == today else f"{clock:%Y-%m-%d} "
                cursor.insertText(f"{day}{clock:%H:%M:%S}  ", self._formats["time"])
            cursor.insertText(line.text, self._formats[line.level])
        cursor.endEditBlock()
        bar.setValue(bar.maximum() if self._follow.isChecked() else position)
        self._is_writing = False

    def _on_follow_toggled(self, is_on: bool) -> None:
        if is_on:
            bar = self.text.verticalScrollBar()
            bar.setValue(bar.maximum())

    def _on_scrolled(self, value: int) -> None:
        """Stop following when the user scrolls up, follow again at the end."""
        bar = self.text.verticalScrollBar()
        if not self._is_writing:
            self._follow.setChecked(value >= bar.maximum())

    @override
    def retranslate(self) -> None:
        names = (
            self.tr("Everything"),
            self.tr("Info and above"),
            self.tr("Warnings and errors"),
            self.tr("Errors only"),
        )
        for index, text in enumerate(names):
            self._level.setItemText(index, text)
        self._level.setAccessibleName(self.tr("Which lines to show"))
        self.text.setAccessibleName(self.tr("Log"))
        sources = (self.tr("Application and run"), self.tr("Application"), self.tr("Run"))
        for index, text in enumerate(sources):
            self._source.setItemText(index, text)
        self._source.setAccessibleName(self.tr("Whose lines to show"))
        self.text.setPlaceholderText(self._empty_text())
        for button, text in (
            (self._follow, self.tr("Follow new lines")),
            (self._search, self.tr("Find (Ctrl+F)")),
            (self._copy, self.tr("Copy")),
            (self._open, self.tr("Open run log file")),
            (self._reveal, self.tr("Show run log file in folder")),
            (self._clear, self.tr("Clear the view (the file is kept)")),
        ):
            button.setToolTip(plain_tip(text))
            button.setAccessibleName(text)

    @override
    def restyle(self) -> None:
        theme = current_theme()
        self._formats = {
            name: QTextCharFormat() for name in ("time", "debug", "info", "warning", "error")
        }
        for name, color in (
            ("time", theme.faint),
            ("debug", theme.muted),
            ("info", theme.text),
            ("warning", theme.warning),
            ("error", theme.error),
        ):
            self._formats[name].setForeground(QColor(color))
        self.text.setFont(mono_font())
        self._rewrite()
