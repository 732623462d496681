"""A window that slides over a grid: by itself, by a slider, or to where the pointer is."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QSlider, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.icons import set_icon
from widgets.common.live_widget import LiveWidget
from widgets.common.theme import mono_font
from widgets.images.sliding_window import WindowView
from widgets.images.window_grid import WindowGrid

_EVERY_MS = 350


class WindowPicture(LiveWidget):
    """Shows a :class:`WindowView` with its controls and how the number of cells is computed."""

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._view: WindowView | None = None
        self.grid = WindowGrid(f"{object_name}.grid", self)
        self.grid.position_pointed.connect(self._on_pointed)
        self.play = parts.tool_button(self, f"{object_name}.play")
        self.play.setCheckable(True)
        self.play.toggled.connect(self._on_played)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setObjectName(f"{object_name}.place")
        self.slider.valueChanged.connect(self.grid.set_position)
        self.lines = parts.label(self, f"{object_name}.lines", wraps=True)
        self.lines.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._go_on)
        self._lay_out()
        self.retranslate()
        self.restyle()

    def set_view(self, view: WindowView | None) -> None:
        """Show a window; the one that is shown stays where it is."""
        if view == self._view:
            return
        self._view = view
        self.play.setChecked(False)
        if view is not None:
            self.grid.set_view(view)
            self.slider.setMaximum(self.grid.count() - 1)
            self.slider.setValue(0)
            self.lines.setText("\n".join(view.lines))

    def _lay_out(self) -> None:
        row = parts.row(self.play, (self.slider, 1))
        parts.column(
            self.lines, row, (self.grid, 1), margins=(10, 8, 10, 8), spacing=8, parent=self
        )

    def _on_pointed(self, position: int) -> None:
        self.play.setChecked(False)
        self.slider.setValue(position)

    def _on_played(self, is_on: bool) -> None:
        set_icon(self.play, "pause" if is_on else "play")
        if is_on:
            self._timer.start()
        else:
            self._timer.stop()

    def _go_on(self) -> None:
        self.slider.setValue((self.slider.value() + 1) % self.grid.count())

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        self.play.setChecked(False)
        super().hideEvent(event)

    @override
    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Kernel animation"))
        self.play.setAccessibleName(self.tr("Slide kernel"))
        self.play.setToolTip(self.tr("Slide the kernel over the input"))
        self.slider.setAccessibleName(self.tr("Kernel position"))
        self.slider.setToolTip(self.tr("Kernel position; you can also point at the small grid"))
        self.lines.setAccessibleName(self.tr("Output size formula"))

    @override
    def restyle(self) -> None:
        set_icon(self.play, "pause" if self.play.isChecked() else "play")
        self.lines.setFont(mono_font())
