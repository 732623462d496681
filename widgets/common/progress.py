"""Progress panel: how far a task is, how long it will still take, and a button to cancel it."""

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgressView:
    """``fraction`` from 0 to 1, negative while unknown; ``left_s`` seconds left, negative while
    unknown; ``text`` what is going on.
    """

    text: str = ""
    fraction: float = -1.0
    left_s: float = -1.0
    can_cancel: bool = False


class ProgressPanel(LiveWidget):
    """One line: text, bar, percent and time left, cancel."""

    cancel_requested = Signal()

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{object_name}.panel")
        self._view = ProgressView()
        self._text = parts.label(self)
        self.bar = parts.progress_bar(self, object_name)
        self.bar.setRange(0, 1000)
        self.bar.setMinimumWidth(80)
        self._left = parts.label(self, role="muted")
        self.cancel = parts.tool_button(
            self, f"{object_name}.cancel", icon="close", clicked=self.cancel_requested
        )
        row = parts.row(self._text, margins=(0, 0, 0, 0), spacing=8, parent=self)
        row.addWidget(self.bar, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._left)
        row.addWidget(self.cancel)
        self.set_view(self._view)

    def set_view(self, view: ProgressView) -> None:
        """Show how far it is."""
        self._view = view
        is_known = view.fraction >= 0
        self.bar.setRange(0, 1000 if is_known else 0)
        if is_known:
            self.bar.setValue(round(min(1.0, view.fraction) * 1000))
        self._text.setText(view.text)
        self._text.setVisible(bool(view.text))
        self.cancel.setVisible(view.can_cancel)
        self.retranslate()

    @override
    def retranslate(self) -> None:
        view = self._view
        parts = [f"{min(1.0, view.fraction):.0%}"] if view.fraction >= 0 else []
        if view.left_s >= 0:
            parts.append(self.tr("{time} left").format(time=clock_text(view.left_s)))
        self._left.setText(self.tr(", ").join(parts))
        self.bar.setAccessibleName(view.text or self.tr("Progress"))
        self.bar.setAccessibleDescription(self._left.text())
        self.cancel.setToolTip(self.tr("Cancel"))
        self.cancel.setAccessibleName(self.tr("Cancel"))


def time_left(fraction: float, passed_s: float) -> float:
    """Return the seconds that a task still takes which came so far in ``passed_s``; negative while
    unknown.
    """
    return passed_s / fraction - passed_s if fraction > 0 else -1.0


def clock_text(seconds: float) -> str:
    """Return whole seconds as ``0:07``, ``4:05`` or ``2:03:04``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
