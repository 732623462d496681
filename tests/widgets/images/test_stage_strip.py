"""The strip of the stages of a sample."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from tests.named_parts import part
from widgets.images.stage_strip import StageStrip
from widgets.images.view_model import ImageView, StageView


def stage(key: str, **changes) -> StageView:
    image = ImageView(pixels=np.zeros((3, 40, 60), np.uint8), label="photo")
    return StageView(key=key, title=f"Step {key}", images=(image,), lines=("3×40×60",), **changes)


@pytest.fixture
def strip(qtbot):
    strip = StageStrip("strip")
    qtbot.addWidget(strip)
    strip.resize(700, 300)
    strip.show()
    qtbot.waitExposed(strip)
    return strip


def test_that_stages_come_and_go_and_keep_the_shape_of_their_pictures(strip):
    strip.set_stages([stage("0"), stage("1"), stage("2")], "1")
    assert [card.title.text() for card in strip.cards] == ["Step 0", "Step 1", "Step 2"]
    size = part(strip, "strip.0.picture0").pixmap().size()
    assert abs(size.width() / size.height() - 1.5) < 0.05
    strip.set_stages([stage("0")])
    assert len(strip.cards) == 1
    assert strip.cards[0].accessibleName() == "Step 0 3×40×60 "


def test_that_pictures_grow_with_the_strip(strip):
    strip.set_stages([stage("0")])
    before = part(strip, "strip.0.picture0").pixmap().height()
    strip.resize(700, 420)
    assert part(strip, "strip.0.picture0").pixmap().height() > before


def test_that_all_pictures_of_a_batch_are_seen_as_far_as_they_can(strip, qtbot):
    strip.resize(500, 260)
    strip.set_stages([stage(str(at)) for at in range(8)], is_sequence=False)
    qtbot.waitUntil(lambda: strip.horizontalScrollBar().maximum() > 0)  # not too small to see
    strip.resize(900, 260)
    qtbot.waitUntil(lambda: strip.horizontalScrollBar().maximum() == 0)


def test_that_a_click_and_the_button_tell_which_stage(strip, qtbot):
    chosen, repaired = [], []
    strip.stage_chosen.connect(chosen.append)
    strip.repair_requested.connect(repaired.append)
    failed = StageView(key="1", title="Step 1", error="It is too large.", repair="Add a Resize")
    strip.set_stages([stage("0"), failed])
    qtbot.mouseClick(strip.cards[0], Qt.MouseButton.LeftButton)
    assert chosen == ["0"]
    assert strip.cards[1].error.text() == "It is too large."
    strip.cards[1].repair.click()
    assert repaired == ["1"]
    assert not strip.cards[0].repair.isVisible()
