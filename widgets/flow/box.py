"""One stage of a flow: a button that is drawn with all that is known of the stage."""

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from typing_extensions import override

from widgets.common.icons import pixmap
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, mono_font, scaled_font
from widgets.flow.view_model import FlowBox

_MARGIN, _SPACING, _ICON = 10, 5, 16
_FLAGS = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop) | int(
    Qt.TextFlag.TextWrapAnywhere
)
_WORDS = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)
_FAR = 10_000


class _Line(NamedTuple):
    text: str
    font: QFont
    color: str
    flags: int
    gap: int  # above it


class FlowBoxButton(QAbstractButton):
    """Shows a :class:`FlowBox`; Enter presses it as Space does."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.view = FlowBox(key="", title="", icon="", value="")
        self.setObjectName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_view(self, view: FlowBox) -> None:
        """Show a stage."""
        self.view = view
        self.setAccessibleName(f"{view.title}: {view.value}")
        self.setAccessibleDescription(" ".join((*view.notes, *view.flow)))
        self.setToolTip(plain_tip(view.tip))
        self.update()

    def height_for(self, width: int) -> int:
        """Return how high the box must be so that all its texts are seen."""
        height = 2 * _MARGIN + self._title_height()
        for line in self._lines():
            height += line.gap + self._rect(line, width).height()
        return height

    @override
    def sizeHint(self) -> QSize:
        return QSize(180, self.height_for(180))

    @override
    def keyPressEvent(self, e: QKeyEvent) -> None:
        if e.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        super().keyPressEvent(e)

    @override
    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()
        super().enterEvent(event)

    @override
    def leaveEvent(self, event: QEvent) -> None:
        self.update()
        super().leaveEvent(event)

    @override
    def paintEvent(self, e: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_frame(painter)
        self._paint_title(painter)
        top = _MARGIN + self._title_height()
        for line in self._lines():
            top += line.gap
            rect = self._rect(line, self.width()).translated(0, top)
            painter.setFont(line.font)
            painter.setPen(QColor(line.color))
            painter.drawText(rect, line.flags, line.text)
            top += rect.height()
        painter.end()

    def _paint_frame(self, painter: QPainter) -> None:
        theme, view = current_theme(), self.view
        edge = {"error": theme.error, "warning": theme.warning}.get(view.severity, theme.border)
        is_marked = bool(view.severity)
        if self.hasFocus():
            edge, is_marked = theme.accent, True
        pen = QPen(QColor(edge), 2 if is_marked else 1)
        if view.is_off and not is_marked:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(QColor(theme.hover if self.underMouse() else theme.raised))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 6, 6)

    def _paint_title(self, painter: QPainter) -> None:
        theme, view = current_theme(), self.view
        height = self._title_height()
        ratio = self.devicePixelRatioF()
        sign = view.severity or view.icon
        colors = {"error": theme.error, "warning": theme.warning}
        color = colors.get(view.severity, theme.faint if view.is_off else theme.accent)
        top = _MARGIN + (height - _ICON) // 2
        painter.drawPixmap(_MARGIN, top, pixmap(sign, color, _ICON, ratio))
        painter.setFont(_title_font())
        painter.setPen(QColor(theme.muted if view.is_off else theme.text))
        left = _MARGIN + _ICON + 6
        room = self.width() - left - _MARGIN
        text = QFontMetrics(_title_font()).elidedText(view.title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(
            QRect(left, _MARGIN, room, height), int(Qt.AlignmentFlag.AlignVCenter), text
        )

    def _title_height(self) -> int:
        return max(QFontMetrics(_title_font()).height(), _ICON)

    def _lines(self) -> Iterator[_Line]:
        theme, view = current_theme(), self.view
        plain = QApplication.font()
        color = theme.muted if view.is_off else theme.text
        yield _Line(view.value, plain, color, _WORDS, _SPACING)
        for note in view.notes:
            yield _Line(note, scaled_font(0.92), theme.muted, _WORDS, _SPACING - 2)
        small = mono_font()
        small.setPointSizeF(small.pointSizeF() * 0.92)
        for number, text in enumerate(view.flow):
            yield _Line(text, small, theme.muted, _FLAGS, 2 if number else _SPACING + 1)

    def _rect(self, line: _Line, width: int) -> QRect:
        """Return the place of a line, its top at 0."""
        room = QRect(_MARGIN, 0, width - 2 * _MARGIN, _FAR)
        rect = QFontMetrics(line.font).boundingRect(room, line.flags, line.text)
        return QRect(_MARGIN, 0, room.width(), rect.height())


def _title_font() -> QFont:
    return scaled_font(1.0, bold=True)
