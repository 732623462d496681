"""Buttons in the middle of an empty canvas that say how to begin."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget
from typing_extensions import override

from widgets.common import parts

translate = QCoreApplication.translate

_BELOW = 56  # pixels from the middle, where the words on how to begin end


class EmptyOffer(QFrame):
    """A button for each thing that is offered below the words on an empty canvas; hidden while
    nothing is. ``chosen`` tells its number.
    """

    chosen = Signal(int)

    def __init__(self, canvas: QWidget) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self.setCursor(Qt.CursorShape.ArrowCursor)
        parts.named(self, "canvas.offer", translate("Canvas", "Ways to begin"))
        self._row = parts.row(margins=(0, 0, 0, 0), spacing=8, parent=self)
        self._texts: tuple[str, ...] = ()
        self.buttons: list[QPushButton] = []
        canvas.installEventFilter(self)
        self.hide()

    def set_texts(self, texts: Sequence[str]) -> None:
        """Offer something, the first most of all; nothing for no text."""
        if tuple(texts) == self._texts:
            return
        self._texts = tuple(texts)
        for button in self.buttons:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = [
            parts.button(self, f"canvas.offer{at}", text, is_primary=not at)
            for at, text in enumerate(texts)
        ]
        for at, button in enumerate(self.buttons):
            button.clicked.connect(lambda _=False, at=at: self.chosen.emit(at))
            self._row.addWidget(button)
            button.show()
        self.setVisible(bool(texts))
        self._place()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the middle."""
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        self.adjustSize()
        middle = self._canvas.rect().center()
        self.move(max(middle.x() - self.width() // 2, 0), middle.y() + _BELOW)
