"""The commands as Qt actions: one QAction each, arranged in menus, searched by Ctrl+K."""

from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from studio.command.command import ActionState, Command
from studio.command.table import COMMANDS, MENUS
from studio.i18n import translate


class ActionSet(QObject):
    """Owns the QAction of every command; ``callbacks`` maps command ids to what they do.

    Raises ValueError when a command has no callback or a callback no command.
    """

    def __init__(
        self,
        callbacks: Mapping[str, Callable[[], object]],
        parent: QWidget,
        commands: Iterable[Command] = COMMANDS,
    ) -> None:
        super().__init__(parent)
        self.commands = {command.id: command for command in commands}
        if odd := self.commands.keys() ^ callbacks.keys():
            raise ValueError(f"commands and callbacks differ: {sorted(odd)}")
        self._actions = {
            command.id: self._build(command, callbacks[command.id], parent)
            for command in self.commands.values()
        }
        self._shown: ActionState | None = None
        self.update(ActionState())

    def action(self, command_id: str) -> QAction:
        """Return the action of a command."""
        return self._actions[command_id]

    def update(self, state: ActionState) -> None:
        """Enable and check the actions as the state says."""
        if state == self._shown:
            return
        self._shown = state
        for command in self.commands.values():
            action = self._actions[command.id]
            action.setEnabled(command.enabled(state))
            if command.checkable:
                action.setChecked(command.id in state.checked)

    def _forget(self) -> None:
        """Paint the next state even if it is the last one: Qt has flipped the mark of an action."""
        self._shown = None

    def fill(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Put the menus into a menu bar and return them by name."""
        menus: dict[str, QMenu] = {}
        for name, title in MENUS:
            menu = bar.addMenu(translate("Action", title))
            menu.setObjectName(f"menu.{name}")
            menu.setToolTipsVisible(True)
            menus[name] = menu
            self._fill_menu(menu, [c for c in self.commands.values() if c.menu == name])
        return menus

    def _fill_menu(self, menu: QMenu, commands: list[Command]) -> None:
        submenus: dict[str, QMenu] = {}
        group = 0
        for command in commands:
            if command.group != group:
                menu.addSeparator()
                group = command.group
            if not command.submenu:
                menu.addAction(self._actions[command.id])
                continue
            if command.submenu not in submenus:
                submenu = menu.addMenu(translate("Action", command.submenu))
                submenu.setObjectName(f"menu.{command.menu}.{command.id.split('.')[2]}")
                submenus[command.submenu] = submenu
            submenus[command.submenu].addAction(self._actions[command.id])

    def _build(self, command: Command, callback: Callable[[], object], parent: QWidget) -> QAction:
        action = QAction(translate("Action", command.title), self)
        action.setObjectName(command.id)
        action.setCheckable(command.checkable)
        action.setShortcuts([QKeySequence(keys) for keys in command.keys])
        if command.keys:
            action.setToolTip(f"{action.text()} ({action.shortcut().toString()})")
        if command.checkable:
            action.triggered.connect(self._forget)
        action.triggered.connect(lambda _checked=False: callback())
        parent.addAction(action)
        return action
