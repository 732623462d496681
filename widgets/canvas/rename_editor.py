"""Editor for the name of a node, opened in place."""

from collections.abc import Container

from PySide6.QtCore import QCoreApplication, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFont, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

translate = QCoreApplication.translate


class RenameEditor(QLineEdit):
    """A field over a title. Enter and a click elsewhere take the name, Esc leaves the old one."""

    renamed = Signal(str, str)  # id, new name

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._canvas = parent
        self.setObjectName("canvas.rename")
        self.setAccessibleName(translate("Canvas", "Node name"))
        self._node = ""
        self._previous = ""
        self.hide()

    def open_on(self, node_id: str, title: str, area: QRect, font: QFont) -> None:
        """Show the field on a title."""
        self._node, self._previous = node_id, title
        self.setAccessibleName(translate("Canvas", "Node name"))
        self.setFont(font)
        self.setStyleSheet("QLineEdit { padding: 0px 3px; }")
        height = max(area.height(), self.sizeHint().height() - 4)
        self.setGeometry(area.x(), area.center().y() - height // 2, max(area.width(), 90), height)
        self.setText(title)
        self.selectAll()
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def leave_unless(self, node_ids: Container[str]) -> None:
        """Hide the field when its node is not among those that are left."""
        if self._node and self._node not in node_ids:
            self.finish(keep=False)

    def finish(self, *, keep: bool) -> None:
        """Hide the field; ask for the new name if it is one."""
        if not self._node:
            return
        node, name = self._node, self.text().strip()
        self._node = ""
        if self.hasFocus():
            self._canvas.setFocus(Qt.FocusReason.PopupFocusReason)
        self.hide()
        if keep and name and name != self._previous:
            self.renamed.emit(node, name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take or leave the name."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.finish(keep=True)
        elif event.key() == Qt.Key.Key_Escape:
            self.finish(keep=False)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the name when something else is clicked."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.ActiveWindowFocusReason:
            self.finish(keep=True)
