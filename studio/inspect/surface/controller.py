"""Surfaces of a run: asked for while the page is seen, read from the run's folder, gone through
step by step.
"""

from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor
from typing_extensions import override

from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.events import WatchSurface
from engine.query.data.request import DescribeData, PreviewData
from engine.query.results.request import DrawSurface
from engine.runs.folder import RunFolder
from engine.runs.record.surface import SURFACES, Surface
from engine.spec.custom_code import data_code
from engine.spec.data import DataInfo, PreviewInfo
from studio.i18n import translate
from studio.inspect.surface.page import SurfacePage
from studio.inspect.surface.presenter import (
    Frame,
    Recording,
    SurfaceState,
    frame_step,
    no_plane,
    present_shades,
    present_step,
    present_surface,
)
from studio.services import PageController, Services
from studio.view.data import has_plane, present_points
from studio.window.page import EmptyView
from widgets.common.theme import current_theme

_EVERY_S = 0.3
_LOOK_MS = 300
_SAMPLES = 600
_COLORS = 8


class SurfaceController(PageController[SurfacePage, SurfaceState]):
    """Glue between the page and the run that is followed. Files are read off Qt's thread."""

    def __init__(self, services: Services, page: SurfacePage) -> None:
        super().__init__(services, page, SurfaceState())
        self._is_reading = False
        self._is_watching = False
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()
        page.frame_chosen.connect(self._on_frame_chosen)
        page.live_changed.connect(self._on_live)
        page.start_requested.connect(self._inspect_run)
        self._session.run_changed.connect(self._on_run_changed)
        self._present()
        self._on_run_changed()

    @override
    def _present(self) -> None:
        self._page.set_view(present_surface(self._state))

    def _on_run_changed(self) -> None:
        update, before = self._session.run, self._state.run
        run = None if update is None else update.folder
        if run is None or before is None or run.path != before.path:
            self._is_watching = False
            self._set(SurfaceState(run=run, is_live=self._state.is_live))

    def _ask_data(self, run: RunFolder) -> None:
        data = run.document.spec.data
        code = data_code(data, run.document.graph.code)

        def ask_points(info: DataInfo) -> None:
            if not has_plane(info):  # samples such as pictures are not even read
                self._change(problem=no_plane())
                return
            self._ask_host(
                PreviewData(data=data, split="train", count=_SAMPLES, code=code),
                lambda preview: self._on_points(info, preview),
                self._fail,
                is_wanted=lambda: run is self._state.run,
            )

        self._ask_host(
            DescribeData(data=data, code=code),
            ask_points,
            self._fail,
            is_wanted=lambda: run is self._state.run,
        )

    def _on_points(self, info: DataInfo, preview: PreviewInfo) -> None:
        points = present_points(info, preview)
        self._change(points=points, problem=no_plane() if points is None else None)

    def _fail(self, problems: tuple[Diagnostic, ...]) -> None:
        title = translate("Surface", "Nothing to show")
        text = sentence(problems[0], self._language())
        self._change(problem=EmptyView(title, text))

    def _ask_last(self, run: RunFolder) -> None:
        """Have the last checkpoint drawn of a run that stands still: it may have recorded nothing,
        or nothing since somebody looked.
        """
        update, state = self._session.run, self._state
        checkpoints = update.state.checkpoints if update else ()
        is_still = not self._runs.is_running or (self._runs.is_paused and bool(checkpoints))
        step = checkpoints[-1].step if checkpoints else 0
        if not is_still or step <= max(state.newest_step, state.drawn):
            return
        self._take(drawn=step)
        self._ask_host(
            DrawSurface(run_folder=str(run.path)),
            lambda surface: self._change(last=surface),
            lambda problems: (
                self._notifications.report(problems)
                if self._state.recording
                else self._fail(problems)
            ),
            is_wanted=lambda: run is self._state.run,
        )

    def _look(self) -> None:
        """See whether there is another surface to show; ask the run for them while it is seen."""
        state, is_seen = self._state, self._page.isVisible()
        self._watch(is_wanted=is_seen and state.is_live)
        if not is_seen or state.run is None or self._is_reading:
            return
        if not state.is_asked:
            self._take(is_asked=True)
            self._ask_data(state.run)
        if state.points is None:
            return
        self._is_reading = True
        colors, run = _series_colors(), state.run
        self._handover.run(
            lambda: _read(run.artefacts, state, colors), lambda future: self._on_read(run, future)
        )

    def _watch(self, *, is_wanted: bool) -> None:
        is_wanted = is_wanted and self._runs.is_running
        run = self._state.run
        if is_wanted == self._is_watching or run is None:
            return
        self._is_watching = is_wanted
        if self._runs.is_running:
            command = WatchSurface(every_s=_EVERY_S if is_wanted else 0.0)
            self._succeeds(lambda: run.send(command))

    def _on_read(self, run: RunFolder, future: "Future[Recording | None]") -> None:
        self._is_reading = False
        if run is not self._state.run:
            return
        error = future.exception()
        if isinstance(error, DiagnosticError):
            self._notifications.report(error.problems)
            self._take(chosen=None)
            return
        recording = future.result()
        if recording is not None:
            self._change(recording=recording)
        self._ask_last(run)

    def _on_frame_chosen(self, index: int) -> None:
        recording = self._state.recording
        is_newest = recording is None or index >= len(recording.frames) - 1
        self._take(chosen=None if is_newest else index)
        self._look()

    def _on_live(self, is_on: bool) -> None:
        chosen = None if is_on else self._state.chosen
        self._take(is_live=is_on, chosen=chosen)
        self._look()


def _read(
    artefacts: Path, state: SurfaceState, colors: tuple[tuple[int, int, int], ...]
) -> Recording | None:
    """Read the surface that is wanted; None where it is shown already or there is none."""
    files, last = SURFACES.files(artefacts), state.last
    is_later = last is not None and (not files or frame_step(files[-1]) < last.step)
    frames: tuple[Frame, ...] = (*files, last) if last is not None and is_later else (*files,)
    if not frames:
        return None
    index = len(frames) - 1 if state.chosen is None else min(state.chosen, len(frames) - 1)
    frame, shown = frames[index], state.recording.frame if state.recording else None
    if frame is shown or (isinstance(frame, Path) and frame == shown):
        return None
    surface = frame if isinstance(frame, Surface) else SURFACES.read(frame)
    span = state.points.span if state.points else None
    return Recording(
        frames, index, present_step(surface, span), present_shades(surface, colors, span)
    )


def _series_colors() -> tuple[tuple[int, int, int], ...]:
    theme = current_theme()
    colors = (QColor(theme.series_color(index)) for index in range(_COLORS))
    return tuple((color.red(), color.green(), color.blue()) for color in colors)
