"""What the inspector has for a node of own code: to its file, and whether its gradients fit."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from studio.i18n import translate
from widgets.common.icons import set_icon
from widgets.common.plain_label import PlainLabel
from widgets.common.theme import current_theme, theme_signals


class OwnPanel(QFrame):
    """Two buttons and the answer of the last check; hidden for other nodes."""

    open_requested = Signal()
    check_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector.own")
        self.setAccessibleName(translate("Gradient", "Own code"))
        self._severity = ""
        self._open = self._button(
            "inspector.own.open",
            "code",
            translate("Gradient", "Open the code"),
            translate("Gradient", "Open the file at the definition (F12)"),
        )
        self._check = self._button(
            "inspector.own.check",
            "check",
            translate("Gradient", "Check gradients"),
            translate(
                "Gradient",
                "Compare the backward pass with what small steps of each input show, in double "
                "precision, on random numbers of the sizes that arrive.",
            ),
        )
        self._answer = PlainLabel(self)
        self._answer.setObjectName("inspector.own.answer")
        self._answer.setAccessibleName(translate("Gradient", "Answer of the check"))
        self._answer.setWordWrap(True)
        self._answer.setTextFormat(Qt.TextFormat.PlainText)
        self._answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._open)
        row.addWidget(self._check)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self._answer)
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

    def _button(self, name: str, icon_name: str, text: str, tip: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(name)
        button.setAccessibleName(text)
        button.setToolTip(tip)
        set_icon(button, icon_name, "muted")
        return button
