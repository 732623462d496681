"""First model for the data, offered in the middle of an empty canvas."""

from engine.diagnostics import Diagnostic, sentence
from engine.graph.repair.case import RepairProposal
from studio.services import Controller, Services
from studio.session.repair import apply_repair
from widgets.canvas.canvas import Canvas
from widgets.canvas.offer import EmptyOffer

_EMPTY = "G030"


class FirstModelController(Controller):
    """Glue between what repairs an empty canvas and the buttons that lie on it."""

    def __init__(self, services: Services, canvas: Canvas) -> None:
        super().__init__(services, canvas)
        self._offer = EmptyOffer(canvas)
        self._offer.chosen.connect(self._add)
        for signal in (
            self._session.graph_changed,
            self._session.analysis_changed,
            self._session.level_changed,
            self._session.project_changed,
        ):
            signal.connect(self._present)
        self._present()

    def _repairs(self) -> tuple[RepairProposal, ...]:
        """Return the models that fit the data; none where something is on the canvas."""
        session = self._session
        if session.project is None or session.path or session.graph.nodes:
            return ()
        empty = (each for each in session.findings.problems if each.code == _EMPTY)
        problem: Diagnostic | None = next(empty, None)
        return () if problem is None else session.findings.repairs_of(problem)

    def _present(self) -> None:
        language = self._language()
        self._offer.set_texts([sentence(each.words, language) for each in self._repairs()])

    def _add(self, number: int) -> None:
        """Put a model onto the canvas, with the loss and the settings that suit the data."""
        repairs = self._repairs()
        if number >= len(repairs):
            return
        repair = repairs[number]
        self._succeeds(lambda: apply_repair(self._session, repair, self._language()))
