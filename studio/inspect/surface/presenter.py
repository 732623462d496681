"""Decision surface: what is known of it, and its colours over the plane."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.diagnostics import Diagnostic, sentence
from engine.runs.folder import RunFolder
from engine.runs.record.surface import SURFACES, Surface
from engine.spec.data import BOX_KINDS, DataInfo, FieldInfo, PreviewInfo
from engine.spec.defaults import has_labels
from engine.spec.judged import Judged
from engine.spec.plane import Plane, PlaneAxis, PlaneKind, axis_name, plane_axes, plane_kinds
from studio.i18n import listed, translate
from studio.inspect.surface.choices import COLUMNS, ChoicesView
from studio.inspect.surface.samples import present_rings
from studio.window.page import EmptyView
from widgets.images.view_model import ImageView
from widgets.plots.curve_data import finite_bounds
from widgets.plots.diverging import number_colors
from widgets.plots.view_model import PointsView, RingView, ShadesView

Span = tuple[float, float]
Frame: TypeAlias = Path | Surface  # a recorded surface, or that of the last checkpoint
WHATEVER_SUITS = Plane()
"""The plane that is drawn where none was chosen."""
_NO_SAMPLES = PreviewInfo(split="", samples=())
CHANCES: Span = (0.0, 1.0)
"""From where to where the probabilities of a label are."""
_STRENGTH = 0.72  # of a class that the model is sure of


@dataclass(frozen=True)
class Recording:
    """The surfaces that there are, the index of the one that is shown, its words and colours, for
    the ``output`` that they are of.
    """

    frames: tuple[Frame, ...]
    index: int
    words: str
    shades: ShadesView
    surface: Surface
    output: int = 0

    @property
    def frame(self) -> Frame:
        """The surface that is shown."""
        return self.frames[self.index]


@dataclass(frozen=True, kw_only=True)
class SurfaceState:
    """What is known of the surfaces of a run. ``info`` describes its data and ``fields`` what its
    model reads; ``preview`` are training samples, which were asked for where it ``is_previewed``.
    ``judged`` are the outputs that are compared with the data and have surfaces. ``problem`` says
    why there are no surfaces, ``refused`` why the plane that was chosen is not drawn. ``drawn`` is
    the step of the checkpoint that was asked for, ``last`` its surface, and ``is_new`` says that
    the plane was chosen since; ``warned`` is how many warnings of surfaces the run has given.
    ``looked`` are the samples of the plane, ``chosen`` is None where the newest surface is wanted.
    """

    run: RunFolder | None = None
    is_asked: bool = False
    problem: EmptyView | None = None
    info: DataInfo | None = None
    judged: tuple[Judged, ...] = ()
    fields: tuple[FieldInfo, ...] = ()
    plane: Plane = WHATEVER_SUITS
    output: int = 0
    is_previewed: bool = False
    preview: PreviewInfo | None = None
    looked: PreviewInfo = _NO_SAMPLES
    points: PointsView | None = None
    thumbnails: tuple[ImageView, ...] = ()
    facts: str = ""
    refused: str = ""
    warned: int = 0
    is_new: bool = False
    drawn: int = -1
    last: Surface | None = None
    chosen: int | None = None
    is_live: bool = True
    recording: Recording | None = None

    @property
    def kind(self) -> PlaneKind:
        """What the plane that is wanted is laid through."""
        kinds = plane_kinds(self.fields)
        return self.plane.kind if self.plane.kind in kinds else kinds[0]

    @property
    def surface(self) -> Surface | None:
        """The surface that is shown."""
        return self.recording.surface if self.recording else None

    def info_of(self, plane: Plane) -> DataInfo | None:
        """Return the description of the data, with what the output that answers on a plane is
        compared with as the only field to predict.
        """
        field = next((each.field for each in self.judged if each.name == plane.output), "")
        return None if self.info is None else compared_info(self.info, field)

    @property
    def shown_info(self) -> DataInfo | None:
        """The description of the data for the surface that is shown, or the one to come."""
        return self.info_of(self.surface.plane if self.surface else self.plane)

    @property
    def axes(self) -> tuple[PlaneAxis, ...]:
        """The two columns that are wanted."""
        return self.plane.axes or plane_axes(self.fields)[:2]

    @property
    def newest_step(self) -> int:
        """The last step of which there is a surface; -1 without one."""
        frames = self.recording.frames if self.recording else ()
        return max((frame_step(frame) for frame in frames), default=-1)


@dataclass(frozen=True)
class SurfaceView:
    """What the page shows: ``empty`` or the points, with the surface of one of ``count`` steps.
    ``choices`` are those of the plane, ``hint`` says what is held on it, ``refused`` why another
    one is not drawn; ``rings``, ``thumbnails`` and ``facts`` are the samples that it goes through.
    """

    empty: EmptyView | None
    points: PointsView | None = None
    shades: ShadesView | None = None
    count: int = 0
    index: int = 0
    words: str = ""
    choices: ChoicesView | None = None
    hint: str = ""
    refused: str = ""
    rings: tuple[RingView, ...] = ()
    thumbnails: tuple[ImageView, ...] = ()
    facts: str = ""


def present_surface(state: SurfaceState) -> SurfaceView:
    """Return what the page shows."""
    if state.run is None:
        return SurfaceView(_no_run())
    if state.problem is not None:
        return SurfaceView(state.problem)
    if state.info is None:
        return SurfaceView(EmptyView(translate("Surface", "Reading the data…")))
    choices, shown = _choices(state, state.shown_info or state.info), state.recording
    if shown is None:
        empty = _drawing() if state.points is None else None
        refused = state.refused
        return SurfaceView(empty, state.points, choices=choices, refused=refused)
    return SurfaceView(
        None,
        state.points,
        shown.shades,
        len(shown.frames),
        shown.index,
        shown.words,
        choices=choices,
        hint=_hint(shown.surface),
        refused=state.refused,
        rings=present_rings(shown.surface) if shown.surface.points else (),
        thumbnails=state.thumbnails,
        facts=state.facts,
    )


def _no_run() -> EmptyView:
    return EmptyView(
        translate("Surface", "No surface yet"),
        translate(
            "Surface",
            "The background shows the model's prediction all over a plane through its inputs and "
            "how it changes during training: over two columns of a table or of points, or through "
            "three images, sounds, series or texts.",
        ),
        translate("Surface", "Start training"),
    )


def _drawing() -> EmptyView:
    return EmptyView(
        translate("Surface", "Drawing the surface…"),
        translate(
            "Surface",
            "It appears once the model has been evaluated over the plane. A run that is over needs "
            "a checkpoint for it.",
        ),
    )


def _choices(state: SurfaceState, info: DataInfo) -> ChoicesView | None:
    """Return what can be chosen; None where there is one plane and one output."""
    kinds, axes = plane_kinds(state.fields), plane_axes(state.fields)
    surface = state.surface
    outputs = _output_names(info, surface)
    has_one = len(outputs) <= 1 and not state.judged[1:]
    if kinds == (COLUMNS,) and len(axes) == len(state.axes) and has_one:
        return None
    is_drawn = surface is not None and surface.plane.kind == state.kind
    samples = state.plane.samples
    if not samples and surface is not None and is_drawn:
        samples = tuple(point.sample for point in surface.points)
    chosen = [axes.index(axis) if axis in axes else 0 for axis in state.axes] or [0, 0]
    return ChoicesView(
        kinds=kinds,
        kind=state.kind,
        axes=tuple(axis_name(state.fields, axis) for axis in axes),
        chosen=(chosen[0], chosen[-1]),
        samples=samples,
        count=info.samples,
        outputs=outputs,
        output=state.output,
        judged=tuple((each.name, each.name or each.output) for each in state.judged),
        shown=state.plane.output,
    )


def _output_names(info: DataInfo, surface: Surface | None) -> tuple[str, ...]:
    """Return the names of the numbers that a model answers with."""
    if surface is None or surface.is_classified or surface.outputs == 1:
        return ()
    names = info.target.entry_names if info.target else ()
    if len(names) == surface.outputs:
        return names
    text = translate("Surface", "Output {number}")
    return tuple(text.format(number=number) for number in range(surface.outputs))


def _hint(surface: Surface) -> str:
    """Return what a surface shows besides its axes; nothing where these are all inputs."""
    if not surface.points:
        return ""
    if surface.plane.kind == COLUMNS:
        return translate(
            "Surface",
            "All other inputs are those of sample {number} (ring). The points are training samples "
            "by these two columns; their other inputs differ.",
        ).format(number=surface.points[0].sample)
    text = translate("Surface", "A, B and C are samples; in between are mixtures of them.")
    if surface.embedded:
        text = translate(
            "Surface",
            "A, B and C are samples; in between are mixtures of the vectors that the Embedding "
            "layer has for their tokens.",
        )
    if surface.held:
        held = translate("Surface", "Held as in A: {names}.")
        text = f"{text} {held.format(names=listed(surface.held))}"
    return text


def no_plane(problem: Diagnostic, language: str) -> EmptyView:
    """Return why a model has no surface."""
    return EmptyView(translate("Surface", "No plane to draw"), sentence(problem, language))


def compared_info(info: DataInfo, field: str) -> DataInfo:
    """Return the description of data of which one field alone is to be predicted; as it is where
    that is none of them.
    """
    if info.field(field) is None:
        return info
    roles = {each.name: each.role for each in info.fields if each.role != "target"}
    return msgspec.structs.replace(
        info,
        fields=tuple(
            msgspec.structs.replace(
                each, role="target" if each.name == field else roles.get(each.name, "input")
            )
            for each in info.fields
        ),
    )


def impossible(info: DataInfo, fields: tuple[FieldInfo, ...]) -> Diagnostic | None:
    """Return why the model of some data has no surface, as far as its data tells."""
    target = info.target
    if target is not None and target.kind == "mask":
        return Diagnostic(code="V037")
    if any(field.kind in BOX_KINDS for field in info.fields):
        return Diagnostic(code="V038")
    if target is not None and target.kind == "sequence" and target.classes:
        return Diagnostic(code="V039")
    return None if plane_kinds(fields) else Diagnostic(code="V005")


def frame_step(frame: Frame) -> int:
    """Return the step that a surface is of."""
    return frame.step if isinstance(frame, Surface) else SURFACES.step(frame)


def present_shades(
    surface: Surface,
    colors: tuple[tuple[int, int, int], ...],
    span: Span | None = None,
    output: int = 0,
) -> ShadesView:
    """Return the plane in the colours of the classes, each as strong as the model is sure; numbers
    of one ``output`` from blue over nothing to red, from end to end of ``span`` (None: of those on
    the plane). ``colors`` are those of the series.
    """
    values = _values(surface)
    if surface.is_classified:
        pixels = _of_classes(values, colors)
    else:
        numbers = values[min(output, len(values) - 1)]
        pixels = number_colors(numbers, span or _own_span(numbers))
    return ShadesView(pixels=pixels, x=surface.x, y=surface.y)


def label_names(info: DataInfo | None) -> tuple[str, ...]:
    """Return the labels that each sample has or has not; none where that is not the task."""
    if info is None or info.target is None or not has_labels(info):
        return ()
    return info.target.columns


def present_step(
    surface: Surface, span: Span | None, output: int = 0, labels: tuple[str, ...] = ()
) -> str:
    """Return of which step a surface is, and which numbers its colours mean."""
    step = f"{surface.step:,}"
    if surface.is_classified:
        return translate("Surface", "Step {step}").format(step=step)
    if output < len(labels):
        text = translate("Surface", "Step {step}: “{label}” from no (blue) to yes (red)")
        return text.format(step=step, label=labels[output])
    low, high = span or _own_span(_values(surface)[min(output, surface.outputs - 1)])
    text = translate("Surface", "Step {step}: from {low} (blue) to {high} (red)")
    return text.format(step=step, low=f"{low:.4g}", high=f"{high:.4g}")


def _values(surface: Surface) -> NDArray[np.float64]:
    shape = (surface.outputs, surface.size, surface.size)
    return np.frombuffer(surface.values, surface.dtype).reshape(shape).astype(np.float64)


def _own_span(values: NDArray[np.float64]) -> Span:
    return finite_bounds(values.ravel()) or (0.0, 0.0)


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
