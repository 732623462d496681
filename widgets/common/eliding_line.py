"""Line of text that elides what does not fit as long as nobody types in it."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionFrame, QStylePainter
from typing_extensions import override

_MARGIN = 2  # pixels at either side of the text, as Qt has it


class ElidingLine(QLineEdit):
    """Qt shows the end of a text that is set in a line too narrow for it, cut within a letter."""

    def shown_text(self) -> str:
        """Return what is to be seen of the text while the line has no focus."""
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        return self._elided(self._room(option))

    @override
    def paintEvent(self, arg__1: QPaintEvent) -> None:
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        room = self._room(option)
        text = self._elided(room)
        if self.hasFocus() or text == self.text():
            super().paintEvent(arg__1)
            return
        painter = QStylePainter(self)
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option)
        painter.setPen(self.palette().text().color())
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(room, flags, text)
        painter.end()

    def _room(self, option: QStyleOptionFrame) -> QRect:
        element = QStyle.SubElement.SE_LineEditContents
        room = self.style().subElementRect(element, option, self)
        return room.adjusted(_MARGIN, 0, -_MARGIN, 0)

    def _elided(self, room: QRect) -> str:
        width = max(room.width(), 0)
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, width)
