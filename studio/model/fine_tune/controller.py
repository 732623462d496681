"""Controller of fine-tuning: the choices of the dialog become one change of the document."""

from collections.abc import Callable

from engine.graph.error import GraphError
from engine.graph.model import Graph
from engine.spec.data import DataInfo
from engine.spec.defaults import bind_losses, fit_inputs
from engine.spec.fine_tuning import FineTuning, fine_tuned, parts_of
from engine.spec.other_data import OtherData, following_spec
from studio.i18n import translate
from studio.model.canvas.controller import ModelController
from studio.model.fine_tune.dialog import FineTuneDialog
from studio.model.fine_tune.presenter import first_choice, present_fine_tune
from studio.model.importer.controller import ImportController
from studio.services import Controller, Services


class FineTuneController(Controller):
    """Glue between the dialog, the session, and what imports models and takes weights."""

    def __init__(
        self,
        services: Services,
        model: ModelController,
        *,
        ask_weights: Callable[[], object],
        importing: ImportController,
    ) -> None:
        super().__init__(services, model)
        self._ask_weights = ask_weights
        self._importing = importing
        self._is_awaited = False
        importing.imported.connect(self._on_imported)
        self._dialog: FineTuneDialog | None = None
        self._choice = FineTuning(frozen=0, classes=1, head_rate=1.0, rate=1.0)
        for signal in (
            self._session.graph_changed,
            self._session.spec_changed,
            self._session.analysis_changed,
            self._session.data_changed,
        ):
            signal.connect(self._paint)
        self._session.project_changed.connect(self._on_project_changed)

    def ask(self) -> None:
        """Show the dialog for the model on the canvas; without a project choose a model first."""
        session = self._session
        if session.project is None:
            self._importing.ask_to_fine_tune()
            return
        if self._dialog is not None:
            self._dialog.bring_to_front()
            return
        parts = parts_of(session.graph, session.findings.analysis)
        self._choice = first_choice(session.graph, session.spec, session.findings.data, parts)
        dialog = self._dialog = FineTuneDialog(self._window)
        dialog.changed.connect(self._take)
        dialog.weights_requested.connect(self._ask_weights)
        dialog.import_requested.connect(self._import)
        dialog.apply_requested.connect(self._apply)
        dialog.finished.connect(self._on_closed)
        self._paint()
        dialog.bring_to_front()

    def _take(self, frozen: int, classes: int, head_rate: float, rate: float) -> None:
        self._choice = FineTuning(frozen=frozen, classes=classes, head_rate=head_rate, rate=rate)
        self._paint()

    def _on_imported(self, is_for_fine_tuning: bool) -> None:
        self._is_awaited = is_for_fine_tuning
        self._paint()

    def _paint(self) -> None:
        session = self._session
        if self._is_awaited and session.project is not None and session.findings.is_current:
            self._is_awaited = False
            self.ask()
        if self._dialog is None or session.project is None:
            return
        graph, analysis = session.graph, session.findings.analysis
        parts = parts_of(graph, analysis)
        self._dialog.set_view(
            present_fine_tune(
                graph, session.spec, analysis, session.findings.data, parts, self._choice
            )
        )

    def _import(self) -> None:
        if self._dialog is not None:
            self._dialog.reject()
        self._importing.ask_to_fine_tune()

    def _apply(self) -> None:
        session = self._session
        try:
            graph, spec = fine_tuned(session.graph, session.spec, self._choice)
        except GraphError as error:
            self._notifications.report(error.problems)
            return
        data = session.findings.data
        spec = bind_losses(spec, session.graph, graph, data)
        if data is not None:
            known = OtherData(before=None, info=data)
            spec = following_spec(spec, session.graph, graph, known)
        if self._dialog is not None:
            self._dialog.accept()
        session.change(graph, spec, translate("FineTune", "Fine-tune"))
        self._notifications.tell(_next(graph, data), "success")

    def _on_closed(self) -> None:
        self._dialog = None

    def _on_project_changed(self) -> None:
        if self._dialog is not None and self._session.project is None:
            self._dialog.reject()


def _next(graph: Graph, data: DataInfo | None) -> str:
    """Return what to do with a model that is prepared: train it, or choose data that fit it."""
    if data is not None and fit_inputs(graph, data) == graph:
        return translate(
            "FineTune",
            "The model is ready for fine-tuning. Start training on Train. You "
            "can undo this change.",
        )
    return translate(
        "FineTune",
        "The model is ready. Choose matching data, then train. You can undo this change.",
    )
