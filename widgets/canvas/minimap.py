"""Minimap: the whole graph in a corner, with a frame around the visible part."""

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from widgets.canvas.board import Board
from widgets.canvas.items.node_item import WIDTH
from widgets.canvas.painting.style import Style

translate = QCoreApplication.translate

_MAP_WIDTH, _MAP_HEIGHT, _PAD = 176, 116, 8.0
_MANY, _PAUSE_MS = 2_000, 150


class Minimap(QWidget):
    """Click or drag to look elsewhere. The nodes are drawn once for each change of the scene."""

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        self.setObjectName("canvas.minimap")
        self.setFixedSize(_MAP_WIDTH, _MAP_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._board = board
        self._picture = QPixmap()
        self._drawn: tuple[object, ...] = ()
        self._retranslate()
        self._later = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._later.timeout.connect(self._redraw)
        board.view_changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - small: painted whole
        """Paint the nodes and the frame."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        style = self._board.style_now()
        painter.setPen(QPen(style["border"], 1))
        painter.setBrush(style["raised"])
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 7, 7)
        if not self._board.scene.bounds().isEmpty():
            self._draw_nodes()
            painter.drawPixmap(0, 0, self._picture)
            self._paint_frame(painter)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Look where was clicked."""
        self._look_at(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the mouse while a button is down."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._look_at(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Keep the click from the canvas below."""
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Keep the double click from the canvas below."""
        event.accept()

    def changeEvent(self, event: QEvent) -> None:
        """Say everything anew in another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def map_rect(self, rect: QRectF) -> QRectF:
        """Return where a rectangle of the scene lies on the map."""
        scale, x, y = self._placing()
        return QRectF(
            rect.x() * scale + x, rect.y() * scale + y, rect.width() * scale, rect.height() * scale
        )

    def _placing(self) -> tuple[float, float, float]:
        bounds = self._board.scene.bounds().adjusted(-40, -40, 40, 40)
        room = QRectF(self.rect()).adjusted(_PAD, _PAD, -_PAD, -_PAD)
        scale = min(room.width() / bounds.width(), room.height() / bounds.height(), 0.15)
        center = bounds.center()
        return scale, room.center().x() - center.x() * scale, room.center().y() - center.y() * scale

    def _look_at(self, pixel: QPointF) -> None:
        if self._board.scene.bounds().isEmpty():
            return
        scale, x, y = self._placing()
        position = QPointF((pixel.x() - x) / scale, (pixel.y() - y) / scale)
        self._board.viewport.center(position, self._board.size().toSizeF())
        self._board.navigated()

    def _draw_nodes(self) -> None:
        style = self._board.style_now()
        ratio = self.devicePixelRatioF()
        state = (self._board.scene.version, style, ratio)
        if state == self._drawn:
            return
        if self._drawn and len(self._board.scene.nodes) > _MANY:
            self._later.start()  # the old picture serves while edits follow one another
            return
        self._drawn = state
        self._paint_nodes(style, ratio)

    def _redraw(self) -> None:
        self._drawn = ()
        self.update()

    def _paint_nodes(self, style: Style, ratio: float) -> None:
        self._picture = QPixmap(self.size() * ratio)
        self._picture.setDevicePixelRatio(ratio)
        self._picture.fill(Qt.GlobalColor.transparent)
        scale, x, y = self._placing()
        painter = QPainter(self._picture)
        for box in self._board.scene.boxes.values():
            color = style.mark(box.view.color) or style["strong_border"]
            painter.setPen(QPen(color, 1.0))
            soft = QColor(color)
            soft.setAlpha(40 if box.view.is_frame else 150)
            painter.setBrush(soft)
            painter.drawRect(self.map_rect(box.rect()))
        painter.setPen(Qt.PenStyle.NoPen)
        groups: dict[str, list[QRectF]] = {}
        for item in self._board.scene.nodes.values():
            rect = QRectF(
                item.x * scale + x,
                item.y * scale + y,
                max(WIDTH * scale, 2.0),
                max(item.height * scale, 1.5),
            )
            view = item.view
            color = style.theme.severity(view.severity) if view.severity else ""
            color = color or style.theme.mark(view.color) or style.theme.category(view.category)
            groups.setdefault(color, []).append(rect)
        for color, rects in groups.items():
            painter.setBrush(QColor(color))
            painter.drawRects(rects)
        painter.end()

    def _paint_frame(self, painter: QPainter) -> None:
        style = self._board.style_now()
        seen = self.map_rect(self._board.viewport.scene_rect(self._board.rect()))
        frame = seen.intersected(QRectF(self.rect()).adjusted(2, 2, -2, -2))
        soft = QColor(style["accent"])
        soft.setAlpha(26)
        painter.setBrush(soft)
        painter.setPen(QPen(style["accent"], 1.2))
        painter.drawRoundedRect(frame, 2, 2)

    def _retranslate(self) -> None:
        self.setAccessibleName(translate("Canvas", "Minimap"))
        self.setToolTip(translate("Canvas", "Click or drag to move the view (M hides the minimap)"))
