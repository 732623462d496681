"""Qt actions of the commands: one QAction each, arranged in menus, searched by Ctrl+K."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from studio.command.command import MENUS, Command, Rule, in_order
from studio.command.context import Context
from studio.i18n import translate

_Show = Callable[[QAction, bool], object]


class ActionSet(QObject):
    """Owns the QAction of every command. Raises ValueError when two commands have the same id."""

    def __init__(self, commands: Iterable[Command], context: Context, parent: QWidget) -> None:
        super().__init__(parent)
        self.commands: dict[str, Command] = {}
        self._context = context
        self._actions: dict[str, QAction] = {}
        self._ruled: dict[tuple[Rule, _Show], list[QAction]] = {}
        self._answers: dict[tuple[Rule, _Show], bool] = {}
        for command in in_order(commands):
            if command.id in self.commands:
                raise ValueError(f"two commands are called {command.id}")
            self.commands[command.id] = command
            self._actions[command.id] = self._build(command, parent)

    def action(self, command_id: str) -> QAction:
        """Return the action of a command."""
        return self._actions[command_id]

    def trigger(self, command_id: str) -> None:
        """Do what a command does, where it can be given now."""
        if self._actions[command_id].isEnabled():
            self._actions[command_id].trigger()

    def update(self) -> None:
        """Enable and check the actions as things stand."""
        for key, actions in self._ruled.items():
            rule, show = key
            answer = rule(self._context)
            if self._answers.get(key) is not answer:
                self._answers[key] = answer
                for action in actions:
                    show(action, answer)

    def fill(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Put the menus into a menu bar and return them by name."""
        menus: dict[str, QMenu] = {}
        commands: dict[str, list[Command]] = {name: [] for name, _ in MENUS}
        for command in self.commands.values():
            commands[command.menu].append(command)
        for name, title in MENUS:
            menu = bar.addMenu(translate("Action", title))
            menu.setObjectName(f"menu.{name}")
            menu.setToolTipsVisible(True)
            menus[name] = menu
            self._fill_menu(menu, commands[name])
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

    def _build(self, command: Command, parent: QWidget) -> QAction:
        action = QAction(translate("Action", command.title), self)
        action.setObjectName(command.id)
        action.setShortcuts([QKeySequence(keys) for keys in command.keys])
        if command.keys:
            action.setToolTip(f"{action.text()} ({action.shortcut().toString()})")
        if command.is_enabled is not None:
            action.setEnabled(False)
            self._follow(command.is_enabled, QAction.setEnabled, action)
        if command.is_checked is not None:
            action.setCheckable(True)
            mark = self._follow(command.is_checked, QAction.setChecked, action)
            # Qt has flipped the mark: it is set again even if the answer is the last one.
            action.triggered.connect(lambda: self._answers.pop(mark, None))
        action.triggered.connect(lambda: self._run(command))
        parent.addAction(action)
        return action

    def _follow(self, rule: Rule, show: _Show, action: QAction) -> tuple[Rule, _Show]:
        self._ruled.setdefault((rule, show), []).append(action)
        return rule, show

    def _run(self, command: Command) -> None:
        """Take over what is being typed, which is a part of the work, then do what was asked."""
        self._context.flush()
        command.run(self._context)
