"""Services, which live as long as the program, and the controllers that get them whole."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.query.request import Request
from studio.i18n import Language
from studio.process.capabilities import Machine
from studio.process.ordered_writer import OrderedWriter
from studio.process.settings import SettingsStore
from studio.process.thread_handover import IsWanted, OnFailure, ThreadHandover
from studio.project.recovery import RecoveryController
from studio.run_control.controller import RunController
from studio.run_control.data_locator import DataLocator
from studio.run_control.debugging import Debugging
from studio.run_control.machine_gate import MachineGate
from studio.run_control.spec_editor import SpecEditor
from studio.session.analyst import Analyst, Host
from studio.session.lab import Lab
from studio.session.reading import ReadingWatch
from studio.session.repairer import Repairer
from studio.session.session import Session
from studio.session.trust import Trust
from studio.window.main_window import MainWindow
from studio.window.notifications import Notifications

Report = TypeVar("Report")
Widget = TypeVar("Widget", bound=QWidget)
State = TypeVar("State")


@dataclass(frozen=True, kw_only=True)
class Services:
    """The parts that stay when the window is built anew. ``apply_look`` takes over theme and text
    size, ``apply_language`` the language; both come from the settings.
    """

    session: Session
    settings: SettingsStore
    language: Language
    notifications: Notifications
    handover: ThreadHandover
    writer: OrderedWriter
    host: Host
    analyst: Analyst
    repairer: Repairer
    runs: RunController
    gate: MachineGate
    editor: SpecEditor
    locator: DataLocator
    window: MainWindow
    trust: Trust
    recovery: RecoveryController
    debugging: Debugging
    lab: Lab
    reading: ReadingWatch
    apply_look: Callable[[], None]
    apply_language: Callable[[], None]
    quit: Callable[[], None]
    machine: Machine = field(default_factory=Machine)

    def language_code(self) -> str:
        """Return the code of the language that is switched on."""
        return self.language.code


class Controller(QObject):
    """Base of the controllers of features, with the services that most of them use."""

    def __init__(self, services: Services, parent: QObject) -> None:
        super().__init__(parent)
        self._session = services.session
        self._runs = services.runs
        self._host = services.host
        self._handover = services.handover.of(self)
        self._notifications = services.notifications
        self._window = services.window
        self._language = services.language_code

    def _ask_host(
        self,
        request: Request[Report],
        then: Callable[[Report], object],
        on_failure: OnFailure | None = None,
        *,
        is_wanted: IsWanted | None = None,
    ) -> None:
        """Ask the host; its report goes to ``then`` in Qt's thread while it ``is_wanted``."""
        self._handover.deliver(
            self._host.request(request),
            lambda future: then(future.result()),
            on_failure,
            is_wanted=is_wanted,
        )

    def _start_run(self) -> None:
        """Start a run in front of its curves."""
        self._window.show_workspace("train")
        self._runs.start()

    def _inspect_run(self) -> None:
        """Start a run and look inside it, which its start would lead away from."""
        self._runs.start()
        self._window.show_workspace("inspect")

    def _words(self, problems: Sequence[Diagnostic]) -> str:
        """Return what is wrong in the user's language, a line for each problem."""
        return "\n".join(sentence(problem, self._language()) for problem in problems)

    def _succeeds(self, act: Callable[[], object]) -> bool:
        """Do something; return False after reporting why it cannot be done."""
        try:
            act()
        except DiagnosticError as error:
            self._notifications.report(error.problems)
            return False
        return True


class PageController(Controller, Generic[Widget, State]):
    """Base of the controllers of pages whose state is one frozen value, replaced as a whole."""

    def __init__(self, services: Services, page: Widget, state: State) -> None:
        super().__init__(services, page)
        self._page = page
        self._state = state

    @abstractmethod
    def _present(self) -> None:
        """Show the state on the page."""

    def _set(self, state: State) -> None:
        self._state = state
        self._present()

    def _change(self, **changes: object) -> None:
        """Replace fields of the state and show it."""
        self._take(**changes)
        self._present()

    def _update(self, **changes: object) -> None:
        """Replace fields that have another value now and show it; nothing where none has."""
        state = self._state
        others = {
            name: value
            for name, value in changes.items()
            if value is not (before := getattr(state, name)) and value != before
        }
        if others:
            self._change(**others)

    def _take(self, **changes: object) -> None:
        """Replace fields of the state, which the page shows already, or later."""
        self._state = replace(self._state, **changes)  # pyright: ignore[reportArgumentType]
