"""Controllers of repeated runs: ask for the number of folds or seeds, and queue a run for each."""

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path

from engine.graph.model import Graph
from engine.query.model.request import FitModels, FittedModels
from engine.runs.cross_validation import fold_specs, seed_specs
from engine.runs.queue import RunQueue
from engine.runtime import work_off
from engine.spec.choice import Code
from engine.spec.run import RunSpec
from studio.i18n import translate
from studio.services import Controller, Services
from studio.window.dialog.number import NumberDialog

_FEWEST, _USUAL, _MOST = 2, 5, 1_000


@dataclass(frozen=True, kw_only=True)
class RepeatWords:
    """What the dialog asks: its ``name``, and the ``value`` that stands there at first."""

    name: str
    title: str
    text: str
    label: str
    value: int


class RepeatController(Controller):
    """Glue between the dialog, the check of the model and the queue."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, services.window)
        self._queue = RunQueue(services.settings.folder / "queue")
        self._trust = services.trust

    def show(self) -> None:
        """Ask for the number."""
        if self._session.project is None:
            return
        words = self._dialog_words()
        dialog = NumberDialog(
            self._window,
            words.name,
            title=words.title,
            text=words.text,
            label=words.label,
            value=words.value,
            limits=(_FEWEST, _MOST),
            verb=translate("Folds", "Add to queue"),
        )
        dialog.chosen.connect(self._check)
        dialog.open()

    @abstractmethod
    def _dialog_words(self) -> RepeatWords:
        """Return what the dialog asks."""

    @abstractmethod
    def _runs_of(self, count: int) -> list[tuple[str, RunSpec]]:
        """Return the runs by name."""

    def _check(self, count: int) -> None:
        """Check each run, with a model that has the rows and scores for what it trains on."""
        session = self._session
        if session.project is None:
            return
        path, graph = session.project.path, session.graph
        runs = self._runs_of(count)

        def proceed(fitted: FittedModels) -> None:
            errors = next((model.errors for model in fitted.models if model.errors), None)
            if errors:
                self._notifications.report(errors)
            else:
                graphs = [model.graph for model in fitted.models]
                self._add(path, graph.code, list(zip(runs, graphs, strict=True)))

        self._ask_host(FitModels(graph=graph, specs=tuple(spec for _, spec in runs)), proceed)

    def _add(self, path: Path, code: Code, runs: list[tuple[tuple[str, RunSpec], Graph]]) -> None:
        trusted = self._trust.covers(code)
        self._trust.note_run(code)

        def add() -> None:
            for (name, spec), graph in runs:
                self._queue.add(path, graph, spec, name, trusted=trusted)
            work_off(self._queue)

        self._handover.run(add, lambda _: self._on_added(), self._notifications.report)

    def _on_added(self) -> None:
        self._window.show_page("runs", "queue")
        self._runs.tell_runs_changed()  # the page may have been there already


class FoldController(RepeatController):
    """Cross-validation: a run for each fold."""

    def _dialog_words(self) -> RepeatWords:
        return RepeatWords(
            name="folds",
            title=translate("Folds", "Cross-validate"),
            text=translate(
                "Folds",
                "The test set is split off, and the other samples are divided into folds. One "
                "run for each fold is added to the queue: it is validated on that fold and "
                "trained on the others. Select the runs on the Runs page to see the mean and the "
                "standard deviation of their results.",
            ),
            label=translate("Folds", "Folds"),
            value=self._session.spec.data.split.folds or _USUAL,
        )

    def _runs_of(self, count: int) -> list[tuple[str, RunSpec]]:
        label = translate("Folds", "fold {number}")
        specs = fold_specs(self._session.spec, count)
        return [(label.format(number=fold), spec) for fold, spec in enumerate(specs, 1)]


class SeedController(RepeatController):
    """The same recipe with several seeds."""

    def _dialog_words(self) -> RepeatWords:
        return RepeatWords(
            name="seeds",
            title=translate("Folds", "Repeat with other seeds"),
            text=translate(
                "Folds",
                "One run for each seed is added to the queue, from the seed of the recipe on: the "
                "same data, other initial weights, order of samples and dropout. Select the runs "
                "on the Runs page to see the mean and the standard deviation of their results.",
            ),
            label=translate("Folds", "Seeds"),
            value=_USUAL,
        )

    def _runs_of(self, count: int) -> list[tuple[str, RunSpec]]:
        label = translate("Folds", "seed {number}")
        specs = seed_specs(self._session.spec, count)
        return [(label.format(number=spec.seed), spec) for spec in specs]
