"""Controller of the freeze brush: strokes freeze or train nodes or give them a parameter group."""

from engine.diagnostics import DiagnosticError
from engine.graph.error import GraphError
from engine.query.memory.request import EstimateFreezing, FreezingReport
from engine.spec.fields import set_value
from engine.spec.painting import FROZEN, group_of_module, paintable, painted
from engine.spec.phase import rate_field
from engine.spec.phase_painting import PHASE, phase_paints
from studio.i18n import translate
from studio.model.canvas.controller import ModelController
from studio.model.freezing.presenter import in_paints, present_brush
from studio.services import Controller, Services
from widgets.canvas.brush_bar import BrushBar
from widgets.canvas.canvas import Canvas
from widgets.canvas.view_model import CanvasView


class BrushController(Controller):
    """Glue between the bar of paints, the canvas and the session."""

    def __init__(
        self, services: Services, model: ModelController, *, canvas: Canvas, bar: BrushBar
    ) -> None:
        super().__init__(services, model)
        self._asked: EstimateFreezing | None = None
        self._freezing: FreezingReport | None = None  # the answer to what was asked
        self._model = model
        self._canvas = canvas
        self._bar = bar
        self._paint = FROZEN
        canvas.painted.connect(self.paint)
        canvas.brush_left.connect(self.put_down)
        canvas.selection_changed.connect(self._show)
        bar.chosen.connect(self._choose)
        bar.rate_changed.connect(self._set_rate)
        bar.selection_requested.connect(lambda: self.paint(self._session.selection))
        bar.closed.connect(self.put_down)
        for signal in (
            self._session.graph_changed,
            self._session.spec_changed,
            self._session.analysis_changed,
        ):
            signal.connect(self._show)
        self._session.spec_changed.connect(self._repaint)
        self._session.project_changed.connect(self._on_project_changed)

    def toggle(self) -> None:
        """Take the brush into the hand, or put it down."""
        self._hold(is_on=not self._canvas.is_brushing)

    def put_down(self) -> None:
        """Show the canvas as it was, with clicks that select."""
        self._hold(is_on=False)

    def paint(self, ids: tuple[str, ...]) -> None:
        """Give nodes the chosen paint; those without weights stay as they are."""
        session = self._session
        chosen = paintable(session.level, ids)
        if not chosen:
            self._notifications.tell(
                translate("Brush", "This node has no weights to freeze or group.")
            )
            return
        try:
            graph, spec = painted(session.graph, session.spec, session.path, chosen, self._paint)
        except (GraphError, DiagnosticError) as error:
            self._notifications.report(error.problems)
            return
        if 0 < self._paint < PHASE:  # others may have moved up in the place of an empty one
            self._paint = group_of_module(graph, spec, (*session.path, chosen[0]))
        session.change(graph, spec, translate("Brush", "Paint layers"))

    def _hold(self, *, is_on: bool) -> None:
        if is_on == self._canvas.is_brushing:
            return
        self._canvas.set_brush(on=is_on)
        self._model.dress = self._dress if is_on else None
        self._bar.setVisible(is_on)
        self._show()
        self._model.paint()
        self._canvas.setFocus()

    def _dress(self, view: CanvasView) -> CanvasView:
        session = self._session
        return in_paints(
            view,
            session.graph,
            session.level,
            session.spec,
            session.path,
            in_phases=self._paint >= PHASE,
        )

    def _choose(self, paint: int) -> None:
        self._paint = paint
        self._show()
        self._model.paint()  # the colors are those of groups or of phases
        self._canvas.setFocus()

    def _set_rate(self, rate: float) -> None:
        session, group = self._session, self._paint
        name = f"groups.{group - 1}.lr" if group else "optimizer.lr"
        name = rate_field(group - PHASE) if group >= PHASE else name
        try:
            spec = set_value(session.spec, name, rate)
        except DiagnosticError as error:
            self._notifications.report(error.problems)
            return
        label = translate("Brush", "Change learning rate")
        session.change(session.graph, spec, label, merge_key=f"brush.{name}")

    def _show(self) -> None:
        session = self._session
        if not self._canvas.is_brushing:
            return
        self._count()
        if self._paint < PHASE:
            self._paint = min(self._paint, len(session.spec.groups) + 1)  # undo took a group away
        elif self._paint not in phase_paints(session.spec):
            self._paint = FROZEN
        can_paint = bool(paintable(session.level, session.selection))
        view = present_brush(
            session.spec,
            session.findings.analysis,
            self._paint,
            can_paint=can_paint,
            freezing=self._freezing,
        )
        self._bar.set_view(view)

    def _count(self) -> None:
        """Have the host count what frozen layers save."""
        session = self._session
        findings = session.findings
        if not self._canvas.is_brushing or not findings.is_checked or findings.errors:
            return
        if not findings.analysis.frozen:
            self._asked = self._freezing = None
            return
        before = self._asked
        if before and before.graph is session.graph and before.spec is session.spec:
            return
        asked = EstimateFreezing(graph=session.graph, spec=session.spec)
        self._asked, self._freezing = asked, None
        self._ask_host(
            asked,
            self._on_counted,
            lambda _: None,  # that a model cannot be counted is no news
            is_wanted=lambda: asked is self._asked,
        )

    def _on_counted(self, report: FreezingReport) -> None:
        self._freezing = report
        self._show()

    def _repaint(self) -> None:
        if self._canvas.is_brushing:
            self._model.paint()

    def _on_project_changed(self) -> None:
        if self._session.project is None:
            self.put_down()
