"""The Model workspace: the canvas, with a way to begin while it is empty."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.i18n import translate
from widgets.canvas.canvas import Canvas


class ModelWorkspace(QWidget):
    """Holds the canvas."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page.model")
        self.setAccessibleName(translate("Model", "Model workspace"))
        self.canvas = Canvas(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.canvas)
        self.setFocusProxy(self.canvas)
