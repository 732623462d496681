"""Controller of cross-validation: asks for the number of folds and queues a run for each."""

from pathlib import Path

from engine.diagnostics import Severity
from engine.graph.model import Graph
from engine.query.model.request import Check, CheckReport
from engine.runs.cross_validation import fold_specs
from engine.runs.queue import RunQueue
from engine.runtime import work_off
from engine.spec.run import RunSpec
from studio.i18n import translate
from studio.services import Controller, Services
from studio.window.dialog.number import NumberDialog

_FEWEST, _USUAL, _MOST = 2, 5, 1_000


class FoldController(Controller):
    """Glue between the dialog, the check of the model and the queue."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, services.window)
        self._queue = RunQueue(services.settings.folder / "queue")
        self._trust = services.trust

    def show(self) -> None:
        """Ask for the number of folds."""
        if self._session.project is None:
            return
        dialog = NumberDialog(
            self._window,
            "folds",
            title=translate("Folds", "Cross-validate"),
            text=translate(
                "Folds",
                "The test set is split off, and the other samples are divided into folds. One "
                "run for each fold is added to the queue: it is validated on that fold and "
                "trained on the others.",
            ),
            label=translate("Folds", "Folds"),
            value=self._session.spec.data.split.folds or _USUAL,
            limits=(_FEWEST, _MOST),
            verb=translate("Folds", "Add to queue"),
        )
        dialog.chosen.connect(self._check)
        dialog.open()

    def _check(self, folds: int) -> None:
        """Check the model with the first fold; what is wrong with it is wrong with all."""
        session = self._session
        if session.project is None:
            return
        path, graph = session.project.path, session.graph
        specs = fold_specs(session.spec, folds)

        def proceed(report: CheckReport) -> None:
            errors = [each for each in report.problems if each.severity is Severity.ERROR]
            if errors:
                self._notifications.report(errors)
            else:
                self._add(path, graph, specs)

        self._ask_host(Check(graph=graph, spec=specs[0]), proceed)

    def _add(self, path: Path, graph: Graph, specs: tuple[RunSpec, ...]) -> None:
        trusted = self._trust.covers(graph.code)
        self._trust.note_run(graph.code)

        label = translate("Folds", "fold {number}")
        names = [label.format(number=fold) for fold in range(len(specs))]

        def add() -> None:
            for fold, spec in enumerate(specs):
                self._queue.add(path, graph, spec, names[fold], trusted=trusted)
            work_off(self._queue)

        self._handover.run(add, lambda _: self._on_added(), self._notifications.report)

    def _on_added(self) -> None:
        self._window.show_page("runs", "queue")
        self._runs.tell_runs_changed()  # the page may have been there already
