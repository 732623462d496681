"""What the canvas makes of texts that are longer than their room."""

import pytest
from PySide6.QtWidgets import QApplication

from widgets.canvas.painting.style import TITLE_PIXELS, Style
from widgets.common.theme import current_theme


@pytest.mark.row("S039")
def test_that_names_which_begin_alike_are_told_apart_in_little_room(qapp):
    style = Style(current_theme(), QApplication.font(), 1.0)
    names = ("classifier.weight", "classifier.bias")
    full = style.metrics(TITLE_PIXELS).horizontalAdvance(names[0])
    short = [style.elided(name, TITLE_PIXELS, full * 0.6, is_name=True) for name in names]
    assert short[0].startswith("cl")
    assert short[0].endswith("ht")
    assert short[0] != short[1]
    assert style.elided(names[0], TITLE_PIXELS, full * 0.6).startswith("classi")
