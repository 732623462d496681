"""What has the keys is framed, in both themes."""

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLineEdit,
    QPushButton,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from widgets.common.theme import DARK, LIGHT, apply_theme


def pushed(*properties: str) -> QPushButton:
    button = QPushButton("Press")
    for name in properties:
        button.setProperty(name, "true")
    return button


def default() -> QPushButton:
    button = QPushButton("Press")
    button.setDefault(True)
    return button


def tool(*, is_checked: bool = False, role: str = "") -> QToolButton:
    button = QToolButton()
    button.setText("Tool")
    button.setCheckable(True)
    button.setChecked(is_checked)
    button.setProperty("role", role)
    return button


def tabs() -> QTabBar:
    bar = QTabBar()
    bar.addTab("One")
    bar.addTab("Two")
    bar.setExpanding(False)
    return bar


def ticked() -> QCheckBox:
    box = QCheckBox("Tick")
    box.setChecked(True)
    return box


MAKERS = {
    "push": pushed,
    "primary": lambda: pushed("primary"),
    "flat": lambda: pushed("flat"),
    "default": default,
    "tool": tool,
    "wand": lambda: tool(is_checked=True),
    "fold": lambda: tool(role="fold"),
    "tabs": tabs,
    "ticked": ticked,
}


def framed(widget: QWidget) -> QRect:
    """Return what the frame is around."""
    if isinstance(widget, QTabBar):
        return widget.tabRect(widget.currentIndex())
    return widget.rect()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", MAKERS)
def test_that_what_has_the_keys_has_a_frame_that_it_has_not_else(qtbot, qapp, theme, name):
    apply_theme(qapp, theme)
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    other, widget = QLineEdit(), MAKERS[name]()
    column.addWidget(other)
    column.addWidget(widget, 0, Qt.AlignmentFlag.AlignLeft)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    other.setFocus()
    qtbot.waitUntil(other.hasFocus)
    before = widget.grab().toImage()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(widget.hasFocus)
    now = widget.grab().toImage()
    area = framed(widget)
    middle = area.center().y()
    edge = range(area.left(), area.left() + 5)
    pairs = [(before.pixelColor(x, middle), now.pixelColor(x, middle)) for x in edge]
    assert max(difference(*pair) for pair in pairs) > 0.2


def difference(one: QColor, other: QColor) -> float:
    """Return how far two colours are apart in lightness or in a part, from 0 to 1."""
    parts = zip(one.getRgbF()[:3], other.getRgbF()[:3], strict=True)
    return max(abs(a - b) for a, b in parts)
