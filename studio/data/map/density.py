"""Density of all samples by two of their columns: what is asked, and its picture."""

import numpy as np

from engine.query.density.request import DensitySpec, Groups
from engine.spec.density import COLUMNS, MOST_GROUPS, ROWS, Density, DensityStep
from studio.data.map.layout import Layout
from studio.i18n import translate
from studio.view.data import PART_NAMES, split_title
from widgets.common.progress import ProgressView, time_left
from widgets.plots.view_model import DensityView

DENSITY = "density"
"""Colour of points by how many samples lie there."""
Window = tuple[float, float, float, float]


def groups_of(layout: Layout, color: str) -> Groups | None:
    """Return what is counted apart so that cells have the colours that points would have; None
    where points alone can be coloured so.
    """
    if color == DENSITY:
        return ""
    if color == "part":
        return "part"
    has_few = layout.labels is not None and 0 < len(layout.map.classes) <= MOST_GROUPS
    return "class" if color == "class" and has_few else None


def window_of(density: Density | None, frame: Window | None) -> Window | None:
    """Return the part of the plane to be counted when ``frame`` is seen; None where that is all."""
    if density is None or frame is None:
        return None
    (left, right), (low, high) = density.reach_x, density.reach_y
    if frame[0] <= left and frame[1] >= right and frame[2] <= low and frame[3] >= high:
        return None
    x = max(frame[0], left), min(frame[1], right)
    y = max(frame[2], low), min(frame[3], high)
    return (*x, *y) if x[0] < x[1] and y[0] < y[1] else frame


def present_density(density: Density, layout: Layout, spec: DensitySpec) -> DensityView:
    """Return the picture; its groups are those of the points."""
    counts = np.frombuffer(density.counts, np.uint32).astype(np.int64)
    counts = counts.reshape(-1, ROWS, COLUMNS)
    labels = density.names
    if spec.groups == "part":
        present = sorted(set(layout.parts.tolist()))
        counts, labels = counts[present], tuple(split_title(PART_NAMES[at]) for at in present)
    reach = np.array([density.reach_x, density.reach_y]).T
    title = translate("Map", "Samples per cell")
    return DensityView(
        counts=counts, x=density.x, y=density.y, reach=reach, title=title, labels=labels
    )


def present_counting(step: DensityStep, passed_s: float) -> ProgressView:
    """Return how far counting is that goes on for so long."""
    share = step.done / step.total if step.total else 0.0
    text = translate("Map", "Counting samples: {done} of {total}")
    return ProgressView(
        text=text.format(done=f"{step.done:,}", total=f"{step.total:,}"),
        fraction=share,
        left_s=time_left(share, passed_s),
        can_cancel=True,
    )
