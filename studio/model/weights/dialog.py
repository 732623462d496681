"""Dialog of weights from a file: which fit the model, under which names, and taking them."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QWidget,
)

from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.icons import set_icon
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData


class WeightsDialog(Dialog):
    """Shows the key report of a file; ``renaming_changed`` carries what is taken off the names in
    the file and what is put before them.
    """

    file_requested = Signal()
    renaming_changed = Signal(str, str)
    shown_changed = Signal(str)
    take_requested = Signal()

    def __init__(self, parent: QWidget, shown: Sequence[tuple[str, str]]) -> None:
        title = translate("Weights", "Start from weights")
        super().__init__(parent, "dialog.weights", title, size=(860, 560), is_modal=True)
        self._file = parts.label(
            self, "dialog.weights.file", translate("Weights", "File"), wraps=True
        )
        self._browse = parts.button(
            self, "dialog.weights.browse", translate("Weights", "Choose file…")
        )
        set_icon(self._browse, "open")
        self._browse.clicked.connect(self.file_requested)
        self._remove = self._combo("remove", translate("Weights", "Remove prefix"))
        self._remove.setToolTip(
            plain_tip(
                translate(
                    "Weights", "The prefix of names in the file that this model does not have."
                )
            )
        )
        self._add = self._combo("add", translate("Weights", "Add prefix"))
        self._add.setToolTip(
            translate("Weights", "The part of the model that the weights belong to.")
        )
        self._shown = self._combo("shown", translate("Weights", "Show"), is_editable=False)
        for key, text in shown:
            self._shown.addItem(text, key)
        self._shown.currentIndexChanged.connect(
            lambda: self.shown_changed.emit(str(self._shown.currentData()))
        )
        self._verdict = parts.label(
            self, "dialog.weights.verdict", translate("Weights", "Summary"), wraps=True
        )
        self.table = TableView("dialog.weights.table", self)
        self.table.setAccessibleName(translate("Weights", "Tensors"))
        self._take = parts.button(
            self, "dialog.weights.take", translate("Weights", "Use weights"), is_primary=True
        )
        self._take.clicked.connect(self.take_requested)
        self._cancel = parts.button(
            self, "dialog.weights.cancel", translate("Weights", "Cancel"), clicked=self.reject
        )
        self._lay_out()
        self.set_take(0, is_partial=False)

    def set_file(self, name: str) -> None:
        """Say which file it is about."""
        self._file.setText(name)

    def set_prefixes(
        self, remove: str, add: str, offered: tuple[Sequence[str], Sequence[str]]
    ) -> None:
        """Show the renaming, and what names on both sides begin with."""
        for combo, text, choices in (
            (self._remove, remove, offered[0]),
            (self._add, add, offered[1]),
        ):
            with QSignalBlocker(combo):
                combo.clear()
                combo.addItems(["", *choices])
                combo.setCurrentText(text)

    def set_table(self, data: TableData) -> None:
        """Show the tensors."""
        self.table.set_data(data)

    def show_verdict(self, text: str, *, is_good: bool) -> None:
        """Say how the file and the model go together, or what is wrong with it."""
        theme = current_theme()
        self._verdict.setText(text)
        self._verdict.setStyleSheet(f"color: {theme.success if is_good else theme.warning};")

    def set_take(self, count: int, *, is_partial: bool) -> None:
        """Offer to take so many tensors."""
        text = translate("Weights", "Use {count} matching")
        if not is_partial:
            text = translate("Weights", "Use all {count}")
        self._take.setText(text.format(count=f"{count:,}"))
        self._take.setAccessibleName(self._take.text())
        self._take.setEnabled(count > 0)

    def _combo(self, name: str, accessible: str, *, is_editable: bool = True) -> QComboBox:
        combo = parts.combo(self, f"dialog.weights.{name}", accessible)
        combo.setEditable(is_editable)
        line = combo.lineEdit()
        if line is not None:
            combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            line.setObjectName(f"dialog.weights.{name}.text")
            line.setAccessibleName(accessible)
            line.setPlaceholderText(translate("Weights", "nothing"))
            line.editingFinished.connect(self._on_renamed)
            combo.activated.connect(self._on_renamed)
        return combo

    def _lay_out(self) -> None:
        top = parts.row((self._file, 1), self._browse)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for combo in (self._remove, self._add, self._shown):
            label = parts.label(
                self,
                f"dialog.weights.{combo.objectName().rpartition('.')[2]}.label",
                text=combo.accessibleName(),
            )
            form.addRow(label, combo)
        buttons = parts.row(None, self._cancel, self._take)
        parts.column(
            top,
            form,
            self._verdict,
            (self.table, 1),
            buttons,
            margins=(14, 12, 14, 12),
            spacing=10,
            parent=self,
        )

    def _on_renamed(self, _index: int = 0) -> None:
        self.renaming_changed.emit(
            self._remove.currentText().strip(), self._add.currentText().strip()
        )
