"""Files that the sample whose details are shown was read from, and what can be done with them."""

from pathlib import Path

from PySide6.QtWidgets import QApplication

from studio.data.samples.page import SamplesPage
from studio.i18n import translate
from studio.process.desktop import open_media, show_folder
from studio.services import Controller, Services


class SampleFiles(Controller):
    """Glue between the buttons of the details and the desktop; ``files`` are absolute paths."""

    def __init__(self, services: Services, page: SamplesPage) -> None:
        super().__init__(services, page)
        self.files: tuple[str, ...] = ()
        page.details.copy_path_requested.connect(self._copy_paths)
        page.details.show_file_requested.connect(self._show_folder)
        page.details.play_requested.connect(self._play)

    def _copy_paths(self) -> None:
        QApplication.clipboard().setText("\n".join(self.files))

    def _show_folder(self) -> None:
        if self.files:
            show_folder(Path(self.files[0]).parent)

    def _play(self) -> None:
        if self.files and not open_media(Path(self.files[0])):
            text = translate("Samples", "“{name}” could not be opened by another program.")
            self._notifications.tell(text.format(name=Path(self.files[0]).name), "error")
