"""Surfaces of a run: asked for while the page is seen, read from the run's folder, gone through
step by step.
"""

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from msgspec import structs
from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor
from typing_extensions import override

from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.events import WatchSurface
from engine.query.data.request import DescribeData, PreviewData
from engine.query.results.request import DrawSurface, LookUp
from engine.runs.folder import RunFolder
from engine.runs.record.surface import SURFACES, Surface
from engine.spec.custom_code import data_code
from engine.spec.data import DataInfo, PreviewInfo
from engine.spec.judged import judged_outputs
from engine.spec.plane import Plane, PlaneKind, model_fields, plane_axes, suits
from studio.i18n import translate
from studio.inspect.surface.choices import COLUMNS, SAMPLES
from studio.inspect.surface.page import SurfacePage
from studio.inspect.surface.presenter import (
    CHANCES,
    WHATEVER_SUITS,
    Frame,
    Recording,
    SurfaceState,
    compared_info,
    frame_step,
    impossible,
    label_names,
    no_plane,
    present_shades,
    present_step,
    present_surface,
)
from studio.inspect.surface.samples import (
    column_points,
    present_samples,
    present_thumbnails,
    sample_points,
)
from studio.services import PageController, Services
from studio.window.page import EmptyView
from widgets.common.theme import current_theme

_EVERY_S = 0.3
_LOOK_MS = 300
_SAMPLES = 600
_COLORS = 8
_CODES = ("V005", *(f"V{number:03d}" for number in range(37, 49)))
"""What a run says of a plane that it cannot draw."""


class SurfaceController(PageController[SurfacePage, SurfaceState]):
    """Glue between the page and the run that is followed. Files are read off Qt's thread."""

    def __init__(self, services: Services, page: SurfacePage) -> None:
        super().__init__(services, page, SurfaceState())
        self._is_reading = False
        self._is_watching = False
        self._places: tuple[int, ...] = ()
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()
        page.frame_chosen.connect(self._on_frame_chosen)
        page.live_changed.connect(self._on_live)
        page.choices.kind_chosen.connect(self._on_kind)
        page.choices.axes_chosen.connect(self._on_axes)
        page.choices.sample_chosen.connect(self._on_sample)
        page.choices.next_requested.connect(self._on_next)
        page.choices.judged_chosen.connect(self._on_judged)
        page.choices.output_chosen.connect(self._on_output)
        page.start_requested.connect(self._inspect_run)
        self._session.run_changed.connect(self._on_run_changed)
        self._present()
        self._on_run_changed()

    @override
    def _present(self) -> None:
        self._page.set_view(present_surface(self._state))

    def _on_run_changed(self) -> None:
        update, before = self._session.run, self._state
        run = None if update is None else update.folder
        if run is None or before.run is None or run.path != before.run.path:
            self._is_watching, self._places = False, ()
            state = SurfaceState(run=run, is_live=before.is_live)
            self._set(replace(state, plane=before.plane) if _is_like(run, before.run) else state)

    def _ask_data(self, run: RunFolder) -> None:
        data = run.document.spec.data
        self._ask_host(
            DescribeData(data=data, code=data_code(data, run.document.graph.code)),
            lambda info: self._on_info(run, info),
            self._fail,
            is_wanted=lambda: run is self._state.run,
        )

    def _on_info(self, run: RunFolder, info: DataInfo) -> None:
        fields = model_fields(info, run.document.graph)
        judged = judged_outputs(run.document.spec, run.document.graph.code)
        problems = [impossible(compared_info(info, each.field), fields) for each in judged]
        if None not in problems and problems[0] is not None:
            self._change(problem=no_plane(problems[0], self._language()))
            return
        shown = tuple(one for one, why in zip(judged, problems, strict=True) if why is None)
        plane = self._state.plane
        if plane.output not in (each.name for each in shown):
            plane = structs.replace(plane, output=shown[0].name)
        self._change(info=info, fields=fields, judged=shown, plane=plane)
        self._ask_points(run)

    def _ask_points(self, run: RunFolder) -> None:
        """Read training samples, where they are drawn: others, such as pictures, are not."""
        state, surface = self._state, self._state.surface
        is_shown = surface is not None and surface.plane.kind != SAMPLES
        if state.is_previewed or not (is_shown or state.kind == COLUMNS):
            return
        self._take(is_previewed=True)
        data = run.document.spec.data
        code = data_code(data, run.document.graph.code)
        self._ask_host(
            PreviewData(data=data, split="train", count=_SAMPLES, code=code),
            self._on_preview,
            self._fail,
            is_wanted=lambda: run is self._state.run,
        )

    def _on_preview(self, preview: PreviewInfo) -> None:
        self._take(preview=preview)
        self._show_points()

    def _show_points(self) -> None:
        """Show the samples that belong to the surface that is shown, or to the one to come."""
        state, surface, info = self._state, self._state.surface, self._state.shown_info
        if state.info is None or info is None:
            return
        points, thumbnails, facts = None, (), ""
        if surface is not None and surface.plane.kind == SAMPLES:
            points = sample_points(info, surface)
        elif state.preview is not None and (surface is not None or state.kind == COLUMNS):
            points = column_points(
                info,
                state.fields,
                state.preview,
                surface,
                axes=state.axes,
                output=state.output,
            )
        if surface is not None and surface.points and state.looked.samples:
            thumbnails = present_thumbnails(state.info, surface, state.looked)
            facts = present_samples(state.info, surface, state.looked)
        self._change(points=points, thumbnails=thumbnails, facts=facts)

    def _look_up(self, run: RunFolder) -> None:
        """Read the samples that the plane goes through, where they are others than before."""
        surface = self._state.surface
        places = tuple(point.sample for point in surface.points) if surface else ()
        if not places or places == self._places:
            return
        self._places = places
        data = run.document.spec.data
        self._ask_host(
            LookUp(data=data, places=places, code=data_code(data, run.document.graph.code)),
            self._on_looked,
            self._refuse,
            is_wanted=lambda: run is self._state.run and places == self._places,
        )

    def _on_looked(self, looked: PreviewInfo) -> None:
        self._take(looked=looked)
        self._show_points()

    def _fail(self, problems: tuple[Diagnostic, ...]) -> None:
        title = translate("Surface", "Nothing to show")
        text = sentence(problems[0], self._language())
        self._change(problem=EmptyView(title, text))

    def _refuse(self, problems: tuple[Diagnostic, ...]) -> None:
        """Say why the plane that was chosen is not drawn: another one may be."""
        self._change(refused=sentence(problems[0], self._language()))

    def _ask_last(self, run: RunFolder) -> None:
        """Have the last checkpoint drawn of a run that stands still: it may have recorded nothing,
        or nothing since somebody looked.
        """
        update, state = self._session.run, self._state
        checkpoints = update.state.checkpoints if update else ()
        is_still = not self._runs.is_running or (self._runs.is_paused and bool(checkpoints))
        step = checkpoints[-1].step if checkpoints else 0
        if not is_still or (step <= max(state.newest_step, state.drawn) and not state.is_new):
            return
        self._take(drawn=step, is_new=False)
        self._ask_host(
            DrawSurface(run_folder=str(run.path), plane=state.plane),
            lambda surface: self._change(last=surface, refused=""),
            self._refuse if state.recording or state.plane != WHATEVER_SUITS else self._fail,
            is_wanted=lambda: run is self._state.run and state.plane == self._state.plane,
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
        if state.info is None:
            return
        self._hear()
        self._is_reading = True
        colors, run = _series_colors(), state.run
        self._handover.run(
            lambda: _read(run.artefacts, state, colors), lambda future: self._on_read(run, future)
        )

    def _hear(self) -> None:
        """Take over what the run says of a plane that it cannot draw."""
        update = self._session.run
        warnings = () if update is None else update.state.warnings
        told = [warning for warning in warnings if warning.code in _CODES]
        if len(told) > self._state.warned:
            self._take(warned=len(told))
            if self._runs.is_running:
                self._refuse((told[-1],))

    def _watch(self, *, is_wanted: bool) -> None:
        is_wanted = is_wanted and self._runs.is_running
        run = self._state.run
        if is_wanted == self._is_watching or run is None:
            return
        self._is_watching = is_wanted
        if self._runs.is_running:
            every_s = _EVERY_S if is_wanted else 0.0
            command = WatchSurface(every_s=every_s, plane=self._state.plane)
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
            drawn = recording.surface
            if suits(self._state.plane, drawn.plane):
                self._take(refused="")
                if self._runs.is_running:
                    self._take(is_new=False)
            self._take(recording=recording)
            self._show_points()
            self._ask_points(run)
            self._look_up(run)
        self._ask_last(run)

    def _on_frame_chosen(self, index: int) -> None:
        recording = self._state.recording
        is_newest = recording is None or index >= len(recording.frames) - 1
        self._take(chosen=None if is_newest else index)
        self._look()

    def _choose(self, plane: Plane) -> None:
        """Have another plane drawn: by the run, or of its last checkpoint."""
        self._is_watching = False
        self._change(plane=plane, is_new=True, refused="", chosen=None)
        if self._state.run is not None:
            self._ask_points(self._state.run)
        self._look()

    def _on_kind(self, kind: PlaneKind) -> None:
        self._choose(Plane(kind=kind, output=self._state.plane.output))

    def _on_axes(self, x: int, y: int) -> None:
        axes, plane = plane_axes(self._state.fields), self._state.plane
        before = tuple(axes.index(axis) for axis in self._state.axes)
        if x == y:  # the one that was taken from the other axis goes there
            x, y = (x, before[0]) if y == before[1] else (before[1], y)
        self._choose(structs.replace(plane, kind=COLUMNS, axes=(axes[x], axes[y])))

    def _on_sample(self, slot: int, number: int) -> None:
        choices = present_surface(self._state).choices
        if choices is not None:
            samples = list(choices.samples)
            samples[slot] = number
            plane = structs.replace(self._state.plane, kind=choices.kind, samples=tuple(samples))
            self._choose(plane)

    def _on_next(self) -> None:
        choices, plane = present_surface(self._state).choices, self._state.plane
        if choices is None:
            return
        if choices.kind == COLUMNS:
            number = (choices.samples[0] + 1) % max(choices.count, 1)
            self._choose(structs.replace(plane, kind=COLUMNS, samples=(number,)))
        else:
            self._choose(Plane(kind=SAMPLES, draw=plane.draw + 1, output=plane.output))

    def _on_judged(self, name: str) -> None:
        self._take(output=0)
        self._choose(structs.replace(self._state.plane, output=name))

    def _on_output(self, output: int) -> None:
        self._take(output=output)
        self._show_points()
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
    is_later = last is not None and (not files or frame_step(files[-1]) <= last.step)
    frames: tuple[Frame, ...] = (*files, last) if last is not None and is_later else (*files,)
    if not frames:
        return None
    index = len(frames) - 1 if state.chosen is None else min(state.chosen, len(frames) - 1)
    frame, before = frames[index], state.recording
    shown = before.frame if before else None
    is_same = frame is shown or (isinstance(frame, Path) and frame == shown)
    if is_same and before is not None and before.output == state.output:
        return None
    surface = frame if isinstance(frame, Surface) else SURFACES.read(frame)
    labels = label_names(state.info_of(surface.plane))
    if labels:  # which earlier files take for classes
        surface = structs.replace(surface, is_classified=False)
    span, output = CHANCES if labels else _span(state, surface), state.output
    words = present_step(surface, span, output, labels)
    shades = present_shades(surface, colors, span, output)
    return Recording(frames, index, words, shades, surface, output)


def _span(state: SurfaceState, surface: Surface) -> tuple[float, float] | None:
    """Return from where to where the numbers of the training samples are, where these are shown."""
    info = state.info_of(surface.plane)
    if info is None or state.preview is None or surface.plane.kind == SAMPLES:
        return None
    fields, output = state.fields, state.output
    points = column_points(info, fields, state.preview, surface, output=output)
    return points.span if points else None


def _is_like(run: RunFolder | None, before: RunFolder | None) -> bool:
    """Return whether a plane of the run before is one of this run too."""
    return (
        run is not None
        and before is not None
        and run.document.spec.data == before.document.spec.data
    )


def _series_colors() -> tuple[tuple[int, int, int], ...]:
    theme = current_theme()
    colors = (QColor(theme.series_color(index)) for index in range(_COLORS))
    return tuple((color.red(), color.green(), color.blue()) for color in colors)
