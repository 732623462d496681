"""Decision surface: what is known of it, and its colours over the plane."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.runs.folder import RunFolder
from engine.runs.record.surface import SURFACES, Surface
from studio.i18n import translate
from studio.window.page import EmptyView
from widgets.plots.curve_data import finite_bounds
from widgets.plots.diverging import number_colors
from widgets.plots.view_model import PointsView, ShadesView

Span = tuple[float, float]
Frame: TypeAlias = Path | Surface  # a recorded surface, or that of the last checkpoint
_STRENGTH = 0.72  # of a class that the model is sure of


@dataclass(frozen=True)
class Recording:
    """The surfaces that there are, the index of the one that is shown, its words and colours."""

    frames: tuple[Frame, ...]
    index: int
    words: str
    shades: ShadesView

    @property
    def frame(self) -> Frame:
        """The surface that is shown."""
        return self.frames[self.index]


@dataclass(frozen=True, kw_only=True)
class SurfaceState:
    """What is known of the surfaces of a run. ``points`` are those of its data, ``problem`` says
    why there are none; ``drawn`` is the step of the checkpoint that was asked for, ``last`` its
    surface; ``chosen`` is None where the newest surface is wanted.
    """

    run: RunFolder | None = None
    is_asked: bool = False
    problem: EmptyView | None = None
    points: PointsView | None = None
    drawn: int = -1
    last: Surface | None = None
    chosen: int | None = None
    is_live: bool = True
    recording: Recording | None = None

    @property
    def newest_step(self) -> int:
        """The last step of which there is a surface; -1 without one."""
        frames = self.recording.frames if self.recording else ()
        return max((frame_step(frame) for frame in frames), default=-1)


@dataclass(frozen=True)
class SurfaceView:
    """What the page shows: ``empty`` or the points, with the surface of one of ``count`` steps."""

    empty: EmptyView | None
    points: PointsView | None = None
    shades: ShadesView | None = None
    count: int = 0
    index: int = 0
    words: str = ""


def present_surface(state: SurfaceState) -> SurfaceView:
    """Return what the page shows."""
    if state.run is None:
        return SurfaceView(
            EmptyView(
                translate("Surface", "No surface yet"),
                translate(
                    "Surface",
                    "For data in the plane (spiral, moons, circles, blobs), the background "
                    "shows the model's prediction at every point and how it changes during "
                    "training.",
                ),
                translate("Surface", "Start training"),
            )
        )
    if state.problem is not None:
        return SurfaceView(state.problem)
    if state.points is None:
        return SurfaceView(EmptyView(translate("Surface", "Reading the data…")))
    shown = state.recording
    if shown is None:
        return SurfaceView(None, state.points)
    count = len(shown.frames)
    return SurfaceView(None, state.points, shown.shades, count, shown.index, shown.words)


def no_plane() -> EmptyView:
    """Return why the surface of a model that reads other things than points is not drawn."""
    return EmptyView(
        translate("Surface", "No plane to draw"),
        translate(
            "Surface",
            "The input of this model is not a pair of numbers. A decision surface needs data in "
            "the plane: the spiral, moons, circles and blobs data sets, or a table with two "
            "columns of numbers as inputs. Of other data the Map page shows how samples lie to "
            "each other.",
        ),
    )


def frame_step(frame: Frame) -> int:
    """Return the step that a surface is of."""
    return frame.step if isinstance(frame, Surface) else SURFACES.step(frame)


def present_shades(
    surface: Surface, colors: tuple[tuple[int, int, int], ...], span: Span | None = None
) -> ShadesView:
    """Return the plane in the colours of the classes, each as strong as the model is sure; numbers
    from blue over nothing to red, from end to end of ``span`` (None: of those on the plane).
    ``colors`` are those of the series.
    """
    values = _values(surface)
    if surface.is_classified:
        pixels = _of_classes(values, colors)
    else:
        pixels = number_colors(values[0], span or _own_span(values))
    return ShadesView(pixels=pixels, x=surface.x, y=surface.y)


def present_step(surface: Surface, span: Span | None) -> str:
    """Return of which step a surface is, and which numbers its colours mean."""
    step = f"{surface.step:,}"
    if surface.is_classified:
        return translate("Surface", "Step {step}").format(step=step)
    low, high = span or _own_span(_values(surface))
    text = translate("Surface", "Step {step}: from {low} (blue) to {high} (red)")
    return text.format(step=step, low=f"{low:.4g}", high=f"{high:.4g}")


def _values(surface: Surface) -> NDArray[np.float64]:
    shape = (surface.outputs, surface.size, surface.size)
    return np.frombuffer(surface.values, surface.dtype).reshape(shape).astype(np.float64)


def _own_span(values: NDArray[np.float64]) -> Span:
    return finite_bounds(values[0].ravel()) or (0.0, 0.0)


def _of_classes(
    values: NDArray[np.float64], colors: tuple[tuple[int, int, int], ...]
) -> NDArray[np.uint8]:
    count = len(values)
    named = np.asarray([colors[index % len(colors)] for index in range(count)], np.float64)
    values = np.nan_to_num(values)
    blended = np.einsum("kyx,kc->yxc", values, named)
    even = 1 / count
    sure = np.clip((values.max(axis=0) - even) / max(1 - even, 1e-6), 0, 1)
    alpha = (0.15 + 0.85 * sure) * _STRENGTH * 255
    return np.dstack((blended, alpha)).clip(0, 255).astype(np.uint8)
