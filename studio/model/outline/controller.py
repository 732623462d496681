"""Controller of the outline: structure and weights of the model in a window beside the canvas."""

from engine.diagnostics import Diagnostic, sentence
from engine.graph.block import SEPARATOR
from engine.graph.model import Graph
from engine.query.listing.request import ListModel, ModelListing
from studio.model.canvas.controller import ModelController
from studio.model.outline.dialog import OutlineDialog
from studio.model.outline.presenter import (
    Norms,
    node_of_weight,
    present_level,
    present_matches,
    present_modules,
    present_weights,
    titles,
    weights_summary,
)
from studio.model.outline.weight_norms import WeightNorms
from studio.services import Controller, Services


class OutlineController(Controller):
    """Glue between the dialog, the session and the host process, which knows the weights."""

    def __init__(self, services: Services, model: ModelController) -> None:
        super().__init__(services, model)
        self._model = model
        self._dialog: OutlineDialog | None = None
        self._asked: Graph | None = None
        self._norms = WeightNorms(services, self, is_seen=lambda: self._dialog is not None)
        self._norms.changed.connect(self._show_norms)
        self._session.analysis_changed.connect(self._paint)
        self._session.graph_changed.connect(self._paint)

    def show(self) -> None:
        """Show the dialog; it follows the model from now on."""
        if self._dialog is None:
            dialog = self._dialog = OutlineDialog(self._window, *titles())
            dialog.filter_changed.connect(self._paint)
            dialog.level_requested.connect(self._show_level)
            dialog.node_chosen.connect(self._choose)
            dialog.block_entered.connect(self._enter)
            dialog.weight_chosen.connect(self._choose_weight)
            dialog.finished.connect(self._on_closed)
        self._asked = None
        self._paint()
        self._dialog.bring_to_front()

    def _on_closed(self) -> None:
        self._dialog = None

    def _paint(self) -> None:
        dialog = self._dialog
        if dialog is None:
            return
        self._paint_tree(dialog)
        graph = self._session.graph
        if self._session.findings.is_current and graph is not self._asked:
            self._asked = graph
            self._ask_host(
                ListModel(graph=graph),
                lambda listing: self._on_listing(dialog, listing),
                lambda problems: self._on_failed(dialog, problems),
                is_wanted=lambda: dialog is self._dialog and graph is self._session.graph,
            )

    def _paint_tree(self, dialog: OutlineDialog) -> None:
        if wanted := dialog.filter_text():
            session = self._session
            analysis = session.findings.analysis
            matches = present_matches(session.graph, analysis, wanted, self._language())
            dialog.set_rows("", matches)
            return
        expanded = dialog.expanded_blocks()
        self._show_level("")
        for path in expanded:
            self._show_level(path)
            dialog.expand_block(path)

    def _show_level(self, block: str) -> None:
        if self._dialog is not None:
            session = self._session
            path = tuple(block.split(SEPARATOR)) if block else ()
            rows = present_level(session.graph, session.findings.analysis, path, self._language())
            self._dialog.set_rows(block, rows)

    def _on_listing(self, dialog: OutlineDialog, listing: ModelListing) -> None:
        dialog.set_weights(present_weights(listing), weights_summary(listing))
        self._norms.read()
        dialog.set_modules(present_modules(listing))
        dialog.set_text(listing.text)

    def _on_failed(self, dialog: OutlineDialog, problems: tuple[Diagnostic, ...]) -> None:
        dialog.set_weights((), sentence(problems[0], self._language()))
        dialog.set_modules(())
        dialog.set_text("")

    def _show_norms(self, norms: Norms) -> None:
        if self._dialog is not None:
            self._dialog.set_norms(norms)

    def _choose(self, path: str) -> None:
        self._window.show_workspace("model")
        self._model.show_node(path)

    def _choose_weight(self, name: str) -> None:
        path = node_of_weight(self._session.graph, name)
        if path:
            self._choose(path)

    def _enter(self, path: str) -> None:
        self._window.show_workspace("model")
        self._session.enter(tuple(path.split(SEPARATOR)))
