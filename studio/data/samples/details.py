"""Panel of one sample: its picture, what stands in all its columns, its texts in full."""

from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QFormLayout, QFrame, QPlainTextEdit, QScrollArea, QWidget
from typing_extensions import override

from studio.i18n import translate
from widgets.common import parts
from widgets.common.theme import scaled_font
from widgets.images.overlay import overlaid
from widgets.images.view_model import ImageView

_WIDTH = 220
_TALLEST_TEXT = 220


@dataclass(frozen=True, kw_only=True)
class DetailsView:
    """One sample in full. ``pictures`` and ``texts`` have the names of their fields; ``problem``
    says why something is missing.
    """

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    pictures: tuple[tuple[str, ImageView], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    problem: str = ""
    has_file: bool = False
    is_played: bool = False


class DetailsPanel(QWidget):
    """Shows a :class:`DetailsView`; the buttons are about its file."""

    close_requested = Signal()
    copy_path_requested = Signal()
    show_file_requested = Signal()
    play_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setMinimumWidth(_WIDTH)
        parts.named(self, "data.details", translate("Samples", "Details of the sample"))
        self.title = parts.label(self, "data.details.title")
        self.title.setFont(scaled_font(1.05, bold=True))
        close = parts.tool_button(
            self,
            "data.details.close",
            translate("Samples", "Close the details"),
            icon="close",
            clicked=self.close_requested,
        )
        self.copy_path = parts.tool_button(
            self,
            "data.details.copy",
            translate("Samples", "Copy path"),
            icon="copy",
            clicked=self.copy_path_requested,
        )
        self.show_file = parts.tool_button(
            self,
            "data.details.folder",
            translate("Samples", "Show in the file manager"),
            icon="folder",
            clicked=self.show_file_requested,
        )
        self.play = parts.tool_button(
            self,
            "data.details.play",
            translate("Samples", "Play in the system's program"),
            icon="play",
            clicked=self.play_requested,
        )
        head = parts.row(
            (self.title, 1), self.play, self.copy_path, self.show_file, close, margins=(12, 8, 8, 4)
        )
        self._area = QScrollArea(self)
        parts.named(self._area, "data.details.area", translate("Samples", "Details of the sample"))
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        parts.column(head, (self._area, 1), margins=(0, 0, 0, 0), spacing=0, parent=self)

    def set_view(self, view: DetailsView) -> None:
        """Show a sample; the place in a long one goes back to its beginning."""
        self.title.setText(view.title)
        for button in (self.copy_path, self.show_file):
            button.setVisible(view.has_file)
        self.play.setVisible(view.is_played)
        inner = QWidget()
        column = parts.column(margins=(12, 4, 12, 12), spacing=8, parent=inner)
        if view.problem:
            column.addWidget(
                parts.label(inner, "data.details.problem", text=view.problem, wraps=True)
            )
        for name, picture in view.pictures:
            if len(view.pictures) > 1:
                column.addWidget(parts.label(inner, text=name, role="muted"))
            column.addWidget(_Picture(name, picture, inner))
        for name, text in view.texts:
            column.addWidget(parts.label(inner, text=name, role="muted"))
            column.addWidget(_text(inner, name, text))
        column.addLayout(_facts(inner, view.facts))
        column.addStretch(1)
        self._area.setWidget(inner)


class _Picture(QWidget):
    """A picture as wide as there is room, with square pixels where it is small."""

    def __init__(self, name: str, view: ImageView, parent: QWidget) -> None:
        super().__init__(parent)
        parts.named(self, f"data.details.picture.{name}", name)
        self._pixmap = QPixmap.fromImage(overlaid(view, has_names=True))
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @override
    def sizeHint(self) -> QSize:
        return QSize(_WIDTH - 40, self.heightForWidth(_WIDTH - 40))

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, arg__1: int) -> int:
        return max(1, arg__1 * self._pixmap.height() // max(self._pixmap.width(), 1))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        size = self._pixmap.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        is_smooth = self._pixmap.width() > 64 or self._pixmap.width() > size.width()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, is_smooth)
        painter.drawPixmap(QRect(self.rect().topLeft(), size), self._pixmap)
        painter.end()


def _text(parent: QWidget, name: str, text: str) -> QPlainTextEdit:
    shown = QPlainTextEdit(text, parent)
    parts.named(shown, f"data.details.text.{name}", name)
    shown.setReadOnly(True)
    shown.setFrameShape(QFrame.Shape.NoFrame)
    lines = len(text) // 40 + text.count("\n") + 2
    shown.setFixedHeight(min(lines * shown.fontMetrics().lineSpacing() + 12, _TALLEST_TEXT))
    return shown


def _facts(parent: QWidget, facts: tuple[tuple[str, str], ...]) -> QFormLayout:
    layout = QFormLayout()
    layout.setContentsMargins(0, 4, 0, 0)
    layout.setVerticalSpacing(3)
    layout.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
    for at, (name, text) in enumerate(facts):
        label, value = parts.fact(parent, f"data.details.fact{at}", name, text)
        value.setWordWrap(True)
        layout.addRow(label, value)
    return layout
