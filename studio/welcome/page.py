"""Welcome page: examples, recent projects, and a way to open another."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from studio.i18n import translate
from studio.welcome.gallery import Gallery
from widgets.common import parts
from widgets.common.icons import pixmap, set_icon
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, scaled_font, theme_signals

_MARGIN, _BETWEEN, _SIDE = 48, 36, 280


@dataclass(frozen=True, kw_only=True)
class RecentView:
    """One project that was open before."""

    path: Path
    name: str
    place: str


class WelcomePage(QScrollArea):
    """Requests only: which template, which recent project, another one, an empty one, an
    import, a model to fine-tune, the tour, a check of the installation.
    """

    template_chosen = Signal(str)
    recent_chosen = Signal(object)  # Path
    open_requested = Signal()
    new_requested = Signal()
    data_requested = Signal()
    import_requested = Signal()
    fine_tune_requested = Signal()
    tour_requested = Signal()
    check_requested = Signal()
    shown = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcome")
        self.setAccessibleName(translate("Welcome", "Welcome"))
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._content = parts.named(
            QWidget(self), "welcome.content", translate("Welcome", "Welcome")
        )
        self.gallery = Gallery(self._content)
        self.gallery.chosen.connect(self.template_chosen)
        self._recent_box = QVBoxLayout()
        self._recent_box.setSpacing(2)
        self._lay_out()
        self.setWidget(self._content)
        theme_signals().changed.connect(self._restyle)
        self._restyle()

    def set_recent(self, projects: Sequence[RecentView]) -> None:
        """Show the projects that were open before, newest first."""
        while (item := self._recent_box.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for index, view in enumerate(projects):
            button = parts.named(
                QPushButton(f"{view.name}\n{view.place}", self._content),
                f"welcome.recent.{index}",
                view.name,
                plain_tip(str(view.path)),
            )
            set_icon(button, "folder", "muted")
            button.clicked.connect(lambda _=False, path=view.path: self.recent_chosen.emit(path))
            button.setProperty("flat", "true")
            button.setProperty("list", "true")
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            self._recent_box.addWidget(button)
        if not projects:
            empty = parts.label(
                self._content,
                "welcome.recent.empty",
                text=translate("Welcome", "Projects that you open appear here."),
                wraps=True,
                role="muted",
            )
            self._recent_box.addWidget(empty)

    def _lay_out(self) -> None:
        self._logo = parts.label(self._content, "welcome.logo", text="", wraps=True)
        self._logo.setAccessibleName("Trellis")
        title = parts.label(self._content, "welcome.title", text="Trellis", wraps=True)
        title.setFont(scaled_font(2.0, bold=True))
        line = parts.label(
            self._content,
            "welcome.line",
            text=translate("Welcome", "Build a model, train it, inspect it, export the code."),
            role="muted",
        )
        line.setFont(scaled_font(1.1))
        names = parts.column(title, line, spacing=0)
        head = parts.row(self._logo, names, None, spacing=16)
        body = parts.row((self._examples(), 1), self._side(), spacing=_BETWEEN)
        parts.column(
            head, (body, 1), margins=(_MARGIN, 28, _MARGIN, 28), spacing=22, parent=self._content
        )

    def _examples(self) -> QVBoxLayout:
        left = QVBoxLayout()
        left.setSpacing(10)
        line = parts.row(
            (self._heading("welcome.begin", translate("Welcome", "Start with an example")), 1),
            self.gallery.field,
        )
        left.addLayout(line)
        left.addWidget(self.gallery, 1)
        return left

    def _side(self) -> QWidget:
        right = parts.column(
            self._heading("welcome.projects", translate("Welcome", "Your projects")), spacing=8
        )
        for name, icon_name, text, signal in (
            ("open", "open", translate("Welcome", "Open project…"), self.open_requested),
            ("new", "new", translate("Welcome", "New empty project…"), self.new_requested),
            ("data", "data", translate("Welcome", "Train on your data…"), self.data_requested),
            (
                "import",
                "download",
                translate("Welcome", "Import model…"),
                self.import_requested,
            ),
            (
                "fine_tune",
                "layers",
                translate("Welcome", "Fine-tune model…"),
                self.fine_tune_requested,
            ),
            ("tour", "help", translate("Welcome", "Take the tour"), self.tour_requested),
            (
                "check",
                "device",
                translate("Welcome", "Check installation"),
                self.check_requested,
            ),
        ):
            button = parts.button(
                self._content, f"welcome.{name}", text, icon=icon_name, clicked=signal
            )
            button.setProperty("list", "true")
            right.addWidget(button)
        right.addSpacing(10)
        right.addWidget(self._heading("welcome.recent", translate("Welcome", "Recent")))
        right.addLayout(self._recent_box)
        right.addStretch(1)
        side = parts.named(
            QWidget(self._content), "welcome.side", translate("Welcome", "Your projects")
        )
        side.setFixedWidth(_SIDE)
        side.setLayout(right)
        right.setContentsMargins(0, 0, 0, 0)
        return side

    def _heading(self, name: str, text: str) -> QLabel:
        label = parts.label(self._content, name, text=text, wraps=True)
        label.setFont(scaled_font(1.15, bold=True))
        return label

    @override
    def showEvent(self, arg__1: QShowEvent) -> None:
        super().showEvent(arg__1)
        self.shown.emit()

    @override
    def resizeEvent(self, arg__1: QResizeEvent) -> None:
        super().resizeEvent(arg__1)
        self.gallery.set_room(self.viewport().width() - 2 * _MARGIN - _SIDE - _BETWEEN)

    def _restyle(self) -> None:
        theme = current_theme()
        ratio = self.devicePixelRatioF()
        self._logo.setPixmap(pixmap("trellis", theme.accent, 56, ratio))
        self.setStyleSheet(
            f"#welcome, #welcome\\.content {{ background: {theme.surface}; }}"
            f'QPushButton[card="true"] {{ background: {theme.surface};'
            f" border: 1px solid {theme.border}; border-radius: 8px; }}"
            f'QPushButton[card="true"]:hover, QPushButton[card="true"]:focus'
            f" {{ border: 1px solid {theme.accent}; background: {theme.hover}; }}"
            f'QPushButton[list="true"] {{ text-align: left; padding: 6px 10px; }}'
            f'QPushButton[chip="true"] {{ border: 1px solid transparent; padding: 3px 9px;'
            f" border-radius: 8px; background: transparent; }}"
            f'QPushButton[chip="true"]:hover {{ background: {theme.hover}; }}'
            f'QPushButton[chip="true"]:focus {{ border: 1px solid {theme.accent}; }}'
            f'QPushButton[chip="true"]:checked {{ color: {theme.accent}; background: {theme.hover};'
            f" border: 1px solid {theme.accent}; }}"
        )
