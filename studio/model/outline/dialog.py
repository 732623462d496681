"""Dialog of the outline: the model's tree, its weights, and its text."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from studio.i18n import translate
from studio.model.outline.presenter import OutlineRow
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.text import plain_tip
from widgets.common.theme import mono_font

_PATH = Qt.ItemDataRole.UserRole
_IS_BLOCK = Qt.ItemDataRole.UserRole + 1
_NORM_COLUMNS = (6, 7)  # of the table of weights
_WIDTHS = {
    "tree": (30, 18, 18, 14),
    "weights": (23, 13, 9, 9, 11, 19, 14),
    "modules": (20, 13, 12, 44, 14),
}
"""Of the columns but the last, in letters like "n": what layers of common models need."""
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class OutlineDialog(Dialog):
    """Stays open beside the canvas. Blocks of the tree ask for their inside when they are opened.

    ``node_chosen`` carries the path of a node that was clicked, ``block_entered`` that of a block
    that was double clicked, ``weight_chosen`` the name of a weight. ``filter_changed`` carries what
    names or types must contain: the tree needs other rows then, the tables hide theirs.
    """

    filter_changed = Signal(str)
    level_requested = Signal(str)
    node_chosen = Signal(str)
    block_entered = Signal(str)
    weight_chosen = Signal(str)

    def __init__(
        self,
        parent: QWidget,
        tree_titles: Sequence[str],
        weight_titles: Sequence[str],
        module_titles: Sequence[str],
    ) -> None:
        title = translate("Outline", "Structure and parameters")
        super().__init__(parent, "dialog.outline", title, size=(1000, 560))
        self.close_by_command("action.model.outline")
        self._filter = self._filter_line()
        self._tree = self._table("tree", translate("Outline", "Structure"), tree_titles)
        self._tree.setRootIsDecorated(True)
        for column in (3, 4):
            self._tree.headerItem().setTextAlignment(column, _RIGHT)
        self._tree.itemExpanded.connect(self._on_expanded)
        self._tree.itemClicked.connect(lambda item, _column: self._choose(item))
        self._tree.itemActivated.connect(lambda item, _column: self._enter(item))
        self._weights = self._weight_table(weight_titles)
        self._modules = self._table("modules", translate("Outline", "Modules"), module_titles)
        self._modules.setToolTip(
            plain_tip(
                translate(
                    "Outline",
                    "The contents of each nn.Module's dictionaries: its own parameters and "
                    "buffers, its direct submodules, and its hooks. Modules in plain lists are "
                    "not registered.",
                )
            )
        )
        self._modules.itemClicked.connect(lambda item, _: self.weight_chosen.emit(item.text(0)))
        self._text = parts.named(
            QPlainTextEdit(self), "dialog.outline.text", translate("Outline", "Text")
        )
        self._text.setReadOnly(True)
        self._text.setFont(mono_font())
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._tabs = self._tab_row(title)
        self._note = parts.label(
            self, "dialog.outline.note", translate("Outline", "Summary"), wraps=True, role="muted"
        )
        self._lay_out()

    def _tab_row(self, title: str) -> QTabWidget:
        tabs = parts.named(QTabWidget(self), "dialog.outline.tabs", title)
        tabs.setDocumentMode(True)
        for widget in (self._tree, self._weights, self._text, self._modules):
            tabs.addTab(widget, widget.accessibleName())
        tabs.currentChanged.connect(
            lambda _: self._filter.setEnabled(tabs.currentWidget() is not self._text)
        )
        return tabs

    def _filter_line(self) -> QLineEdit:
        line = parts.line_edit(
            self,
            "dialog.outline.filter",
            translate("Outline", "Filter"),
            placeholder=translate("Outline", "Filter by name or type…"),
        )
        line.setToolTip(
            plain_tip(
                translate(
                    "Outline",
                    "Show only matching entries at any depth, such as conv for every convolution",
                )
            )
        )
        line.setClearButtonEnabled(True)
        line.textChanged.connect(self._sift)
        line.textChanged.connect(lambda _: self.filter_changed.emit(self.filter_text()))
        return line

    def filter_text(self) -> str:
        """Return what names or types must contain; empty where all is shown."""
        return self._filter.text().strip()

    def _sift(self) -> None:
        wanted = self.filter_text().casefold()
        for table in (self._weights, self._modules):
            for item in _children(table.invisibleRootItem()):
                item.setHidden(wanted not in f"{item.text(0)} {item.text(1)}".casefold())

    def _weight_table(self, titles: Sequence[str]) -> QTreeWidget:
        table = self._table("weights", translate("Outline", "Weights"), titles)
        for column in (2, *_NORM_COLUMNS):
            table.headerItem().setTextAlignment(column, _RIGHT)
        for column in _NORM_COLUMNS:
            table.headerItem().setToolTip(
                column,
                plain_tip(
                    translate(
                        "Outline",
                        "L2 norm in the run shown in Train, at its last recorded step. It is "
                        "updated during the run.",
                    )
                ),
            )
        table.itemClicked.connect(lambda item, _: self.weight_chosen.emit(item.text(0)))
        return table

    def _lay_out(self) -> None:
        copy = parts.button(self, "dialog.outline.copy", translate("Dialog", "Copy"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.shown_text()))
        copy.setToolTip(translate("Outline", "Copy the contents of this tab"))
        close = parts.button(
            self, "dialog.outline.close", translate("Dialog", "Close"), clicked=self.accept
        )
        row = parts.row((self._note, 1), copy, close)
        parts.column(
            self._filter, (self._tabs, 1), row, margins=(12, 10, 12, 10), spacing=8, parent=self
        )

    def _table(self, name: str, accessible: str, titles: Sequence[str]) -> QTreeWidget:
        table = parts.tree_table(self, f"dialog.outline.{name}", accessible, titles)
        table.setAlternatingRowColors(True)
        table.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        letter = self.fontMetrics().horizontalAdvance("n")
        for column, letters in enumerate(_WIDTHS[name]):
            table.setColumnWidth(column, letters * letter)
        return table

    def set_rows(self, path: str, rows: Sequence[OutlineRow]) -> None:
        """Show the nodes of a level; an empty path is the model itself."""
        parent = self._find(path) if path else self._tree.invisibleRootItem()
        if parent is None:
            return
        parent.takeChildren()
        for row in rows:
            texts = [row.name, row.type, row.shape, row.parameters, row.trained]
            item = QTreeWidgetItem(parent, texts)
            item.setTextAlignment(3, _RIGHT)
            item.setTextAlignment(4, _RIGHT)
            item.setData(0, _PATH, row.path)
            item.setData(0, _IS_BLOCK, row.is_block)
            if row.is_block:
                item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)

    def expanded_blocks(self) -> tuple[str, ...]:
        """Return the paths of the expanded blocks, the outer ones first."""
        expanded: list[str] = []
        waiting = [self._tree.invisibleRootItem()]
        for item in waiting:
            for child in _children(item):
                if child.isExpanded():
                    expanded.append(child.data(0, _PATH))
                    waiting.append(child)
        return tuple(expanded)

    def expand_block(self, path: str) -> None:
        """Expand a block of the tree."""
        if (item := self._find(path)) is not None:
            item.setExpanded(True)

    def set_weights(self, rows: Sequence[Sequence[str]], note: str) -> None:
        """Show the weights and a sentence about all of them."""
        self._weights.clear()
        items = [QTreeWidgetItem(list(row)) for row in rows]
        for item in items:
            for column in (2, *_NORM_COLUMNS):
                item.setTextAlignment(column, _RIGHT)
        self._weights.addTopLevelItems(items)
        self._sift()
        self._note.setText(note)

    def set_norms(self, norms: Mapping[str, tuple[str, str]]) -> None:
        """Show how large weights and gradients are; those that are not named have none."""
        for item in _children(self._weights.invisibleRootItem()):
            texts = norms.get(item.text(0), ("", ""))
            for column, text in zip(_NORM_COLUMNS, texts, strict=True):
                item.setText(column, text)

    def set_modules(self, rows: Sequence[Sequence[str]]) -> None:
        """Show the modules and what they keep."""
        self._modules.clear()
        self._modules.addTopLevelItems([QTreeWidgetItem(list(row)) for row in rows])
        self._sift()

    def set_text(self, text: str) -> None:
        """Show the model as text."""
        if text != self._text.toPlainText():
            self._text.setPlainText(text)

    def shown_text(self) -> str:
        """Return what the tab on top shows, tables with tabulators."""
        shown = self._tabs.currentWidget()
        if shown is self._text or not isinstance(shown, QTreeWidget):
            return self._text.toPlainText()
        columns = range(shown.columnCount())
        lines = ["\t".join(shown.headerItem().text(column) for column in columns)]
        waiting = [row for row in _children(shown.invisibleRootItem()) if not row.isHidden()]
        while waiting:
            item = waiting.pop(0)
            depth = str(item.data(0, _PATH) or "").count("/")
            cells = [item.text(column) for column in columns]
            lines.append("\t".join(("  " * depth + cells[0], *cells[1:])))
            waiting = _children(item) + waiting
        return "\n".join(lines) + "\n"

    def _find(self, path: str) -> QTreeWidgetItem | None:
        item = self._tree.invisibleRootItem()
        parts = path.split("/")
        for depth in range(len(parts)):
            want = "/".join(parts[: depth + 1])
            match = next((one for one in _children(item) if one.data(0, _PATH) == want), None)
            if match is None:
                return None
            item = match
        return item

    def _on_expanded(self, item: QTreeWidgetItem) -> None:
        if not item.childCount():
            self.level_requested.emit(item.data(0, _PATH))

    def _choose(self, item: QTreeWidgetItem) -> None:
        self.node_chosen.emit(item.data(0, _PATH))

    def _enter(self, item: QTreeWidgetItem) -> None:
        signal = self.block_entered if item.data(0, _IS_BLOCK) else self.node_chosen
        signal.emit(item.data(0, _PATH))


def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    children = (item.child(row) for row in range(item.childCount()))
    return [child for child in children if child is not None]
