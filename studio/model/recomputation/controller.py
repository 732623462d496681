"""Controller of recomputing activations: tells what it saves, then marks the selected nodes."""

from engine.diagnostics import sentence
from engine.graph.block import block_at
from engine.graph.edit.edits import EditBlock, apply
from engine.graph.error import GraphError
from engine.graph.node_state.recomputation import RecomputeNodes, can_be_recomputed
from engine.query.memory.request import EstimateRecomputation, RecomputationReport
from studio.i18n import translate
from studio.model.recomputation.dialog import RecomputationDialog
from studio.model.recomputation.presenter import about_text, saving_text
from studio.services import Controller
from studio.session.session import Session

_SHOWN = 6


class RecomputationController(Controller):
    """Glue between the command, its dialog and the session."""

    def toggle(self) -> None:
        """Ask whether the activations of the selected nodes shall be recomputed; if those of all
        are already, keep them again.
        """
        session = self._session
        if is_recomputed(session):
            edit = RecomputeNodes(ids=session.selection, recompute=False)
            self._change(edit, translate("Recomputation", "Keep activations"))
            return
        edit = RecomputeNodes(ids=session.selection)
        name = block_at(session.graph, session.path)
        try:
            after = apply(EditBlock(block=name, edit=edit) if name else edit, session.graph)
        except GraphError as error:
            self._notifications.report(error.problems)
            return
        self._ask(edit, EstimateRecomputation(graph=session.graph, after=after, spec=session.spec))

    def _ask(self, edit: RecomputeNodes, request: EstimateRecomputation) -> None:
        level = self._session.level
        nodes = [level.nodes[node_id] for node_id in edit.ids]
        names = [node.name for node in nodes if can_be_recomputed(level, node)]
        shown = (*names[:_SHOWN], "…") if len(names) > _SHOWN else tuple(names)
        dialog = RecomputationDialog(self._window, about_text(shown))
        label = translate("Recomputation", "Recompute in backward pass")
        dialog.confirmed.connect(lambda: self._change(edit, label))
        is_open = [True]
        dialog.finished.connect(lambda _: is_open.clear())

        def show(report: RecomputationReport) -> None:
            dialog.set_saving(saving_text(report))

        self._ask_host(
            request,
            show,
            lambda problems: dialog.set_saving(sentence(problems[0], self._language())),
            is_wanted=lambda: bool(is_open),
        )
        dialog.open()

    def _change(self, edit: RecomputeNodes, label: str) -> None:
        self._succeeds(lambda: self._session.edit_level(edit, label))


def is_recomputed(session: Session) -> bool:
    """Return whether something selected can be recomputed and all of that is."""
    level = session.level
    nodes = [level.nodes[node_id] for node_id in session.selection if node_id in level.nodes]
    chosen = [node for node in nodes if node.recompute or can_be_recomputed(level, node)]
    return bool(chosen) and all(node.recompute for node in chosen)
