"""Asks for a whole number, such as how many classes there are; it never blocks the program."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from studio.window.dialog.part import answer_row, dialog_button, dialog_label
from widgets.common.plain_label import PlainLabel

_MOST = 1_000_000


class NumberDialog(QDialog):
    """One number with a sentence about it. ``chosen`` tells it; Escape leaves all as it is."""

    chosen = Signal(int)

    def __init__(
        self, parent: QWidget, name: str, *, title: str, text: str, label: str, value: int
    ) -> None:
        super().__init__(parent)
        self.setObjectName(f"dialog.{name}")
        self.setAccessibleName(title)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        words = dialog_label(self, f"dialog.{name}.text", text)
        words.setText(text)
        words.setMinimumWidth(380)
        self.number = QSpinBox(self)
        self.number.setObjectName(f"dialog.{name}.number")
        self.number.setAccessibleName(label)
        self.number.setRange(1, _MOST)
        self.number.setValue(value)
        self.number.selectAll()
        field = QHBoxLayout()
        field.addWidget(PlainLabel(label, self))
        field.addWidget(self.number, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(14)
        column.addWidget(words)
        column.addLayout(field)
        column.addLayout(self._buttons(name))
        self.number.setFocus()

    def _buttons(self, name: str) -> QHBoxLayout:
        cancel = dialog_button(self, f"dialog.{name}.cancel", translate("Dialog", "Cancel"))
        cancel.clicked.connect(self.reject)
        apply = dialog_button(self, f"dialog.{name}.apply", translate("Dialog", "Change"))
        apply.setDefault(True)
        apply.clicked.connect(self._apply)
        return answer_row(cancel, apply)

    def _apply(self) -> None:
        self.number.interpretText()
        self.accept()
        self.chosen.emit(self.number.value())
