"""Memory of a training step: estimated by the host, measured in the run, shown."""

from collections.abc import Callable
from dataclasses import replace

from typing_extensions import override

from engine.events import MeasureMemory
from engine.query.memory.request import EstimateMemory
from studio.inspect.memory.page import MemoryPage
from studio.inspect.memory.presenter import (
    GIGABYTE,
    MemoryState,
    memory_bars,
    present_memory,
)
from studio.services import PageController, Services
from widgets.canvas.canvas import Canvas


class MemoryController(PageController[MemoryPage, MemoryState]):
    """Glue between the page, the host and the run that is followed."""

    def __init__(
        self,
        services: Services,
        page: MemoryPage,
        *,
        canvas: Canvas,
        show_node: Callable[[str], object],
    ) -> None:
        super().__init__(services, page, MemoryState())
        self._machine = services.machine
        self._canvas = canvas
        self._asked: tuple[object, object] | None = None  # the graph and the recipe
        page.shown.connect(self._on_shown)
        page.asked.connect(
            lambda verb: (
                self._estimate() if verb == "estimate" else self._runs.look(MeasureMemory())
            )
        )
        page.limit_changed.connect(lambda limit: self._change(limit_gb=limit))
        page.on_canvas_changed.connect(lambda is_on: self._change(is_on_canvas=is_on))
        page.row_chosen.connect(lambda row: None if row.startswith("=") else show_node(row))
        self._session.analysis_changed.connect(self._on_analysis)
        self._session.level_changed.connect(self._mark)
        self._session.run_changed.connect(self._on_run_changed)
        self._present()
        self._on_run_changed()

    def _on_shown(self) -> None:
        self._set(self._with_limit())
        self._on_analysis()

    def _with_limit(self) -> MemoryState:
        """Return the state with the memory of this machine once it is known."""
        machine = self._machine.capabilities
        if machine is None or self._state.limit_gb is not None:
            return self._state
        memories = [gpu.memory_bytes for gpu in machine.gpus] or [machine.memory_bytes]
        return replace(self._state, limit_gb=round(memories[0] / GIGABYTE, 3))

    def _on_analysis(self) -> None:
        session = self._session
        is_new = self._asked != (session.graph, session.spec)
        if not (self._page.isVisible() and is_new and session.findings.is_checked):
            return
        if errors := session.findings.errors:
            self._asked = None  # once it is mended, the very same is asked about again
            self._change(report=None, problem=errors[0])
        else:
            self._estimate()

    def _estimate(self) -> None:
        session = self._session
        if session.project is None:
            return
        self._asked = asked = session.graph, session.spec
        self._ask_host(
            EstimateMemory(
                graph=session.graph, spec=session.spec, project=str(session.project.path)
            ),
            lambda report: self._set(replace(self._with_limit(), report=report, problem=None)),
            lambda problems: self._change(report=None, problem=problems[0]),
            is_wanted=lambda: asked == self._asked,
        )

    def _on_run_changed(self) -> None:
        """Paint what was measured; the figures stay as they are with every other event of a run."""
        update = self._session.run
        memory = update.state.memory if update is not None else None
        measured = memory.report if memory else None
        self._update(measured=measured, is_running=self._runs.is_running)

    @override
    def _present(self) -> None:
        self._page.set_view(present_memory(self._state, self._session.graph, self._language()))
        self._mark()

    def _mark(self) -> None:
        self._canvas.mark_bars("memory", memory_bars(self._state, self._session.path))
