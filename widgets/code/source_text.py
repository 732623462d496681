"""Text of a program with its margin: line numbers, marks, and dots at lines that lead somewhere."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolTip, QWidget
from typing_extensions import override

from widgets.code.mark import MarkView, worst
from widgets.common.icons import pixmap
from widgets.common.text import tooltip
from widgets.common.theme import current_theme

_LAYERS = ("current", "highlighted", "marks", "brackets")  # from the back to the front
_ICON = 12


class SourceText(QPlainTextEdit):
    """Shows or edits source. ``line_clicked`` carries the number (from 1) of a clicked line."""

    line_clicked = Signal(int)

    def __init__(self, parent: QWidget, *, is_read_only: bool) -> None:
        super().__init__(parent, readOnly=is_read_only)
        self.linked: set[int] = set()
        self._layers: dict[str, list[QTextEdit.ExtraSelection]] = {}
        self._marks: list[tuple[QTextCursor, MarkView]] = []  # the cursors move with the text
        self.setProperty("frameless", "true")
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        if is_read_only:
            self.setUndoRedoEnabled(False)
            self.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self._margin = _Margin(self)
        self.blockCountChanged.connect(self.restyle)
        self.updateRequest.connect(self._on_update_requested)

    def margin_width(self) -> int:
        """Return the width of the line numbers and marks."""
        digits = max(2, len(str(self.blockCount())))
        return self.fontMetrics().horizontalAdvance("9") * digits + 22 + (_ICON + 2)

    def restyle(self) -> None:
        """Make room for the line numbers."""
        self.setViewportMargins(self.margin_width(), 0, 0, 0)
        self._place_margin()
        self._margin.update()

    def source(self) -> str:
        """Return the text as it is: Qt's own ``toPlainText`` makes usual blanks of all blanks."""
        return plain(self.document())

    def set_text(self, text: str) -> None:
        """Show a text; only what differs is put in, so the cursor and the place stay."""
        if text == self.source():
            return
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        at = (across.value(), down.value())
        replace_text(self.document(), text)
        across.setValue(at[0])
        down.setValue(at[1])

    def set_layer(self, name: str, selections: Sequence[QTextEdit.ExtraSelection]) -> None:
        """Show extra selections of a kind in place of those of that kind before."""
        self._layers[name] = list(selections)
        self.setExtraSelections([one for each in _LAYERS for one in self._layers.get(each, ())])

    def highlight_lines(self, lines: Iterable[int]) -> None:
        """Put the colour of the selection behind lines (from 1), in place of those before."""
        color = QColor(current_theme().accent_soft)
        blocks = (self.document().findBlockByNumber(line - 1) for line in lines)
        selections = [line_selection(block, color) for block in blocks if block.isValid()]
        self.set_layer("highlighted", selections)

    def highlighted_lines(self) -> list[int]:
        """Return the numbers (from 1) of the highlighted lines."""
        return [one.cursor.blockNumber() + 1 for one in self._layers.get("highlighted", ())]

    def set_marks(self, marks: Sequence[MarkView]) -> None:
        """Mark lines, in place of the marks before; marks of lines that are not there stand at the
        last one.
        """
        self._marks = []
        selections: list[QTextEdit.ExtraSelection] = []
        for mark in marks:
            number = min(max(mark.line, 1), self.blockCount()) - 1
            block = self.document().findBlockByNumber(number)
            cursor = QTextCursor(block)
            self._marks.append((cursor, mark))
            selections.append(_underline(block, mark))
        self.set_layer("marks", selections)
        self._margin.update()

    def marks(self) -> list[MarkView]:
        """Return all marks at the lines where the text has moved them by now."""
        return [replace(mark, line=at.blockNumber() + 1) for at, mark in self._marks]

    def marks_at(self, line: int) -> list[MarkView]:
        """Return what is marked at a line (from 1), where the text has moved it by now."""
        return [mark for cursor, mark in self._marks if cursor.blockNumber() == line - 1]

    def line_at(self, y: int) -> int:
        """Return the number of the line at a height of the viewport."""
        return self.cursorForPosition(QPoint(0, y)).blockNumber() + 1

    def paint_margin(self, painter: QPainter, area: QRect) -> None:
        """Draw line numbers, marks and dots."""
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
            is_current = block.blockNumber() == current
            painter.setPen(QColor(theme.text if is_current else theme.faint))
            line = QRect(0, round(box.top()), self._margin.width() - 12, round(box.height()))
            self._paint_line(painter, line, block.blockNumber() + 1)
            block = block.next()

    def _paint_line(self, painter: QPainter, line: QRect, number: int) -> None:
        theme = current_theme()
        painter.drawText(line, Qt.AlignmentFlag.AlignRight, str(number))
        middle = line.center().y()
        if number in self.linked:
            painter.fillRect(self._margin.width() - 7, middle - 1, 3, 3, QColor(theme.accent))
        if marks := self.marks_at(number):
            severity = worst(marks).severity
            color = theme.severity(severity)
            picture = pixmap(severity, color, _ICON, self.devicePixelRatioF())
            painter.drawPixmap(3, middle - _ICON // 2, picture)

    def show_tip(self, position: QPoint, y: int) -> bool:
        """Show what is marked at the line at a height of the viewport; ``place`` is global."""
        marks = self.marks_at(self.line_at(y))
        text = "\n".join(mark.text for mark in marks)
        QToolTip.showText(position, tooltip("", text), self)
        return bool(marks)

    def _place_margin(self) -> None:
        inside = self.contentsRect()
        box = QRect(inside.left(), inside.top(), self.margin_width(), inside.height())
        self._margin.setGeometry(box)

    def _on_update_requested(self, area: QRect, scrolled: int) -> None:
        if scrolled:
            self._margin.scroll(0, scrolled)
        else:
            self._margin.update(0, area.y(), self._margin.width(), area.height())

    @override
    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._marks:
            self.show_tip(event.globalPos(), event.pos().y())
            return True
        return super().viewportEvent(event)

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

    def __init__(self, source: SourceText) -> None:
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

    @override
    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._source.show_tip(event.globalPos(), event.pos().y())
            return True
        return super().event(event)


def plain(document: QTextDocument) -> str:
    """Return the text of a document with every character as it was put in."""
    return document.toRawText().replace("\u2029", "\n")


def line_selection(block: QTextBlock, color: QColor) -> QTextEdit.ExtraSelection:
    """Return a colour behind a whole line."""
    selection = QTextEdit.ExtraSelection()
    selection.format.setBackground(color)
    selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)  # noqa: FBT003
    selection.cursor = QTextCursor(block)
    return selection


def _underline(block: QTextBlock, mark: MarkView) -> QTextEdit.ExtraSelection:
    """Return a wave below the text of a line, from the mark's column on."""
    selection = QTextEdit.ExtraSelection()
    selection.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
    selection.format.setUnderlineColor(QColor(current_theme().severity(mark.severity)))
    text = block.text()
    begin = min(mark.column - 1, len(text.rstrip()) - 1) if mark.column else 0
    begin = max(begin, len(text) - len(text.lstrip()))
    selection.cursor = QTextCursor(block)
    selection.cursor.setPosition(block.position() + begin)
    end = block.position() + max(len(text.rstrip()), begin)
    selection.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return selection


def replace_text(document: QTextDocument, text: str) -> None:
    """Put only what differs into a document: each line that stays keeps its colours, and a cursor
    in it its place.
    """
    old = plain(document)
    if not old or max(old + text) > "\uffff":  # Qt counts such a character twice
        cursor = QTextCursor(document)
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        return
    start = _same_length(old, text)
    rest_old, rest_text = old[start:], text[start:]
    end = _same_length(rest_old[::-1], rest_text[::-1])
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(len(old) - end, QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(text[start : len(text) - end])


def _same_length(one: str, other: str) -> int:
    """Return how many characters at the beginning are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
