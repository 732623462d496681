"""Controllers of the searches for a learning rate and for a batch size, in processes of their own.

A search trains a copy of the model; nothing of the project changes until a value is used.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

from typing_extensions import override

from engine.diagnostics import DiagnosticError, sentence
from engine.query.finder.request import (
    BatchMeasured,
    BatchTried,
    FindBatch,
    FinderDone,
    FinderFailed,
    FinderMessage,
    FindRate,
    RateFound,
    RateMeasured,
)
from engine.query.reading.request import BatchSizeFound
from engine.runtime.job.request_job import FinderJob
from engine.spec.fields import set_value
from engine.spec.run import RunSpec
from studio.i18n import translate
from studio.job_controller import JobController
from studio.services import Services
from studio.train.finder.dialog import FinderDialog, FinderField, FinderView, FinderWords
from studio.train.finder.presenter import (
    BATCH,
    present_batch_end,
    present_batches,
    present_estimate,
    present_rate_end,
    present_rates,
    rate_names,
    scaled_rates,
)
from studio.view.phase import phase_choices
from widgets.common.throttle import Throttle

_PAINT_MS = 50

Request = FindRate | FindBatch
MakeJob = Callable[[Request, Callable[[FinderMessage], object]], FinderJob]


class FinderController(JobController[FinderDialog, Request, FinderMessage]):
    """Glue between a dialog, the process that searches, and the recipe."""

    charts: ClassVar[tuple[str, ...]]

    def __init__(self, services: Services, *, make_job: MakeJob = FinderJob) -> None:
        super().__init__(services, make_job)
        self._told = ""

    def show(self) -> None:
        """Offer to search."""
        self._show(self._make_dialog)

    def _make_dialog(self) -> FinderDialog:
        dialog = FinderDialog(self._window, self._dialog_words(), self.charts)
        dialog.start_requested.connect(self._start)
        dialog.value_chosen.connect(self._choose)
        dialog.point_chosen.connect(self._choose_point)
        dialog.use_requested.connect(self._use)
        self._clear()
        dialog.set_view(self._view())
        return dialog

    @override
    def _canceled(self) -> str:
        return translate("Finder", "Canceled. The results so far are shown.")

    @abstractmethod
    def _dialog_words(self) -> FinderWords:
        """Return what the dialog says."""

    @abstractmethod
    def _clear(self) -> None:
        """Forget what was found."""

    @abstractmethod
    def _view(self) -> FinderView:
        """Return what was found."""

    @abstractmethod
    def _request(self, typed: dict[str, str]) -> Request | str:
        """Return what to search, or why what was typed does not say that."""

    @abstractmethod
    def _hear(self, message: FinderMessage) -> None:
        """Take note of what was found."""

    @abstractmethod
    def _choose(self, value: float) -> None:
        """Choose a value."""

    @abstractmethod
    def _choose_point(self, number: int) -> None:
        """Choose the value of a point of a chart."""

    @abstractmethod
    def _use(self, is_along: bool) -> None:
        """Write what is chosen into the recipe, with what was offered (``is_along``)."""

    def _start(self, typed: dict[str, str]) -> None:
        if self._dialog is None or self._session.project is None:
            return
        request = self._request(typed)
        if isinstance(request, str):
            self._dialog.set_progress(request, 0, 1)
            return
        self._clear()
        self._dialog.set_view(self._view())
        self._begin(request, translate("Finder", "Loading PyTorch and the data…"))

    @override
    def _on_message(self, message: FinderMessage) -> None:
        if self._dialog is None:
            return
        match message:
            case FinderDone():
                self._end(self._told)
            case FinderFailed():
                self._end(sentence(message.problems[0], self._language()))
            case _:
                self._hear(message)

    @override
    def _end(self, text: str | None) -> None:
        super()._end(text)
        self._paint()

    def _paint(self) -> None:
        if self._dialog is not None:
            self._dialog.set_view(self._view())

    def _progress(self, text: str, done: int, count: int) -> None:
        if self._dialog is not None:
            self._dialog.set_progress(text, done, count)

    def _change(self, values: dict[str, float | int], label: str) -> None:
        """Set settings as one step of undo, and close the dialog."""
        session, spec = self._session, self._session.spec
        try:
            for name, value in values.items():
                spec = set_value(spec, name, value, session.graph.code)
        except DiagnosticError as error:  # the recipe was changed meanwhile
            self._progress(sentence(error.problems[0], self._language()), 0, 1)
            return
        session.seal()
        session.change(session.graph, spec, label)
        if self._dialog is not None:
            self._dialog.accept()


class RateController(FinderController):
    """Search for a learning rate."""

    charts = ("loss",)

    def __init__(self, services: Services, *, make_job: MakeJob = FinderJob) -> None:
        super().__init__(services, make_job=make_job)
        self._measured: list[RateMeasured] = []
        self._found: RateFound | None = None
        self._chosen: float | None = None
        self._phase = 0
        self._line = Throttle(_PAINT_MS, self._paint, self)

    def _dialog_words(self) -> FinderWords:
        tip = translate("Finder", "The learning rate at the first step")
        last = translate("Finder", "The learning rate at the last step")
        count = translate("Finder", "How many steps are taken at most")
        phases = phase_choices(self._session.spec)
        phase = FinderField(
            key="phase",
            label=translate("Finder", "Phase"),
            text="0",
            tip=translate("Finder", "The phase whose learning rate is searched"),
            choices=phases,
        )
        return FinderWords(
            name="dialog.rate",
            title=translate("Finder", "Find a learning rate"),
            text=translate(
                "Finder",
                "Trains a copy of the model on your data while the learning rate rises from very "
                "small to large, and shows the loss. A good rate lies where the loss falls "
                "fastest. Your project and its runs are not changed.",
            ),
            start=translate("Finder", "Find now"),
            use=translate("Finder", "Use this rate"),
            fields=(
                *((phase,) if phases else ()),
                FinderField(key="lowest", label=translate("Finder", "From"), text="1e-7", tip=tip),
                FinderField(key="highest", label=translate("Finder", "To"), text="10", tip=last),
                FinderField(key="steps", label=translate("Finder", "Steps"), text="100", tip=count),
            ),
        )

    def _clear(self) -> None:
        self._measured, self._found, self._chosen, self._told = [], None, None, ""

    def _view(self) -> FinderView:
        return present_rates(self._measured, self._found, self._chosen)

    def _request(self, typed: dict[str, str]) -> Request | str:
        session = self._session
        assert session.project is not None
        self._phase = int(typed.get("phase", "0"))
        try:
            return FindRate(
                graph=session.graph,
                spec=session.spec,
                project=str(session.project.path),
                lowest=float(typed["lowest"]),
                highest=float(typed["highest"]),
                steps=int(typed["steps"]),
                phase=self._phase,
                trusted=self._trust.covers(session.graph.code),
            )
        except ValueError:
            return translate("Finder", "Enter two learning rates and a whole number of steps.")

    def _hear(self, message: FinderMessage) -> None:
        if isinstance(message, RateMeasured):
            self._measured.append(message)
            text = translate("Finder", "Step {step} of {count}: learning rate {rate}, loss {loss}")
            words = text.format(
                step=message.step,
                count=message.count,
                rate=f"{message.rate:.3g}",
                loss=f"{message.loss:.4g}",
            )
            self._progress(words, message.step, message.count)
            self._line.request()
        elif isinstance(message, RateFound):
            self._found = message
            self._chosen = message.steepest
            self._told = present_rate_end(message)

    def _choose(self, value: float) -> None:
        self._chosen = value
        self._paint()

    def _choose_point(self, number: int) -> None:
        self._choose(self._measured[number].rate)

    def _use(self, is_along: bool) -> None:
        del is_along
        if self._chosen is not None:
            rate = float(f"{self._chosen:.3g}")
            names = rate_names(self._session.spec, self._phase)
            self._change(dict.fromkeys(names, rate), translate("Finder", "Use learning rate"))


class BatchController(FinderController):
    """Search for the largest batch."""

    charts = ("speed", "memory")

    def __init__(self, services: Services, *, make_job: MakeJob = FinderJob) -> None:
        super().__init__(services, make_job=make_job)
        self._measured: list[BatchMeasured] = []
        self._guess = BatchSizeFound(chosen=0)
        self._chosen: int | None = None
        self._spec: RunSpec = self._session.spec

    def _dialog_words(self) -> FinderWords:
        return FinderWords(
            name="dialog.batch",
            title=translate("Finder", "Find the largest batch size"),
            text=translate(
                "Finder",
                "Takes real steps with larger and larger batches on the device of the run, until "
                "they do not fit its memory, and shows how fast each size is. Larger batches "
                "use the device better, but change the training. Your project and its runs are "
                "not changed.",
            ),
            start=translate("Finder", "Find now"),
            use=translate("Finder", "Use this size"),
        )

    def _clear(self) -> None:
        self._measured, self._chosen, self._told = [], None, ""

    def _view(self) -> FinderView:
        return present_batches(self._measured, self._session.spec, self._chosen)

    def _request(self, typed: dict[str, str]) -> Request | str:
        del typed
        session = self._session
        trusted = self._trust.covers(session.graph.code)
        return FindBatch(graph=session.graph, spec=session.spec, trusted=trusted)

    def _hear(self, message: FinderMessage) -> None:
        if isinstance(message, BatchSizeFound):
            self._guess = message
        elif isinstance(message, BatchTried):
            self._progress(present_estimate(self._guess, message.size), 0, 0)
        elif isinstance(message, BatchMeasured):
            self._measured.append(message)
            self._told = present_batch_end(self._measured, self._language())
            self._paint()

    def _choose(self, value: float) -> None:
        self._chosen = int(value)
        self._paint()

    def _choose_point(self, number: int) -> None:
        fitting = sorted(each.size for each in self._measured if each.problem is None)
        self._choose(fitting[number])

    def _use(self, is_along: bool) -> None:
        if self._chosen is None:
            return
        values: dict[str, float | int] = {BATCH: self._chosen}
        if is_along:
            values |= scaled_rates(self._session.spec, self._chosen)
        self._change(values, translate("Finder", "Use batch size"))
