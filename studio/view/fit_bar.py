"""Bar that says what does not go together, with buttons that repair it or go there."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from studio.i18n import translate
from studio.view.fit import FitView
from widgets.common import parts
from widgets.common.icons import pixmap
from widgets.common.theme import current_theme, theme_signals

_ICON = 16


class FitBar(QFrame):
    """Shows a :class:`FitView`; nothing to be seen while all goes together."""

    fix_requested = Signal(object)  # Diagnostic
    place_requested = Signal(object)  # Diagnostic
    locate_requested = Signal(str)
    again_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = FitView()
        self.setObjectName("data.fit")
        self.setAccessibleName(translate("Data", "Mismatches with the model"))
        self._icon = parts.label(self, "data.fit.icon", self.accessibleName())
        self._text = parts.label(self, "data.fit.text", wraps=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._fix = parts.button(
            self,
            "data.fit.fix",
            clicked=lambda: self.fix_requested.emit(self._view.problem),
        )
        self._locate = parts.button(
            self,
            "data.fit.locate",
            translate("Data", "Locate…"),
            icon="open",
            tip=translate("Data", "Choose where the data are now; Undo goes back to the old path"),
            clicked=lambda: self.locate_requested.emit(self._view.lost),
        )
        self._again = parts.button(
            self,
            "data.fit.again",
            translate("Reading", "Read again"),
            icon="refresh",
            clicked=self.again_requested,
        )
        self._places = [parts.button(self, f"data.fit.place{index}") for index in range(2)]
        for index, button in enumerate(self._places):
            button.clicked.connect(lambda _=False, at=index: self._go(at))
        parts.row(
            self._icon,
            (self._text, 1),
            self._fix,
            self._locate,
            self._again,
            *self._places,
            margins=(12, 6, 8, 6),
            spacing=8,
            parent=self,
        )
        theme_signals().changed.connect(self._restyle)
        self.set_view(self._view)

    @property
    def view(self) -> FitView:
        """What is shown."""
        return self._view

    def set_view(self, view: FitView) -> None:
        """Show what does not go together."""
        self._view = view
        text = view.text
        if view.more:
            text += " " + translate("Data", "({count} more in the Problems panel)").format(
                count=view.more
            )
        self._text.setText(text)
        self._text.setAccessibleName(text or self.accessibleName())
        self._show(self._fix, view.fix)
        self._locate.setVisible(bool(view.lost))
        self._again.setVisible(view.was_canceled)
        titles = [title for title, _ in view.places] + ["", ""]
        for button, title in zip(self._places, titles, strict=False):
            self._show(button, title)
        self.setVisible(bool(view.text))
        self._restyle()

    def _go(self, index: int) -> None:
        if index < len(self._view.places):
            self.place_requested.emit(self._view.places[index][1])

    def _show(self, button: QPushButton, text: str) -> None:
        button.setText(text)
        button.setAccessibleName(text or self.accessibleName())
        button.setVisible(bool(text))

    def _restyle(self) -> None:
        theme = current_theme()
        is_error = self._view.severity == "error"
        color = theme.error if is_error else theme.warning
        soft = theme.error_soft if is_error else theme.warning_soft
        self._icon.setPixmap(
            pixmap("error" if is_error else "warning", color, _ICON, self.devicePixelRatioF())
        )
        self.setStyleSheet(f"FitBar {{ background: {soft}; }}")
