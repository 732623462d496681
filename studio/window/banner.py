"""Banners across the window that stay until they are dealt with: what happened and what to do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QWidget,
)

from studio.i18n import translate
from widgets.common import parts
from widgets.common.icons import pixmap
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, theme_signals

BannerAction = tuple[str, Callable[[], object]]
"""The text of a button, and what it does."""


@dataclass(frozen=True, kw_only=True)
class BannerView:
    """One banner; ``actions`` are button texts with what they do. ``key`` tells banners apart."""

    key: str
    text: str
    severity: Literal["error", "warning", "hint", "success"] = "warning"
    detail: str = ""
    actions: tuple[BannerAction, ...] = ()


class BannerBar(QFrame):
    """Shows what waits for the user, a line each, the newest on top. A banner takes the place of an
    earlier one with its key, and of no other: an offer of unsaved work stays until it is answered.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.setAccessibleName(translate("Notification", "Notification"))
        self._lines: dict[str, _Line] = {}
        self._column = parts.column(margins=(0, 0, 0, 0), spacing=0, parent=self)
        self.hide()

    @property
    def view(self) -> BannerView | None:
        """The newest of the banners that are shown, if there is one."""
        return next(reversed(self._lines.values())).view if self._lines else None

    def show_banner(self, view: BannerView) -> None:
        """Show a banner, on top."""
        self._remove(view.key)
        line = _Line(view, self)
        line.closed.connect(lambda: self.dismiss(view.key))
        self._lines[view.key] = line
        self._column.insertWidget(0, line)
        self.show()

    def dismiss(self, key: str | None = None) -> None:
        """Take the banner with a key away, or all of them."""
        for each in list(self._lines) if key is None else [key]:
            self._remove(each)
        self.setVisible(bool(self._lines))

    def _remove(self, key: str) -> None:
        line = self._lines.pop(key, None)
        if line is not None:
            line.hide()
            self._column.removeWidget(line)
            line.deleteLater()


class _Line(QFrame):
    """One banner. ``closed`` says that it was closed or answered."""

    closed = Signal()

    def __init__(self, view: BannerView, parent: QWidget) -> None:
        super().__init__(parent)
        self.view = view
        self.setObjectName("notice.line")
        self.setAccessibleName(translate("Notification", "Notification"))
        self._icon = parts.label(
            self, "notice.icon", translate("Notification", "Notification type")
        )
        text = parts.label(
            self, "notice.text", translate("Notification", "Notification"), view.text, wraps=True
        )
        text.setToolTip(plain_tip(view.detail))
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = parts.row(self._icon, (text, 1), margins=(12, 6, 8, 6), spacing=8, parent=self)
        for index, (words, callback) in enumerate(view.actions):
            button = parts.button(self, f"notice.action{index}", words)
            button.clicked.connect(lambda _=False, do=callback: self._act(do))
            row.addWidget(button)
        close = parts.tool_button(
            self,
            "notice.close",
            translate("Notification", "Dismiss"),
            icon="close",
            role="text",
            clicked=self.closed,
        )
        row.addWidget(close)
        theme_signals().changed.connect(self._restyle)
        self._restyle()

    def _act(self, callback: Callable[[], object]) -> None:
        self.closed.emit()
        callback()

    def _restyle(self) -> None:
        theme = current_theme()
        severity = self.view.severity
        ground = {"error": theme.error_soft, "warning": theme.warning_soft}.get(
            severity, theme.accent_soft
        )
        self.setStyleSheet(
            f"_Line {{ background: {ground}; border-bottom: 1px solid {theme.border}; }}"
        )
        color = theme.severity(severity)
        self._icon.setPixmap(pixmap(severity, color, 18, self.devicePixelRatioF()))
