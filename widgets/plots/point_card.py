"""Card beside a point: what it is, with its picture."""

from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QWidget

from widgets.common import parts
from widgets.images.pixels import fitted, to_image
from widgets.images.view_model import ImageView

_APART = 14  # pixels from the point
_SIDE = 112  # of a picture
_WIDEST = 300


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class CardView:
    """A title, lines of facts, and a picture where there is one."""

    title: str
    lines: tuple[str, ...] = ()
    image: ImageView | None = None


class PointCard(QFrame):
    """Shows a :class:`CardView` where it does not cover the point, inside its parent."""

    def __init__(self, object_name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.setObjectName(object_name)
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._picture = parts.label(self)
        self._title = parts.label(self, wraps=True)
        font = self._title.font()
        font.setBold(True)
        self._title.setFont(font)
        self._lines = parts.label(self, role="muted", wraps=True)
        parts.column(
            self._picture, self._title, self._lines, margins=(8, 8, 8, 8), spacing=4, parent=self
        )
        self.setMaximumWidth(_WIDEST)
        self.hide()

    def show_at(self, view: CardView, place: QPoint) -> None:
        """Show a card beside a place in the parent."""
        self._picture.setVisible(view.image is not None)
        if view.image is not None:
            self._picture.setPixmap(fitted(to_image(view.image), _SIDE))
        self._title.setText(view.title)
        self._lines.setText("\n".join(view.lines))
        self._lines.setVisible(bool(view.lines))
        self.setAccessibleName("\n".join((view.title, *view.lines)))
        self.adjustSize()
        room = self._parent.rect()
        x, y = place.x() + _APART, place.y() + _APART
        if x + self.width() > room.right():
            x = place.x() - _APART - self.width()
        if y + self.height() > room.bottom():
            y = place.y() - _APART - self.height()
        self.move(max(0, x), max(0, y))
        self.show()
        self.raise_()
