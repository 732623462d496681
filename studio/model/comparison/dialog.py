"""Dialog with two models side by side: which ones, the canvas of both, and their differences."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QComboBox,
    QHeaderView,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from studio.i18n import translate
from studio.model.comparison.presenter import ChangeRow
from studio.window.dialog.dialog import Dialog
from widgets.canvas.view_model import CanvasView
from widgets.canvas.viewer import Viewer
from widgets.common import parts
from widgets.common.plain_label import PlainLabel
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme

_ROW = Qt.ItemDataRole.UserRole


class ModelComparisonDialog(Dialog):
    """Stays open beside the canvas. ``chosen`` tells that another model was chosen on one side,
    ``row_chosen`` that a line was clicked (level and node), ``entered`` that the inside of a node
    is wanted, ``left`` that the level above is.
    """

    chosen = Signal(str, str)  # "before" or "after"; key
    row_chosen = Signal(str, str)
    entered = Signal(str)
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        title = translate("Compare", "Compare models")
        super().__init__(parent, "dialog.models", title, size=(900, 620))
        self.close_by_command("action.model.compare")
        self._before = self._box("before", translate("Compare", "First model"))
        self._after = self._box("after", translate("Compare", "Second model"))
        self._before.activated.connect(
            lambda index: self.chosen.emit("before", self._before.itemData(index))
        )
        self._after.activated.connect(
            lambda index: self.chosen.emit("after", self._after.itemData(index))
        )
        self.viewer = Viewer("dialog.models.canvas", self)
        self.viewer.setAccessibleName(translate("Compare", "Both models"))
        self.viewer.node_activated.connect(self.entered)
        self._up = parts.button(
            self, "dialog.models.up", translate("Compare", "Back to the model"), clicked=self.left
        )
        self._list = self._table()
        self._note = parts.label(
            self, "dialog.models.note", translate("Compare", "Summary"), wraps=True
        )
        self._lay_out()
        self.set_level("")

    def _box(self, name: str, accessible: str) -> QComboBox:
        box = parts.combo(self, f"dialog.models.{name}", accessible)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(16)
        return box

    def _table(self) -> QTreeWidget:
        title = translate("Compare", "Differences")
        titles = ("", translate("Compare", "Name"), title)
        table = parts.tree_table(self, "dialog.models.changes", title, titles)
        table.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        table.setColumnWidth(1, 220)
        table.currentItemChanged.connect(self._on_row)
        table.itemActivated.connect(lambda item, _column: self._on_row(item, None))
        return table

    def _lay_out(self) -> None:
        top = parts.row((self._before, 1), PlainLabel("→", self), (self._after, 1), None, self._up)
        close = parts.button(
            self, "dialog.models.close", translate("Dialog", "Close"), clicked=self.accept
        )
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.addWidget(self.viewer)
        split.addWidget(self._list)
        split.setStretchFactor(0, 2)
        split.setStretchFactor(1, 1)
        bottom = parts.row((self._note, 1), close)
        parts.column(top, (split, 1), bottom, margins=(12, 10, 12, 10), spacing=8, parent=self)

    def set_choices(self, choices: Sequence[tuple[str, str]], before: str, after: str) -> None:
        """Offer models, (key, name) each, and show which two are compared."""
        keys = [key for key, _ in choices]
        for box, chosen in ((self._before, before), (self._after, after)):
            parts.set_choices(box, choices, chosen if chosen in keys else keys[0])

    def set_level(self, name: str) -> None:
        """Say which block is looked at; empty for the model itself."""
        self._up.setVisible(bool(name))
        text = translate("Compare", "Inside {name}: back to the model")
        self._up.setText(text.format(name=name))

    def set_view(self, view: CanvasView, *, is_other: bool) -> None:
        """Show the nodes of both; another level or another pair is fitted into the canvas."""
        self.viewer.set_view(view)
        if is_other:
            self.viewer.fit()

    def set_rows(self, rows: Sequence[ChangeRow], note: str) -> None:
        """Show what differs."""
        blocker = QSignalBlocker(self._list)
        self._list.clear()
        theme = current_theme()
        for row in rows:
            item = QTreeWidgetItem([row.sign, row.name, row.what])
            item.setData(0, _ROW, (row.level, row.node))
            item.setForeground(0, QColor(theme.mark(row.color)))
            item.setToolTip(2, plain_tip(row.what))
            self._list.addTopLevelItem(item)
        blocker.unblock()
        self._note.setText(note)

    def _on_row(self, item: QTreeWidgetItem | None, _before: QTreeWidgetItem | None) -> None:
        if item is not None:
            level, node = item.data(0, _ROW)
            self.row_chosen.emit(level, node)
