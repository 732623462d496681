"""What a command of the program is: data that menus, shortcuts and the palette are made from."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ActionState:
    """What decides which commands can be given right now."""

    has_project: bool = False
    can_undo: bool = False
    can_redo: bool = False
    is_document: bool = False  # model or run settings are seen: what undo goes back in
    has_selection: bool = False
    selected: int = 0  # nodes on the canvas
    is_model: bool = False
    can_start: bool = False
    is_running: bool = False
    is_waiting: bool = False
    is_paused: bool = False
    can_resume: bool = False
    has_runs: bool = False
    has_block: bool = False
    is_inside: bool = False
    can_share: bool = False
    has_weights: bool = False
    can_begin_alike: bool = False
    has_own_file: bool = False  # the editor of own code shows a file
    has_code: bool = False
    is_restricted: bool = False
    has_own_text: bool = False  # the code of the model is the user's own
    is_own: bool = False  # the selected node is made from own code
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


def has_project(state: ActionState) -> bool:
    """Return whether a project is open: what many commands need."""
    return state.has_project


def is_model(state: ActionState) -> bool:
    """Return whether the canvas of a project is seen."""
    return state.has_project and state.is_model


def has_nodes(state: ActionState) -> bool:
    """Return whether nodes on the canvas are selected."""
    return is_model(state) and state.selected > 0


def is_selection(state: ActionState) -> bool:
    """Return whether something on the canvas is selected."""
    return is_model(state) and state.has_selection
