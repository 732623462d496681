"""The controls that play a recorded backward pass, call by call."""

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QSlider, QToolButton, QWidget

from studio.i18n import translate
from studio.inspect.graph.state import PlaybackState
from widgets.common import parts
from widgets.common.elided_label import ElidedLabel
from widgets.common.icons import set_icon

SPEEDS = (1, 4, 15, 60)
"""Calls a second."""


class PlaybackBar(QWidget):
    """Tells what was pressed; ``position_chosen`` is a number of calls that have been made,
    ``speed_chosen`` one of calls a second.
    """

    played = Signal(bool)
    position_chosen = Signal(int)
    speed_chosen = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        parts.named(self, "backward.bar", translate("Autograd", "Play backward pass"))
        self.play = self._button(
            "play",
            "play",
            translate("Autograd", "Play the backward pass in the recorded order"),
            lambda: self.played.emit(self.play.isChecked()),
        )
        self.play.setCheckable(True)
        self.play.setText(translate("Autograd", "Play backward"))
        self.play.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.back = self._button(
            "back", "chevron-left", translate("Autograd", "Previous call"), lambda: self._move(-1)
        )
        self.forward = self._button(
            "forward", "chevron-right", translate("Autograd", "Next call"), lambda: self._move(1)
        )
        self._build_speed()
        self.close_button = self._button(
            "close",
            "close",
            translate("Autograd", "Exit playback and show the captured graph"),
            self.closed.emit,
        )
        title = translate("Autograd", "Last call")
        self.now = parts.named(ElidedLabel(self), "backward.now", title)
        self.now.setProperty("role", "muted")
        items = (self.play, self.back, self.forward, (self.scrubber, 1), self.speed)
        more = ((self.now, 2), self.close_button)
        parts.row(*items, *more, margins=(12, 0, 12, 4), spacing=6, parent=self)
        self.set_view(PlaybackState())

    def _build_speed(self) -> None:
        title = translate("Autograd", "Calls made by the autograd engine")
        slider = QSlider(Qt.Orientation.Horizontal, self)
        self.scrubber = parts.named(slider, "backward.scrubber", title, title)
        self.scrubber.setMinimumWidth(140)
        self.scrubber.valueChanged.connect(self.position_chosen)
        self.speed = parts.combo(
            self,
            "backward.speed",
            translate("Autograd", "Speed"),
            translate("Autograd", "Calls per second during playback"),
        )
        for speed in SPEEDS:
            self.speed.addItem(translate("Autograd", "{count} / s").format(count=speed), speed)
        self.speed.setCurrentIndex(1)
        self.speed.currentIndexChanged.connect(
            lambda _: self.speed_chosen.emit(self.speed.currentData())
        )

    def set_view(self, state: PlaybackState) -> None:
        """Show how far a pass is; without calls there is nothing to play."""
        position = max(state.position, 0)
        with QSignalBlocker(self.scrubber):
            self.scrubber.setMaximum(state.count)
            self.scrubber.setValue(position)
        self.setEnabled(state.count > 0)
        self.play.setChecked(state.is_playing)
        set_icon(self.play, "pause" if state.is_playing else "play")
        pause, play = translate("Autograd", "Pause"), translate("Autograd", "Play backward")
        self.play.setText(pause if state.is_playing else play)
        self.now.setText(state.text)
        self.close_button.setVisible(state.is_open)
        self.back.setEnabled(state.is_open and position > 0)
        self.forward.setEnabled(position < state.count)

    def _move(self, by: int) -> None:
        self.position_chosen.emit(self.scrubber.value() + by)

    def _button(self, name: str, icon: str, tip: str, press: Callable[[], object]) -> QToolButton:
        return parts.tool_button(
            self, f"backward.{name}", tip, icon=icon, role="text", clicked=press
        )
