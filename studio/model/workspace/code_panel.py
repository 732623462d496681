"""Panel for custom code beside the canvas: files, editor, state line."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QMenu,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from studio.i18n import translate
from widgets.code.code_editor import CodeEditor
from widgets.code.completion import NameView
from widgets.code.file_tabs import FileTabs, TabView
from widgets.code.file_view import FileView
from widgets.common import parts
from widgets.common.empty_state import EmptyState
from widgets.common.icons import pixmap
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, theme_signals


class CustomCodePage(QWidget):
    """Shows the files of a project, one at a time.

    ``text_settled`` (file, text) is what was typed, after a pause; ``left`` that a stay in a file
    is over; ``wide_requested`` asks for all the room or for the canvas beside; ``menu_wanted`` for
    the commands of a file.
    """

    text_settled = Signal(str, str)
    left = Signal()
    new_requested = Signal(str)
    rename_requested = Signal(str, str)
    menu_wanted = Signal(QPoint)
    file_shown = Signal(str)
    wide_requested = Signal()
    close_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("own")
        self.setAccessibleName(translate("OwnCode", "Custom code"))
        self._editors: dict[str, CodeEditor] = {}
        self._views: dict[str, FileView] = {}
        self._names: tuple[NameView, ...] = ()
        self._is_read_only = False
        self.tabs = FileTabs(self, "own.files")
        self.tabs.setAccessibleName(translate("OwnCode", "Code files"))
        self._new = parts.tool_button(
            self, "own.new", translate("OwnCode", "New code file"), icon="add"
        )
        self._new.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._more = parts.tool_button(
            self, "own.more", translate("OwnCode", "File commands"), icon="more"
        )
        self._wide = parts.tool_button(self, "own.wide", icon="columns")
        self._close = parts.tool_button(
            self,
            "own.close",
            translate("OwnCode", "Close the editor (files are kept)"),
            icon="close",
        )
        self._stack = QStackedWidget(self)
        self._empty = EmptyState("code", self, name="own.empty")
        self._empty.set_texts(
            translate("OwnCode", "No custom code yet"),
            translate(
                "OwnCode",
                "Write a layer, a function or a loss here. It appears in the palette and "
                "works like PyTorch's own.",
            ),
            translate("OwnCode", "New layer"),
        )
        self._stack.addWidget(self._empty)
        self._sign = parts.label(self, "own.sign", translate("OwnCode", "State"))
        self._state = parts.label(self, "own.state", translate("OwnCode", "State"))
        self._place = parts.label(
            self, "own.place", translate("OwnCode", "Line and column"), role="muted"
        )
        self._lay_out()
        self._connect()
        self.set_wide(is_wide=False)
        theme_signals().changed.connect(self._paint_state)

    def set_snippets(self, titles: Mapping[str, str]) -> None:
        """Offer new files, by name, in words."""
        menu = QMenu(self._new)
        menu.setObjectName("own.new.menu")
        for name, title in titles.items():
            action = menu.addAction(title)
            action.setObjectName(f"own.new.{name}")
            action.triggered.connect(lambda _=False, name=name: self.new_requested.emit(name))
        self._new.setMenu(menu)

    def set_names(self, names: Sequence[NameView]) -> None:
        """Say which names can complete what is typed."""
        self._names = tuple(names)
        for editor in self._editors.values():
            editor.set_names(names)

    def set_read_only(self, *, is_read_only: bool) -> None:
        """Let the files be read only."""
        self._is_read_only = is_read_only
        for editor in self._editors.values():
            editor.set_read_only(is_read_only=is_read_only)
        self._new.setEnabled(not is_read_only)

    def set_wide(self, *, is_wide: bool) -> None:
        """Say what the button for the room does now."""
        text = (
            translate("OwnCode", "Show the canvas beside the code")
            if is_wide
            else translate("OwnCode", "Maximize the code")
        )
        self._wide.setToolTip(plain_tip(text))
        self._wide.setAccessibleName(text)

    def set_files(self, views: Sequence[FileView]) -> None:
        """Show files. What is being typed and has not been told yet stays."""
        before = self._views
        self._views = {view.name: view for view in views}
        for name in before.keys() - self._views.keys():
            if (editor := self._editors.pop(name, None)) is not None:
                self._stack.removeWidget(editor)
                editor.deleteLater()
        for name, editor in self._editors.items():
            self._refresh(editor, self._views[name])
        self.tabs.set_tabs([TabView(name=v.name, severity=v.severity, help=v.note) for v in views])
        self._show_current()

    def rename_file(self, name: str, new_name: str) -> None:
        """Keep the editor of a file that has another name from now on, with all that can be undone
        in it; :meth:`set_files` follows.
        """
        if (editor := self._editors.pop(name, None)) is not None:
            self._editors[new_name] = editor
            editor.set_title(_title(new_name))
            self._views[new_name] = self._views.pop(name)

    def show_file(self, name: str, line: int = 0, column: int = 1) -> None:
        """Go to a file, and to a line of it (from 1)."""
        if name not in self._views:
            return
        self.tabs.choose(name)
        self._show_current()
        editor = self._editors[name]
        if line:
            editor.go_to(line, column)
        editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def current_file(self) -> str:
        """Return the name of the file that is shown; empty where there is none."""
        return self.tabs.current_name()

    def editor(self) -> CodeEditor | None:
        """Return the editor of the file that is shown."""
        return self._editors.get(self.current_file())

    def has_pending(self) -> bool:
        """Return whether something typed has not been told yet."""
        return any(editor.has_pending() for editor in self._editors.values())

    def flush(self) -> None:
        """Tell what was typed, now."""
        for editor in list(self._editors.values()):
            editor.flush()
        self.tabs.flush()

    def _show_current(self) -> None:
        name = self.current_file()
        if name and name not in self._editors:
            self._editors[name] = self._build_editor(self._views[name])
        self._stack.setCurrentWidget(self._editors[name] if name else self._empty)
        self._more.setEnabled(bool(name))
        self._paint_state()
        self._paint_place()

    def _build_editor(self, view: FileView) -> CodeEditor:
        editor = CodeEditor(self, name="own.editor")
        editor.set_title(_title(view.name))
        editor.set_names(self._names)
        editor.open_text(view.text)
        editor.set_marks(view.marks)
        editor.set_read_only(is_read_only=self._is_read_only)
        editor.text_settled.connect(lambda text: self._on_text_settled(editor, text))
        editor.edit.left.connect(self.left)
        editor.apply_requested.connect(self.left)
        editor.place_changed.connect(self._paint_place)
        editor.text_edited.connect(self._paint_state)
        self._stack.addWidget(editor)
        return editor

    def _refresh(self, editor: CodeEditor, view: FileView) -> None:
        if editor.has_pending():
            return  # it tells in a moment, and then comes by again
        if editor.text() != view.text:
            editor.set_text(view.text)
        if tuple(editor.edit.marks()) != view.marks:
            editor.set_marks(view.marks)

    def _paint_state(self) -> None:
        view = self._views.get(self.current_file())
        editor = self.editor()
        is_typing = editor is not None and editor.has_pending()
        self._state.setText("" if view is None else view.note)
        self._state.setToolTip("" if view is None else plain_tip(view.note))
        self._state.setVisible(not is_typing)
        severity = "" if view is None or is_typing else view.severity or "success"
        self._sign.setVisible(bool(severity))
        if severity:
            color = current_theme().severity(severity)
            self._sign.setPixmap(pixmap(severity, color, 14, self.devicePixelRatioF()))

    def _paint_place(self) -> None:
        editor = self.editor()
        line, column = editor.place() if editor is not None else (0, 0)
        text = translate("OwnCode", "line {line}, column {column}")
        self._place.setText(text.format(line=line, column=column) if line else "")

    def _lay_out(self) -> None:
        bar = parts.row(
            (self.tabs, 1),
            self._new,
            self._more,
            self._wide,
            self._close,
            margins=(4, 2, 6, 2),
            spacing=2,
        )
        foot = parts.row(self._sign, (self._state, 1), margins=(8, 3, 8, 3), spacing=6)
        foot.addStretch(0)
        foot.addWidget(self._place)
        parts.column(bar, (self._stack, 1), foot, margins=(0, 0, 0, 0), spacing=0, parent=self)
        self._state.setMinimumWidth(40)
        self.setMinimumWidth(320)

    def _connect(self) -> None:
        self.tabs.chosen.connect(self._on_tab_chosen)
        self.tabs.rename_requested.connect(self.rename_requested)
        self.tabs.menu_requested.connect(lambda _name, place: self.menu_wanted.emit(place))
        self._more.clicked.connect(
            lambda: self.menu_wanted.emit(self._more.mapToGlobal(self._more.rect().bottomLeft()))
        )
        self._wide.clicked.connect(self.wide_requested)
        self._close.clicked.connect(self.close_requested)
        self._empty.action_requested.connect(lambda: self.new_requested.emit("layers"))

    def _on_text_settled(self, editor: CodeEditor, text: str) -> None:
        for name, each in self._editors.items():
            if each is editor:
                self.text_settled.emit(name, text)
                return

    def _on_tab_chosen(self, name: str) -> None:
        if not name or name in self._views:
            self._show_current()
            self.file_shown.emit(name)


def _title(name: str) -> str:
    return translate("OwnCode", "Text of {file}").format(file=name)
