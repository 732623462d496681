"""Colours, fonts and measured texts of the canvas, from the theme that is shown."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QTextLayout, QTextOption

from widgets.common.theme import Theme

TITLE_PIXELS = 13
SMALL_PIXELS = 11
_SMALLEST_PIXELS = 8  # smaller text is not drawn
_MOST_TEXTS = 20_000
_LONGEST = 4_000  # letters of a note that are laid out


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
        self._widths: dict[tuple[str, int, bool], float] = {}
        self._broken: dict[tuple[str, int, int], list[str]] = {}
        self._elided: dict[tuple[str, int, bool, bool, int], str] = {}

    def __getitem__(self, name: str) -> QColor:
        """Return a colour of the theme by its name."""
        return self.colors[name]

    def category(self, name: str) -> QColor:
        """Return the colour of a category of nodes."""
        return QColor(self.theme.category(name))

    def severity(self, name: str) -> QColor:
        """Return the colour of an error, a warning or a hint."""
        return QColor(self.theme.severity(name))

    def mark(self, name: str) -> QColor | None:
        """Return the colour that a user gave by its name; nothing for an unknown one."""
        color = self.theme.mark(name)
        return QColor(color) if color else None

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

    def elided(
        self, text: str, pixels: int, width: float, *, bold: bool = False, is_name: bool = False
    ) -> str:
        """Return a text shortened to a width, with an ellipsis at its end; of a name with dots some
        of the last part stays, which tells ``classifier.weight`` from ``classifier.bias``.
        """
        key = (text, pixels, bold, is_name, int(width))
        short = self._elided.get(key)
        if short is None:
            if len(self._elided) > _MOST_TEXTS:
                self._elided.clear()
            metrics = self.metrics(pixels, bold=bold)
            mode = Qt.TextElideMode.ElideRight
            dot = text.rfind(".") + 1
            if is_name and dot and metrics.horizontalAdvance(f"{text[: dot + 1]}…") > width:
                mode = Qt.TextElideMode.ElideMiddle
            short = metrics.elidedText(text, mode, width)
            self._elided[key] = short
        return short

    def broken(self, text: str, pixels: int, width: float) -> list[str]:
        """Return a text broken into lines of at most a width."""
        key = (text, pixels, int(width))
        lines = self._broken.get(key)
        if lines is None:
            if len(self._broken) > _MOST_TEXTS:
                self._broken.clear()
            lines = self._broken[key] = []
            for paragraph in text[:_LONGEST].splitlines():
                lines += _lines(paragraph, self.font(pixels), width)
        return lines

    def width(self, text: str, pixels: int, *, bold: bool = False) -> float:
        """Return how wide a text is."""
        key = (text, pixels, bold)
        width = self._widths.get(key)
        if width is None:
            if len(self._widths) > _MOST_TEXTS:
                self._widths.clear()
            metrics = self.metrics(pixels, bold=bold)
            width = self._widths[key] = metrics.horizontalAdvance(text)
        return width


def _lines(paragraph: str, font: QFont, width: float) -> list[str]:
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout = QTextLayout(paragraph, font)
    layout.setTextOption(option)
    layout.beginLayout()
    lines: list[str] = []
    encoded = paragraph.encode("utf-16-le")  # places are counted in units of two bytes
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 1.0))
        start, end = 2 * line.textStart(), 2 * (line.textStart() + line.textLength())
        lines.append(encoded[start:end].decode("utf-16-le", errors="replace"))
    layout.endLayout()
    return lines or [""]


def mixed(color: QColor, ground: QColor, share: float) -> QColor:
    """Return a ground with a share of a colour in it."""
    return QColor.fromRgbF(
        color.redF() * share + ground.redF() * (1 - share),
        color.greenF() * share + ground.greenF() * (1 - share),
        color.blueF() * share + ground.blueF() * (1 - share),
    )
