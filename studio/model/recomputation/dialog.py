"""Dialog that tells what recomputing activations saves before it is done."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts


class RecomputationDialog(Dialog):
    """``confirmed`` tells that the activations shall be recomputed; Escape leaves all as it is."""

    confirmed = Signal()

    def __init__(self, parent: QWidget, text: str) -> None:
        title = translate("Recomputation", "Recompute in backward pass")
        super().__init__(parent, "dialog.recompute", title, is_modal=True)
        about = parts.label(self, "dialog.recompute.text", text=text, wraps=True)
        about.setMinimumWidth(420)
        self._saving = parts.label(
            self, "dialog.recompute.saving", translate("Recomputation", "Saving"), wraps=True
        )
        cancel = parts.button(
            self, "dialog.recompute.cancel", translate("Dialog", "Cancel"), clicked=self.reject
        )
        apply = parts.button(
            self,
            "dialog.recompute.apply",
            translate("Recomputation", "Recompute"),
            is_primary=True,
            clicked=self._apply,
        )
        apply.setDefault(True)
        parts.column(
            about,
            self._saving,
            parts.row(None, cancel, apply),
            margins=(20, 18, 20, 16),
            spacing=14,
            parent=self,
        )
        self.set_saving(translate("Recomputation", "Estimating memory and time…"))

    def set_saving(self, text: str) -> None:
        """Show what is saved, in sentences."""
        self._saving.setText(text)
        self.adjustSize()

    def _apply(self) -> None:
        self.accept()
        self.confirmed.emit()
