"""List of templates for a new project: in groups, found by their words."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget
from typing_extensions import override

from studio.i18n import translate
from studio.view.template import TemplateItem
from widgets.common import parts
from widgets.common.icons import icon
from widgets.common.text import tooltip
from widgets.common.theme import scaled_font

_NAME = Qt.ItemDataRole.UserRole
_WORDS = Qt.ItemDataRole.UserRole + 1


class TemplateList(QWidget):
    """A field to search in and a list below it. The arrow keys walk the list from the field."""

    def __init__(self, groups: Sequence[tuple[str, Sequence[TemplateItem]]]) -> None:
        super().__init__()
        self.setObjectName("dialog.new.begin")
        self.setAccessibleName(translate("NewProject", "Template"))
        self._search = parts.line_edit(
            self,
            "dialog.new.search",
            translate("NewProject", "Search templates"),
            placeholder=translate("NewProject", "Search templates…"),
        )
        self._search.setClearButtonEnabled(True)
        self._search.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self._search.textChanged.connect(self._filter)
        self._search.installEventFilter(self)
        self._tree = parts.named(
            QTreeWidget(self), "dialog.new.template", translate("NewProject", "Template")
        )
        self._tree.setHeaderHidden(True)
        self._tree.setIndentation(14)
        self._tree.setMinimumHeight(190)
        self._tree.setRootIsDecorated(False)
        self._empty = QTreeWidgetItem(self._tree, [translate("NewProject", "Empty model")])
        self._groups: list[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = []
        for title, items in groups:
            self._add_group(title, items)
        self._tree.expandAll()
        self._tree.setCurrentItem(self._empty)
        parts.column(self._search, (self._tree, 1), margins=(0, 0, 0, 0), spacing=6, parent=self)

    def chosen(self) -> str:
        """Return the name of the template; empty for an empty model."""
        for item in self._tree.selectedItems():
            return str(item.data(0, _NAME) or "")
        return ""

    def _add_group(self, title: str, items: Sequence[TemplateItem]) -> None:
        heading = QTreeWidgetItem(self._tree, [title])
        heading.setFlags(Qt.ItemFlag.ItemIsEnabled)
        heading.setFont(0, scaled_font(0.92, bold=True))
        rows: list[QTreeWidgetItem] = []
        for item in items:
            row = QTreeWidgetItem(heading, [item.title])
            row.setData(0, _NAME, item.name)
            row.setData(0, _WORDS, item.words)
            row.setToolTip(0, tooltip(item.title, item.description))
            rows.append(row)
        self._groups.append((heading, rows))

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        found: list[QTreeWidgetItem] = []
        for heading, rows in self._groups:
            fitting = [row for row in rows if all(w in str(row.data(0, _WORDS)) for w in words)]
            for row in rows:
                row.setHidden(row not in fitting)
            heading.setHidden(bool(words) and not fitting)
            found += fitting
        self._tree.setCurrentItem(found[0] if words and found else self._empty)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_walk = isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up)
        if is_walk and event.type() is QEvent.Type.KeyPress:
            self._tree.setFocus(Qt.FocusReason.TabFocusReason)
            QCoreApplication.sendEvent(self._tree, event)
            return True
        return super().eventFilter(watched, event)
