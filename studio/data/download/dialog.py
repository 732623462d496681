"""Dialog that downloads a data set into a folder."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget
from typing_extensions import override

from studio.i18n import labelled, translate
from studio.window.dialog.job_dialog import JobDialog
from widgets.common import parts
from widgets.common.text import plain_tip


class DownloadDialog(JobDialog):
    """Stays open beside the form. ``start_requested`` tells the folder."""

    start_requested = Signal(str)

    def __init__(self, parent: QWidget, folder: str) -> None:
        title = translate("Download", "Download data set")
        start = translate("Download", "Download")
        super().__init__(parent, "dialog.download", title, "", start, size=(620, 240))
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
        self._lay_out()
        self._folder.textChanged.connect(lambda: self.set_running(is_running=False))
        self.set_running(is_running=False)

    def _lay_out(self) -> None:
        self._start.clicked.connect(lambda: self.start_requested.emit(self.folder))
        self._start.setDefault(True)
        label = parts.label(
            self, "dialog.download.folder.label", text=translate("Download", "Folder")
        )
        parts.column(
            self._text,
            parts.row(label, (self._folder, 1), self._browse),
            self._bar,
            (self._note, 1),
            parts.row(None, self._start, self._cancel, self._close),
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
        self._text.show()

    @override
    def set_running(self, *, is_running: bool) -> None:
        super().set_running(is_running=is_running)
        self._folder.setEnabled(not is_running)
        self._browse.setEnabled(not is_running)
        self._start.setEnabled(not is_running and bool(self.folder))

    def _ask_folder(self) -> None:
        title = translate("Download", "Folder to download into")
        chosen = QFileDialog.getExistingDirectory(self, title, self.folder)
        if chosen:
            self._folder.setText(chosen)
