"""Dialog that asks for a whole number; it never blocks the program."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSpinBox,
    QWidget,
)

from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.plain_label import PlainLabel

_MOST = 1_000_000


class NumberDialog(Dialog):
    """One number within ``limits`` with a sentence about it. ``chosen`` tells it, once the button
    with the ``verb`` (empty: to change) is pressed; Escape leaves all as it is.
    """

    chosen = Signal(int)

    def __init__(
        self,
        parent: QWidget,
        name: str,
        *,
        title: str,
        text: str,
        label: str,
        value: int,
        limits: tuple[int, int] = (1, _MOST),
        verb: str = "",
    ) -> None:
        super().__init__(parent, f"dialog.{name}", title, is_modal=True)
        words = parts.label(self, f"dialog.{name}.text", text=text, wraps=True)
        words.setMinimumWidth(380)
        self.number = parts.named(QSpinBox(self), f"dialog.{name}.number", label)
        self.number.setRange(*limits)
        self.number.setValue(value)
        self.number.selectAll()
        field = parts.row(PlainLabel(label, self), (self.number, 1))
        parts.column(
            words,
            field,
            self._buttons(name, verb),
            margins=(20, 18, 20, 16),
            spacing=14,
            parent=self,
        )
        self.number.setFocus()

    def _buttons(self, name: str, verb: str) -> QHBoxLayout:
        cancel = parts.button(
            self, f"dialog.{name}.cancel", translate("Dialog", "Cancel"), clicked=self.reject
        )
        apply = parts.button(
            self, f"dialog.{name}.apply", verb or translate("Dialog", "Change"), clicked=self._apply
        )
        apply.setDefault(True)
        return parts.row(None, cancel, apply)

    def _apply(self) -> None:
        self.number.interpretText()
        self.accept()
        self.chosen.emit(self.number.value())
