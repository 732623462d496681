"""Every widget as its demo shows it: names, themes, languages, text sizes."""

import importlib

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTextBrowser,
    QWidget,
)

from widgets.common.theme import DARK, LIGHT, apply_theme

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextBrowser,
)
DEMOS = pytest.mark.parametrize(
    "package", ["cells", "code", "common", "forms", "images", "paged", "plots", "tables"]
)


@pytest.fixture
def demo(qapp, qtbot, package):
    windows = []

    def build(language="en"):
        module = importlib.import_module(f"widgets.{package}.demo")
        window = module.build_demo(language)
        window.resize(1280, 720)
        window.show()
        qtbot.wait(120)  # some of the common ones come a little later
        windows.append(window)
        return window

    yield build
    apply_theme(qapp, LIGHT)
    for window in windows:
        window.close()
        window.deleteLater()


def is_ours(widget):
    """Return whether a control is not a part that Qt makes inside another control."""
    if isinstance(widget, QScrollBar | QHeaderView) or widget.objectName().startswith("qt_"):
        return False
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QLineEdit | QComboBox | QAbstractItemView):
            return False
        parent = parent.parentWidget()
    return True


@DEMOS
def test_that_every_control_has_a_name_for_scripts_and_one_for_screen_readers(demo, package):
    window = demo()
    unnamed = [
        (type(one).__name__, one.objectName(), one.accessibleName())
        for one in window.findChildren(QWidget)
        if isinstance(one, CONTROLS) and is_ours(one)
        if not one.objectName() or not (one.accessibleName() or getattr(one, "text", str)())
    ]
    assert unnamed == []


@DEMOS
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_that_theme_language_and_text_size_change_at_run_time(demo, package, language, qapp):
    window = demo(language)
    for theme, scale in ((DARK, 1.0), (LIGHT, 2.0), (DARK, 0.85)):
        apply_theme(qapp, theme, scale)
        for widget in [window, *window.findChildren(QWidget)]:
            QApplication.sendEvent(widget, QEvent(QEvent.Type.LanguageChange))
        qapp.processEvents()
        picture = window.grab().toImage()
        dark = picture.pixelColor(2, 2).lightness() < 128
        assert dark == theme.is_dark
