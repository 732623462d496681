"""Editor for the order of axes, changed by dragging them or from the keyboard."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from widgets.common.live_widget import LiveWidget
from widgets.common.text import tooltip
from widgets.common.theme import current_theme, scaled_font

_GAP = 4
_WIDEST = 72
_NARROW = 40  # where only the number of an axis has room
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


def read_order(text: str, count: int) -> tuple[int, ...]:
    """Return the axes that a text such as ``0, 2, -2`` names, counted from 0; empty where it does
    not name each of ``count`` axes once.
    """
    try:
        axes = [int(part) for part in text.split(",")] if text.strip() else []
    except ValueError:
        return ()
    if any(not -count <= axis < count for axis in axes):
        return ()
    order = tuple(axis % count for axis in axes)
    return order if sorted(order) == list(range(count)) else ()


class AxisOrder(LiveWidget):
    """Tells with ``moved`` the text of the order that the user made."""

    moved = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sizes: tuple[str, ...] = ()
        self._order: list[int] = []
        self._previous: list[int] | None = None  # the order when the drag began
        self._index = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.retranslate()

    def set_view(self, text: str, sizes: tuple[str, ...]) -> None:
        """Show axes of given sizes in the order of a text; nothing where it is no order of them."""
        self._sizes, self._order = sizes, list(read_order(text, len(sizes)))
        self._previous = None
        self._index = min(self._index, max(len(self._order) - 1, 0))
        self.setVisible(bool(self._order))
        self.retranslate()
        self.update()

    def chip(self, index: int) -> QRectF:
        """Return where the axis at a place is drawn."""
        area, count = self.contentsRect(), max(len(self._order), 1)
        width = min(_WIDEST, (area.width() - _GAP * (count - 1)) / count)
        left = area.left() + index * (width + _GAP)
        return QRectF(left + 0.5, area.top() + 0.5, width - 1, area.height() - 1)

    @override
    def retranslate(self) -> None:
        self.setToolTip(
            tooltip(
                self.tr("Axis order"),
                self.tr("Drag an axis to its new position. The number below is its size."),
                self.tr("Keyboard: ← → select an axis, Ctrl+← → move it."),
            )
        )
        shown = ", ".join(f"{axis} ({self._sizes[axis]})" for axis in self._order)
        self.setAccessibleName(self.tr("Axis order: {axes}").format(axes=shown))

    @override
    def restyle(self) -> None:
        self.update()

    @override
    def sizeHint(self) -> QSize:
        lines = scaled_font(0.85), scaled_font(1.0)
        height = sum(font.pointSizeF() for font in lines) * 1.9
        return QSize(_WIDEST * max(len(self._order), 1), round(height) + 8)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(1, self.sizeHint().height())

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._index_at(event.position().x())
        if event.button() == Qt.MouseButton.LeftButton and self._order:
            self._index, self._previous = index, list(self._order)
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.update()

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._previous is not None:
            self._move_to(self._index_at(event.position().x()))

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        previous, self._previous = self._previous, None
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.update()
        if previous is not None and previous != self._order:
            self._tell()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()), 0)
        if self._previous is not None and event.key() == Qt.Key.Key_Escape:
            self._order, self._previous = self._previous, None
            self.update()
        elif step and self._previous is None and self._order:
            index = max(0, min(self._index + step, len(self._order) - 1))
            if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self._index = index
                self.update()
            elif index != self._index:
                self._move_to(index)
                self._tell()
        else:
            super().keyPressEvent(event)

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()
        super().focusInEvent(event)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()
        super().focusOutEvent(event)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index, axis in enumerate(self._order):
            self._paint_chip(painter, index, axis)

    def _paint_chip(self, painter: QPainter, index: int, axis: int) -> None:
        theme, box = current_theme(), self.chip(index)
        is_chosen = index == self._index and (self.hasFocus() or self._previous is not None)
        is_held = is_chosen and self._previous is not None
        painter.setBrush(QColor(theme.accent_soft if is_held else theme.sunken))
        edge = theme.accent if is_chosen else theme.strong_border
        painter.setPen(QPen(QColor(edge), 2 if is_chosen else 1))
        painter.drawRoundedRect(box, 5, 5)
        halves = box.adjusted(0, 3, 0, -box.height() / 2), box.adjusted(0, box.height() / 2, 0, -3)
        small = scaled_font(0.85)
        words = "{n}" if box.width() < _NARROW else self.tr("axis {n}")
        painter.setFont(small)
        painter.setPen(QColor(theme.muted))
        painter.drawText(halves[0], Qt.AlignmentFlag.AlignCenter, words.format(n=axis))
        painter.setFont(scaled_font(1.0, bold=True))
        painter.setPen(QColor(theme.text))
        painter.drawText(halves[1], Qt.AlignmentFlag.AlignCenter, self._sizes[axis])

    def _index_at(self, x: float) -> int:
        first = self.chip(0)
        index = int((x - first.left()) // (first.width() + 1 + _GAP))
        return max(0, min(index, len(self._order) - 1))

    def _move_to(self, index: int) -> None:
        self._order.insert(index, self._order.pop(self._index))
        self._index = index
        self.update()

    def _tell(self) -> None:
        self.retranslate()
        self.moved.emit(", ".join(map(str, self._order)))
