"""The Decision surface page: asked for while it is seen, read from the run's folder, gone through
step by step.
"""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QColor

from engine.diagnostics import DiagnosticError, sentence
from engine.events import WatchSurface
from engine.query.data.request import DescribeData, PreviewData
from engine.query.results.request import DrawSurface
from engine.runs.folder import RunFolder
from engine.runs.record.surface import SURFACES, Surface
from engine.spec.data import DataInfo, PreviewInfo
from studio.i18n import translate
from studio.inspect.surface.page import SurfacePage
from studio.inspect.surface.presenter import Span, present_shades, present_step
from studio.process.thread_handover import ThreadHandover
from studio.run_control.controller import RunController
from studio.session.analyst import Host
from studio.session.session import Session
from studio.view.data import present_points
from studio.window.notifications import Notifications
from widgets.common.theme import current_theme
from widgets.plots.view_model import ShadesView

_EVERY_S = 0.3
_LOOK_MS = 300
_SAMPLES = 600
_COLORS = 8


Frame = Path | Surface  # a recorded surface, or that of the last checkpoint


class Seen(NamedTuple):
    """The surfaces that there are, the place of the one that is shown, its words and colours."""

    frames: tuple[Frame, ...]
    place: int
    words: str
    shades: ShadesView


class SurfaceController(QObject):
    """Glue between the page and the run that is followed. Files are read off Qt's thread."""

    def __init__(
        self,
        *,
        session: Session,
        page: SurfacePage,
        runs: RunController,
        host: Host,
        border: ThreadHandover,
        messenger: Notifications,
        go_to: Callable[[str], object],
        language: Callable[[], str],
    ) -> None:
        super().__init__(page)
        self._session = session
        self._page = page
        self._runs = runs
        self._host = host
        self._border = border.of(self)
        self._messenger = messenger
        self._go_to = go_to
        self._language = language
        self._run: RunFolder | None = None
        self._span: Span | None = None  # of the numbers that are to be learnt
        self._frames: tuple[Frame, ...] = ()
        self._last: Surface | None = None  # of the last checkpoint
        self._drawn = -1  # the step of the checkpoint that was asked for
        self._index: int | None = None  # the one that was chosen; else the newest
        self._shown: Frame | None = None
        self._is_asked = False
        self._is_plane = False
        self._is_reading = False
        self._is_watching = False
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()
        page.frame_chosen.connect(self._on_frame_chosen)
        page.live_changed.connect(self._on_live)
        page.start_requested.connect(self._start)
        session.run_changed.connect(self._on_run_changed)
        self._on_run_changed()

    def _on_run_changed(self) -> None:
        update = self._session.run
        run = None if update is None else update.folder
        if run is None:
            self._run = None
            self._tell_no_run()
        elif self._run is None or run.path != self._run.path:
            self._run = run
            self._span, self._frames, self._index, self._shown = None, (), None, None
            self._last, self._drawn = None, -1
            self._is_watching = False
            self._page.plane.set_shades(None)
            self._page.told.clear()
            self._page.set_empty(translate("Surface", "Reading the data…"))
            self._is_asked = self._is_plane = False

    def _tell_no_run(self) -> None:
        self._page.set_empty(
            translate("Surface", "No surface yet"),
            translate(
                "Surface",
                "Where the data is points in the plane (spiral, moons, circles, blobs), the "
                "background shows what the model answers everywhere, and how that changes as it "
                "learns.",
            ),
            translate("Surface", "Start training"),
        )

    def _start(self) -> None:
        self._runs.start()
        self._go_to("inspect")

    def _ask_data(self, run: RunFolder) -> None:
        data = run.document.spec.data
        self._border.deliver(
            self._host.request(DescribeData(data=data)),
            lambda future: self._on_described(run, future),
        )

    def _on_described(self, run: RunFolder, future: "Future[DataInfo]") -> None:
        if run is not self._run:
            return
        error = future.exception()
        if isinstance(error, DiagnosticError):
            self._tell_problem(error)
            return
        info = future.result()
        request = PreviewData(data=run.document.spec.data, split="train", count=_SAMPLES)
        self._border.deliver(
            self._host.request(request), lambda found: self._on_points(run, info, found)
        )

    def _on_points(self, run: RunFolder, info: DataInfo, future: "Future[PreviewInfo]") -> None:
        if run is not self._run:
            return
        error = future.exception()
        points = None if error else present_points(info, future.result())
        if isinstance(error, DiagnosticError):
            self._tell_problem(error)
        elif points is None:
            self._page.set_empty(
                translate("Surface", "No plane to draw"),
                translate(
                    "Surface",
                    "The model of this run does not read one pair of numbers: a surface is drawn "
                    "for points in the plane, such as the data sets spiral, moons, circles and "
                    "blobs.",
                ),
            )
        else:
            self._span = points.span
            self._page.plane.set_view(points)
            self._page.set_empty("")
            self._is_plane = True

    def _tell_problem(self, error: DiagnosticError) -> None:
        text = sentence(error.problems[0], self._language())
        self._page.set_empty(translate("Surface", "There is nothing to show"), text)

    def _ask_last(self, run: RunFolder) -> None:
        """Have the last checkpoint drawn of a run that stands still: it may have recorded nothing,
        or nothing since somebody looked.
        """
        update = self._session.run
        saved = update.state.checkpoints if update else ()
        is_still = not self._runs.is_running or (self._runs.is_paused and bool(saved))
        step = saved[-1].step if saved else 0
        known = max((_step(frame) for frame in self._frames), default=-1)
        if not self._is_plane or not is_still or step <= max(known, self._drawn):
            return
        self._drawn = step
        self._border.deliver(
            self._host.request(DrawSurface(run_folder=str(run.path))),
            lambda future: self._on_surface(run, future),
        )

    def _on_surface(self, run: RunFolder, future: "Future[Surface]") -> None:
        if run is not self._run:
            return
        error = future.exception()
        if not isinstance(error, DiagnosticError):
            self._last = future.result()
        elif self._frames:
            self._messenger.report(error.problems)
        else:
            self._tell_problem(error)

    def _look(self) -> None:
        """See whether there is another surface to show; ask the run for them while it is seen."""
        is_seen = self._page.isVisible()
        self._watch(is_wanted=is_seen and self._page.live.isChecked())
        run = self._run
        if not is_seen or run is None or self._is_reading:
            return
        if not self._is_asked:
            self._is_asked = True
            self._ask_data(run)
        if not self._is_plane:
            return
        self._is_reading = True
        colors, index, shown, span = _series_colors(), self._index, self._shown, self._span
        artefacts, last = run.artefacts, self._last
        self._border.run(
            lambda: _read(artefacts, last, index, shown, colors=colors, span=span),
            lambda future: self._on_read(run, future),
        )

    def _watch(self, *, is_wanted: bool) -> None:
        is_wanted = is_wanted and self._runs.is_running
        if is_wanted == self._is_watching or self._run is None:
            return
        self._is_watching = is_wanted
        if self._runs.is_running:
            try:
                self._run.send(WatchSurface(every_s=_EVERY_S if is_wanted else 0.0))
            except DiagnosticError as error:
                self._messenger.report(error.problems)

    def _on_read(self, run: RunFolder, future: "Future[Seen | None]") -> None:
        self._is_reading = False
        if run is not self._run:
            return
        error = future.exception()
        if isinstance(error, DiagnosticError):
            self._messenger.report(error.problems)
            self._index = None
            return
        seen = future.result()
        if seen is not None:
            self._frames, self._shown = seen.frames, seen.frames[seen.place]
            self._page.plane.set_shades(seen.shades)
            self._page.set_frames(len(seen.frames), seen.place)
            self._page.told.setText(seen.words)
        self._ask_last(run)

    def _on_frame_chosen(self, index: int) -> None:
        is_newest = index >= len(self._frames) - 1
        self._index = None if is_newest else index
        self._look()

    def _on_live(self, is_on: bool) -> None:
        if is_on:
            self._index = None
        self._look()


def _read(
    artefacts: Path,
    last: Surface | None,
    index: int | None,
    shown: Frame | None,
    *,
    colors: tuple[tuple[int, int, int], ...],
    span: Span | None,
) -> Seen | None:
    """Read the surface that is wanted; None where it is shown already or there is none."""
    files = SURFACES.files(artefacts)
    is_later = last is not None and (not files or _step(files[-1]) < last.step)
    frames: tuple[Frame, ...] = (*files, last) if last is not None and is_later else (*files,)
    if not frames:
        return None
    at = len(frames) - 1 if index is None else min(index, len(frames) - 1)
    frame = frames[at]
    if frame is shown or (isinstance(frame, Path) and frame == shown):
        return None
    surface = frame if isinstance(frame, Surface) else SURFACES.read(frame)
    words = present_step(surface, span)
    return Seen(frames, at, words, present_shades(surface, colors, span))


def _step(frame: Frame) -> int:
    return frame.step if isinstance(frame, Surface) else SURFACES.step(frame)


def _series_colors() -> tuple[tuple[int, int, int], ...]:
    theme = current_theme()
    found = (QColor(theme.series_color(index)) for index in range(_COLORS))
    return tuple((color.red(), color.green(), color.blue()) for color in found)
