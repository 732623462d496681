"""Combo box whose closed field elides what does not fit; the whole text is in the tooltip."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QToolTip
from typing_extensions import override

from widgets.common.eliding_line import ElidingLine
from widgets.common.text import titled_tip

_ICON_SPACING = 4  # pixels between an icon and the text, as Qt has it


class ComboBox(QComboBox):
    """A combo box for texts of any length: Qt cuts those of a closed one in the middle of a letter.

    One that can be edited shows its text in a line to scroll in, as Qt has it; an
    :class:`ElidingLine` elides it without the focus.
    """

    scrolls_parent = False
    """Whether the wheel never chooses here, as in a list that is scrolled by it."""

    def shown_text(self) -> str:
        """Return what is to be seen of the text while the box is closed."""
        line = self.lineEdit()
        if line is not None:
            return line.shown_text() if isinstance(line, ElidingLine) else line.text()
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self._elided(option)

    @override
    def wheelEvent(self, e: QWheelEvent) -> None:
        """Choose by the wheel with the focus only: what is around the box is being scrolled."""
        if self.hasFocus() and not self.scrolls_parent:
            super().wheelEvent(e)
        else:
            e.ignore()

    @override
    def paintEvent(self, e: QPaintEvent) -> None:
        if self.isEditable() or self.currentIndex() < 0:  # a line, or a placeholder
            super().paintEvent(e)
            return
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self._elided(option)  # pyright: ignore[reportAttributeAccessIssue]
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    @override
    def event(self, event: QEvent) -> bool:
        """Show the whole text above the tooltip where it is cut."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            is_cut = self.shown_text() != self.currentText()
            if is_cut:
                tip = titled_tip(self.currentText(), self.toolTip())
                QToolTip.showText(event.globalPos(), tip, self)
                return True
        return super().event(event)

    def _elided(self, option: QStyleOptionComboBox) -> str:
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        icon = self.itemIcon(self.currentIndex())
        taken = 0 if icon.isNull() else self.iconSize().width() + _ICON_SPACING
        room = field.width() - taken
        return self.fontMetrics().elidedText(
            self.currentText(), Qt.TextElideMode.ElideRight, max(room, 0)
        )
