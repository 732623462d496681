"""Bar above the canvas with the paints of the brush."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QWidget,
)
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme
from widgets.forms.rate_box import RateBox

translate = QCoreApplication.translate

_DOT = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class PaintView:
    """One paint: ``key`` names it in signals, ``color`` is a mark of the theme (empty: none)."""

    key: int
    title: str
    help: str
    color: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class BrushView:
    """What the bar shows. ``rate`` is the learning rate of the chosen paint, None where it has none
    of its own; ``summary`` says what comes of it all.
    """

    paints: tuple[PaintView, ...] = ()
    chosen: int = 0
    rate: float | None = None
    can_paint: bool = False
    summary: str = ""


class BrushBar(LiveWidget):
    """Says which paint was chosen and which rate typed; can ask for the selection to be painted."""

    chosen = Signal(int)
    rate_changed = Signal(float)
    selection_requested = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("brush")
        self._view = BrushView()
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(self._on_clicked)
        self._paints = QWidget(self)
        self._paints.setObjectName("brush.paints")
        self._row = parts.row(None, margins=(0, 0, 0, 0), spacing=2, parent=self._paints)
        self._area = self._build_area()
        self._rate_label = parts.label(self, role="muted")
        self.rate = RateBox("brush.rate", "", "", self)
        self.rate.valueChanged.connect(self.rate_changed)
        self._selection = parts.tool_button(
            self, "brush.selection", clicked=self.selection_requested
        )
        self._summary = parts.label(self, "brush.summary", role="muted", wraps=True)
        self._summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._close = parts.tool_button(self, "brush.close", icon="close", clicked=self.closed)
        self._lay_out()
        self.hide()
        self.retranslate()

    def _build_area(self) -> QScrollArea:
        area = QScrollArea(self)
        area.setObjectName("brush.area")
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self._paints)
        return area

    def _lay_out(self) -> None:
        above, below = QHBoxLayout(), QHBoxLayout()
        above.addWidget(self._area, 1)
        above.addWidget(self._close)
        below.setSpacing(6)
        below.addWidget(self._selection)
        below.addWidget(self._summary, 1)
        below.addWidget(self._rate_label)
        below.addWidget(self.rate)
        parts.column(above, below, margins=(8, 3, 8, 4), spacing=3, parent=self)

    def set_view(self, view: BrushView) -> None:
        """Show other paints, or another choice."""
        if view.paints != self._view.paints:
            self._show_paints(view.paints)
        self._view = view
        if button := self._group.button(_id(view.chosen)):
            button.setChecked(True)
            self._area.ensureWidgetVisible(button)
        with QSignalBlocker(self.rate):
            self.rate.setValue(view.rate or self.rate.minimum())
        for widget in (self._rate_label, self.rate):
            widget.setVisible(view.rate is not None)
        self._selection.setEnabled(view.can_paint)
        self._summary.setText(view.summary)
        self._summary.setToolTip(plain_tip(view.summary))
        self._summary.setAccessibleName(view.summary)

    def _show_paints(self, paints: Sequence[PaintView]) -> None:
        for old in self._group.buttons():
            self._group.removeButton(old)
            old.setParent(None)  # at once: another one takes its name
            old.deleteLater()
        for paint in paints:
            button = parts.tool_button(
                self._paints, f"brush.paint.{paint.key}", paint.title, tip=paint.help
            )
            button.setText(paint.title)
            button.setIcon(_dot(paint.color))
            button.setCheckable(True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._group.addButton(button, _id(paint.key))
            self._row.insertWidget(self._row.count() - 1, button)
        heights = [button.sizeHint().height() for button in self._group.buttons()]
        self._area.setFixedHeight(max(heights, default=0))

    def _on_clicked(self, number: int) -> None:
        self.chosen.emit(number - 1)

    @override
    def restyle(self) -> None:
        paints, self._view = self._view.paints, BrushView()
        self._show_paints(paints)

    @override
    def retranslate(self) -> None:
        self.setAccessibleName(translate("Brush", "Freeze brush"))
        self._paints.setAccessibleName(translate("Brush", "Paints"))
        self._area.setAccessibleName(translate("Brush", "Paints"))
        self._rate_label.setText(translate("Brush", "Learning rate"))
        self.rate.setAccessibleName(translate("Brush", "Learning rate of the selected paint"))
        self.rate.setToolTip(
            plain_tip(
                translate(
                    "Brush",
                    "The learning rate of layers with this paint. Frozen layers do not learn.",
                )
            )
        )
        self._selection.setText(translate("Brush", "Paint the selection"))
        self._selection.setAccessibleName(translate("Brush", "Paint the selection"))
        self._selection.setToolTip(translate("Brush", "Apply this paint to the selected layers."))
        self._close.setAccessibleName(translate("Brush", "Exit freeze brush"))
        self._close.setToolTip(translate("Brush", "Exit freeze brush (Esc on the canvas)"))


def _id(key: int) -> int:
    """Return the number of a button: a group of buttons takes negative ones for none."""
    return key + 1


def _dot(color: str) -> QIcon:
    picture = QPixmap(2 * _DOT, 2 * _DOT)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    theme = current_theme()
    painter.setPen(QColor(theme.strong_border))
    painter.setBrush(QColor(theme.mark(color) or theme.surface))
    painter.drawEllipse(1, 1, 2 * _DOT - 3, 2 * _DOT - 3)
    painter.end()
    return QIcon(picture)
