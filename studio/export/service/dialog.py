"""Dialog in which a run is served."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.i18n import translate
from studio.run_choice.bar import RunChoice
from studio.window.dialog.job_dialog import JobDialog
from widgets.common import parts
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData


class ServeDialog(JobDialog):
    """Stays open beside the window as long as the run is served."""

    start_requested = Signal()
    open_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        text = translate(
            "Serve",
            "Answers predictions over HTTP on this machine, with a page to try the model in a "
            "browser. It ends with this dialog.",
        )
        super().__init__(
            parent,
            "dialog.serve",
            translate("Serve", "Serve model"),
            text,
            translate("Serve", "Start"),
            size=(680, 420),
            note=translate("Serve", "Status"),
        )
        self._cancel.setText(translate("Serve", "Stop"))
        self.choice = RunChoice("dialog.serve", self)
        self._address = parts.line_edit(self, "dialog.serve.address", translate("Serve", "Address"))
        self._address.setReadOnly(True)
        self._address.setPlaceholderText(
            translate("Serve", "The address stands here once the service runs.")
        )
        self._browse = parts.button(
            self, "dialog.serve.open", translate("Serve", "Open in browser"), icon="external"
        )
        self._browse.clicked.connect(self.open_requested)
        self._start.clicked.connect(self.start_requested)
        self._requests = TableView("dialog.serve.requests", self)
        self._requests.setAccessibleName(translate("Serve", "Requests"))
        self._lay_out()
        self.set_running(is_running=False)

    def _lay_out(self) -> None:
        parts.column(
            self._text,
            parts.row(self.choice, None),
            parts.row((self._address, 1), self._browse),
            self._bar,
            self._note,
            (self._requests, 1),
            parts.row(None, self._close, self._cancel, self._start),
            margins=(16, 14, 16, 12),
            spacing=8,
            parent=self,
        )

    @property
    def address(self) -> str:
        """Where it answers; empty while it does not."""
        return self._address.text()

    def set_address(self, address: str) -> None:
        """Show where it answers (empty: it does not)."""
        self._address.setText(address)
        self._browse.setEnabled(bool(address))
        self._bar.setVisible(self._cancel.isEnabled() and not address)
        if address:
            self._browse.setFocus()

    def set_running(self, *, is_running: bool) -> None:
        """Show whether it is served; which run, can be chosen before."""
        super().set_running(is_running=is_running)
        self.choice.setEnabled(not is_running)
        self.set_address("")

    def set_startable(self, *, is_startable: bool) -> None:
        """Say whether there is something to serve."""
        self._start.setEnabled(is_startable and not self._cancel.isEnabled())

    def set_requests(self, table: TableData) -> None:
        """Show the latest requests."""
        self._requests.set_data(table)
