"""Dialog that downloads a data set into a folder."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from studio.i18n import labelled, translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.text import plain_tip


class DownloadDialog(Dialog):
    """Stays open beside the form. ``start_requested`` tells the folder."""

    start_requested = Signal(str)
    cancel_requested = Signal()

    def __init__(self, parent: QWidget, folder: str) -> None:
        title = translate("Download", "Download data set")
        super().__init__(parent, "dialog.download", title, size=(620, 240))
        self._text = parts.label(self, "dialog.download.text", title, wraps=True)
        self._folder = parts.line_edit(
            self, "dialog.download.folder", translate("Download", "Folder"), folder
        )
        self._folder.setToolTip(
            plain_tip(
                translate(
                    "Download",
                    "The folder that the data set is downloaded into, laid out as torchvision "
                    "does: "
                    "one folder can hold several data sets, and other programs find them there",
                )
            )
        )
        self._browse = parts.button(
            self,
            "dialog.download.browse",
            translate("Download", "Browse…"),
            clicked=self._ask_folder,
        )
        self._bar = parts.progress_bar(
            self, "dialog.download.progress", translate("Download", "Progress")
        )
        self._note = parts.label(
            self, "dialog.download.note", translate("Download", "Result"), wraps=True
        )
        self._lay_out()
        self._folder.textChanged.connect(lambda: self.set_running(is_running=False))
        self.set_running(is_running=False)

    def _lay_out(self) -> None:
        self._start = parts.button(
            self,
            "dialog.download.start",
            translate("Download", "Download"),
            clicked=lambda: self.start_requested.emit(self.folder),
        )
        self._start.setDefault(True)
        self._cancel = parts.button(
            self,
            "dialog.download.cancel",
            translate("Dialog", "Cancel"),
            clicked=self.cancel_requested.emit,
        )
        close = parts.button(
            self, "dialog.download.close", translate("Dialog", "Close"), clicked=self.reject
        )
        label = parts.label(
            self, "dialog.download.folder.label", text=translate("Download", "Folder")
        )
        parts.column(
            self._text,
            parts.row(label, (self._folder, 1), self._browse),
            self._bar,
            (self._note, 1),
            parts.row(None, self._start, self._cancel, close),
            margins=(16, 14, 16, 12),
            spacing=10,
            parent=self,
        )

    @property
    def folder(self) -> str:
        """Where the data set goes."""
        return self._folder.text().strip()

    def set_text(self, name: str, text: str) -> None:
        """Say what is downloaded."""
        self._text.setText(labelled(name, text))

    def set_running(self, *, is_running: bool) -> None:
        """Show whether something is being downloaded."""
        self._folder.setEnabled(not is_running)
        self._browse.setEnabled(not is_running)
        self._start.setEnabled(not is_running and bool(self.folder))
        self._cancel.setEnabled(is_running)
        self._bar.setVisible(is_running)

    def set_progress(self, text: str, done: int, total: int) -> None:
        """Say what is being done; ``total`` 0: it is not known how much there is."""
        self._bar.setRange(0, total)
        self._bar.setValue(done)
        self._note.setText(text)

    def set_note(self, text: str) -> None:
        """Say what came of it."""
        self._note.setText(text)

    def _ask_folder(self) -> None:
        title = translate("Download", "Folder to download into")
        chosen = QFileDialog.getExistingDirectory(self, title, self.folder)
        if chosen:
            self._folder.setText(chosen)
