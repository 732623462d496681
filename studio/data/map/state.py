"""State of the Map page, and how its choices are shown."""

from dataclasses import dataclass
from typing import Literal

from engine.diagnostics import Diagnostic, sentence
from engine.query.density.request import DensitySpec
from engine.query.embedding.request import MapSpec
from engine.spec.density import Density
from engine.spec.sample_map import MapMethod, MapStep
from studio.data.map.density import DENSITY, groups_of
from studio.data.map.layout import Layout
from studio.data.map.presenter import (
    Listed,
    colorings,
    default_color,
    present_layout,
    present_selection,
    present_summary,
    selections,
    title_of,
)
from studio.i18n import translate
from studio.view.data import PARTS, split_title
from studio.window.page import EmptyView
from widgets.common.progress import ProgressView, time_left
from widgets.plots.view_model import DensityView, PointsView

Method = Literal["pca", "tsne", "columns"]
"""How samples get their place: by a projection of all their numbers, or by two of these."""
What = Literal["values", "layer"]
Parts = Literal["all", "train", "validation", "test"]
Choices = tuple[tuple[str, str], ...]

COUNTS = (500, 1000, 3000, 5000, 10_000, 20_000)


@dataclass(frozen=True, kw_only=True)
class Predictions:
    """The name of the predictions with which samples are ``listed``, and that of the run in whose
    parts they are; empty for none.
    """

    listed: str = ""
    parts_of: str = ""


@dataclass(frozen=True, kw_only=True)
class MapState:
    """What is to be mapped and how, and what came of it. ``layers`` are those of the chosen run;
    ``axes`` are the columns that say the place of a sample, where these are not projected.
    ``selection`` are positions in the layout. ``is_stale`` says that the data, or the run, are not
    any more what the layout was made of, ``is_of_project`` that its samples are those of the data
    of the project; ``points`` and ``listed`` are drawn before, as is ``picture``, of the
    ``density`` of all samples, which ``is_counted`` asks for. ``parts_of`` is the name of the run
    in whose parts the samples of the layout are, empty for those that the next run gets.
    """

    what: What = "values"
    has_checkpoint: bool = False
    layers: tuple[str, ...] = ()
    layer: str = ""
    method: Method = "pca"
    axes: tuple[str, str] = ("", "")
    parts: Parts = "all"
    count: int = 3000
    color: str = "class"
    progress: ProgressView | None = None
    problem: Diagnostic | None = None
    is_stopped: bool = False
    is_stale: bool = False
    is_of_project: bool = False
    layout: Layout | None = None
    parts_of: str = ""
    points: PointsView | None = None
    selection: tuple[int, ...] = ()
    listed: Listed | None = None
    is_counted: bool = True
    density: Density | None = None
    picture: DensityView | None = None

    @property
    def can_count(self) -> bool:
        """Whether more samples lie in the plane of two columns than are drawn."""
        layout = self.layout
        is_more = layout is not None and layout.map.total > len(layout) + layout.map.unreadable
        return is_more and self.what == "values" and is_plain(self)

    @property
    def density_spec(self) -> DensitySpec | None:
        """What of all samples is to be counted; None where points are shown alone."""
        if self.layout is None or not (self.is_counted and self.can_count):
            return None
        groups = groups_of(self.layout, self.color)
        if groups is None:
            return None
        return DensitySpec(x=self.axes[0], y=self.axes[1], parts=self.spec.parts, groups=groups)

    @property
    def spec(self) -> MapSpec:
        """How the map is to be made."""
        parts = PARTS if self.parts == "all" else (self.parts,)
        method: MapMethod = "pca" if self.method == "columns" else self.method
        return MapSpec(method=method, parts=parts, count=self.count)

    @property
    def selected_indices(self) -> tuple[int, ...]:
        """The positions in the source of the samples that are selected."""
        if self.layout is None:
            return ()
        return tuple(self.layout.indices[list(self.selection)].tolist())


@dataclass(frozen=True, kw_only=True)
class MapPageView:
    """What the page shows."""

    empty: EmptyView | None
    whats: Choices
    what: What
    has_run: bool
    layers: Choices
    layer: str
    methods: Choices
    method: Method
    has_axes: bool
    columns: Choices
    axes: tuple[str, str]
    parts: Choices
    part: Parts
    counts: Choices
    count: str
    colors: Choices
    color: str
    can_compute: bool
    progress: ProgressView | None
    summary: str
    stale: str
    points: PointsView | None
    selection: tuple[int, ...]
    selections: Choices
    told: str
    can_show: bool
    listed: Listed | None
    can_count: bool
    is_counted: bool
    picture: DensityView | None


def present_map(state: MapState, language: str) -> MapPageView:
    """Return the page; points and samples are drawn before."""
    layout = state.layout
    has_columns = layout is not None and bool(layout.map.columns)
    return MapPageView(
        empty=None if layout is not None else _why_empty(state, language),
        whats=(
            ("values", translate("Map", "Input values")),
            ("layer", translate("Map", "Output of a layer")),
        ),
        what=state.what,
        has_run=state.what == "layer",
        layers=(*((name, name) for name in state.layers), ("", translate("Map", "Model output"))),
        layer=state.layer,
        methods=(
            ("pca", translate("Map", "PCA")),
            ("tsne", translate("Map", "t-SNE")),
            *((("columns", translate("Map", "Two columns")),) if has_columns else ()),
        ),
        method=state.method,
        has_axes=state.method == "columns" and has_columns,
        columns=_columns(layout),
        axes=state.axes,
        parts=(
            ("all", translate("Map", "All samples")),
            *((name, split_title(name)) for name in PARTS),
        ),
        part=state.parts,
        counts=tuple(
            (str(count), translate("Map", "up to {count}").format(count=f"{count:,}"))
            for count in COUNTS
        ),
        count=str(state.count),
        colors=colorings(layout, has_density=state.can_count) if layout is not None else (),
        color=state.color,
        can_compute=state.progress is None and (state.what == "values" or state.has_checkpoint),
        progress=state.progress,
        summary=_summary_text(state),
        stale=_stale_text(state),
        points=state.points,
        selection=state.selection,
        selections=selections(layout) if layout is not None else (),
        told=present_selection(state.selection, of=_drawn(state)),
        can_show=bool(state.selection) and state.is_of_project,
        listed=state.listed,
        can_count=state.can_count,
        is_counted=state.is_counted,
        picture=state.picture,
    )


def points_of(state: MapState) -> PointsView | None:
    """Return the points in the colours that are chosen."""
    if state.layout is None:
        return None
    axes = state.axes if is_plain(state) else None
    return present_layout(state.layout, state.color, axes)


def color_of(state: MapState) -> str:
    """Return what is coloured by: for the plane of two columns how many samples lie where, unless
    it is classes or parts, which can be counted apart; what says most elsewhere.
    """
    layout = state.layout
    if layout is None or (state.color == DENSITY and state.can_count):
        return state.color
    color = default_color(layout, state.color)
    has_counts = groups_of(layout, color) is not None
    return DENSITY if state.can_count and state.is_counted and not has_counts else color


def is_plain(state: MapState) -> bool:
    """Return whether samples lie where two of their columns say."""
    known = () if state.layout is None else [each.name for each in state.layout.map.columns]
    return state.method == "columns" and all(axis in known for axis in state.axes)


def axes_of(layout: Layout, axes: tuple[str, str]) -> tuple[str, str]:
    """Return two columns of a map: those of before where it has them, else its first."""
    names = [column.name for column in layout.map.columns]
    if all(axis in names for axis in axes):
        return axes
    return (names[0], names[min(1, len(names) - 1)]) if names else ("", "")


def present_wait() -> ProgressView:
    """Return that a map was asked for; the first answer has to wait for PyTorch."""
    return ProgressView(text=translate("Map", "Preparing…"), can_cancel=True)


def present_progress(step: MapStep, passed_s: float) -> ProgressView:
    """Return how far a map is whose phase goes on for so long."""
    share = step.done / step.total if step.total else 0.0
    text = {
        "read": translate("Map", "Reading samples: {done} of {total}"),
        "neighbors": translate("Map", "Nearest neighbors: {done} of {total}"),
        "tsne": translate("Map", "t-SNE: iteration {done} of {total}"),
    }[step.phase]
    return ProgressView(
        text=text.format(done=f"{step.done:,}", total=f"{step.total:,}"),
        fraction=share,
        left_s=time_left(share, passed_s),
        can_cancel=True,
    )


def _drawn(state: MapState) -> int:
    """Return among how many points a line selects where all samples are counted, else 0."""
    return len(state.layout) if state.layout is not None and state.picture is not None else 0


def _columns(layout: Layout | None) -> Choices:
    columns = () if layout is None else layout.map.columns
    return tuple((each.name, title_of(each)) for each in columns)


def _summary_text(state: MapState) -> str:
    if state.layout is None:
        return ""
    axes = state.axes if is_plain(state) else None
    summary = present_summary(state.layout, axes, state.density)
    if not state.parts_of:
        return summary
    told = translate("Map", "splits of the run {name}").format(name=state.parts_of)
    return f"{summary} · {told}"


def _stale_text(state: MapState) -> str:
    if not state.is_stale or state.layout is None or state.progress is not None:
        return ""
    if state.layout.map.checkpoint:
        return translate("Map", "Out of date: the run has gone on, or its data have changed.")
    return translate("Map", "Out of date: the data have changed.")


def _why_empty(state: MapState, language: str) -> EmptyView:
    compute = translate("Map", "Compute")
    if state.problem is not None:
        text = sentence(state.problem, language)
        return EmptyView(translate("Map", "Nothing to show"), text, compute)
    if state.what == "layer" and not state.has_checkpoint:
        return EmptyView(
            translate("Map", "No checkpoint yet"),
            translate(
                "Map",
                "This map shows what a trained model makes of the samples. Train a model first; "
                "the first checkpoint is saved after the first epoch.",
            ),
            translate("Map", "Start training"),
        )
    if state.progress is not None:
        return EmptyView(translate("Map", "Computing the map…"))
    if state.is_stopped:
        return EmptyView(translate("Map", "Stopped"), "", compute)
    return EmptyView(
        translate("Map", "Map of the samples"),
        translate("Map", "Every sample becomes a point; what is alike lies together."),
        compute,
    )
