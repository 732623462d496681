"""Strip of the stages of a sample: pictures side by side, with what is known of each below it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.icons import pixmap
from widgets.common.live_widget import LiveWidget
from widgets.common.plain_label import PlainLabel
from widgets.common.theme import current_theme, mono_font, scaled_font
from widgets.images.overlay import overlaid
from widgets.images.pixels import fitted
from widgets.images.view_model import StageView

_SMALLEST, _LARGEST = 72, 300  # pixels a side of a picture
_ERROR_WIDTH = 250
_MARGIN = 8
_GAP = 4  # between the pictures of a card
_ARROW = 14


class StageStrip(QScrollArea):
    """Shows :class:`StageView`s from left to right. ``stage_chosen`` gives the key of one that is
    clicked, ``repair_requested`` that of the one whose button is pressed.
    """

    stage_chosen = Signal(str)
    repair_requested = Signal(str)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setProperty("frameless", "true")
        self.setWidgetResizable(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._content = QWidget()
        self._content.setProperty("role", "surface")
        self._content.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._row = parts.row(margins=(12, 8, 12, 8), spacing=6, parent=self._content)
        self._row.addStretch(1)
        self._cards: list[_Card] = []
        self._arrows: list[_Arrow] = []
        self._count = 0
        self._is_sequence = True
        self._led_to = ""
        self.setWidget(self._content)

    def set_stages(
        self, stages: Sequence[StageView], current: str = "", *, is_sequence: bool = True
    ) -> None:
        """Show stages, the one with the key ``current`` marked; with arrows where each comes from
        the one before.
        """
        self._count, self._is_sequence = len(stages), is_sequence
        while len(self._cards) < len(stages):
            self._add_card()
        for index, card in enumerate(self._cards):
            card.setVisible(index < len(stages))
            self._arrows[index].setVisible(is_sequence and 0 < index < len(stages))
            if index < len(stages):
                card.set_view(stages[index], is_current=current == stages[index].key != "")
        self._fit()
        key = next((stage.key for stage in stages if stage.error), current)
        if key != self._led_to:
            self._led_to = key
            QTimer.singleShot(0, self, self._lead)  # once the cards are where they belong

    @property
    def cards(self) -> tuple["_Card", ...]:
        """The cards that are shown, from left to right."""
        return tuple(self._cards[: self._count])

    def _lead(self) -> None:
        """Bring the stage that fails, or the marked one, into view."""
        for card in self.cards:
            if card.view.key == self._led_to != "":
                self.ensureWidgetVisible(card)

    def _add_card(self) -> None:
        index = len(self._cards)
        card = _Card(f"{self.objectName()}.{index}", self._content)
        card.clicked.connect(self.stage_chosen)
        card.repair_requested.connect(self.repair_requested)
        arrow = _Arrow(self._content)
        self._row.insertWidget(2 * index, arrow, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.insertWidget(2 * index + 1, card)
        self._cards.append(card)
        self._arrows.append(arrow)

    def _fit(self) -> None:
        """Make the pictures as high as there is room, and those of a batch all be seen."""
        bar = self.horizontalScrollBar().sizeHint().height()
        margins = self._row.contentsMargins()
        room = self.height() - margins.top() - margins.bottom() - bar - 2
        most = _LARGEST if self._is_sequence else min(_LARGEST, self._share())
        for card in self.cards:
            card.set_side(max(_SMALLEST, min(most, room - card.text_height())))

    def _share(self) -> int:
        """Return how wide each picture may be where all cards stand beside each other."""
        margins = self._row.contentsMargins()
        pictures = sum(max(1, len(card.view.images)) for card in self.cards)
        around = margins.left() + margins.right() + self._count * self._row.spacing()
        around += 2 * _MARGIN * self._count + _GAP * (pictures - self._count)
        return (self.viewport().width() - around) // max(1, pictures)

    @override
    def resizeEvent(self, arg__1: QResizeEvent) -> None:
        super().resizeEvent(arg__1)
        self._fit()

    @override
    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._fit()
        super().changeEvent(event)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(200, _SMALLEST + 130)

    @override
    def sizeHint(self) -> QSize:
        return QSize(640, 250)


class _Arrow(LiveWidget):
    """The arrow from a stage to the next."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._label = PlainLabel(self)
        parts.row(self._label, margins=(0, 0, 0, 0), parent=self)
        self.restyle()

    @override
    def restyle(self) -> None:
        color = current_theme().faint
        self._label.setPixmap(pixmap("arrow-right", color, _ARROW, self.devicePixelRatioF()))


class _Card(QFrame):
    """One stage."""

    clicked = Signal(str)
    repair_requested = Signal(str)

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.view = StageView(key="", title="")
        self._is_current = False
        self._images: list[QImage] = []
        self.setObjectName(name)
        self.title = parts.label(self, f"{name}.title")
        self.title.setFont(scaled_font(1.0, bold=True))
        self._pictures: list[PlainLabel] = []
        self._row = parts.row(spacing=_GAP)
        self._lines = parts.label(self, f"{name}.lines", role="muted")
        self._lines.setFont(mono_font())
        self.error = parts.label(self, f"{name}.error", role="error", wraps=True)
        self.repair = parts.button(
            self, f"{name}.repair", clicked=lambda: self.repair_requested.emit(self.view.key)
        )
        margins = (_MARGIN, _MARGIN - 2, _MARGIN, _MARGIN - 2)
        items = (self.title, self._row, self.error, self.repair, self._lines)
        parts.column(*items, margins=margins, spacing=4, parent=self).addStretch(1)

    def set_view(self, view: StageView, *, is_current: bool) -> None:
        """Show a stage."""
        self.view = view
        self._is_current = is_current
        self.title.setText(view.title)
        self._images = [overlaid(image) for image in view.images]
        while len(self._pictures) < len(view.images):
            picture = parts.label(self, f"{self.objectName()}.picture{len(self._pictures)}")
            picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self._pictures.append(picture)
            self._row.addWidget(picture)
        for index, picture in enumerate(self._pictures):
            picture.setVisible(index < len(view.images))
            if index < len(view.images):
                picture.setAccessibleName(view.images[index].label or view.title)
        self._lines.setText("\n".join(view.lines))
        self._lines.setVisible(bool(view.lines))
        self.error.setText(view.error)
        self.error.setVisible(bool(view.error))
        self.error.setFixedWidth(_ERROR_WIDTH)
        self.repair.setText(view.repair)
        self.repair.setAccessibleName(view.repair or view.title)
        self.repair.setVisible(bool(view.repair))
        self.setAccessibleName(" ".join((view.title, *view.lines, view.error)))
        self.update()

    def set_side(self, side: int) -> None:
        """Draw the pictures in a square of so many pixels."""
        for picture, image in zip(self._pictures, self._images, strict=False):
            picture.setPixmap(fitted(image, side))
            picture.setMinimumWidth(min(side, 96))
            picture.setFixedHeight(side)

    def text_height(self) -> int:
        """Return how many pixels a card is higher than its pictures."""
        lines = self.view.lines
        metrics = self._lines.fontMetrics()
        return self.title.sizeHint().height() + metrics.lineSpacing() * len(lines) + 4 * _MARGIN

    @override
    def paintEvent(self, arg__1: QPaintEvent) -> None:
        theme = current_theme()
        edge = (
            theme.error if self.view.error else theme.accent if self._is_current else theme.border
        )
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(theme.raised))
        painter.setPen(QPen(QColor(edge), 2 if self._is_current else 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
        painter.end()

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(
            event.position().toPoint()
        ):
            self.clicked.emit(self.view.key)
