"""What lives as long as the program, handed to whoever needs it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from studio.analyst import Analyst, Host
from studio.border import Border
from studio.controllers.debugging import Debugging
from studio.controllers.recovery import RecoveryController
from studio.controllers.run import RunController
from studio.controllers.spec_editor import SpecEditor
from studio.i18n import Language
from studio.keeper import Keeper
from studio.lab import Lab
from studio.machine import Machine
from studio.main_window import MainWindow
from studio.messenger import Messenger
from studio.repairer import Repairer
from studio.session import Session
from studio.settings import SettingsStore
from studio.trust import Trust


@dataclass(frozen=True, kw_only=True)
class Services:
    """The parts that stay when the window is built anew. ``apply_look`` takes over theme and text
    size, ``apply_language`` the language; both come from the settings.
    """

    session: Session
    settings: SettingsStore
    language: Language
    messenger: Messenger
    border: Border
    keeper: Keeper
    host: Host
    analyst: Analyst
    repairer: Repairer
    runs: RunController
    editor: SpecEditor
    window: MainWindow
    trust: Trust
    recovery: RecoveryController
    debugging: Debugging
    lab: Lab
    apply_look: Callable[[], None]
    apply_language: Callable[[], None]
    quit: Callable[[], None]
    machine: Machine = field(default_factory=Machine)

    def code(self) -> str:
        """Return the code of the language that is switched on."""
        return self.language.code
