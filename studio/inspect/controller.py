"""Controller of a page of Inspect: the services that it uses, and the state that its page shows."""

from dataclasses import replace
from typing import Generic, TypeVar

from studio.services import Controller, Services
from studio.window.page import PageWidget

Widget = TypeVar("Widget", bound=PageWidget)
State = TypeVar("State")


class PageController(Controller, Generic[Widget, State]):
    """Base of the controllers. The state is a frozen value that is replaced as a whole; a subclass
    says in ``_present`` how the page shows it.
    """

    def __init__(self, services: Services, page: Widget, state: State) -> None:
        super().__init__(services, page)
        self._page = page
        self._state = state
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

    def _train(self, workspace: str = "inspect") -> None:
        """Start a run and show a workspace meanwhile."""
        self._runs.start()
        self._go_to(workspace)
