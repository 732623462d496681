"""What a command of the program is: data that menus, shortcuts and the palette are made from."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ActionState:
    """What decides which commands can be given right now."""

    has_project: bool = False
    can_undo: bool = False
    can_redo: bool = False
    has_selection: bool = False
    is_model: bool = False
    can_start: bool = False
    is_running: bool = False
    is_waiting: bool = False
    is_paused: bool = False
    can_resume: bool = False
    has_runs: bool = False
    checked: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Command:
    """One command. ``id`` is ``action.<menu>.<verb>``; ``title`` is English and is shown through
    ``translate("Action", title)``; ``words`` are further search words; ``group`` makes separators.
    """

    id: str
    title: str
    keys: tuple[str, ...] = ()
    words: str = ""
    group: int = 0
    checkable: bool = False
    submenu: str = ""
    enabled: Callable[[ActionState], bool] = lambda _: True

    @property
    def menu(self) -> str:
        """The menu the command stands in."""
        return self.id.split(".")[1]
