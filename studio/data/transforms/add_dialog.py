"""Dialog with all transforms by their kind, a sentence each, to choose one to add."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QHeaderView, QTreeWidgetItem, QWidget
from typing_extensions import override

from studio.data.transforms.offer_presenter import OfferGroup
from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.text import tooltip
from widgets.common.theme import current_theme, scaled_font

_KEY = Qt.ItemDataRole.UserRole


class AddDialog(Dialog):
    """``chosen`` gives the key of a transform (``transforms.Resize``); the dialog closes then."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget, offer: Callable[[str], Sequence[OfferGroup]]) -> None:
        title = translate("Transforms", "Add transform")
        super().__init__(parent, "dialog.transforms", title, size=(720, 520), is_modal=True)
        self._offer = offer
        self.search = parts.line_edit(
            self,
            "dialog.transforms.search",
            translate("Transforms", "Search transforms"),
            placeholder=translate("Transforms", "Search: flip, crop, color, noise…"),
            is_clearable=True,
        )
        self.list = parts.tree_table(
            self, "dialog.transforms.list", title, (title, translate("Transforms", "What it does"))
        )
        self.list.setHeaderHidden(True)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.list.header().setStretchLastSection(True)
        self._nothing = parts.label(
            self,
            "dialog.transforms.nothing",
            text=translate("Transforms", "No transform matches. Try “flip”, “crop” or “color”."),
            role="muted",
        )
        self._add = parts.button(
            self, "dialog.transforms.add", translate("Transforms", "Add"), is_primary=True
        )
        cancel = parts.button(self, "dialog.transforms.cancel", translate("Dialog", "Cancel"))
        cancel.clicked.connect(self.reject)
        self._add.clicked.connect(self._choose)
        self.search.textChanged.connect(lambda _text: self._fill())
        self.search.installEventFilter(self)
        self.list.itemActivated.connect(lambda *_: self._choose())
        self.list.currentItemChanged.connect(lambda *_: self._add.setEnabled(bool(self.key())))
        parts.column(
            self.search,
            (self.list, 1),
            self._nothing,
            parts.row(None, self._add, cancel),
            margins=(16, 14, 16, 12),
            spacing=8,
            parent=self,
        )
        self._fill()
        self.search.setFocus()

    def key(self) -> str:
        """Return the key of the transform that is chosen; empty for none."""
        item = self.list.currentItem()
        return "" if item is None else str(item.data(0, _KEY) or "")

    def keys(self) -> list[str]:
        """Return the keys of all transforms that fit what is typed."""
        return [str(item.data(0, _KEY)) for item in self._items()]

    def _items(self) -> list[QTreeWidgetItem]:
        rows = [self.list.topLevelItem(row) for row in range(self.list.topLevelItemCount())]
        return [item for item in rows if item is not None and item.data(0, _KEY)]

    def _fill(self) -> None:
        self.list.clear()
        theme = current_theme()
        for group in self._offer(self.search.text()):
            heading = QTreeWidgetItem([group.title])
            heading.setFlags(Qt.ItemFlag.ItemIsEnabled)
            heading.setFont(0, scaled_font(0.92, bold=True))
            heading.setForeground(0, QColor(theme.muted))
            self.list.addTopLevelItem(heading)
            for offer in group.items:
                item = QTreeWidgetItem([f"   {offer.title}", offer.summary])
                item.setData(0, _KEY, offer.key)
                item.setForeground(1, QColor(theme.muted))
                for column in (0, 1):
                    item.setToolTip(column, tooltip(offer.title, offer.summary, offer.note))
                self.list.addTopLevelItem(item)
        items = self._items()
        self._nothing.setVisible(not items)
        self._add.setEnabled(False)
        if items and self.search.text().strip():  # nothing is added that nobody asked for
            self.list.setCurrentItem(items[0])

    def _choose(self) -> None:
        key = self.key()
        if key:
            self.accept()
            self.chosen.emit(key)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Walk in the list and choose while the search has the keys."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose()
                return True
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
            items = self._items()
            if step and items:
                current = self.list.currentItem()
                at = items.index(current) + step if current in items else 0
                self.list.setCurrentItem(items[at % len(items)])
                return True
        return super().eventFilter(watched, event)
