"""List of the columns of a table, each with its kind and role to choose."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHeaderView, QTreeWidgetItem, QVBoxLayout, QWidget

from studio.data.columns.presenter import ColumnRow
from studio.i18n import filled, translate
from widgets.common import parts
from widgets.common.text import plain_tip

_NAME, _KIND, _ROLE, _EXAMPLES = range(4)
_MOST = 300
"""Columns that are listed: of more, the form of the Data workspace names them."""


class ColumnList(QWidget):
    """Shows :class:`ColumnRow`s; what is chosen in one is told by the name of the column."""

    kind_chosen = Signal(str, str)
    role_chosen = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: tuple[ColumnRow, ...] = ()
        self._boxes: list[tuple[QComboBox, QComboBox]] = []
        title = translate("DataProject", "Columns")
        self.tree = parts.tree_table(
            self,
            "dialog.data.columns",
            title,
            (
                translate("DataProject", "Column"),
                translate("DataProject", "Kind"),
                translate("DataProject", "Used as"),
                translate("DataProject", "Values"),
            ),
        )
        self.tree.setSelectionMode(self.tree.SelectionMode.NoSelection)
        self.tree.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        header = self.tree.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Interactive)
        for section, width in ((_NAME, 150), (_KIND, 160), (_ROLE, 120)):
            self.tree.setColumnWidth(section, width)
        self._more = parts.label(self, "dialog.data.columns.more", title, role="muted", wraps=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.tree, 1)
        layout.addWidget(self._more)

    def set_rows(self, rows: Sequence[ColumnRow]) -> None:
        """Show these columns; boxes of the same columns stay, with the keys."""
        shown = tuple(rows[:_MOST])
        if [row.name for row in shown] != [row.name for row in self._rows]:
            self._build(shown)
        self._rows = shown
        for at, (row, boxes) in enumerate(zip(shown, self._boxes, strict=True)):
            parts.set_choices(boxes[0], row.kinds, row.kind)
            parts.set_choices(boxes[1], row.roles, row.role)
            for number, tip in enumerate(row.role_tips):
                boxes[1].setItemData(number, plain_tip(tip), Qt.ItemDataRole.ToolTipRole)
            shown_tip = boxes[1].currentData(Qt.ItemDataRole.ToolTipRole)
            boxes[1].setToolTip(shown_tip or "")
            item = self.tree.topLevelItem(at)
            assert item is not None
            item.setText(_EXAMPLES, _values(row))
            item.setToolTip(_EXAMPLES, plain_tip(_values(row)))
        left = len(rows) - len(shown)
        self._more.setText(
            filled(
                translate(
                    "DataProject",
                    "{count} more {count|column|columns}: name them in the Data workspace.",
                ),
                count=left,
            )
            if left
            else ""
        )
        self._more.setVisible(left > 0)

    def _build(self, rows: Sequence[ColumnRow]) -> None:
        self.tree.clear()
        self._boxes = []
        for at, row in enumerate(rows):
            item = QTreeWidgetItem(self.tree, [row.name])
            item.setToolTip(_NAME, plain_tip(row.name))
            kind = self._box(f"dialog.data.kind.{at}", translate("DataProject", "Kind"), row)
            role = self._box(f"dialog.data.role.{at}", translate("DataProject", "Used as"), row)
            kind.activated.connect(
                lambda _at, box=kind, name=row.name: self.kind_chosen.emit(name, box.currentData())
            )
            role.activated.connect(
                lambda _at, box=role, name=row.name: self.role_chosen.emit(name, box.currentData())
            )
            self.tree.setItemWidget(item, _KIND, kind)
            self.tree.setItemWidget(item, _ROLE, role)
            self._boxes.append((kind, role))

    def _box(self, name: str, title: str, row: ColumnRow) -> QComboBox:
        box = parts.combo(self.tree, name, f"{row.name}: {title}")
        box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        box.scrolls_parent = True
        return box


def _values(row: ColumnRow) -> str:
    """Return some values of a column, and how many are missing."""
    if not row.missing:
        return row.examples
    missing = filled(translate("DataProject", "{count} missing"), count=row.missing)
    return f"{row.examples} ({missing})" if row.examples else missing
