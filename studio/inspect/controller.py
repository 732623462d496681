"""Controller of a page of Inspect: the services that it uses, and the state that its page shows."""

from collections.abc import Callable
from dataclasses import replace
from typing import Generic, TypeVar

from PySide6.QtCore import QObject

from engine.query.request import Request
from studio.process.thread_handover import IsWanted, OnFailure
from studio.services import Services
from studio.window.page import PageWidget

Widget = TypeVar("Widget", bound=PageWidget)
State = TypeVar("State")
Report = TypeVar("Report")


class PageController(QObject, Generic[Widget, State]):
    """Base of the controllers. The state is a frozen value that is replaced as a whole; a subclass
    says in ``_present`` how the page shows it.
    """

    def __init__(self, services: Services, page: Widget, state: State) -> None:
        super().__init__(page)
        self._page = page
        self._state = state
        self._session = services.session
        self._runs = services.runs
        self._host = services.host
        self._border = services.border.of(self)
        self._messenger = services.messenger
        self._language = services.code
        self._go_to = services.window.show_workspace

    def _present(self) -> None:
        """Show the state on the page."""
        raise NotImplementedError

    def _set(self, state: State) -> None:
        self._state = state
        self._present()

    def _change(self, **changes: object) -> None:
        """Replace fields of the state."""
        self._set(replace(self._state, **changes))  # pyright: ignore[reportArgumentType]

    def _ask_host(
        self,
        request: Request[Report],
        then: Callable[[Report], object],
        on_failure: OnFailure | None = None,
        *,
        is_wanted: IsWanted | None = None,
    ) -> None:
        """Ask the host; its report goes to ``then`` in Qt's thread while it ``is_wanted``."""
        self._border.deliver(
            self._host.request(request),
            lambda future: then(future.result()),
            on_failure,
            is_wanted=is_wanted,
        )

    def _train(self, workspace: str = "inspect") -> None:
        """Start a run and show a workspace meanwhile."""
        self._runs.start()
        self._go_to(workspace)
