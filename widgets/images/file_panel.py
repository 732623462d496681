"""One picture of what is in a file, and a place that files are dropped on."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from widgets.common.drop import accept_copy
from widgets.images.overlay_picture import OverlayPicture


class FilePanel(OverlayPicture):
    """Shows the picture of a sound or a video; ``file_dropped`` names a file that is dropped on
    it.
    """

    file_dropped = Signal(str)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(object_name, parent)
        self.setAcceptDrops(True)

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            accept_copy(event)

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        files = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if files:
            accept_copy(event)
            self.file_dropped.emit(files[0])
