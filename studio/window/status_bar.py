"""Status bar: device, size of the model, memory, the run, the problems."""

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QToolButton, QWidget

from studio.i18n import translate
from widgets.common import parts
from widgets.common.icons import set_icon
from widgets.common.plain_label import PlainLabel
from widgets.common.text import plain_tip


@dataclass(frozen=True, kw_only=True)
class StatusView:
    """What the status bar shows; an empty text hides its place. ``progress`` is per mille."""

    device: str = ""
    device_help: str = ""
    parameters: str = ""
    memory: str = ""
    memory_help: str = ""
    run: str = ""
    progress: int = 0
    watching: str = ""
    watching_help: str = ""
    problems: str = ""
    worst: str = "success"


_SHOWN_MS = 6000  # a sentence, before the problems are seen again


class StatusBar(QStatusBar):
    """Facts about model and run; a click on the run or the problems goes there."""

    run_clicked = Signal()
    problems_clicked = Signal()
    trust_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("status")
        self.setAccessibleName(translate("Status", "Status"))
        self.setSizeGripEnabled(False)
        self._problems = self._button("status.problems", translate("Status", "Problems"))
        self._problems.setToolTip(translate("Status", "Show problems"))
        self._problems.clicked.connect(self.problems_clicked)
        self._trust = self._button("status.trust", translate("Status", "Code restricted"))
        self._trust.setText(translate("Status", "Restricted"))
        self._trust.setToolTip(
            plain_tip(
                translate(
                    "Status",
                    "The custom code of this project does not run. Click to review and trust it.",
                )
            )
        )
        set_icon(self._trust, "lock", "warning")
        self._trust.clicked.connect(self.trust_clicked)
        self._run = self._button("status.run", translate("Status", "Current run"))
        self._run.setToolTip(translate("Status", "Show run"))
        self._run.clicked.connect(self.run_clicked)
        self._progress = parts.named(
            QProgressBar(self), "status.progress", translate("Status", "Run progress")
        )
        self._progress.setRange(0, 1000)
        self._progress.setFixedWidth(120)
        self._progress.setTextVisible(False)
        self._progress.setMaximumHeight(8)
        self._watching = self._label("status.watching", translate("Status", "Monitoring overhead"))
        self._memory = self._label("status.memory", translate("Status", "Memory estimate"))
        self._parameters = self._label("status.parameters", translate("Status", "Parameters"))
        self._device = self._label("status.device", translate("Status", "Device"))
        self.addWidget(self._problems)
        self.addWidget(self._trust)
        for widget in (
            self._run,
            self._progress,
            self._watching,
            self._memory,
            self._parameters,
            self._device,
        ):
            self.addPermanentWidget(widget)
        self._view: StatusView | None = None
        self._wanted = {self._problems: True, self._trust: False}
        self.messageChanged.connect(self._show_left)
        self.set_view(StatusView())

    def set_restricted(self, *, is_restricted: bool) -> None:
        """Say whether the project holds code that does not run."""
        self._wanted[self._trust] = is_restricted
        self._show_left()

    def set_view(self, view: StatusView) -> None:
        """Show facts."""
        if view == self._view:
            return
        self._view = view
        for label, text, tip in (
            (self._device, view.device, view.device_help),
            (self._parameters, view.parameters, ""),
            (self._memory, view.memory, view.memory_help),
            (self._watching, view.watching, view.watching_help),
        ):
            label.setText(text)
            label.setVisible(bool(text))
            if tip:
                label.setToolTip(plain_tip(tip))
        self._run.setText(view.run)
        self._run.setVisible(bool(view.run))
        self._progress.setVisible(bool(view.run))
        self._progress.setValue(view.progress)
        self._problems.setText(view.problems)
        self._wanted[self._problems] = bool(view.problems)
        self._show_left()
        set_icon(self._problems, view.worst)

    def say(self, text: str) -> None:
        """Show a sentence for a while where the problems stand; an empty one ends it."""
        self.showMessage(text, _SHOWN_MS)

    def _show_left(self) -> None:
        """Show what stands where a message is written, unless one is."""
        for button, is_wanted in self._wanted.items():
            button.setVisible(is_wanted and not self.currentMessage())

    def _label(self, name: str, accessible: str) -> QLabel:
        label = parts.named(PlainLabel(self), name, accessible, accessible)
        label.setContentsMargins(6, 0, 6, 0)
        return label

    def _button(self, name: str, accessible: str) -> QToolButton:
        from PySide6.QtCore import Qt

        button = parts.tool_button(self, name, accessible)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        return button
