"""What the Samples page offers while it shows no sample: to look elsewhere, or to begin anew."""

from collections.abc import Callable

from studio.data.download.presenter import DOWNLOADABLE
from studio.data.samples.state import SamplesState
from studio.services import Services
from studio.view.reading import CANCELED


class WayOut:
    """Does what the empty page offers; ``trigger`` runs a command of the window by its id."""

    def __init__(self, services: Services, trigger: Callable[[str], object]) -> None:
        self._locator = services.locator
        self._analyst = services.analyst
        self._trigger = trigger

    def take(self, state: SamplesState, ask_again: Callable[[], object]) -> None:
        """Do what is offered in a state with a problem; ``ask_again`` lists the samples anew."""
        if state.lost:
            self._locator.locate(state.lost)
        elif state.problem is not None and state.problem.code in CANCELED:
            self._analyst.ask_again()
            ask_again()
        elif state.problem is not None and state.problem.code in DOWNLOADABLE:
            self._trigger("action.data.download")
        else:
            self._trigger("action.file.new_data")
