"""Buttons in the corner of the canvas: zoom, fit, arrange, snap, minimap."""

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QToolButton, QWidget

from widgets.common import parts
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, text_scale, theme_signals

translate = QCoreApplication.translate

_ICONS = {
    "zoom_out": "zoom-out",
    "zoom_in": "zoom-in",
    "fit": "fit",
    "arrange": "wand",
    "snap": "grid",
    "minimap_shown": "map",
}


class ControlBar(QFrame):
    """Says which button was pressed; ``snap`` and ``minimap_shown`` are switches."""

    pressed = Signal(str)  # zoom_out, zoom_reset, zoom_in, fit or arrange
    switched = Signal(str, bool)  # snap or minimap_shown

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("canvas.controls")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        layout = parts.row(margins=(3, 3, 3, 3), spacing=1, parent=self)
        self._buttons: dict[str, QToolButton] = {}
        names = ("zoom_out", "zoom_reset", "zoom_in", "fit", "arrange", "snap", "minimap_shown")
        for name in names:
            button = parts.tool_button(self, f"canvas.{name}", icon=_ICONS.get(name, ""))
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            if name in ("snap", "minimap_shown"):
                button.setCheckable(True)
                button.setChecked(True)
                button.toggled.connect(lambda on, name=name: self.switched.emit(name, on))
            else:
                button.clicked.connect(lambda _=False, name=name: self.pressed.emit(name))
            layout.addWidget(button)
            self._buttons[name] = button
        self._buttons["zoom_reset"].setMinimumWidth(46)
        theme_signals().changed.connect(self._on_theme_changed)
        self.show_scale(1.0)
        self._on_theme_changed()
        self._retranslate()

    def show_scale(self, scale: float) -> None:
        """Write the zoom on its button."""
        self._buttons["zoom_reset"].setText(f"{round(scale * 100)} %")

    def set_switch(self, name: str, *, on: bool) -> None:
        """Set a switch."""
        self._buttons[name].setChecked(on)

    def is_on(self, name: str) -> bool:
        """Return whether a switch is on."""
        return self._buttons[name].isChecked()

    def changeEvent(self, event: QEvent) -> None:
        """Say everything anew in another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _on_theme_changed(self) -> None:
        theme = current_theme()
        pixels = round(11 * text_scale())
        for button in self._buttons.values():
            button.setIconSize(QSize(16, 16) * text_scale())
        self.setStyleSheet(
            f"ControlBar {{ background: {theme.raised}; border: 1px solid {theme.border};"
            " border-radius: 7px; }"
            f" QToolButton {{ color: {theme.muted}; font-size: {pixels}px; }}"
        )

    def _retranslate(self) -> None:
        self.setAccessibleName(translate("Canvas", "Canvas view"))
        tips = {
            "zoom_out": translate("Canvas", "Zoom out (Ctrl+-)"),
            "zoom_reset": translate("Canvas", "Actual size (1)"),
            "zoom_in": translate("Canvas", "Zoom in (Ctrl++)"),
            "fit": translate("Canvas", "Zoom to fit (Ctrl+0)"),
            "arrange": translate("Canvas", "Arrange nodes (Ctrl+L)"),
            "snap": translate("Canvas", "Snap to grid (G; hold Alt while dragging to disable)"),
            "minimap_shown": translate("Canvas", "Minimap (M)"),
        }
        for name, tip in tips.items():
            self._buttons[name].setToolTip(plain_tip(tip))
            self._buttons[name].setAccessibleName(tip)
