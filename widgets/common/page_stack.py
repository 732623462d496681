"""A stack of pages that is no larger than the page in front needs."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QStackedWidget, QWidget
from typing_extensions import override


class PageStack(QStackedWidget):
    """Pages of which only the one that is shown decides how small the window can be."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.currentChanged.connect(self.updateGeometry)

    @override
    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return page.minimumSizeHint() if page else QSize()
