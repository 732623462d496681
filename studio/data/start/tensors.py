"""Controller of a file of tensors that is given to the window: data to train on, or weights."""

from pathlib import Path

from engine.query.data.request import JudgeTensors, TensorFile
from studio.i18n import translate
from studio.services import Controller, Services
from studio.window.dialog.question import Answer, Question
from studio.window.given_path import Given
from widgets.common.throttle import Debounce

_QUIET_MS = 100


class TensorFileController(Controller):
    """Gives a file to the window as what it holds; asks the user where that may be both."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, services.window)
        self._path = Path()
        self._later = Debounce(_QUIET_MS, self._ask_now, self)

    def ask(self, path: Path) -> None:
        """Find out what a file holds."""
        self._path = path
        self._later.request()

    def _ask_now(self) -> None:
        path = self._path
        judged = self._host.request(JudgeTensors(path=str(path)))
        if judged.cancelled():  # the program has just begun: nobody is there yet
            self._later.request()
            return
        self._handover.deliver(
            judged,
            lambda future: self._on_judged(path, future.result()),
            self._notifications.report,
            is_wanted=lambda: path == self._path,
        )

    def _on_judged(self, path: Path, file: TensorFile) -> None:
        if file.holds == "either":
            self._choose(path)
        else:
            self._window.take(Given(file.holds, path))

    def _choose(self, path: Path) -> None:
        text = translate(
            "DataProject",
            "“{name}” has tensors of the same length, whose names do not say whether they are "
            "samples or weights of a model.",
        )
        Question(
            self._window,
            "tensors",
            title=translate("DataProject", "Data or weights?"),
            text=text.format(name=path.name),
            answers=(
                Answer(
                    name="data",
                    text=translate("DataProject", "Train on them"),
                    act=lambda: self._window.take(Given("data", path)),
                ),
                Answer(
                    name="weights",
                    text=translate("DataProject", "Load them as weights"),
                    act=lambda: self._window.take(Given("weights", path)),
                ),
            ),
            cancel=translate("DataProject", "Cancel"),
        ).open()
