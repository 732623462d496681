"""Controller of the Pipeline page: asks for a sample of the part, and leads to the settings."""

from collections.abc import Callable
from pathlib import Path

from typing_extensions import override

from engine.diagnostics import Diagnostic
from engine.query.data.request import PreviewTransforms
from engine.query.request import Split
from engine.spec.custom_code import data_code
from studio.data.pipeline.page import PipelinePage
from studio.data.pipeline.presenter import present_pipeline
from studio.data.pipeline.stage import MODEL, TRANSFORMS, PipelineState
from studio.services import PageController, Services
from widgets.common.throttle import Debounce, SeenThrottle

_ASK_MS = 150
_PAINT_MS = 50


class PipelineController(PageController[PipelinePage, PipelineState]):
    """Glue between the page, the specification and the host."""

    def __init__(
        self,
        services: Services,
        page: PipelinePage,
        *,
        show_setting: Callable[[str], object],
        suggest_workers: Callable[[], object],
    ) -> None:
        super().__init__(services, page, PipelineState())
        self._editor = services.editor
        self._show_setting = show_setting
        self._project = self._path()
        self._shown: object = None  # what the sample on the page is of
        self._paint = SeenThrottle(_PAINT_MS, self._present, page)
        self._sample = Debounce(_ASK_MS, self._ask, self)
        page.part_changed.connect(self._choose_part)
        page.box_chosen.connect(self._lead)
        page.measure_requested.connect(suggest_workers)
        page.shown.connect(self._sample.request)
        self._session.spec_changed.connect(self._on_changed)
        self._session.data_changed.connect(self._on_changed)
        self._session.analysis_changed.connect(self._paint.request)
        self._session.project_changed.connect(self._on_project_changed)
        self._present()

    @override
    def _present(self) -> None:
        self._page.set_view(present_pipeline(self._state, self._editor.recipe()))

    def _path(self) -> Path | None:
        project = self._session.project
        return None if project is None else project.path

    def _on_project_changed(self) -> None:
        if self._path() != self._project:
            self._project, self._shown = self._path(), None
            self._set(PipelineState())
            self._sample.request()

    def _on_changed(self) -> None:
        self._paint.request()
        self._sample.request()

    def _choose_part(self, part: Split) -> None:
        self._change(part=part, preview=None, problem=None)
        self._sample.request()
        self._sample.flush()

    def _lead(self, key: str) -> None:
        """Show the setting, the page or the workspace that a stage is about."""
        if key == MODEL:
            self._window.show_workspace("model")
        elif key == TRANSFORMS:
            self._window.show_page("data", "transforms")
        else:
            self._show_setting(key)

    def _ask(self) -> None:
        session = self._session
        data, seed, part = session.spec.data, session.spec.seed, self._state.part
        wanted = (data, seed, part)
        if session.project is None or not self._page.isVisible() or wanted == self._shown:
            return
        self._shown = wanted
        self._ask_host(
            PreviewTransforms(
                data=data, seed=seed, split=part, code=data_code(data, session.graph.code)
            ),
            lambda preview: self._change(preview=preview, problem=None),
            self._on_failed,
            is_wanted=lambda: wanted == self._shown,
        )

    def _on_failed(self, problems: tuple[Diagnostic, ...]) -> None:
        self._shown = None
        self._change(preview=None, problem=problems[0])
