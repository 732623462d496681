"""The controls that play a recorded backward pass, call by call."""

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSlider, QToolButton, QWidget

from studio.i18n import translate
from widgets.common import parts
from widgets.common.elided_label import ElidedLabel
from widgets.common.icons import set_icon

SPEEDS = (1, 4, 15, 60)
"""Calls a second."""


class PlaybackBar(QWidget):
    """Tells what was pressed; ``position_chosen`` is a number of calls that have been made."""

    played = Signal(bool)
    position_chosen = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("backward.bar")
        self.setAccessibleName(translate("Autograd", "Play backward pass"))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 4)
        row.setSpacing(6)
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
        self._make_pace()
        self.close_button = self._button(
            "close",
            "close",
            translate("Autograd", "Exit playback and show the captured graph"),
            self.closed.emit,
        )
        self.now = ElidedLabel(self)
        self.now.setObjectName("backward.now")
        self.now.setAccessibleName(translate("Autograd", "Last call"))
        self.now.setProperty("role", "muted")
        for widget in (self.play, self.back, self.forward):
            row.addWidget(widget)
        row.addWidget(self.scrubber, 1)
        row.addWidget(self.speed)
        row.addWidget(self.now, 2)
        row.addWidget(self.close_button)
        self.set_calls(0, 0)
        self.show_now("", is_open=False)

    def _make_pace(self) -> None:
        self.scrubber = QSlider(Qt.Orientation.Horizontal, self)
        self.scrubber.setObjectName("backward.scrubber")
        tip = translate("Autograd", "Calls made by the autograd engine")
        self.scrubber.setAccessibleName(tip)
        self.scrubber.setToolTip(tip)
        self.scrubber.setMinimumWidth(140)
        self.scrubber.valueChanged.connect(self.position_chosen)
        self.speed = QComboBox(self)
        self.speed.setObjectName("backward.speed")
        self.speed.setAccessibleName(translate("Autograd", "Speed"))
        self.speed.setToolTip(translate("Autograd", "Calls per second during playback"))
        for speed in SPEEDS:
            self.speed.addItem(translate("Autograd", "{count} / s").format(count=speed), speed)
        self.speed.setCurrentIndex(1)

    def set_calls(self, count: int, position: int) -> None:
        """Offer that many calls, with some of them made; without any there is nothing to play."""
        with QSignalBlocker(self.scrubber):
            self.scrubber.setMaximum(count)
            self.scrubber.setValue(position)
        self.setEnabled(count > 0)

    def set_playing(self, *, on: bool) -> None:
        """Show that it plays, or rests."""
        self.play.setChecked(on)
        set_icon(self.play, "pause" if on else "play")
        text = translate("Autograd", "Pause") if on else translate("Autograd", "Play backward")
        self.play.setText(text)

    def show_now(self, text: str, *, is_open: bool) -> None:
        """Tell of the call that was made last; ``is_open`` while a pass is looked at."""
        self.now.setText(text)
        self.close_button.setVisible(is_open)
        self.back.setEnabled(is_open and self.scrubber.value() > 0)
        self.forward.setEnabled(self.scrubber.value() < self.scrubber.maximum())

    def _move(self, by: int) -> None:
        self.position_chosen.emit(self.scrubber.value() + by)

    def _button(self, name: str, icon: str, tip: str, press: Callable[[], object]) -> QToolButton:
        return parts.tool_button(
            self, f"backward.{name}", tip, icon=icon, role="text", clicked=press
        )
