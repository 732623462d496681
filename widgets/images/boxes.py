"""Boxes drawn over pictures: a frame in the color of the class, with its name if there is room."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from widgets.images.class_color import box_color
from widgets.images.pixels import enlarged
from widgets.images.view_model import BoxView

_LINE, _THICKEST, _SHARE = 2.0, 4.0, 1 / 80  # pixels, and of the longer side
_HALO = 120  # opacity of the dark edge around a line, which is seen on any ground
_NAMED = 26  # pixels that a box has to be wide for a name
_TEXT = 11  # pixels high
_PAD = 3.0
_MOST_HIDDEN = 0.25  # of the height of a box, by its name
_BRIGHT = 150  # of a color, on which dark letters are read better


class Frame(NamedTuple):
    """A box as it is drawn: ``corners`` as those of :class:`BoxView`, its color, its name, and
    the ``score`` behind that, which is never cut.
    """

    corners: Sequence[float]
    color: tuple[int, int, int]
    name: str
    is_dashed: bool = False
    score: str = ""


def true_frames(boxes: BoxView) -> list[Frame]:
    """Return the true boxes, in the colors of their classes."""
    rows = zip(boxes.corners.tolist(), boxes.numbers.tolist(), strict=True)
    return [Frame(corners, box_color(number), boxes.name(number)) for corners, number in rows]


def found_frames(boxes: BoxView, threshold: float) -> list[Frame]:
    """Return what was found with this score or a higher one; the likeliest lie above."""
    found = boxes.found
    if found is None:
        return []
    columns = (found.corners, found.numbers, found.scores)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    frames = [
        Frame(corners, box_color(number), boxes.name(number), score=f"{score:.0%}")
        for corners, number, score in rows
        if score >= threshold
    ]
    return frames[::-1]


def different_frames(
    boxes: BoxView, threshold: float, missed: tuple[int, int, int], false: tuple[int, int, int]
) -> list[Frame]:
    """Return the true boxes that nothing hits, dashed, and what was found and hits none."""
    found = boxes.found
    if found is None:
        return []
    is_shown = found.scores >= threshold
    hit = set(found.hits[is_shown].tolist())
    lost = [
        frame._replace(color=missed, is_dashed=True)
        for number, frame in enumerate(true_frames(boxes))
        if number not in hit
    ]
    is_wrong = (found.hits < 0)[is_shown][::-1].tolist()
    shown = zip(found_frames(boxes, threshold), is_wrong, strict=True)
    return [*lost, *(frame._replace(color=false) for frame, wrong in shown if wrong)]


def draw_boxes(
    image: QImage, boxes: Sequence[Frame], opacity: float = 1.0, *, has_names: bool = False
) -> QImage:
    """Return a picture with boxes over it, enlarged by whole pixels where it is small."""
    drawn = enlarged(image)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setOpacity(opacity)
    font = QFont(painter.font())
    font.setPixelSize(_TEXT)
    painter.setFont(font)
    line = min(max(_LINE, max(drawn.width(), drawn.height()) * _SHARE), _THICKEST)
    frames = [_frame(box.corners, drawn, line) for box in boxes]
    for frame, box in zip(frames, boxes, strict=True):
        color = QColor(*box.color)
        style = Qt.PenStyle.DashLine if box.is_dashed else Qt.PenStyle.SolidLine
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(0, 0, 0, _HALO), line + 1.5, j=Qt.PenJoinStyle.MiterJoin))
        painter.drawRect(frame)
        painter.setPen(QPen(color, line, style, j=Qt.PenJoinStyle.MiterJoin))
        painter.drawRect(frame)
    for frame, box in zip(frames, boxes, strict=True):
        if has_names and frame.width() >= _NAMED:
            _write(painter, frame, box, drawn)
    painter.end()
    return drawn


def _frame(corners: Sequence[float], image: QImage, line: float) -> QRectF:
    """Return where a box is drawn, all of its line inside the picture."""
    left, top, right, bottom = corners
    width, height, inset = image.width(), image.height(), line / 2
    x, y = (min(max(left * width, inset), width - inset), min(max(top * height, inset), height))
    across = min(right * width, width - inset) - x
    down = min(bottom * height, height - inset) - y
    return QRectF(x, y, max(across, 1), max(down, 1))


def _write(painter: QPainter, frame: QRectF, box: Frame, picture: QImage) -> None:
    """Write the name of a class, and the whole score, on a patch of its color at its box."""
    metrics = QFontMetricsF(painter.font())
    score = f" {box.score}" if box.score else ""
    room = max(frame.width() - 2 * _PAD, metrics.horizontalAdvance(f"…{score}"))
    elided = metrics.elidedText(
        box.name, Qt.TextElideMode.ElideRight, room - metrics.horizontalAdvance(score)
    )
    name = f"{elided}{score}".strip()
    if not name.strip("…"):
        return
    size = QSizeF(metrics.horizontalAdvance(name) + 2 * _PAD, metrics.height())
    patch = _beside(frame, size, picture)
    color = QColor(*box.color)
    painter.fillRect(patch, color)
    is_bright = (color.red() * 299 + color.green() * 587 + color.blue() * 114) // 1000 > _BRIGHT
    painter.setPen(QColor("#111111") if is_bright else QColor("#ffffff"))
    painter.drawText(patch, Qt.AlignmentFlag.AlignCenter, name)


def _beside(frame: QRectF, size: QSizeF, picture: QImage) -> QRectF:
    """Return where a patch lies: above its box, below it where there is no room above and it would
    hide much of the box, else at the top of it; inside of the picture.
    """
    patch = QRectF(frame.topLeft(), size)
    patch.moveLeft(max(min(frame.left(), picture.width() - size.width()), 0))
    if frame.top() >= size.height():
        patch.moveBottom(frame.top())
    elif size.height() > frame.height() * _MOST_HIDDEN:
        below = min(frame.bottom(), picture.height() - size.height())
        patch.moveTop(max(below, 0))
    return patch
