"""Texts of strangers in tooltips."""

import pytest
from PySide6.QtGui import Qt, QTextDocument
from PySide6.QtWidgets import QToolButton

from widgets.common.breadcrumbs import Breadcrumbs
from widgets.common.elided_label import ElidedLabel
from widgets.common.text import plain_tip, titled_tip, tooltip

EVIL = '<img src="file:///etc/hostname" width="500" height="500">'


@pytest.mark.fault("S08")
def test_that_a_tooltip_of_a_strangers_name_loads_nothing_and_shows_it(qtbot):
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.resize(40, 20)
    label.setText(EVIL)
    assert _shown(label.toolTip()) == EVIL
    bar = Breadcrumbs()
    qtbot.addWidget(bar)
    bar.set_levels([EVIL, "inner"])
    tips = [button.toolTip() for button in bar.findChildren(QToolButton)]
    assert [EVIL in _shown(tip) for tip in tips] == [True, False]


def test_that_a_plain_text_stays_as_it_is():
    assert plain_tip("Loss < 3\nStep > 2") == "Loss < 3\nStep > 2"


def _shown(tip: str) -> str:
    """Return what Qt shows of a tooltip."""
    document = QTextDocument()
    (document.setHtml if Qt.mightBeRichText(tip) else document.setPlainText)(tip)
    return document.toPlainText()


def test_that_a_text_too_long_for_a_line_is_wrapped_and_a_short_one_left_as_it_is():
    assert plain_tip("Show the problems") == "Show the problems"
    for long in ("word " * 30, "汉字" * 25):
        assert Qt.mightBeRichText(plain_tip(long))  # the one kind that Qt wraps
        assert long in plain_tip(long)


def test_that_a_title_stands_above_a_tooltip_of_any_kind():
    assert titled_tip("a < b", "") == tooltip("a < b")
    assert titled_tip("a < b", "a < b") == tooltip("a < b")
    assert titled_tip("a", "of b & c") == tooltip("a", "of b & c")
    assert titled_tip("a", tooltip("", "of b & c")) == tooltip("a", "of b & c")
