"""The moment from which a user sees a window."""

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget
from typing_extensions import override

_LONGEST_MS = 2000


class FirstPaint(QTimer):
    """A timer that is over ``idle_ms`` after the first paint of a window: what the window needs
    later is not done before it is seen. It is over after two seconds where nothing is painted, as
    in a window that is minimised.
    """

    def __init__(self, window: QWidget, idle_ms: int) -> None:
        super().__init__(window, singleShot=True, interval=_LONGEST_MS)
        self._idle_ms = idle_ms
        window.installEventFilter(self)
        self.start()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            if self.isActive():
                self.start(self._idle_ms)
        return False
