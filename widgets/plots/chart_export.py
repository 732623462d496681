"""Export of a chart as bytes, to be written by whoever knows how to write files safely."""

import csv
import io
from collections.abc import Sequence

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect, QSize
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from widgets.plots.curve_data import CurveData


def picture(widget: QWidget, kind: str, scale: float = 2.0) -> bytes:
    """Return a widget as ``png`` or ``svg``. Raises ``ValueError`` for another kind."""
    if kind not in ("png", "svg"):
        raise ValueError(f"cannot draw a picture as {kind!r}; use png or svg")
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if kind == "svg":
        generator = QSvgGenerator()
        generator.setOutputDevice(buffer)
        generator.setSize(widget.size())
        generator.setViewBox(QRect(QPoint(0, 0), widget.size()))
        painter = QPainter(generator)
        widget.render(painter, QPoint(0, 0))
        painter.end()
    else:
        size = QSize(round(widget.width() * scale), round(widget.height() * scale))
        image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(scale)
        image.fill(widget.palette().base().color())
        widget.render(image)
        QImageWriter(buffer, QByteArray(b"png")).write(image)
    buffer.close()
    return bytes(data.data())


def curves_as_csv(curves: Sequence[CurveData]) -> bytes:
    """Return all points, one a line, with the shortest digits that give the same float back."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(("run", "series", "step", "seconds", "value"))
    for data in curves:
        view = data.view
        steps = data.x("step").tolist()
        values = data.y(is_smooth=False, is_log=False).tolist()
        times = data.x("time").tolist()
        for step, seconds, value in zip(steps, times, values, strict=True):
            position = int(step) if step.is_integer() else step
            clock = "" if seconds != seconds else repr(seconds)  # noqa: PLR0124 (is NaN)
            writer.writerow((view.run, view.name, position, clock, repr(value)))
    return text.getvalue().encode()
