"""Controller of the log: what the program reports and what the run reports and prints, live."""

from pathlib import Path

from studio.i18n import translate
from studio.log.presenter import present_events, present_printed
from studio.process.desktop import open_text, show_folder
from studio.services import Controller, Services
from widgets.tables.log_view import LogView


class LogController(Controller):
    """Glue between the log and the run that is followed. Its file is read by the thread that
    follows the run; here lines only pass through.
    """

    def __init__(self, services: Services, view: LogView) -> None:
        super().__init__(services, view)
        self._view = view
        view.open_requested.connect(self.open_file)
        view.reveal_requested.connect(self.reveal)
        self._session.run_changed.connect(self._on_run_changed)
        self._paint()

    def open_file(self) -> None:
        """Open the log file of the run in the system's program for texts."""
        path = self._path()
        if path is not None and path.is_file():
            open_text(path)
        elif path is not None:
            text = translate("Log", "The run has no log file because it has not printed anything.")
            self._notifications.tell(text, "hint")

    def reveal(self) -> None:
        """Show the folder of the run, where its log file is."""
        path = self._path()
        if path is not None:
            show_folder(path.parent)

    def _path(self) -> Path | None:
        update = self._session.run
        return None if update is None else update.folder.log_path

    def _on_run_changed(self) -> None:
        update = self._session.run
        if update is not None:
            lines = present_events(update.events, self._language())
            lines += present_printed(update.printed)
            self._notifications.log_run(str(update.folder.path), lines)
        self._paint()

    def _paint(self) -> None:
        self._view.set_file(is_there=self._session.run is not None)
