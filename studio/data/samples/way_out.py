"""What the Samples page offers while it shows no sample: to look elsewhere, or to begin anew."""

from collections.abc import Callable

from studio.data.samples.state import SamplesState
from studio.services import Services
from studio.view.reading import CANCELED


class WayOut:
    """Does what the empty page offers; ``new_project`` begins a project for other data."""

    def __init__(self, services: Services, new_project: Callable[[], object]) -> None:
        self._locator = services.locator
        self._analyst = services.analyst
        self._new_project = new_project

    def take(self, state: SamplesState, ask_again: Callable[[], object]) -> None:
        """Do what is offered in a state with a problem; ``ask_again`` lists the samples anew."""
        if state.lost:
            self._locator.locate(state.lost)
        elif state.problem is not None and state.problem.code in CANCELED:
            self._analyst.ask_again()
            ask_again()
        else:
            self._new_project()
