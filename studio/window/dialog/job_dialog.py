"""Base of the dialogs in which a job is started: how far it is, and the buttons."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts


class JobDialog(Dialog):
    """Stays open beside the window, with a text that says what is done, a bar and a note that say
    how far it is, and buttons to ``start``, cancel and close. A subclass lays them out.
    """

    cancel_requested = Signal()

    def __init__(
        self,
        parent: QWidget,
        name: str,
        title: str,
        text: str,
        start: str,
        *,
        size: tuple[int, int],
        note: str = "",
    ) -> None:
        super().__init__(parent, name, title, size=size)
        self._text = parts.label(self, f"{name}.text", title, text, wraps=True)
        self._text.setVisible(bool(text))
        self._bar = parts.progress_bar(self, f"{name}.progress", translate("Dialog", "Progress"))
        told = note or translate("Dialog", "Result")
        self._note = parts.label(self, f"{name}.note", told, wraps=True)
        self._start = self._button("start", start, is_primary=True)
        self._cancel = self._button("cancel", translate("Dialog", "Cancel"))
        self._cancel.clicked.connect(self.cancel_requested)
        self._close = self._button("close", translate("Dialog", "Close"))
        self._close.clicked.connect(self.accept)

    def _button(self, name: str, text: str, *, is_primary: bool = False) -> QPushButton:
        return parts.button(self, f"{self.objectName()}.{name}", text, is_primary=is_primary)

    def set_running(self, *, is_running: bool) -> None:
        """Show whether the job goes on."""
        self._start.setEnabled(not is_running)
        self._cancel.setEnabled(is_running)
        self._bar.setVisible(is_running)

    def set_progress(self, text: str, done: int, count: int) -> None:
        """Say how far it is; ``count`` 0: it is not known yet how much there is."""
        self._bar.setRange(0, count)
        self._bar.setValue(done)
        self._note.setText(text)
