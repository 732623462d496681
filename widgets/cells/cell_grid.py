"""Blocks of boxes with numbers in them, drawn as they are; what belongs together lights up."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QScrollArea, QToolTip, QWidget
from typing_extensions import override

from widgets.cells.view_model import CellBlock, CellView
from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.stylesheet import mixed
from widgets.common.theme import current_theme, mono_font, scaled_font

_GAP = 4
_MARGIN = 14
_PADDING = 8
_LEAST, _MOST = 34, 150  # pixels of a cell
_SMALL = 0.82


class _PlacedCell(NamedTuple):
    """Where a cell is drawn."""

    rect: QRect
    cell: CellView


class CellGrid(LiveWidget):
    """Shows :class:`CellBlock`s under each other, and scrolls where there is no room."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.sheet = _Sheet(self)
        self.sheet.setObjectName(f"{name}.sheet")
        area = QScrollArea(self)
        area.setObjectName(f"{name}.area")
        area.setProperty("frameless", "true")
        area.setWidget(self.sheet)
        parts.column(area, margins=(0, 0, 0, 0), parent=self)

    def set_blocks(self, blocks: Sequence[CellBlock]) -> None:
        """Show blocks in place of those before."""
        self.sheet.set_blocks(tuple(blocks))

    def blocks(self) -> tuple[CellBlock, ...]:
        """Return what is shown."""
        return self.sheet.blocks

    @override
    def restyle(self) -> None:
        self.sheet.lay_out()


class _Sheet(QWidget):
    """The paper that the cells are on."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.blocks: tuple[CellBlock, ...] = ()
        self.lit = ""
        self._texts: list[tuple[QRect, str, bool]] = []
        self._places: list[_PlacedCell] = []
        self.setMouseTracking(True)

    def set_blocks(self, blocks: tuple[CellBlock, ...]) -> None:
        """Show blocks."""
        if blocks != self.blocks:
            self.blocks = blocks
            self.lit = ""
            said = [
                f"{block.title}: " + "; ".join(_row_text(row.cells) for row in block.rows)
                for block in blocks
            ]
            self.setAccessibleDescription("\n".join(said))
            self.lay_out()

    def lay_out(self) -> None:
        """Give every text and cell its place."""
        self._texts, self._places = [], []
        wide, top = 0, _MARGIN
        for block in self.blocks:
            right, top = self._place_block(block, top)
            wide = max(wide, right)
        self.setFixedSize(QSize(wide + _MARGIN, top))
        self.update()

    def place_of(self, key: str) -> QPoint:
        """Return the middle of the first cell with a key."""
        return next(each.rect.center() for each in self._places if each.cell.key == key)

    def _place_block(self, block: CellBlock, top: int) -> tuple[int, int]:
        """Return the right edge of a block and where the next one begins."""
        title, mono, small = (
            QFontMetrics(font)
            for font in (scaled_font(1.0, bold=True), mono_font(), scaled_font(_SMALL))
        )
        width = title.horizontalAdvance(block.title) + 8
        self._texts.append((QRect(_MARGIN, top, width, title.height()), block.title, True))
        right, top = _MARGIN + width, top + title.height() + 6
        cells = [cell for row in block.rows for cell in row.cells]
        if not cells:
            return right, top + _MARGIN
        label = max(small.horizontalAdvance(row.label) for row in block.rows)
        left = _MARGIN + (label + 10 if label else 0)
        wide = max(
            max(mono.horizontalAdvance(c.text), small.horizontalAdvance(c.caption)) for c in cells
        )
        wide = min(max(wide + 2 * _PADDING, _LEAST), _MOST)
        high = mono.height() + 8
        if any(cell.caption for cell in cells):
            high += small.height()
        for row in block.rows:
            self._texts.append((QRect(_MARGIN, top, label + 4, high), row.label, False))
            for index, cell in enumerate(row.cells):
                rect = QRect(left + index * (wide + _GAP), top, wide, high)
                self._places.append(_PlacedCell(rect, cell))
                right = max(right, rect.right())
            top += high + _GAP
        return right, top + _MARGIN

    def _at(self, point: QPoint) -> CellView | None:
        return next((each.cell for each in self._places if each.rect.contains(point)), None)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = current_theme()
        for rect, text, is_title in self._texts:
            painter.setPen(QColor(theme.text if is_title else theme.muted))
            painter.setFont(scaled_font(1.0, bold=True) if is_title else scaled_font(_SMALL))
            painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        for placed in self._places:
            if placed.rect.intersects(event.rect()):
                self._paint_cell(painter, placed)

    def _paint_cell(self, painter: QPainter, placed: _PlacedCell) -> None:
        theme, cell = current_theme(), placed.cell
        is_lit = bool(cell.key) and cell.key == self.lit
        fill = {"chosen": theme.accent_soft, "error": theme.error_soft}.get(
            cell.tone, theme.surface if cell.tone == "plain" else theme.window
        )
        edge = {"chosen": theme.accent, "error": theme.error}.get(cell.tone, theme.border)
        if cell.series >= 0:
            edge = theme.series_color(cell.series)
            fill = mixed(theme.surface, edge, 0.16)
        style = Qt.PenStyle.DashLine if cell.tone == "muted" else Qt.PenStyle.SolidLine
        painter.setPen(QPen(QColor(theme.accent if is_lit else edge), 2 if is_lit else 1, style))
        painter.setBrush(QColor(theme.hover if is_lit else fill))
        painter.drawRoundedRect(placed.rect.adjusted(0, 0, -1, -1), 3, 3)
        upper = placed.rect.adjusted(4, 2, -4, -2)
        if cell.caption:
            painter.setFont(scaled_font(_SMALL))
            painter.setPen(QColor(theme.muted))
            below = upper.adjusted(0, upper.height() // 2, 0, 0)
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, cell.caption)
            upper.setBottom(below.top())
        painter.setFont(mono_font())
        painter.setPen(QColor(theme.muted if cell.tone == "muted" else theme.text))
        text = painter.fontMetrics().elidedText(
            cell.text, Qt.TextElideMode.ElideRight, upper.width()
        )
        painter.drawText(upper, Qt.AlignmentFlag.AlignCenter, text)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        cell = self._at(event.position().toPoint())
        self._light(cell.key if cell is not None else "")

    @override
    def leaveEvent(self, event: QEvent) -> None:
        self._light("")

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cell = self._at(event.pos())
            QToolTip.showText(event.globalPos(), "" if cell is None else cell.tooltip, self)
            return True
        return super().event(event)

    def _light(self, key: str) -> None:
        if key != self.lit:
            self.lit = key
            self.update()


def _row_text(cells: Sequence[CellView]) -> str:
    return " ".join(_words(cells))


def _words(cells: Sequence[CellView]) -> Iterator[str]:
    for cell in cells:
        yield f"{cell.text} ({cell.caption})" if cell.caption else cell.text
