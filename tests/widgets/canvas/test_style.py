"""What the canvas makes of texts that are longer than their room."""

import pytest
from PySide6.QtWidgets import QApplication

from widgets.canvas.painting.style import TITLE_PIXELS, Style
from widgets.canvas.picture_file import scene_picture
from widgets.canvas.scene import Scene
from widgets.canvas.view_model import CanvasView, NodeView
from widgets.common.theme import current_theme


@pytest.mark.row("S039")
def test_that_names_which_begin_alike_are_told_apart_in_little_room(qapp):
    style = Style(current_theme(), QApplication.font(), 1.0)
    names = ("classifier.weight", "classifier.bias", "conv1.weight", "conv1.bias", "conv2.weight")
    room = style.metrics(TITLE_PIXELS).horizontalAdvance("conv1.we…")
    short = [style.elided(name, TITLE_PIXELS, room, is_name=True) for name in names]
    assert len(set(short)) == len(names)
    assert short[0].startswith("c")
    assert short[0].endswith("t")
    assert style.elided("NativeBatchNorm", TITLE_PIXELS, room, is_name=True).startswith("Native")


def test_that_a_long_name_with_a_badge_is_written_whole(qapp):
    style = Style(current_theme(), QApplication.font(), 1.0)
    name = "n"
    while style.metrics(TITLE_PIXELS, bold=True).horizontalAdvance(name + "n") < 115:
        name += "n"  # as long as the card has room for
    scene = Scene()
    node = NodeView(id="a", title=name, subtitle="Conv2d", category="", x=0.0, y=0.0, badge="9 MB")
    scene.apply(CanvasView(nodes=(node,)))
    written = scene_picture(scene, style, "svg", "model").decode()
    assert all(f">{text}<" in written for text in (name, "Conv2d", "9 MB"))
