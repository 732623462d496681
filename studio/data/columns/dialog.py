"""Dialog with the columns of the table that is chosen: kind and role of each."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.data.columns.column_list import ColumnList
from studio.data.columns.presenter import ColumnRow
from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.progress import ProgressPanel, ProgressView

_SIZE = (780, 520)


class ColumnsDialog(Dialog):
    """Shows the columns; nothing is changed before ``apply_requested``."""

    apply_requested = Signal()
    cancel_reading_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        title = translate("DataColumns", "Columns of the table")
        super().__init__(parent, "dialog.columns", title, size=_SIZE, is_modal=True)
        about = parts.label(
            self,
            text=translate(
                "DataColumns",
                "What each column is and what it is used for. Several numbers can be predicted "
                "together. The file stays as it is.",
            ),
            role="muted",
            wraps=True,
        )
        self.columns = ColumnList(self)
        self._problem = parts.label(
            self, "dialog.columns.problem", translate("DataProject", "Problem"), role="error",
            wraps=True,
        )  # fmt: skip
        self._problem.hide()
        self.progress = ProgressPanel("dialog.columns.progress", self)
        self.progress.cancel_requested.connect(self.cancel_reading_requested)
        self._apply = parts.button(
            self,
            "dialog.columns.apply",
            translate("DataColumns", "Apply"),
            tip=translate("DataColumns", "Use the columns so; one step of undo"),
            is_primary=True,
            clicked=self.apply_requested.emit,
        )
        cancel = parts.button(
            self, "dialog.columns.cancel", translate("Dialog", "Cancel"), clicked=self.reject
        )
        parts.column(
            about,
            (self.columns, 1),
            self._problem,
            self.progress,
            parts.row(None, cancel, self._apply),
            margins=(16, 14, 16, 12),
            spacing=8,
            parent=self,
        )
        self._apply.setEnabled(False)

    def set_progress(self, view: ProgressView | None) -> None:
        """Show how far the table is read; None where nothing is being read."""
        if view is not None:
            self.progress.set_view(view)
        self.progress.setVisible(view is not None)

    def set_columns(self, rows: Sequence[ColumnRow], *, is_changed: bool) -> None:
        """Show the columns, and whether there is something to apply."""
        self.columns.set_rows(rows)
        self._apply.setEnabled(is_changed)

    def show_problem(self, text: str) -> None:
        """Say what is wrong with the columns as they are chosen, or with the file."""
        self._problem.setText(text)
        self._problem.setVisible(bool(text))
