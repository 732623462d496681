"""Services, which live as long as the program, and the controllers that get them whole."""

from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject

from studio.i18n import Language
from studio.process.capabilities import Machine
from studio.process.ordered_writer import OrderedWriter
from studio.process.settings import SettingsStore
from studio.process.thread_handover import ThreadHandover
from studio.project.recovery import RecoveryController
from studio.run_control.controller import RunController
from studio.run_control.debugging import Debugging
from studio.run_control.spec_editor import SpecEditor
from studio.session.analyst import Analyst, Host
from studio.session.lab import Lab
from studio.session.repairer import Repairer
from studio.session.session import Session
from studio.session.trust import Trust
from studio.window.main_window import MainWindow
from studio.window.notifications import Notifications


@dataclass(frozen=True, kw_only=True)
class Services:
    """The parts that stay when the window is built anew. ``apply_look`` takes over theme and text
    size, ``apply_language`` the language; both come from the settings.
    """

    session: Session
    settings: SettingsStore
    language: Language
    messenger: Notifications
    border: ThreadHandover
    keeper: OrderedWriter
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


class Controller(QObject):
    """Base of the controllers of features, with the services that most of them use."""

    def __init__(self, services: Services, parent: QObject) -> None:
        super().__init__(parent)
        self._session = services.session
        self._runs = services.runs
        self._host = services.host
        self._border = services.border.of(self)
        self._messenger = services.messenger
        self._window = services.window
        self._language = services.code
