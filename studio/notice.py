"""A line across the window that stays until it is dealt with: what happened and what to do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from studio.i18n import translate
from widgets.common.icons import pixmap, set_icon
from widgets.common.theme import current_theme, theme_signals


@dataclass(frozen=True, kw_only=True)
class NoticeView:
    """One notice; ``actions`` are button texts with what they do. ``key`` tells notices apart."""

    key: str
    text: str
    severity: Literal["error", "warning", "hint", "success"] = "warning"
    detail: str = ""
    actions: tuple[tuple[str, Callable[[], object]], ...] = ()


class NoticeBar(QFrame):
    """Shows one notice at a time; a new one takes the place of the old."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.setAccessibleName(translate("Notice", "Notice"))
        self._view: NoticeView | None = None
        self._icon = QLabel(self)
        self._icon.setObjectName("notice.icon")
        self._icon.setAccessibleName(translate("Notice", "Kind of notice"))
        self._text = QLabel(self)
        self._text.setObjectName("notice.text")
        self._text.setAccessibleName(translate("Notice", "Notice"))
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._buttons: list[QPushButton] = []
        self._close = QToolButton(self)
        self._close.setObjectName("notice.close")
        self._close.setAccessibleName(translate("Notice", "Close this notice"))
        self._close.setToolTip(translate("Notice", "Close this notice"))
        set_icon(self._close, "close")
        self._close.clicked.connect(self._on_close)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 6, 8, 6)
        self._row.setSpacing(8)
        self._row.addWidget(self._icon)
        self._row.addWidget(self._text, 1)
        self._row.addWidget(self._close)
        theme_signals().changed.connect(self._restyle)
        self.hide()

    @property
    def view(self) -> NoticeView | None:
        """The notice that is shown, if there is one."""
        return self._view

    def show_notice(self, view: NoticeView) -> None:
        """Show a notice in place of the one before."""
        self._view = view
        self._text.setText(view.text)
        self._text.setToolTip(view.detail)
        for button in self._buttons:
            self._row.removeWidget(button)
            button.deleteLater()
        self._buttons = []
        for index, (text, callback) in enumerate(view.actions):
            button = QPushButton(text, self)
            button.setObjectName(f"notice.action{index}")
            button.setAccessibleName(text)
            button.clicked.connect(lambda _=False, do=callback: self._act(do))
            self._row.insertWidget(2 + index, button)
            self._buttons.append(button)
        self._restyle()
        self.show()

    def dismiss(self, key: str | None = None) -> None:
        """Take the notice away (with a key: only when it is that one)."""
        if self._view is not None and key in (None, self._view.key):
            self._view = None
            self.hide()

    def _on_close(self) -> None:
        self.dismiss()

    def _act(self, callback: Callable[[], object]) -> None:
        self.dismiss()
        callback()

    def _restyle(self) -> None:
        if self._view is None:
            return
        theme = current_theme()
        severity = self._view.severity
        ground = {"error": theme.error_soft, "warning": theme.warning_soft}.get(
            severity, theme.accent_soft
        )
        self.setStyleSheet(
            f"#notice {{ background: {ground}; border-bottom: 1px solid {theme.border}; }}"
        )
        color = theme.severity(severity)
        self._icon.setPixmap(pixmap(severity, color, 18, self.devicePixelRatioF()))
