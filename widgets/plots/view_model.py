"""View models of charts, as frozen values. Arrays are never written to once handed over."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Classes = NDArray[np.int64]
    Pixels = NDArray[np.uint8]
else:
    Floats = Classes = Pixels = object  # loading numpy takes as long as drawing the window

Place = tuple[float, float]
"""Where a point of a curve is."""
AxisKind = Literal["step", "epoch", "time"]


def _no_values() -> Floats:
    import numpy as np

    return np.empty(0)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SeriesView:
    """One curve: ``values`` (float64, NaN leaves a gap) at ``steps`` (ascending, same length).

    ``times`` are seconds of training at each step (same length, or empty: no time axis);
    ``color`` is an index into the theme's series colours; ``dash`` tells curves apart without
    colour. ``short`` is the label where there is little room, ``run`` groups curves of one run. A
    strong curve lies on top, thicker, with its points: the one that matters among noisy ones.
    """

    name: str
    label: str
    steps: Floats = field(default_factory=_no_values)
    values: Floats = field(default_factory=_no_values)
    times: Floats = field(default_factory=_no_values)
    color: int = 0
    dash: Literal["solid", "dash", "dot"] = "solid"
    run: str = ""
    short: str = ""
    is_visible: bool = True
    is_strong: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class HandlesView:
    """Points of a curve that are dragged, from left to right, none below ``lowest``: ``name`` is
    what they are called when they moved, ``curve`` the series they lie on.
    """

    name: str = ""
    curve: str = ""
    places: tuple[Place, ...]
    lowest: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkView:
    """A vertical line at a step: a changed knob, a resume, the best checkpoint, a problem."""

    step: float
    kind: Literal["knob", "resume", "best", "problem"]
    text: str


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ChartView:
    """A whole chart; ``steps_per_epoch`` 0 means that there is no epoch axis."""

    series: tuple[SeriesView, ...] = ()
    marks: tuple[MarkView, ...] = ()
    steps_per_epoch: int = 0
    title: str = ""
    y_label: str = ""
    empty_text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class BarsView:
    """Counts by label (class balance). ``groups`` names the bars side by side (train, test)."""

    labels: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]  # one tuple per group, as long as labels
    groups: tuple[str, ...] = ("",)
    title: str = ""
    empty_text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PointsView:
    """Points in the plane: ``xy`` float64 (N, 2); ``classes`` int64 (N,) into ``labels``. Where
    they have ``numbers`` instead (float64, (N,)), ``span`` is from the least to the greatest. On a
    map one unit is as long in both directions, unless each axis ``is_apart``. ``dates`` says which
    of x and y are days since 1970-01-01. A point with NaN is
    not drawn. ``reach`` are corners (K, 2) of what is shown besides the points, where these are
    but some of many.
    """

    xy: Floats
    classes: Classes
    numbers: Floats | None = None
    span: tuple[float, float] | None = None
    labels: tuple[str, ...] = ()
    x_label: str = ""
    y_label: str = ""
    empty_text: str = ""
    is_apart: bool = False
    dates: tuple[bool, bool] = (False, False)
    reach: Floats | None = None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class DensityView:
    """How many samples lie in each cell of a plane: ``counts`` int64 (groups, rows, columns), the
    lowest row first, from the first to the second value of ``x`` and ``y``. ``labels`` name the
    groups as the classes of the points that lie there too; without them there is one group.
    ``reach`` are the corners (2, 2) between which all samples lie, ``title`` says what is counted.
    """

    counts: Classes
    x: tuple[float, float]
    y: tuple[float, float]
    reach: Floats
    title: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ShadesView:
    """Colours behind points: ``pixels`` uint8 (rows, columns, 4) with red, green, blue and alpha,
    the lowest row first, from the first to the second value of ``x`` and ``y``.
    """

    pixels: Pixels
    x: tuple[float, float]
    y: tuple[float, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class RingView:
    """A place among points that stands out: a ring, with a word beside it."""

    x: float
    y: float
    text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatrixView:
    """Counts of a square table: ``counts[row][column]``, both named by ``labels``."""

    labels: tuple[str, ...] = ()
    counts: tuple[tuple[int, ...], ...] = ()
    row_title: str = ""
    column_title: str = ""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class XyLine:
    """A line or points over numbers (float64, same length); a guide is drawn thin, without a name
    among the others.
    """

    name: str
    label: str
    x: Floats
    y: Floats
    kind: Literal["line", "points", "guide"] = "line"
    color: int = 0
    dash: Literal["solid", "dash", "dot"] = "solid"
    value: float | None = None  # written beside the name


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class XyView:
    """A chart of one quantity over another. ``is_log``: what lies upwards are powers of ten, with
    ``is_log_x`` what lies across;
    without ``has_legend`` the names of the lines stand elsewhere.
    """

    lines: tuple[XyLine, ...] = ()
    x_label: str = ""
    y_label: str = ""
    empty_text: str = ""
    is_log: bool = False
    is_log_x: bool = False
    has_legend: bool = True


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class WayView:
    """A way over a landscape: where it was after each of ``steps`` (float64, same length); ``end``
    is written beside its name.
    """

    name: str
    label: str
    steps: Floats
    x: Floats
    y: Floats
    color: int = 0
    end: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LandscapeView:
    """Heights over a plane and ways through it. ``values`` (float64, rows by columns, NaN while
    unknown) are what the pointer reads, over ``x`` and ``y`` (first and last place); ``contours``
    (pieces, 2 ends, 2) lines of equal height; ``marks`` known minima.
    """

    values: Floats
    x: tuple[float, float]
    y: tuple[float, float]
    shades: ShadesView | None = None
    contours: Floats = field(default_factory=_no_values)
    ways: tuple[WayView, ...] = ()
    marks: tuple[tuple[float, float], ...] = ()
    x_label: str = ""
    y_label: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ParallelAxis:
    """One axis of parallel coordinates; ``ticks`` are places from 0 (below) to 1 and their text."""

    label: str
    ticks: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ParallelLine:
    """A line through all axes: its place on each from 0 to 1 (None: it has no value there).

    ``share`` is how good it is, from 0 to 1: its colour. A partial line did not come to its end.
    ``text`` says all of it in words.
    """

    id: str
    places: tuple[float | None, ...]
    share: float = 0.0
    is_partial: bool = False
    text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ParallelView:
    """Settings and what came out of them, side by side."""

    axes: tuple[ParallelAxis, ...] = ()
    lines: tuple[ParallelLine, ...] = ()
    title: str = ""
    empty_text: str = ""
