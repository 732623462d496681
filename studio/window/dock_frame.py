"""Frame of a dock, within the window or in a window of its own."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDockWidget, QWidget
from typing_extensions import override

from studio.window.focus_guard import FocusGuard
from widgets.common import parts


class DockFrame(QDockWidget):
    """A dock whose Tab key stays on the screen. ``left`` tells that Escape was pressed in it, which
    no widget there wanted.
    """

    left = Signal()

    def __init__(self, name: str, title: str, parent: QWidget, guard: FocusGuard) -> None:
        super().__init__(title, parent)
        self._parent = parent
        self._guard = guard
        self.setObjectName(f"dock.{name}")
        self.setAccessibleName(title)
        self.toggleViewAction().setVisible(False)
        self.visibilityChanged.connect(guard.request)  # also when it goes behind another one

    def hide_title(self) -> None:
        """Show no title, where a tab says it already."""
        bare = parts.named(QWidget(self), f"{self.objectName()}.title", self.windowTitle())
        self.setTitleBarWidget(bare)

    @override
    def focusNextPrevChild(self, next: bool) -> bool:
        if self.isWindow():
            return self._guard.walk(self, forward=next)
        return super().focusNextPrevChild(next)

    @override
    def setVisible(self, visible: bool) -> None:
        if not visible and self.isWindow() and self.isActiveWindow():
            self._parent.activateWindow()  # else no window has the keys
        super().setVisible(visible)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
