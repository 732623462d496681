"""List of the steps of a dialog, each with what is chosen in it so far: one is open."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.icons import pixmap
from widgets.common.live_widget import LiveWidget
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, scaled_font

_MARGIN, _MARK = 10, 20
_WIDTH = 270


@dataclass(frozen=True, kw_only=True, slots=True)
class StepView:
    """One step: its title, with the letter that opens it, and what is chosen in it; ``problem``
    says what is wrong with that.
    """

    key: str
    title: str
    chosen: str = ""
    problem: str = ""


class StepList(LiveWidget):
    """Shows :class:`StepView`s below one another; the arrow keys go from one to the next."""

    opened = Signal(str)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._group = QButtonGroup(self)
        self._steps: dict[str, _Step] = {}
        self._column = parts.column(margins=(0, 0, 0, 0), spacing=2, parent=self)
        self._column.addStretch(1)

    def set_steps(self, views: Sequence[StepView]) -> None:
        """Show these steps; the first is open where none was."""
        for number, view in enumerate(views):
            step = self._steps.get(view.key)
            if step is None:
                step = self._steps[view.key] = _Step(number + 1, self)
                step.setObjectName(f"{self.objectName()}.{view.key}")
                step.toggled.connect(
                    lambda is_on, key=view.key: self.opened.emit(key) if is_on else None
                )
                self._group.addButton(step)
                self._column.insertWidget(number, step)
                step.setChecked(number == 0)
            step.set_view(view)

    def open(self, key: str) -> None:
        """Open a step."""
        self._steps[key].setChecked(True)

    def current(self) -> str:
        """Return the key of the step that is open; empty without steps."""
        return next((key for key, step in self._steps.items() if step.isChecked()), "")

    @override
    def restyle(self) -> None:
        for step in self._steps.values():
            step.update()


class _Step(QAbstractButton):
    """One step, painted: its number, its title, and below it what is chosen or wrong."""

    def __init__(self, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._number = number
        self._view = StepView(key="", title="")
        self.setCheckable(True)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def set_view(self, view: StepView) -> None:
        """Show a step."""
        self._view = view
        self.setText(view.title)
        said = view.problem or view.chosen
        self.setAccessibleName(view.title.replace("&", ""))
        self.setAccessibleDescription(said)
        self.setToolTip(plain_tip(said) if said else "")
        self.update()

    @override
    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, 2 * self.fontMetrics().height() + 2 * _MARGIN)

    @override
    def paintEvent(self, e: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self.rect().adjusted(1, 1, -1, -1)
        if self.isChecked() or self.underMouse():
            painter.setBrush(QColor(theme.accent_soft if self.isChecked() else theme.hover))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(box, 6, 6)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.accent), 1))
            painter.drawRoundedRect(box, 6, 6)
        self._paint_mark(painter, QRect(_MARGIN, _MARGIN, _MARK, _MARK))
        left = 2 * _MARGIN + _MARK
        height = self.fontMetrics().height()
        line = QRect(left, _MARGIN - 2, self.width() - left - _MARGIN, height + 4)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(QColor(theme.text))
        painter.setFont(scaled_font(1.0, bold=True))
        painter.drawText(line, middle | Qt.TextFlag.TextShowMnemonic, self.text())
        painter.setFont(scaled_font(0.92))
        wrong = self._view.problem
        painter.setPen(QColor(theme.error if wrong else theme.muted))
        said = painter.fontMetrics().elidedText(
            wrong or self._view.chosen, Qt.TextElideMode.ElideRight, line.width()
        )
        painter.drawText(line.translated(0, height + 1), middle, said)
        painter.end()

    def _paint_mark(self, painter: QPainter, place: QRect) -> None:
        """Paint the number of the step, or that something is wrong with it."""
        theme = current_theme()
        if self._view.problem:
            mark = pixmap("error", theme.error, _MARK, self.devicePixelRatioF())
            painter.drawPixmap(place.topLeft(), mark)
            return
        is_done = bool(self._view.chosen)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.accent if is_done else theme.sunken))
        painter.drawEllipse(place)
        painter.setPen(QColor(theme.on_accent if is_done else theme.muted))
        painter.setFont(scaled_font(0.92, bold=True))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(self._number))
