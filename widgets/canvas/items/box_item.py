"""Item of a frame or a note, with the handles by which it is resized."""

from PySide6.QtCore import QPointF, QRectF

from widgets.canvas.view_model import BoxView

TITLE = 28.0  # height of the strip with the title of a frame
LEAST_WIDTH, LEAST_HEIGHT = 80.0, 40.0
_AROUND = 6.0  # ring of what is selected


class BoxItem:
    """A frame or a note. Made anew when its view changes."""

    __slots__ = ("view", "x", "y")

    def __init__(self, view: BoxView) -> None:
        self.view = view
        self.x = view.x
        self.y = view.y

    def rect(self) -> QRectF:
        """Return the whole box."""
        return QRectF(self.x, self.y, self.view.width, self.view.height)

    def bounds(self) -> QRectF:
        """Return everything that is painted for it."""
        return self.rect().adjusted(-_AROUND, -_AROUND, _AROUND, _AROUND)

    def title_rect(self) -> QRectF:
        """Return the strip with the title of a frame; all of a note."""
        height = min(TITLE, self.view.height) if self.view.is_frame else self.view.height
        return QRectF(self.x, self.y, self.view.width, height)

    def holds(self, rect: QRectF) -> bool:
        """Return whether something lies in this frame: its middle does, and it is not larger."""
        own = self.rect()
        is_smaller = rect.width() <= own.width() and rect.height() <= own.height()
        return self.view.is_frame and is_smaller and own.contains(rect.center())

    def edges_at(self, position: QPointF, reach: float) -> str:
        """Return the edges that a place is at, as letters of ``ltrb``; empty for none."""
        rect = self.rect()
        if not rect.adjusted(-reach, -reach, reach, reach).contains(position):
            return ""
        distances = {
            "l": abs(position.x() - rect.left()),
            "t": abs(position.y() - rect.top()),
            "r": abs(position.x() - rect.right()),
            "b": abs(position.y() - rect.bottom()),
        }
        return "".join(name for name, distance in distances.items() if distance <= reach)


def resized(rect: QRectF, edges: str, dx: float, dy: float) -> QRectF:
    """Return a rectangle with some of its edges moved, as far as it stays large enough."""
    left, top, right, bottom = rect.left(), rect.top(), rect.right(), rect.bottom()
    if "l" in edges:
        left = min(left + dx, right - LEAST_WIDTH)
    if "r" in edges:
        right = max(right + dx, left + LEAST_WIDTH)
    if "t" in edges:
        top = min(top + dy, bottom - LEAST_HEIGHT)
    if "b" in edges:
        bottom = max(bottom + dy, top + LEAST_HEIGHT)
    return QRectF(QPointF(left, top), QPointF(right, bottom))
