"""A picture from the disk, dropped on an Input of the model: the Playground asks the model."""

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from engine.graph.model import Node
from engine.graph.query import INPUT
from engine.project.picture import SUFFIXES
from studio.i18n import translate
from studio.inspect.workspace import InspectWorkspace
from studio.services import Controller, Services
from widgets.canvas.canvas import Canvas
from widgets.canvas.hit import hit_at
from widgets.common.drop import accept_copy

_PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif")
_IMAGE_AXES = 3


class PictureDrop(Controller):
    """Takes pictures that are dropped on the window over an Input; others stay the window's."""

    def __init__(self, services: Services, page: InspectWorkspace, canvas: Canvas) -> None:
        super().__init__(services, page)
        self._page = page
        self._canvas = canvas
        self._window.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QDropEvent):
            return False
        file = _picture(event.mimeData())
        if file is None or self._session.project is None:
            return False
        if isinstance(event, QDragEnterEvent):
            accept_copy(event)
            return True
        if event.type() != QEvent.Type.Drop:
            return False
        node = self._input_at(event.position())
        if node is None and file.suffix.lower() in SUFFIXES:
            return False  # it may have a project inside
        accept_copy(event)
        self._take(node, file)
        return True

    def _input_at(self, place: QPointF) -> Node | None:
        """Return the Input of the canvas at a place of the window."""
        canvas = self._canvas
        pixel = canvas.mapFrom(self._window, place)
        if not canvas.isVisible() or not QWidget.rect(canvas).contains(pixel.toPoint()):
            return None
        hit = hit_at(canvas.scene, canvas.viewport.to_scene(pixel), canvas.viewport.scale)
        node = self._session.level.nodes.get(hit.port.node if hit.port else hit.node)
        return node if node is not None and node.type == INPUT else None

    def _take(self, node: Node | None, file: Path) -> None:
        if node is None:
            text = translate("Model", "Drop an image on an Input to run the trained model on it.")
            self._notifications.tell(text, "warning")
            return
        shape = node.params.get("shape")
        if not isinstance(shape, tuple) or len(shape) != _IMAGE_AXES:
            text = translate(
                "Model",
                "“{name}” does not accept images: its shape is not channels × height × width.",
            )
            self._notifications.tell(text.format(name=node.name), "warning")
            return
        from studio.inspect.playground.page import PlaygroundPage  # loads numpy

        self._window.show_workspace("inspect")
        self._page.show_page("playground")
        playground = self._page.findChild(PlaygroundPage)
        assert isinstance(playground, PlaygroundPage)  # it was just shown
        playground.picture_offered.emit(str(file))


def _picture(mime: QMimeData) -> Path | None:
    """Return the picture that is dragged."""
    for url in mime.urls():
        path = Path(url.toLocalFile())
        if url.isLocalFile() and path.suffix.lower() in _PICTURES and path.is_file():
            return path
    return None
