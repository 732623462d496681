"""Boxes drawn over pictures: a frame in the color of the class, with its name if there is room."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from widgets.images.class_color import box_color
from widgets.images.view_model import BoxView

_LEAST = 256  # pixels of the longer side, so that lines are thin beside the picture
_LINE, _THICKEST, _SHARE = 2.0, 4.0, 1 / 80  # pixels, and of the longer side
_HALO = 120  # opacity of the dark edge around a line, which is seen on any ground
_NAMED = 26  # pixels that a box has to be wide for a name
_TEXT = 11  # pixels high
_PAD = 3.0
_BRIGHT = 150  # of a color, on which dark letters are read better


def draw_boxes(
    image: QImage, boxes: BoxView, opacity: float = 1.0, *, has_names: bool = False
) -> QImage:
    """Return a picture with boxes over it, enlarged by whole pixels where it is small."""
    times = max(1, -(-_LEAST // max(image.width(), image.height(), 1)))
    drawn = image.scaled(image.width() * times, image.height() * times)
    drawn = drawn.convertToFormat(QImage.Format.Format_RGB888)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setOpacity(opacity)
    font = QFont(painter.font())
    font.setPixelSize(_TEXT)
    painter.setFont(font)
    line = min(max(_LINE, max(drawn.width(), drawn.height()) * _SHARE), _THICKEST)
    frames = [_frame(corners, drawn, line) for corners in boxes.corners.tolist()]
    for frame, number in zip(frames, boxes.numbers.tolist(), strict=True):
        color = QColor(*box_color(number))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(0, 0, 0, _HALO), line + 1.5, j=Qt.PenJoinStyle.MiterJoin))
        painter.drawRect(frame)
        painter.setPen(QPen(color, line, j=Qt.PenJoinStyle.MiterJoin))
        painter.drawRect(frame)
    for frame, number in zip(frames, boxes.numbers.tolist(), strict=True):
        if has_names and frame.width() >= _NAMED:
            _write(painter, frame, boxes, number)
    painter.end()
    return drawn


def _frame(corners: list[float], image: QImage, line: float) -> QRectF:
    """Return where a box is drawn, all of its line inside the picture."""
    left, top, right, bottom = corners
    width, height, inset = image.width(), image.height(), line / 2
    x, y = (min(max(left * width, inset), width - inset), min(max(top * height, inset), height))
    across = min(right * width, width - inset) - x
    down = min(bottom * height, height - inset) - y
    return QRectF(x, y, max(across, 1), max(down, 1))


def _write(painter: QPainter, frame: QRectF, boxes: BoxView, number: int) -> None:
    """Write the name of a class on a patch of its color at the top of its box."""
    metrics = QFontMetricsF(painter.font())
    room = frame.width() - 2 * _PAD
    name = metrics.elidedText(boxes.name(number), Qt.TextElideMode.ElideRight, room)
    if not name.strip("…"):
        return
    color = QColor(*box_color(number))
    patch = QRectF(
        frame.left(), frame.top(), metrics.horizontalAdvance(name) + 2 * _PAD, metrics.height()
    )
    if patch.height() > frame.height() * 0.6 and frame.top() >= patch.height():
        patch.moveBottom(frame.top())
    painter.fillRect(patch, color)
    is_bright = (color.red() * 299 + color.green() * 587 + color.blue() * 114) // 1000 > _BRIGHT
    painter.setPen(QColor("#111111") if is_bright else QColor("#ffffff"))
    painter.drawText(patch, Qt.AlignmentFlag.AlignCenter, name)
