"""Pictures of the disk on the pad."""

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter

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
def test_that_a_very_thin_picture_is_not_lost(qtbot):
    image = QImage(2000, 1, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    pad = DrawPad("pad")
    qtbot.addWidget(pad)
    pad.set_image(image)
    assert pad.pixels().max() > 0
