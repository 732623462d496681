"""Export of the graph as a picture: PNG for slides, SVG and PDF that are sharp at any size."""

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRect, QRectF, QSize, QSizeF
from PySide6.QtGui import QImage, QImageWriter, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from widgets.canvas.look import Look
from widgets.canvas.painting.box import BoxPainter
from widgets.canvas.painting.card import CardStrokes
from widgets.canvas.painting.node import NodePainter
from widgets.canvas.painting.style import Style
from widgets.canvas.painting.wire import WirePainter
from widgets.canvas.scene import Scene
from widgets.canvas.viewport import Viewport

KINDS = ("png", "svg", "pdf")
_MARGIN = 32.0  # scene units around the graph
_SHARPNESS = 2.0  # pixels of a PNG for a scene unit
_MOST_PIXELS = 12_000  # on a side
_DOTS_PER_INCH = 96


def scene_picture(
    scene: Scene, style: Style, kind: str, title: str, metadata: bytes = b""
) -> bytes:
    """Return a file of one of ``KINDS`` with all of a scene, nothing selected.

    A graph that would be too large for a PNG is drawn smaller. ``metadata`` (XMP) goes into a PDF.
    """
    area = _whole(scene)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if kind == "png":
        QImageWriter(buffer, b"png").write(_png(scene, style, area))
    elif kind == "svg":
        _svg(scene, style, area, buffer, title)
    else:
        writer = QPdfWriter(buffer)
        writer.setTitle(title)
        if metadata:
            writer.setDocumentXmpMetadata(metadata)
        _pdf(scene, style, area, writer)
    buffer.close()
    return bytes(buffer.data().data())


def _whole(scene: Scene) -> QRectF:
    area = scene.bounds()
    for wire in scene.wires.values():  # some pass around the nodes
        area = area.united(wire.box)
    return area.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)


def _png(scene: Scene, style: Style, area: QRectF) -> QImage:
    longest = max(area.width(), area.height())
    factor = min(_SHARPNESS, _MOST_PIXELS / longest)
    size = QSize(max(round(area.width() * factor), 1), max(round(area.height() * factor), 1))
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(style["canvas"])
    painter = QPainter(image)
    painter.scale(factor, factor)
    _paint(painter, scene, style, area)
    painter.end()
    return image


def _svg(scene: Scene, style: Style, area: QRectF, buffer: QBuffer, title: str) -> None:
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setTitle(title)
    generator.setSize(area.size().toSize())
    generator.setViewBox(QRect(0, 0, round(area.width()), round(area.height())))
    painter = QPainter(generator)
    painter.fillRect(QRectF(0, 0, area.width(), area.height()), style["canvas"])
    _paint(painter, scene, style, area)
    painter.end()


def _pdf(scene: Scene, style: Style, area: QRectF, writer: QPdfWriter) -> None:
    points = 72.0 / _DOTS_PER_INCH
    size = QSizeF(area.width() * points, area.height() * points)
    writer.setPageSize(
        QPageSize(size, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    )
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    painter = QPainter(writer)
    factor = writer.width() / area.width()
    painter.scale(factor, factor)
    painter.fillRect(QRectF(0, 0, area.width(), area.height()), style["canvas"])
    _paint(painter, scene, style, area)
    painter.end()


def _paint(painter: QPainter, scene: Scene, style: Style, area: QRectF) -> None:
    """Draw all that lies in an area, its corner at the origin, in scene units."""
    viewport = Viewport()
    viewport.x, viewport.y = -round(area.left()), -round(area.top())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    look = Look()
    BoxPainter(painter, viewport, style).paint(scene.boxes_in(area), look)
    wires = scene.wires_in(area)
    wire_painter = WirePainter(painter, viewport, style)
    wire_painter.paint(wires, look)
    nodes = NodePainter(painter, viewport, style, CardStrokes(style, 1.0))
    nodes.paint(scene.nodes_in(area), look)
    wire_painter.paint_labels(wires, scene, look, area)
