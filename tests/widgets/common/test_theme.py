"""Themes at run time, and icons that follow them."""

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLineEdit, QToolButton

from widgets.common.icons import icon, icon_names, pixmap, set_icon
from widgets.common.stylesheet import stylesheet
from widgets.common.theme import DARK, LIGHT, apply_theme, current_theme, text_scale, theme_signals


@pytest.fixture
def themed(qapp):
    yield qapp
    apply_theme(qapp, LIGHT)


def colors_of(image):
    image = image.toImage()
    return {
        QColor.fromRgba(image.pixel(x, y)).name()
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() == 255
    }


def test_that_a_theme_reaches_palette_listeners_and_text_size(themed, qtbot):
    apply_theme(themed, LIGHT)
    small = themed.font().pointSizeF()
    with qtbot.waitSignal(theme_signals().changed):
        apply_theme(themed, DARK, 1.5)
    assert current_theme() is DARK
    assert text_scale() == 1.5
    assert themed.palette().color(QPalette.ColorRole.Base).name() == DARK.surface
    assert themed.font().pointSizeF() == pytest.approx(small * 1.5)


def test_that_going_back_and_forth_does_not_grow_the_text(themed):
    apply_theme(themed, LIGHT)
    before = themed.font().pointSizeF()
    for scale in (1.3, 0.85, 2.0, 1.0):
        apply_theme(themed, DARK, scale)
    assert themed.font().pointSizeF() == pytest.approx(before)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_that_the_style_sheet_has_no_colour_left_open(theme):
    assert "$" not in stylesheet(theme)


def test_that_every_icon_draws_something(qapp):
    assert len(icon_names()) > 60
    for name in icon_names():
        assert colors_of(pixmap(name, "#ff0000", 96)) == {"#ff0000"}, name


def test_that_icons_grow_and_shrink_with_the_text(themed, qtbot):
    button = QToolButton()
    qtbot.addWidget(button)
    button.show()
    for scale, side in ((2.0, 32), (1.0, 16)):
        apply_theme(themed, DARK, scale)
        assert button.iconSize().width() == side


def test_that_an_unknown_icon_is_refused(qapp):
    with pytest.raises(FileNotFoundError):
        icon("no-such-icon")


def test_that_a_button_s_icon_follows_the_theme(themed, qtbot):
    apply_theme(themed, LIGHT)
    button = QToolButton()
    qtbot.addWidget(button)
    set_icon(button, "play")
    assert colors_of(button.icon().pixmap(48, 48)) == {LIGHT.text}
    apply_theme(themed, DARK)
    assert colors_of(button.icon().pixmap(48, 48)) == {DARK.text}


def test_that_a_deleted_button_does_not_hinder_the_next_theme(themed):
    button = QToolButton()
    set_icon(button, "stop")
    button.deleteLater()
    del button
    apply_theme(themed, DARK)
    field = QLineEdit()
    assert field.palette().color(QPalette.ColorRole.Base).name() == DARK.surface
    field.deleteLater()


def test_that_the_first_font_is_a_real_one_and_suits_the_language(themed):
    from PySide6.QtGui import QFontDatabase, QFontInfo

    apply_theme(themed, LIGHT)
    english = themed.font().families()
    assert QFontInfo(themed.font()).family() == english[0], "a generic name leads to a Chinese font"
    assert "CJK" not in english[0]
    apply_theme(themed, LIGHT, is_chinese=True)
    chinese = themed.font().families()
    assert set(chinese) == set(english)
    if len(chinese) > 1:
        assert chinese[-1] == english[0]
        assert QFontInfo(themed.font()).family() in QFontDatabase.families()
