"""Manual: F1 on a layer, a setting or a workspace; its pages and its links."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import QChildEvent, QEvent, QObject, QUrl
from PySide6.QtGui import QDesktopServices, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from typing_extensions import override

from engine.catalog.registry import catalog
from engine.catalog.text import entry_help, entry_label
from engine.graph.block import entry_of
from studio.command.command import Command
from studio.help.dialog import HelpDialog
from studio.help.presenter import (
    page_names,
    page_of_dialog,
    page_text,
    present_contents,
    present_param,
    present_setting,
)
from studio.services import Services
from widgets.forms.field_row import FieldRow


class Manual:
    """Shows the help for things, in one window that stays open beside the work."""

    def __init__(
        self,
        services: Services,
        commands: Iterable[Command],
    ) -> None:
        self._session = services.session
        self._window = services.window
        self._language = services.language_code
        self._commands = tuple(commands)
        self._dialog: HelpDialog | None = None

    def close(self) -> None:
        """Close the manual."""
        if self._dialog is not None:
            self._dialog.close()

    def show_page(self, name: str) -> None:
        """Show a page of the manual; one that does not exist shows the first."""
        wanted = name if name in page_names() else page_names()[0]
        text = page_text(wanted, self._language(), self._commands)
        self._show(wanted, text.partition("\n")[0].removeprefix("# "), text)

    def show_entry(self, key: str) -> None:
        """Show the documentation of a layer or an operator."""
        entry = catalog().node(key)
        if entry is not None:
            language = self._language()
            self._show("", entry_label(entry, language), entry_help(entry, language))

    def show_focused_field(self) -> bool:
        """Show the help for the setting that has the focus; false where none has."""
        row = _row_of(QApplication.focusWidget())
        if row is None:
            return False
        session, language, view = self._session, self._language(), row.view
        is_node = len(session.selection) == 1 and "." not in view.name
        entry = (
            entry_of(session.level, session.level.nodes[session.selection[0]]) if is_node else None
        )
        if entry is not None and entry.param(view.name) and _is_inside(row, "inspector"):
            self._show("", view.label, present_param(entry, view.name, language))
        elif _is_inside(row, "page.train") or _is_inside(row, "page.data"):
            code = session.graph.code
            self._show("", view.label, present_setting(session.spec, view, language, code))
        else:
            return False
        return True

    def _show(self, name: str, title: str, text: str) -> None:
        # a modal dialog blocks every window but its children
        parent = QApplication.activeModalWidget() or self._window
        dialog = self._dialog
        if dialog is not None and dialog is not parent and dialog.parentWidget() is not parent:
            dialog.close()
            dialog = None
        if dialog is None:
            dialog = self._dialog = self._build(parent)
        dialog.show_text(name, title, text)
        dialog.bring_to_front()

    def _build(self, parent: QWidget) -> HelpDialog:
        dialog = HelpDialog(parent, present_contents(self._language(), self._commands))
        dialog.page_requested.connect(self.show_page)
        dialog.link_requested.connect(_open_link)
        dialog.finished.connect(lambda: self._forget(dialog))
        dialog.destroyed.connect(lambda: self._forget(dialog))  # with the dialog that it explains
        return dialog

    def _forget(self, dialog: HelpDialog) -> None:
        if self._dialog is dialog:
            self._dialog = None


class DialogHelp(QObject):
    """Gives each dialog that a window shows the key for help."""

    def __init__(
        self, window: QWidget, show_page: Callable[[str], object], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._show_page = show_page
        window.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ChildPolished and isinstance(event, QChildEvent):
            dialog = event.child()
            page = page_of_dialog(dialog.objectName()) if isinstance(dialog, QDialog) else ""
            if page:
                key = QShortcut(QKeySequence(QKeySequence.StandardKey.HelpContents), dialog)
                key.activated.connect(lambda: self._show_page(page))
        return super().eventFilter(watched, event)


def _open_link(address: str) -> None:
    """Open an address that the user clicked in the browser."""
    QDesktopServices.openUrl(QUrl(address))


def _row_of(widget: QWidget | None) -> FieldRow | None:
    while widget is not None and not isinstance(widget, FieldRow):
        widget = widget.parentWidget()
    return widget


def _is_inside(widget: QWidget, name: str) -> bool:
    parent: QWidget | None = widget
    while parent is not None and parent.objectName() != name:
        parent = parent.parentWidget()
    return parent is not None
