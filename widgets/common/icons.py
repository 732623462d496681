"""The program's own line icons, recoloured at run time and sharp on every screen."""

import weakref
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Protocol

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from widgets.common.resource import RESOURCES
from widgets.common.theme import current_theme, theme_signals

_FOLDER = RESOURCES / "icons"
_SIZES = (16, 20, 24, 32, 48)


class HasIcon(Protocol):
    """An action, a button: anything that takes an icon."""

    def setIcon(self, icon: QIcon, /) -> None:
        """Show that icon."""
        ...


@cache
def icon_names() -> tuple[str, ...]:
    """Return the names of all icons."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.svg")))


@cache
def _svg(name: str) -> str:
    return (_FOLDER / f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(maxsize=8)  # one is used for the sizes of an icon, one after the other
def _renderer(name: str, color: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_svg(name).replace("currentColor", color).encode()))


@cache
def pixmap(name: str, color: str, size: int, ratio: float = 1.0) -> QPixmap:
    """Return an icon of ``size`` logical pixels in a ``#rrggbb`` colour.

    Raises ``FileNotFoundError`` for a name that :func:`icon_names` does not hold.
    """
    renderer = _renderer(name, color)
    image = QPixmap(round(size * ratio), round(size * ratio))
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, image.width(), image.height()))
    painter.end()
    image.setDevicePixelRatio(ratio)
    return image


def icon(name: str, color: str = "") -> QIcon:
    """Return an icon in a ``#rrggbb`` colour, else in that of text, with its disabled state."""
    theme = current_theme()
    return _icon(name, color or theme.text, theme.faint)


@cache
def _icon(name: str, color: str, disabled: str) -> QIcon:
    result = QIcon()
    for size in _SIZES:
        drawn = pixmap(name, color, size)
        result.addPixmap(drawn, QIcon.Mode.Normal)
        result.addPixmap(_recolored(drawn, disabled), QIcon.Mode.Disabled)
    return result


def _recolored(drawn: QPixmap, color: str) -> QPixmap:
    """Return the shape of an icon in another colour: sooner done than drawing it again."""
    result = QPixmap(drawn)
    painter = QPainter(result)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(result.rect(), QColor(color))
    painter.end()
    return result


class _ThemedIcons:
    """Everything whose icon follows the theme, held weakly."""

    def __init__(self) -> None:
        self.targets: weakref.WeakKeyDictionary[HasIcon, Callable[[], QIcon]] = (
            weakref.WeakKeyDictionary()
        )
        theme_signals().changed.connect(self.refresh)

    def refresh(self) -> None:
        """Set every icon again in the colours of the theme."""
        for target, make in list(self.targets.items()):
            try:
                target.setIcon(make())
            except RuntimeError:  # Qt has deleted it, Python has not yet
                self.targets.pop(target, None)


@cache
def _themed() -> _ThemedIcons:
    return _ThemedIcons()


def set_icon(target: HasIcon, name: str, role: str = "text") -> None:
    """Give an action or button an icon in the colour of a role of the theme (``text``,
    ``accent``, ``on_accent``, ``error``, ...), now and after every change of theme.
    """

    def make() -> QIcon:
        return icon(name, getattr(current_theme(), role))

    _themed().targets[target] = make
    target.setIcon(make())
