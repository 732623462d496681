"""Controller of the dialog with the columns of a table."""

from engine.diagnostics import Diagnostic
from engine.query.data.request import ListTableColumns
from engine.spec.table import TableColumns
from studio.data.columns.choice import ColumnChoice, chosen_before, with_kind, with_role
from studio.data.columns.dialog import ColumnsDialog
from studio.data.columns.presenter import present_columns
from studio.i18n import translate
from studio.services import Controller, Services
from studio.view.reading import present_reading
from widgets.common.progress import ProgressView


class ColumnsController(Controller):
    """Asks for the columns, and takes what is said of them over as one step of undo."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, services.window)
        self._services = services
        self._dialog: ColumnsDialog | None = None
        self._before = self._choice = ColumnChoice()
        self._is_waiting = self._is_said = False
        services.reading.changed.connect(self._show_reading)

    def show(self) -> None:
        """Show the columns of the table that is chosen."""
        if self._dialog is not None:
            self._dialog.bring_to_front()
            return
        dialog = self._dialog = ColumnsDialog(self._window)
        dialog.columns.kind_chosen.connect(self._say_kind)
        dialog.columns.role_chosen.connect(
            lambda name, role: self._take(with_role(self._choice, name, role))
        )
        dialog.apply_requested.connect(self._apply)
        dialog.cancel_reading_requested.connect(
            lambda: self._services.reading.give_up(ListTableColumns)
        )
        dialog.finished.connect(self._on_closed)
        self._before = self._choice = ColumnChoice()
        self._is_waiting, self._is_said = True, False
        self._show_reading()
        dialog.bring_to_front()
        self._services.handover.deliver(
            self._services.host.request(ListTableColumns(source=self._session.spec.data.source)),
            lambda future: self._on_columns(future.result()),
            self._on_failed,
            is_wanted=lambda: self._dialog is dialog,
        )

    def _on_closed(self) -> None:
        self._dialog = None
        if self._is_waiting:
            self._services.reading.give_up(ListTableColumns)

    def _on_columns(self, columns: TableColumns) -> None:
        assert self._dialog is not None
        self._is_waiting = False
        self._before = chosen_before(columns.proposed, columns.used)
        self._take(self._before)
        self._dialog.show_problem(self._words(columns.problems))
        self._show_reading()

    def _on_failed(self, problems: tuple[Diagnostic, ...]) -> None:
        assert self._dialog is not None
        self._is_waiting = False
        self._dialog.show_problem(self._words(problems))
        self._show_reading()

    def _say_kind(self, name: str, kind: str) -> None:
        self._is_said = True  # also of what is read so already: many classes have to be said
        self._take(with_kind(self._choice, name, kind))

    def _take(self, choice: ColumnChoice) -> None:
        self._choice = choice
        if self._dialog is not None:
            is_changed = self._is_said or choice != self._before
            self._dialog.set_columns(present_columns(choice), is_changed=is_changed)

    def _show_reading(self) -> None:
        if self._dialog is None:
            return
        progress = self._services.reading.now(ListTableColumns)
        shown = None if progress is None else present_reading(progress)
        if shown is None and self._is_waiting:
            shown = ProgressView(text=translate("DataColumns", "Reading the columns…"))
        self._dialog.set_progress(shown)

    def _apply(self) -> None:
        values = {f"data.source.{name}": text for name, text in self._choice.params().items()}
        # What was named as inputs is among what is not ignored now.
        self._services.editor.set_all(
            {**values, "data.source.inputs": ""}, translate("DataColumns", "Choose columns")
        )
        if self._dialog is not None:
            self._dialog.accept()
