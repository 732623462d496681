"""Reading generated source: numbers, colours, and a way from each line to what it came from."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from widgets.code.highlighter import PythonHighlighter
from widgets.common.find_bar import FindBar
from widgets.common.icons import set_icon
from widgets.common.live_widget import LiveWidget
from widgets.common.theme import current_theme, mono_font


class CodeView(LiveWidget):
    """Shows Python source; ``line_activated`` carries the id that a clicked line belongs to."""

    line_activated = Signal(str)

    def __init__(self, parent: QWidget | None = None, name: str = "code") -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}.panel")
        self._lines: dict[int, str] = {}
        self._highlighted: set[str] = set()
        self.text = _Source(self)
        self.text.setObjectName(name)
        self._colors = PythonHighlighter(self.text.document())
        self._find = FindBar(self.text, name)
        self._title = QLabel(self)
        self._title.setProperty("role", "muted")
        self._search = self._build_button("search", f"{name}.search")
        self._copy = self._build_button("copy", f"{name}.copy")
        bar = QHBoxLayout()
        bar.setContentsMargins(10, 4, 6, 4)
        bar.addWidget(self._title, 1)
        bar.addWidget(self._search)
        bar.addWidget(self._copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self._find)
        column.addWidget(self.text, 1)
        self.setFocusProxy(self.text)
        self._search.clicked.connect(self._find.ask)
        self._copy.clicked.connect(self.copy_all)
        self.text.line_clicked.connect(self._on_line_clicked)
        self.retranslate()
        self.restyle()

    def _build_button(self, icon_name: str, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(name)
        set_icon(button, icon_name, "muted")
        return button

    def set_source(self, source: str, lines: Mapping[int, str] | None = None) -> None:
        """Show source; ``lines`` maps line numbers from 1 to ids. The scroll position stays."""
        self._lines = dict(lines or {})
        self.text.linked = set(self._lines)
        if source != self.text.toPlainText():
            across, down = self.text.horizontalScrollBar(), self.text.verticalScrollBar()
            at = (across.value(), down.value())
            _replace_text(self.text.document(), source)
            across.setValue(at[0])
            down.setValue(at[1])
        count = self.text.blockCount() if source else 0
        self._title.setText(self.tr("{count} lines").format(count=count) if count else "")
        self._copy.setEnabled(bool(source))
        self.highlight_ids(self._highlighted, scroll=False)

    def highlight_ids(self, ids: Iterable[str], *, scroll: bool = True) -> None:
        """Mark the lines of these ids and bring the first of them into view."""
        self._highlighted = set(ids)
        wanted = [line for line, one in sorted(self._lines.items()) if one in self._highlighted]
        color = QColor(current_theme().accent_soft)
        selections = []
        for line in wanted:
            block = self.text.document().findBlockByNumber(line - 1)
            if not block.isValid():
                continue
            selection = QTextEdit.ExtraSelection()
            selection.format.setBackground(color)
            selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)  # noqa: FBT003
            selection.cursor = QTextCursor(block)
            selections.append(selection)
        self.text.setExtraSelections(selections)
        if scroll and selections and not self.text.hasFocus():
            self.text.setTextCursor(selections[0].cursor)
            self.text.ensureCursorVisible()

    def highlighted_lines(self) -> list[int]:
        """Return the numbers (from 1) of the marked lines."""
        return [one.cursor.blockNumber() + 1 for one in self.text.extraSelections()]

    def copy_all(self) -> None:
        """Put the selection, else all the source, on the clipboard."""
        selected = self.text.textCursor().selectedText().replace("\u2029", "\n")
        QApplication.clipboard().setText(selected or self.text.toPlainText())

    def _on_line_clicked(self, line: int) -> None:
        if line in self._lines:
            self.line_activated.emit(self._lines[line])

    @override
    def retranslate(self) -> None:
        self.text.setAccessibleName(self.tr("Source of the model"))
        self.text.setPlaceholderText(self.tr("The model's Python appears here."))
        for button, text in (
            (self._search, self.tr("Find (Ctrl+F)")),
            (self._copy, self.tr("Copy the source")),
        ):
            button.setToolTip(text)
            button.setAccessibleName(text)

    @override
    def restyle(self) -> None:
        font = mono_font()
        self.text.setFont(font)
        self._colors.restyle()
        self.text.restyle()
        self.highlight_ids(self._highlighted, scroll=False)


def _replace_text(document: QTextDocument, text: str) -> None:
    """Put only what differs into a document: each line that stays keeps its colours."""
    old = document.toPlainText()
    if not old or max(old + text) > "\uffff":  # Qt counts such a character twice
        document.setPlainText(text)
        return
    start = _same_length(old, text)
    end = _same_length(old[start:][::-1], text[start:][::-1])
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(len(old) - end, QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(text[start : len(text) - end])


def _same_length(one: str, other: str) -> int:
    """Return how many characters at the beginning are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


class _Source(QPlainTextEdit):
    """The text with its margin of line numbers; a dot marks lines that lead somewhere."""

    line_clicked = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, readOnly=True)
        self.linked: set[int] = set()
        self.setProperty("frameless", "true")
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._margin = _Margin(self)
        self.blockCountChanged.connect(self.restyle)
        self.updateRequest.connect(self._on_update_requested)

    def margin_width(self) -> int:
        """Return the width of the line numbers."""
        digits = max(2, len(str(self.blockCount())))
        return self.fontMetrics().horizontalAdvance("9") * digits + 22

    def restyle(self) -> None:
        """Make room for the line numbers."""
        self.setViewportMargins(self.margin_width(), 0, 0, 0)
        self._place_margin()
        self._margin.update()

    def _place_margin(self) -> None:
        inside = self.contentsRect()
        box = QRect(inside.left(), inside.top(), self.margin_width(), inside.height())
        self._margin.setGeometry(box)

    def _on_update_requested(self, area: QRect, scrolled: int) -> None:
        if scrolled:
            self._margin.scroll(0, scrolled)
        else:
            self._margin.update(0, area.y(), self._margin.width(), area.height())

    def line_at(self, y: int) -> int:
        """Return the number of the line at a height of the viewport."""
        return self.cursorForPosition(QPoint(0, y)).blockNumber() + 1

    def paint_margin(self, painter: QPainter, area: QRect) -> None:
        """Draw the line numbers."""
        theme = current_theme()
        painter.fillRect(area, QColor(theme.window))
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        offset = self.contentOffset()
        current = self.textCursor().blockNumber() if self.hasFocus() else -1
        while block.isValid():
            box = self.blockBoundingGeometry(block).translated(offset)
            if box.top() > area.bottom():
                break
            number = block.blockNumber() + 1
            is_current = block.blockNumber() == current
            painter.setPen(QColor(theme.text if is_current else theme.faint))
            line = QRect(0, round(box.top()), self._margin.width() - 12, round(box.height()))
            painter.drawText(line, Qt.AlignmentFlag.AlignRight, str(number))
            if number in self.linked:
                painter.fillRect(
                    self._margin.width() - 7,
                    round(box.center().y()) - 1,
                    3,
                    3,
                    QColor(theme.accent),
                )
            block = block.next()

    @override
    def resizeEvent(self, e: QResizeEvent) -> None:
        super().resizeEvent(e)
        self._place_margin()

    @override
    def mouseReleaseEvent(self, e: QMouseEvent) -> None:
        super().mouseReleaseEvent(e)
        if e.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.line_clicked.emit(self.line_at(round(e.position().y())))


class _Margin(QWidget):
    """Where the line numbers stand; a click there is a click on the line."""

    def __init__(self, source: _Source) -> None:
        super().__init__(source)
        self._source = source

    @override
    def sizeHint(self) -> QSize:
        return QSize(self._source.margin_width(), 0)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        self._source.paint_margin(QPainter(self), event.rect())

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._source.line_clicked.emit(self._source.line_at(round(event.position().y())))
