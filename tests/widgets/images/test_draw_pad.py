"""Pictures of the disk on the pad."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QImage, QPainter
from PySide6.QtWidgets import QApplication

from widgets.images.draw_pad import DrawPad


@pytest.mark.row("P19")
@pytest.mark.parametrize(("ink", "is_paper_light"), [("black", True), ("white", False)])
def test_that_ink_without_paper_is_seen_whether_dark_or_light(qtbot, ink, is_paper_light):
    image = QImage(40, 40, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    painter.fillRect(QRect(15, 10, 10, 20), QColor(ink))
    painter.end()
    pad = DrawPad("pad")
    qtbot.addWidget(pad)
    pad.set_image(image)
    pixels = pad.pixels()[0]
    assert (pixels[0, 0], pixels[14, 14]) == (is_paper_light, not is_paper_light)


@pytest.mark.row("P19")
@pytest.mark.parametrize("size", [(20, 40), (40, 20), (40, 40)])
def test_that_the_paper_of_a_picture_goes_on_to_the_edges_of_the_pad(qtbot, size):
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.fillRect(QRect(8, 10, 4, 8), QColor("black"))
    painter.end()
    pad = DrawPad("pad")
    qtbot.addWidget(pad)
    pad.set_image(image)
    pad.set_inverted()
    pixels = pad.pixels()[0]
    edges = [*pixels[0], *pixels[-1], *pixels[:, 0], *pixels[:, -1]]
    assert (max(edges), pixels.max()) == (0, 1)


@pytest.mark.row("P19")
def test_that_a_file_dropped_on_the_pad_is_taken_as_a_copy_even_if_a_move_is_proposed(qtbot):
    pad = DrawPad("pad")
    qtbot.addWidget(pad)
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile("/seven.png")])
    copy, move = Qt.DropAction.CopyAction, Qt.DropAction.MoveAction
    kinds = (copy | move, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier)
    for event in (QDragEnterEvent(QPoint(50, 50), *kinds), QDropEvent(QPointF(50, 50), *kinds)):
        QApplication.sendEvent(pad, event)
        assert (event.isAccepted(), event.dropAction()) == (True, copy)


@pytest.mark.row("P19")
def test_that_a_very_thin_picture_is_not_lost(qtbot):
    image = QImage(2000, 1, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    pad = DrawPad("pad")
    qtbot.addWidget(pad)
    pad.set_image(image)
    assert pad.pixels().max() > 0


@pytest.mark.row("P19")
@pytest.mark.parametrize("shape", [(3, 20, 40), (1, 40, 20), (3, 28, 28), (1, 2, 200)])
def test_that_the_pad_has_the_proportions_of_what_the_model_reads(qtbot, shape):
    pad = DrawPad("pad")
    qtbot.addWidget(pad)
    pad.set_shape(shape)
    pad.set_fitted(is_fitted=False)
    qtbot.mouseRelease(pad, Qt.MouseButton.RightButton)  # held down it rubs out
    height, width = shape[1:]
    for row, column in ((0.5, 0.25), (0.5, 0.75)):  # a stroke is where it was made
        pad.clear()
        longer = max(height, width)
        sides = (max(280 * width // longer, 24), max(280 * height // longer, 24))
        at = QPoint(round(1 + sides[0] * column), round(1 + sides[1] * row))
        qtbot.mouseClick(pad, Qt.MouseButton.LeftButton, pos=at)
        rows, columns = (pad.pixels()[0] > 0.25).nonzero()
        assert abs(columns.mean() + 0.5 - width * column) <= 1
        assert abs(rows.mean() + 0.5 - height * row) <= 1


@pytest.mark.row("P19")
@pytest.mark.parametrize("shape", [(3, 20, 40), (3, 40, 20), (3, 28, 28)])
def test_that_a_picture_keeps_its_proportions_for_the_model(qtbot, shape):
    image = QImage(60, 60, QImage.Format.Format_RGB32)
    image.fill(QColor("black"))
    painter = QPainter(image)
    painter.fillRect(QRect(15, 15, 30, 30), QColor("white"))
    painter.end()
    pad = DrawPad("pad")
    qtbot.addWidget(pad)
    pad.set_shape(shape)
    pad.set_image(image)
    is_white = pad.pixels()[0] > 0.5
    height, width = is_white.any(axis=1).sum(), is_white.any(axis=0).sum()
    assert abs(int(height) - int(width)) <= 1
    assert height >= min(shape[1:]) // 2 - 1
