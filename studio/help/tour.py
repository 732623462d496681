"""Tour of the window: a card beside each part, with next, back and skip."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QWidget
from typing_extensions import override

from studio.i18n import translate
from widgets.common import parts
from widgets.common.tab_walk import walk
from widgets.common.theme import current_theme, scaled_font


@dataclass(frozen=True, kw_only=True)
class Stop:
    """One stop: the widget it is about, by object name, and what is said."""

    target: str
    title: str
    text: str


def stops() -> tuple[Stop, ...]:
    """Return the stops of the tour."""
    return (*_building(), *_running())


def _building() -> tuple[Stop, ...]:
    return (
        Stop(
            target="workspaces",
            title=translate("Tour", "From left to right"),
            text=translate(
                "Tour",
                "The workspaces follow your workflow: build the model, choose data, train, "
                "compare runs, and export the result.",
            ),
        ),
        Stop(
            target="palette",
            title=translate("Tour", "Layers"),
            text=translate(
                "Tour",
                "Drag a layer onto the canvas, or press Tab over the canvas and type its name.",
            ),
        ),
        Stop(
            target="canvas",
            title=translate("Tour", "The canvas is the model"),
            text=translate(
                "Tour",
                "Drag a wire from an output to an input. Shapes appear on the wires as you "
                "build, and the Python code of your model appears below.",
            ),
        ),
        Stop(
            target="inspector",
            title=translate("Tour", "Settings and help"),
            text=translate(
                "Tour", "Shows the settings, shapes and documentation of the selected layer."
            ),
        ),
    )


def _running() -> tuple[Stop, ...]:
    return (
        Stop(
            target="problems",
            title=translate("Tour", "Problems"),
            text=translate(
                "Tour", "Problems with the model are listed here. Click one to go to its location."
            ),
        ),
        Stop(
            target="tool.run.start",
            title=translate("Tour", "Train"),
            text=translate(
                "Tour",
                "F5 starts a run in a separate process. F6 pauses it. Shift+F5 stops it "
                "and keeps everything.",
            ),
        ),
        Stop(
            target="tool.view.commands",
            title=translate("Tour", "Everything else"),
            text=translate("Tour", "Press Ctrl+K to find any command by name."),
        ),
    )


class Tour(QWidget):
    """Lies over the window. Escape or Skip leaves it; stops whose widget is hidden are passed."""

    finished = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("tour")
        self.setAccessibleName(translate("Tour", "Tour"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._place = 0
        self._seen = QRect()  # found before painting: searching for widgets meanwhile crashes Qt
        self._stops: tuple[Stop, ...] = ()
        self._card = parts.named(QFrame(self), "tour.card", translate("Tour", "Tour"))
        self._card.setFixedWidth(320)
        self._title = parts.label(self._card, "tour.title", translate("Tour", "Tour"))
        self._title.setFont(scaled_font(1.15, bold=True))
        self._text = parts.label(self._card, "tour.text", translate("Tour", "Tour"), wraps=True)
        self._count = parts.label(self._card, "tour.count", translate("Tour", "Tour"), role="muted")
        skip = parts.button(self._card, "tour.skip", translate("Tour", "Skip"), clicked=self.leave)
        self._back = parts.button(self._card, "tour.back", translate("Tour", "Back"))
        self._back.clicked.connect(lambda: self._go(self._place - 1))
        self._next = parts.button(
            self._card, "tour.next", translate("Tour", "Next"), is_primary=True
        )
        self._next.clicked.connect(lambda: self._go(self._place + 1))
        row = parts.row(self._count, None, skip, self._back, self._next)
        parts.column(
            self._title, self._text, row, margins=(16, 14, 16, 12), spacing=8, parent=self._card
        )
        theme = current_theme()
        self._card.setStyleSheet(
            f"#tour\\.card {{ background: {theme.raised}; border: 1px solid {theme.accent};"
            " border-radius: 8px; }"
        )
        window.installEventFilter(self)

    def begin(self) -> None:
        """Show the first stop."""
        self._stops = tuple(stop for stop in stops() if self._target(stop) is not None)
        self.setGeometry(self._window.rect())
        self.show()
        self.raise_()
        self.setFocus()
        self._go(0)

    def leave(self) -> None:
        """End the tour."""
        self.hide()
        self.finished.emit()
        self.deleteLater()

    def _go(self, place: int) -> None:
        if place >= len(self._stops):
            self.leave()
            return
        self._place = max(place, 0)
        stop = self._stops[self._place]
        self._title.setText(stop.title)
        self._text.setText(stop.text)
        self._count.setText(f"{self._place + 1} / {len(self._stops)}")
        self._back.setEnabled(self._place > 0)
        is_last = self._place + 1 == len(self._stops)
        self._next.setText(translate("Tour", "Done") if is_last else translate("Tour", "Next"))
        inner = self._card.width() - 32
        self._text.setFixedHeight(self._text.heightForWidth(inner))
        self._card.adjustSize()
        self._seen = self._hole()
        self._card.move(self._card_place(self._seen))
        self.update()

    def _target(self, stop: Stop) -> QWidget | None:
        found = self._window.findChildren(QWidget, stop.target)
        return next((widget for widget in found if widget.isVisible()), None)

    def _hole(self) -> QRect:
        widget = self._target(self._stops[self._place])
        if widget is None:
            return QRect()
        corner = widget.mapTo(self._window, QPoint(0, 0))
        return QRect(corner, widget.size()).adjusted(-4, -4, 4, 4)

    def _card_place(self, hole: QRect) -> QPoint:
        size = self._card.size()
        candidates = (
            QPoint(hole.right() + 14, hole.top()),
            QPoint(hole.left() - size.width() - 14, hole.top()),
            QPoint(hole.left(), hole.bottom() + 14),
            QPoint(hole.left(), hole.top() - size.height() - 14),
        )
        inside = [self._moved_inside(corner) for corner in candidates]
        beside = (corner for corner in inside if not hole.intersects(QRect(corner, size)))
        return next(beside, self._moved_inside(hole.center() - self._card.rect().center()))

    def _moved_inside(self, corner: QPoint) -> QPoint:
        """Return where the card is to be seen as a whole, nearest to a corner."""
        size, room = self._card.size(), self.rect().adjusted(12, 12, -12, -12)
        return QPoint(
            max(room.left(), min(corner.x(), room.right() - size.width())),
            max(room.top(), min(corner.y(), room.bottom() - size.height())),
        )

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self.setGeometry(self._window.rect())
            if self._stops:
                self._go(self._place)
        return super().eventFilter(watched, event)

    @override
    def focusNextPrevChild(self, next: bool) -> bool:
        return walk(self, forward=next)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Return: 1,
            Qt.Key.Key_Space: 1,
            Qt.Key.Key_Left: -1,
        }
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in steps:
            self._go(self._place + steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shade, hole = QPainterPath(), QPainterPath()
        shade.addRect(self.rect())
        hole.addRoundedRect(self._seen, 6, 6)
        painter.fillPath(shade.subtracted(hole), QColor(0, 0, 0, 110))
        painter.setPen(QPen(QColor(current_theme().accent), 2))
        painter.drawPath(hole)
        painter.end()
