"""Panel of the inspector for a node of custom code: open its file, check its gradients."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from studio.i18n import translate
from widgets.common import parts
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, theme_signals


class CustomPanel(QFrame):
    """Two buttons and the answer of the last check; hidden for other nodes."""

    open_requested = Signal()
    check_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector.own")
        self.setAccessibleName(translate("Gradient", "Custom code"))
        self._severity = ""
        self._open = parts.button(
            self,
            "inspector.own.open",
            translate("Gradient", "Open the code"),
            icon="code",
            role="muted",
            tip=translate("Gradient", "Open the file at the definition (F12)"),
        )
        self._check = parts.button(
            self,
            "inspector.own.check",
            translate("Gradient", "Check gradients"),
            icon="check",
            role="muted",
        )
        self._check.setToolTip(
            plain_tip(
                translate(
                    "Gradient",
                    "Compare the backward pass with finite differences in double precision, on "
                    "random inputs of the same sizes.",
                )
            )
        )
        self._answer = parts.label(
            self, "inspector.own.answer", translate("Gradient", "Check result"), wraps=True
        )
        self._answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = parts.row(self._open, self._check, None, margins=(0, 0, 0, 0))
        parts.column(row, self._answer, margins=(0, 2, 0, 2), spacing=4, parent=self)
        self._open.clicked.connect(self.open_requested)
        self._check.clicked.connect(self.check_requested)
        theme_signals().changed.connect(self._restyle)
        self.set_answer("")
        self.hide()

    def set_busy(self) -> None:
        """Say that the answer is being computed."""
        self.set_answer(translate("Gradient", "Checking…"), "hint")
        self._check.setEnabled(False)

    def set_answer(self, text: str, severity: str = "hint") -> None:
        """Show an answer; empty: there is none (any more)."""
        self._severity = severity
        self._check.setEnabled(True)
        self._answer.setText(text)
        self._answer.setVisible(bool(text))
        self._restyle()

    def _restyle(self) -> None:
        theme = current_theme()
        is_plain = self._severity == "hint"
        color = theme.muted if is_plain else theme.severity(self._severity)
        self._answer.setStyleSheet(f"color: {color};")
