"""Flow of boxes in lanes, one below the other, as wide as there is room."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygon,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from typing_extensions import override

from widgets.common.theme import current_theme, scaled_font, text_scale, theme_signals
from widgets.flow.box import FlowBoxButton
from widgets.flow.view_model import FlowLane

_NARROWEST, _WIDEST = 158, 250  # of a box, at the usual text size
_OUTSIDE, _PADDING, _GAP, _DOWN, _HEAD = 12, 10, 26, 24, 5
_WRAP = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)


class FlowView(QScrollArea):
    """Shows :class:`FlowLane`s. ``box_chosen`` gives the key of a box that was pressed, with the
    mouse or the keyboard.
    """

    box_chosen = Signal(str)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setProperty("frameless", "true")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._lanes = _Lanes(object_name, self.box_chosen.emit)
        self.setWidget(self._lanes)
        theme_signals().changed.connect(self._arrange)

    def set_lanes(self, lanes: Sequence[FlowLane]) -> None:
        """Show other lanes; a box that stays keeps the focus."""
        self._lanes.set_lanes(tuple(lanes))
        self._arrange()

    @property
    def lanes(self) -> tuple[FlowLane, ...]:
        """The lanes that are shown."""
        return self._lanes.lanes

    @property
    def boxes(self) -> tuple[FlowBoxButton, ...]:
        """The boxes that are shown, in the order of the flow."""
        return self._lanes.boxes

    def _arrange(self) -> None:
        self._lanes.arrange(self.viewport().size())

    @override
    def resizeEvent(self, arg__1: QResizeEvent) -> None:
        super().resizeEvent(arg__1)
        self._arrange()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_lanes"):
            self._arrange()

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(_NARROWEST + 2 * (_OUTSIDE + _PADDING), 160)


class _Lanes(QWidget):
    """The lanes with their boxes, and the arrows between them."""

    def __init__(self, name: str, chosen: Callable[[str], object]) -> None:
        super().__init__()
        self._name = name
        self._chosen = chosen
        self.lanes: tuple[FlowLane, ...] = ()
        self._buttons: list[FlowBoxButton] = []
        self._count = 0
        self._panels: list[QRect] = []
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    @property
    def boxes(self) -> tuple[FlowBoxButton, ...]:
        """The boxes that are shown."""
        return tuple(self._buttons[: self._count])

    def set_lanes(self, lanes: tuple[FlowLane, ...]) -> None:
        """Take other lanes; they are placed by :meth:`arrange`."""
        self.lanes = lanes
        views = [box for lane in lanes for box in lane.boxes]
        self._count = len(views)
        while len(self._buttons) < len(views):
            self._add_button()
        for number, button in enumerate(self._buttons):
            button.setVisible(number < len(views))
            if number < len(views):
                button.set_view(views[number])

    def _add_button(self) -> None:
        button = FlowBoxButton(f"{self._name}.{len(self._buttons)}", self)
        button.clicked.connect(lambda: self._chosen(button.view.key))
        self._buttons.append(button)

    def arrange(self, seen: QSize) -> None:
        """Place everything in the width that is seen."""
        width = seen.width()
        most = max((len(lane.boxes) for lane in self.lanes), default=1)
        room = max(width, 200) - 2 * (_OUTSIDE + _PADDING)
        narrowest = round(_NARROWEST * text_scale())
        columns = max(1, min(most, (room + _GAP) // (narrowest + _GAP)))
        box_width = (room - _GAP * (columns - 1)) // columns
        box_width = min(box_width, round(_WIDEST * text_scale()))
        top, number = _OUTSIDE, 0
        self._panels = []
        for lane in self.lanes:
            buttons = self._buttons[number : number + len(lane.boxes)]
            number += len(buttons)
            inside = top + _PADDING + _title_height(lane, room) + 6
            rows = [buttons[at : at + columns] for at in range(0, len(buttons), columns)]
            bottom = _place(rows, inside, box_width) + _PADDING
            self._panels.append(QRect(_OUTSIDE, top, room + 2 * _PADDING, bottom - top))
            top = bottom + _DOWN
        self.resize(max(width, 200), max(top - _DOWN + _OUTSIDE, seen.height()))
        self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for lane, panel in zip(self.lanes, self._panels, strict=True):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.sunken))
            painter.drawRoundedRect(panel, 8, 8)
            self._paint_title(painter, lane, panel)
        painter.setPen(QPen(QColor(theme.faint), 1.6))
        painter.setBrush(QColor(theme.faint))
        number = 0
        for lane_number, lane in enumerate(self.lanes):
            for place in range(len(lane.boxes)):
                is_last = place + 1 == len(lane.boxes)
                if not is_last:
                    self._paint_arrow(painter, number + place)
                elif lane_number + 1 < len(self.lanes):
                    self._paint_way_down(painter, number + place, self._panels[lane_number + 1])
            number += len(lane.boxes)
        painter.end()

    def _paint_title(self, painter: QPainter, lane: FlowLane, panel: QRect) -> None:
        theme = current_theme()
        left, top = panel.left() + _PADDING, panel.top() + _PADDING - 2
        painter.setFont(scaled_font(1.0, bold=True))
        painter.setPen(QColor(theme.text))
        painter.drawText(QPoint(left, top + QFontMetrics(painter.font()).ascent()), lane.title)
        painter.setFont(QApplication.font())
        painter.setPen(QColor(theme.muted))
        room = panel.width() - 2 * _PADDING
        painter.drawText(_note_rect(lane, room).translated(left, top), _WRAP, lane.note)

    def _paint_arrow(self, painter: QPainter, number: int) -> None:
        """Draw the way from a box to the next of its lane, which may be in the row below."""
        here, there = (self._buttons[at].geometry() for at in (number, number + 1))
        if there.top() == here.top():
            y = here.center().y()
            _paint_line(painter, [QPoint(here.right() + 4, y), QPoint(there.left() - 4, y)])
            return
        self._paint_elbow(painter, here, QPoint(there.center().x(), there.top() - 3))

    def _paint_way_down(self, painter: QPainter, number: int, panel: QRect) -> None:
        here = self._buttons[number].geometry()
        x = panel.left() + _PADDING + here.width() // 2
        self._paint_elbow(painter, here, QPoint(x, panel.top() - 2))

    def _paint_elbow(self, painter: QPainter, here: QRect, end: QPoint) -> None:
        middle = end.y() - _DOWN // 2 + 1
        start = QPoint(here.center().x(), here.bottom() + 3)
        points = [start, QPoint(start.x(), middle), QPoint(end.x(), middle), end]
        _paint_line(painter, points)


def _place(rows: Sequence[Sequence[FlowBoxButton]], top: int, width: int) -> int:
    """Place the boxes of a lane in rows and return where they end."""
    for row in rows:
        height = max(button.height_for(width) for button in row)
        for column, button in enumerate(row):
            left = _OUTSIDE + _PADDING + column * (width + _GAP)
            button.setGeometry(left, top, width, height)
        top += height + _DOWN
    return top - _DOWN


def _note_rect(lane: FlowLane, room: int) -> QRect:
    """Return the place of a note: behind the title of its lane, or below it where it is long."""
    title = QFontMetrics(scaled_font(1.0, bold=True))
    note = QFontMetrics(QApplication.font())
    left = title.horizontalAdvance(lane.title) + 2 * _PADDING
    if left + note.horizontalAdvance(lane.note) <= room:
        return QRect(left, title.ascent() - note.ascent(), room - left, note.height())
    high = note.boundingRect(QRect(0, 0, room, 10_000), _WRAP, lane.note).height()
    return QRect(0, title.height() + 1, room, high)


def _title_height(lane: FlowLane, room: int) -> int:
    title = QFontMetrics(scaled_font(1.0, bold=True)).height()
    return max(title, _note_rect(lane, room).bottom() + 1)


def _paint_line(painter: QPainter, points: Sequence[QPoint]) -> None:
    """Draw a line with the head of an arrow at its end."""
    end, before = points[-1], points[-2]
    painter.save()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygon(list(points)))
    painter.restore()
    if end.y() == before.y():
        wings = (QPoint(-_HEAD, -_HEAD + 1), QPoint(-_HEAD, _HEAD - 1))
    else:
        wings = (QPoint(-_HEAD + 1, -_HEAD), QPoint(_HEAD - 1, -_HEAD))
    painter.drawPolygon(QPolygon([end, *(end + wing for wing in wings)]))
