"""Dialog of the manual: contents at the left, the page at the right."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from studio.help.presenter import PageView
from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.help_view import HelpView
from widgets.common.icons import icon, set_icon

_NAME = Qt.ItemDataRole.UserRole


class HelpDialog(Dialog):
    """Shows pages; which page comes next is asked for by ``page_requested``."""

    page_requested = Signal(str)
    link_requested = Signal(str)

    def __init__(self, parent: QWidget, pages: Sequence[PageView]) -> None:
        super().__init__(parent, "dialog.help", translate("Help", "Help"), size=(900, 640))
        self._pages = tuple(pages)
        self._history: list[tuple[str, str, str]] = []  # name, title, text
        self._search = parts.line_edit(
            self,
            "help.search",
            translate("Help", "Search the help"),
            placeholder=translate("Help", "Search the help…"),
        )
        self._search.setClearButtonEnabled(True)
        self._search.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self._search.textChanged.connect(self._filter)
        self._list = parts.named(QListWidget(self), "help.contents", translate("Help", "Contents"))
        for page in self._pages:
            item = QListWidgetItem(page.title, self._list)
            item.setData(_NAME, page.name)
        self._list.currentItemChanged.connect(self._on_item_changed)
        self._view = HelpView(self, "help.page")
        self._view.topic_requested.connect(self.page_requested)
        self._view.link_requested.connect(self.link_requested)
        self._back = parts.button(self, "help.back", translate("Help", "Back"))
        self._back.setToolTip(translate("Help", "Previous page (Alt+Left)"))
        set_icon(self._back, "chevron-left")
        self._back.clicked.connect(self._go_back)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Back), self, self._go_back)
        self._lay_out()

    def show_text(self, name: str, title: str, text: str) -> None:
        """Show a page; ``name`` is its place in the contents, or empty where it has none."""
        if not self._history or self._history[-1] != (name, title, text):
            self._history.append((name, title, text))
        self._place(name, title, text)
        self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _place(self, name: str, title: str, text: str) -> None:
        self.setWindowTitle(f"{title} — {self.accessibleName()}")
        self._view.set_markdown(text)
        self._back.setEnabled(len(self._history) > 1)
        self._list.blockSignals(True)  # noqa: FBT003 - Qt's own call
        self._list.setCurrentRow(-1)
        for row in range(self._list.count()):
            if self._list.item(row).data(_NAME) == name:
                self._list.setCurrentRow(row)
        self._list.blockSignals(False)  # noqa: FBT003 - Qt's own call

    def _go_back(self) -> None:
        if len(self._history) > 1:
            self._history.pop()
            self._place(*self._history[-1])

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        for row, page in enumerate(self._pages):
            whole = page.text.casefold()
            self._list.item(row).setHidden(not all(word in whole for word in words))

    def _on_item_changed(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.page_requested.emit(item.data(_NAME))
            self._list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        left = parts.named(QWidget(self), "help.left", translate("Help", "Contents"))
        parts.column(self._search, (self._list, 1), margins=(0, 0, 0, 0), spacing=6, parent=left)
        splitter = parts.splitter(self, "help.splitter", translate("Help", "Contents and page"))
        splitter.addWidget(left)
        splitter.addWidget(self._view)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([230, 670])
        close = parts.button(self, "help.close", translate("Help", "Close"), clicked=self.accept)
        row = parts.row(self._back, None, close)
        parts.column((splitter, 1), row, margins=(14, 14, 14, 12), spacing=10, parent=self)
