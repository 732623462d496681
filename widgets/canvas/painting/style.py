"""Colours, fonts and measured texts of the canvas, from the theme that is shown."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from widgets.common.theme import Theme

TITLE_PIXELS = 13
SMALL_PIXELS = 11
_SMALLEST_PIXELS = 8  # smaller text is not drawn
_MOST_TEXTS = 20_000


class Style:
    """What painting needs of a theme, made once. Text sizes are whole pixels, so that the glyphs
    of a size are drawn once and used again at every zoom.
    """

    def __init__(self, theme: Theme, font: QFont, text_scale: float) -> None:
        self.theme = theme
        self.text_scale = min(text_scale, 1.3)  # cards keep their size
        self.colors = {
            name: QColor(getattr(theme, name))
            for name in Theme.__slots__
            if isinstance(getattr(theme, name), str) and getattr(theme, name).startswith("#")
        }
        self._family = font
        self._fonts: dict[tuple[int, bool], QFont] = {}
        self._metrics: dict[tuple[int, bool], QFontMetricsF] = {}
        self._widths: dict[tuple[str, int], float] = {}
        self._elided: dict[tuple[str, int, bool, int], str] = {}

    def __getitem__(self, name: str) -> QColor:
        """Return a colour of the theme by its name."""
        return self.colors[name]

    def category(self, name: str) -> QColor:
        """Return the colour of a category of nodes."""
        return QColor(self.theme.category(name))

    def severity(self, name: str) -> QColor:
        """Return the colour of an error, a warning or a hint."""
        return QColor(self.theme.severity(name))

    def pixels(self, size: int, scale: float) -> int:
        """Return the text size at a zoom; 0 where it could not be read."""
        pixels = round(size * scale * self.text_scale)
        return pixels if pixels >= _SMALLEST_PIXELS else 0

    def font(self, pixels: int, *, bold: bool = False) -> QFont:
        """Return the program's font in a size."""
        font = self._fonts.get((pixels, bold))
        if font is None:
            font = QFont(self._family)
            font.setPixelSize(pixels)
            if bold:
                font.setWeight(QFont.Weight.DemiBold)
            self._fonts[pixels, bold] = font
        return font

    def metrics(self, pixels: int, *, bold: bool = False) -> QFontMetricsF:
        """Return the measures of :meth:`font`."""
        metrics = self._metrics.get((pixels, bold))
        if metrics is None:
            metrics = self._metrics[pixels, bold] = QFontMetricsF(self.font(pixels, bold=bold))
        return metrics

    def elided(self, text: str, pixels: int, width: float, *, bold: bool = False) -> str:
        """Return a text shortened to a width, with an ellipsis."""
        key = (text, pixels, bold, int(width))
        short = self._elided.get(key)
        if short is None:
            if len(self._elided) > _MOST_TEXTS:
                self._elided.clear()
            metrics = self.metrics(pixels, bold=bold)
            short = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
            self._elided[key] = short
        return short

    def width(self, text: str, pixels: int) -> float:
        """Return how wide a text is."""
        width = self._widths.get((text, pixels))
        if width is None:
            if len(self._widths) > _MOST_TEXTS:
                self._widths.clear()
            width = self._widths[text, pixels] = self.metrics(pixels).horizontalAdvance(text)
        return width
