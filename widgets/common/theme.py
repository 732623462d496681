"""The look of the program: Fusion, a palette and a small style sheet; changed at run time."""

from PySide6.QtCore import QDir, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication

from widgets.common.palette import DARK, LIGHT, Theme
from widgets.common.resource import RESOURCES
from widgets.common.stylesheet import stylesheet

__all__ = [
    "DARK",
    "LIGHT",
    "SCALES",
    "Theme",
    "ThemeSignals",
    "apply_theme",
    "current_theme",
    "mono_font",
    "scaled_font",
    "text_scale",
    "theme_signals",
]

# Where the system names no font of its own (Linux without a desktop) the best that is there.
_LATIN_FAMILIES = ("Inter", "Adwaita Sans", "Noto Sans", "Ubuntu Sans", "Ubuntu", "Cantarell")
# Without a name of its own the fall-back for Chinese may come in bold, or with Japanese forms.
_CHINESE_FAMILIES = ("PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC")
SCALES = (0.85, 1.0, 1.15, 1.3, 1.5, 2.0)


class ThemeSignals(QObject):
    """Says when colours or text size have changed; the one instance is :func:`theme_signals`."""

    changed = Signal()


class _State:
    theme = LIGHT
    scale = 1.0
    is_chinese = False
    base_points = 0.0
    base_family = ""
    signals: ThemeSignals | None = None


def current_theme() -> Theme:
    """Return the theme that is shown; the light one before the first :func:`apply_theme`."""
    return _State.theme


def text_scale() -> float:
    """Return the factor on the system's text size."""
    return _State.scale


def theme_signals() -> ThemeSignals:
    """Return the object whose ``changed`` is emitted after each :func:`apply_theme`."""
    if _State.signals is None:
        _State.signals = ThemeSignals()
    return _State.signals


def mono_font() -> QFont:
    """Return the system's fixed-width font in the size of the program's text."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(QApplication.font().pointSizeF())
    return font


def scaled_font(factor: float, *, bold: bool = False) -> QFont:
    """Return the program's font, larger or smaller by a factor."""
    font = QApplication.font()
    font.setPointSizeF(font.pointSizeF() * factor)
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


def apply_theme(
    app: QApplication, theme: Theme, scale: float = 1.0, *, is_chinese: bool = False
) -> None:
    """Show the whole program in a theme, with text ``scale`` times the system's size and in the
    font that suits the language; does nothing where it is shown like that already.
    """
    if not _State.base_points:
        _State.base_points = app.font().pointSizeF()
        _State.base_family = _system_family(app.font())
        QDir.addSearchPath("theme", str(RESOURCES / "themes"))
        app.setStyle("fusion")
    elif (theme, scale, is_chinese) == (_State.theme, _State.scale, _State.is_chinese):
        return  # a style sheet is a second's work where there are many widgets
    _State.theme = theme
    _State.scale = scale
    _State.is_chinese = is_chinese
    hints = app.styleHints()
    hints.setColorScheme(Qt.ColorScheme.Dark if theme.is_dark else Qt.ColorScheme.Light)
    font = app.font()
    font.setFamilies(_families(is_chinese=is_chinese))
    font.setPointSizeF(_State.base_points * scale)
    app.setFont(font)
    app.setPalette(build_palette(theme))
    app.setStyleSheet(stylesheet(theme, scale))
    theme_signals().changed.emit()


def _system_family(font: QFont) -> str:
    """Return the family of the system's font. A generic name (``Sans Serif``) must not stand before
    others: Qt then takes Latin letters and quotes from the first that is real, a Chinese one.
    """
    real = QFontInfo(font).family()
    if real == font.family():
        return real
    installed = set(QFontDatabase.families())
    return next((family for family in _LATIN_FAMILIES if family in installed), real)


def _families(*, is_chinese: bool) -> list[str]:
    """Return the families to look for letters in; quotes are as wide as the first draws them."""
    installed = set(QFontDatabase.families())
    chinese = [family for family in _CHINESE_FAMILIES if family in installed]
    return [*chinese, _State.base_family] if is_chinese else [_State.base_family, *chinese]


def build_palette(theme: Theme) -> QPalette:
    """Return the Qt palette of a theme, disabled colours included."""
    role = QPalette.ColorRole
    colors = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.surface,
        role.AlternateBase: theme.window,
        role.Text: theme.text,
        role.Button: theme.window,
        role.ButtonText: theme.text,
        role.BrightText: theme.error,
        role.ToolTipBase: theme.raised,
        role.ToolTipText: theme.text,
        role.PlaceholderText: theme.faint,
        role.Highlight: theme.accent_soft,
        role.HighlightedText: theme.text,
        role.Accent: theme.accent,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
        role.Light: theme.hover,
        role.Midlight: theme.border,
        role.Mid: theme.border,
        role.Dark: theme.strong_border,
        role.Shadow: theme.sunken,
    }
    palette = QPalette()
    for key, color in colors.items():
        palette.setColor(key, QColor(color))
    for key in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, QColor(theme.faint))
    return palette
