"""Dialog that measures which settings make a run faster, and applies those that are wanted."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from studio.i18n import translate
from studio.train.speed.presenter import SpeedRow
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.text import plain_tip

_NAME = Qt.ItemDataRole.UserRole


class SpeedDialog(Dialog):
    """Stays open beside the form. ``start_requested`` tells whether to compile too,
    ``apply_requested`` the names of the settings that are checked.
    """

    start_requested = Signal(bool)
    cancel_requested = Signal()
    apply_requested = Signal(list)

    def __init__(self, parent: QWidget) -> None:
        title = translate("Speed", "Suggest faster settings")
        super().__init__(parent, "dialog.speed", title, size=(760, 400))
        self._words = parts.label(
            self,
            "dialog.speed.text",
            title,
            translate(
                "Speed",
                "Runs a few steps of this model with and without each setting on the "
                "device of the run, and suggests those that are faster. A run in progress "
                "makes the timings unreliable.",
            ),
            wraps=True,
        )
        self._rows = self._table()
        self._bar = parts.progress_bar(
            self, "dialog.speed.progress", translate("Speed", "Progress")
        )
        self._note = parts.label(
            self, "dialog.speed.note", translate("Speed", "Result"), wraps=True
        )
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
        self._start = parts.button(self, "dialog.speed.start", translate("Speed", "Measure now"))
        self._cancel = parts.button(self, "dialog.speed.cancel", translate("Dialog", "Cancel"))
        self._apply = parts.button(self, "dialog.speed.apply", translate("Speed", "Apply"))
        close = parts.button(self, "dialog.speed.close", translate("Dialog", "Close"))
        self._start.clicked.connect(lambda: self.start_requested.emit(self._compiles.isChecked()))
        self._cancel.clicked.connect(self.cancel_requested)
        self._apply.clicked.connect(lambda: self.apply_requested.emit(self._checked()))
        self._rows.itemChanged.connect(lambda _item, _column: self._update_apply())
        close.clicked.connect(self.accept)
        buttons = parts.row(self._compiles, None, self._start, self._cancel, self._apply, close)
        parts.column(
            self._words,
            (self._rows, 1),
            self._bar,
            self._note,
            buttons,
            margins=(16, 14, 16, 12),
            spacing=8,
            parent=self,
        )

    def set_running(self, *, is_running: bool) -> None:
        """Show whether it is being measured."""
        self._start.setEnabled(not is_running)
        self._compiles.setEnabled(not is_running)
        self._cancel.setEnabled(is_running)
        self._bar.setVisible(is_running)
        self._update_apply()

    def set_progress(self, text: str, done: int, count: int) -> None:
        """Say what is being measured; ``count`` 0: it is not known yet how much there is."""
        self._bar.setRange(0, count)
        self._bar.setValue(done)
        self._note.setText(text)

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
