"""Command values, from which menus, shortcuts and the Ctrl+K palette are made."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP

MENUS: tuple[tuple[str, str], ...] = (
    ("file", QT_TRANSLATE_NOOP("Action", "&File")),
    ("edit", QT_TRANSLATE_NOOP("Action", "&Edit")),
    ("view", QT_TRANSLATE_NOOP("Action", "&View")),
    ("model", QT_TRANSLATE_NOOP("Action", "&Model")),
    ("data", QT_TRANSLATE_NOOP("Action", "&Data")),
    ("code", QT_TRANSLATE_NOOP("Action", "&Code")),
    ("run", QT_TRANSLATE_NOOP("Action", "&Run")),
    ("inspect", QT_TRANSLATE_NOOP("Action", "&Inspect")),
    ("help", QT_TRANSLATE_NOOP("Action", "&Help")),
)

Rule = Callable[[Context], bool]
"""Says whether a command can be given, or is switched on. Commands that share one are asked about
together, so rules of several commands are functions of a module.
"""


@dataclass(frozen=True, kw_only=True)
class Command:
    """One command. ``id`` is ``action.<menu>.<verb>``; ``title`` is English and is shown through
    ``translate("Action", title)``; ``words`` are further search words. ``group`` makes separators;
    within one, commands stand by ``position``, those with the same as the features are listed.
    Without ``is_enabled`` it can always be given; with ``is_checked`` it has a mark.
    """

    id: str
    title: str
    run: Callable[[Context], object]
    keys: tuple[str, ...] = ()
    words: str = ""
    group: int = 0
    position: int = 0
    submenu: str = ""
    is_enabled: Rule | None = None
    is_checked: Rule | None = None

    @property
    def menu(self) -> str:
        """The menu the command stands in."""
        return self.id.split(".")[1]


def in_order(commands: Iterable[Command]) -> tuple[Command, ...]:
    """Return commands as they stand in the menus."""
    menus = [name for name, _ in MENUS]
    return tuple(sorted(commands, key=lambda c: (menus.index(c.menu), c.group, c.position)))
