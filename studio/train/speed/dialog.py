"""Dialog that measures which settings make a run faster, and applies those that are wanted."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)
from typing_extensions import override

from studio.i18n import translate
from studio.train.speed.presenter import SpeedRow
from studio.window.dialog.job_dialog import JobDialog
from widgets.common import parts
from widgets.common.text import plain_tip

_NAME = Qt.ItemDataRole.UserRole


class SpeedDialog(JobDialog):
    """Stays open beside the form. ``start_requested`` tells whether to compile too,
    ``apply_requested`` the names of the settings that are checked.
    """

    start_requested = Signal(bool)
    apply_requested = Signal(list)

    def __init__(self, parent: QWidget) -> None:
        title = translate("Speed", "Suggest faster settings")
        text = translate(
            "Speed",
            "Runs a few steps of this model with and without each setting on the "
            "device of the run, and suggests those that are faster. A run in progress "
            "makes the timings unreliable.",
        )
        start = translate("Speed", "Measure now")
        super().__init__(parent, "dialog.speed", title, text, start, size=(760, 400))
        self._rows = self._table()
        words = translate("Speed", "Also try torch.compile (takes minutes)")
        self._compiles = parts.check_box(
            self,
            "dialog.speed.compiles",
            words,
            translate(
                "Speed",
                "Generates and compiles code for this model, which takes seconds on a GPU "
                "and minutes on a slow CPU. Requires a C++ compiler.",
            ),
        )
        self._lay_out()
        self.set_running(is_running=False)

    def _table(self) -> QTreeWidget:
        table = parts.tree_table(
            self,
            "dialog.speed.rows",
            translate("Speed", "Measurements"),
            (
                translate("Speed", "Setting"),
                translate("Speed", "Step before"),
                translate("Speed", "Step with it"),
                translate("Speed", "Faster"),
                translate("Speed", "Notes"),
            ),
        )
        table.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        table.setColumnWidth(0, 200)  # beside a box to check Qt measures texts too short
        return table

    def _lay_out(self) -> None:
        self._apply = self._button("apply", translate("Speed", "Apply"))
        self._start.clicked.connect(lambda: self.start_requested.emit(self._compiles.isChecked()))
        self._apply.clicked.connect(lambda: self.apply_requested.emit(self._checked()))
        self._rows.itemChanged.connect(lambda _item, _column: self._update_apply())
        buttons = (self._compiles, None, self._start, self._cancel, self._apply, self._close)
        parts.column(
            self._text,
            (self._rows, 1),
            self._bar,
            self._note,
            parts.row(*buttons),
            margins=(16, 14, 16, 12),
            spacing=8,
            parent=self,
        )

    @override
    def set_running(self, *, is_running: bool) -> None:
        super().set_running(is_running=is_running)
        self._compiles.setEnabled(not is_running)
        self._update_apply()

    def set_rows(self, rows: Sequence[SpeedRow]) -> None:
        """Show what was found."""
        self._rows.clear()
        for row in rows:
            item = QTreeWidgetItem([row.label, row.before, row.after, row.gain, row.note])
            item.setData(0, _NAME, row.name)
            item.setToolTip(4, plain_tip(row.note))
            if row.can_choose:
                is_checked = Qt.CheckState.Checked if row.is_kept else Qt.CheckState.Unchecked
                item.setCheckState(0, is_checked)
            self._rows.addTopLevelItem(item)
        self._update_apply()

    def _checked(self) -> list[str]:
        items = [self._rows.topLevelItem(i) for i in range(self._rows.topLevelItemCount())]
        return [
            item.data(0, _NAME)
            for item in items
            if item is not None and item.checkState(0) == Qt.CheckState.Checked
        ]

    def _update_apply(self) -> None:
        self._apply.setEnabled(self._start.isEnabled() and bool(self._checked()))
