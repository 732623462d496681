"""Views of the Loss landscape page: the picture as it becomes known, the race, the sentences."""

import math
from dataclasses import dataclass

import numpy as np

from engine.diagnostics import sentence
from engine.query.landscape.request import LandscapePlane, LandscapeProgress, Way, WayAxis
from engine.spec.run import RunSpec
from studio.i18n import filled, translate
from studio.inspect.landscape.drawing import LAST, Drawing, Floats
from studio.inspect.landscape.function_lesson import function_lesson
from studio.inspect.landscape.race import RacerRow, racer_choices, racer_title
from studio.inspect.landscape.state import MODEL, RUN, LandscapeState
from studio.view.phase import phase_choices
from studio.window.page import EmptyView
from widgets.common.progress import ProgressView, time_left
from widgets.plots.contour import contours
from widgets.plots.view_model import LandscapeView, ShadesView, WayView, XyLine, XyView

_BLUE = (48, 96, 176)
_FAINTEST, _STRONGEST = 0.03, 0.82
_LEVELS = 14
_NOTHING = 1e-9  # of the greatest: what rounding leaves of 0


@dataclass(frozen=True, kw_only=True)
class LandscapePageView:
    """What the page shows; ``rows`` are the racers out of ``choices`` (key and title),
    ``description`` and ``out`` sentences about what came of it. The ground comes later, where it
    ``has_ground``. ``phases`` (number and title) are those whose optimizer can be raced, none where
    there is one alone.
    """

    subject: str
    phase: str
    phases: tuple[tuple[str, str], ...]
    steps: int
    rows: tuple[RacerRow, ...]
    choices: tuple[tuple[str, str], ...]
    progress: ProgressView | None
    empty: EmptyView | None
    has_ground: bool
    losses: XyView
    description: str
    out: str
    can_take: bool


def present_page(
    state: LandscapeState, spec: RunSpec, language: str, now: float
) -> LandscapePageView:
    """Return what the page shows at a time (of :func:`time.monotonic`)."""
    drawing, function, progress = state.drawing, state.function, state.progress
    setup = state.setup(spec)
    words = present_description(drawing, language, is_going=progress is not None)
    return LandscapePageView(
        subject=state.subject,
        phase=str(state.raced_phase(spec)),
        phases=phase_choices(spec) if state.subject == MODEL else (),
        steps=setup.steps,
        rows=setup.rows,
        choices=racer_choices(of_model=function is None),
        progress=_progress(progress, now - state.begun) if progress is not None else None,
        empty=_empty(state, language),
        has_ground=not drawing.is_empty,
        losses=present_losses(drawing),
        description=words if function is None else f"{function_lesson(function)} {words}".rstrip(),
        out=present_out(drawing, language),
        can_take=state.winner(spec) is not None,
    )


def _progress(progress: LandscapeProgress, passed: float) -> ProgressView:
    texts = {
        "load": translate("Landscape", "Loading PyTorch and the data…"),
        "race": translate("Landscape", "Racing: step {done} of {total}"),
        "grid": translate("Landscape", "Landscape: point {done} of {total}"),
    }
    share = progress.done / progress.total if progress.total else -1.0
    text = texts[progress.phase]
    return ProgressView(
        text=text.format(done=f"{progress.done:,}", total=f"{progress.total:,}"),
        fraction=share,
        left_s=time_left(share, passed),
        can_cancel=True,
    )


def _empty(state: LandscapeState, language: str) -> EmptyView | None:
    if state.problem is not None and state.drawing.plane is None:
        title = translate("Landscape", "Nothing to show")
        return EmptyView(title, sentence(state.problem, language))
    if not state.drawing.is_empty:
        return None
    if state.progress is not None:
        return EmptyView(translate("Landscape", "Computing…"))
    if state.subject != RUN:
        return EmptyView(
            translate("Landscape", "No race yet"),
            translate(
                "Landscape",
                "All optimizers start at the same point and see the same batches. "
                "Their paths are drawn over the loss, with loss curves beside them.",
            ),
            translate("Landscape", "Race"),
        )
    if not state.has_checkpoint:
        return EmptyView(
            translate("Landscape", "No checkpoint yet"),
            translate(
                "Landscape",
                "The loss around the weights of a run shows whether it ended in a wide "
                "or a narrow minimum, and how it got there. Train a model first.",
            ),
            translate("Landscape", "Start training"),
        )
    return EmptyView(
        translate("Landscape", "Not computed yet"),
        translate(
            "Landscape",
            "The loss is evaluated on a grid in a plane through the weights of "
            "this checkpoint. This takes a few seconds for a small model.",
        ),
        translate("Landscape", "Compute"),
    )


def present_landscape(drawing: Drawing) -> LandscapeView | None:
    """Return the picture of what is known; lines of equal height when all of it is. It takes
    milliseconds: call it off Qt's thread.
    """
    plane, values = drawing.plane, drawing.values
    if plane is None:
        return None
    heights = _heights(values)
    is_whole = drawing.known == values.size
    lines = np.empty((0, 2, 2))
    if is_whole and np.isfinite(heights).any():
        levels = np.linspace(0, 1, _LEVELS + 2)[1:-1]
        across, up = (np.linspace(axis.low, axis.high, plane.size) for axis in (plane.x, plane.y))
        lines = contours(heights, levels, across, up)
    return LandscapeView(
        values=values,
        x=(plane.x.low, plane.x.high),
        y=(plane.y.low, plane.y.high),
        shades=_shades(heights, plane) if drawing.known else None,
        contours=lines,
        ways=tuple(_way(drawing, way) for way in plane.ways),
        marks=plane.minima,
        x_label=_axis_label(plane.x, 0),
        y_label=_axis_label(plane.y, 1),
    )


def present_losses(drawing: Drawing) -> XyView:
    """Return the losses of a race over its steps; on a logarithmic axis where all are positive."""
    least = min((value for one in drawing.losses for value in one), default=0.0)
    is_log = least > 0
    lines = tuple(
        XyLine(
            name=str(number),
            label=racer_title(drawing.rows[number]),
            x=np.arange(1, len(one) + 1, dtype=np.float64),
            y=np.log10(one) if is_log else np.asarray(one, dtype=np.float64),
            color=number,
            value=one[-1],
        )
        for number, one in enumerate(drawing.losses)
        if one
    )
    return XyView(
        lines=lines,
        x_label=translate("Landscape", "Step"),
        y_label=translate("Landscape", "Loss"),
        empty_text=translate("Landscape", "Losses appear after the first steps."),
        is_log=is_log,
        has_legend=False,  # the list of racers above has their colours
    )


def present_description(drawing: Drawing, language: str, *, is_going: bool = False) -> str:
    """Return what came of it, in words; sentences of the engine in a language. One that is not
    whole and no longer ``is_going`` on says so.
    """
    if drawing.plane is None:
        return ""
    parts: list[str] = []
    if drawing.plane.run:
        around = translate("Landscape", "Around step {step} of {run}.")
        parts.append(around.format(step=f"{drawing.plane.step:,}", run=drawing.plane.run))
    if not is_going and drawing.known < drawing.values.size:
        stopped = translate("Landscape", "Stopped with {known} of {total} points computed.")
        total = f"{drawing.values.size:,}"
        parts.append(stopped.format(known=f"{drawing.known:,}", total=total))
    order = drawing.ranking()
    if order:
        ahead = translate(
            "Landscape",
            "In the lead after {steps} {steps|step|steps}: {racer}, mean loss {loss} over "
            "its last {last} steps.",
        )
        title = racer_title(drawing.rows[order[0]])
        count = len(drawing.losses[order[0]])
        loss = f"{drawing.final(order[0]):.4g}"
        parts.append(
            filled(ahead, steps=f"{count:,}", racer=title, loss=loss, last=min(LAST, count))
        )
    if np.isfinite(drawing.values).any():
        low, high = float(np.nanmin(drawing.values)), float(np.nanmax(drawing.values))
        ground = translate("Landscape", "Blue is lower: {low} to {high}.")
        low_text = f"{low:.4g}" if abs(low) > _NOTHING * abs(high) else "0"
        parts.append(ground.format(low=low_text, high=f"{high:.4g}"))
    if drawing.plane.samples:
        samples = translate(
            "Landscape", "Each point is the mean loss of {count} {count|sample|samples}."
        )
        parts.append(filled(samples, count=f"{drawing.plane.samples:,}"))
    for problem in drawing.plane.missing:
        missing = translate(
            "Landscape", "The path starts at the first checkpoint instead of step 0: {reason}"
        )
        parts.append(missing.format(reason=sentence(problem, language)))
    return " ".join(parts)


def present_out(drawing: Drawing, language: str) -> str:
    """Return who is out of the race, and why."""
    return "\n".join(
        f"{racer_title(drawing.rows[one.number])}: {sentence(one.problem, language)}"
        for one in drawing.out
    )


def present_pointed(drawing: Drawing, x: float, y: float, height: float) -> str:
    """Return what lies under the pointer."""
    if drawing.plane is None or not math.isfinite(height):
        return ""
    text = translate("Landscape", "({x}, {y}): {loss}")
    return text.format(x=f"{x:.3g}", y=f"{y:.3g}", loss=f"{height:.4g}")


def _heights(values: Floats) -> Floats:
    """Return heights from 0 to 1, so that what lies low is told apart: logarithmic above the least
    value.
    """
    if not np.isfinite(values).any():
        return values
    low = np.nanmin(values)
    middle = float(np.nanmedian(values) - low)
    raised = np.log1p((values - low) / (0.02 * middle or 1.0))
    return raised / (np.nanmax(raised) or 1.0)


def _shades(heights: Floats, plane: LandscapePlane) -> ShadesView:
    """Return blue where it is low, fainter the higher it is, nothing where nothing is known. Each
    pixel lies around its point.
    """
    alpha = _STRONGEST + (_FAINTEST - _STRONGEST) * np.nan_to_num(heights)
    alpha[~np.isfinite(heights)] = 0
    pixels = np.empty((*heights.shape, 4), dtype=np.uint8)
    pixels[..., :3] = _BLUE
    pixels[..., 3] = (alpha * 255).astype(np.uint8)
    x, y = (_with_rim(axis, plane.size) for axis in (plane.x, plane.y))
    return ShadesView(pixels=pixels, x=x, y=y)


def _with_rim(axis: WayAxis, size: int) -> tuple[float, float]:
    half = (axis.high - axis.low) / max(size - 1, 1) / 2
    return axis.low - half, axis.high + half


def _way(drawing: Drawing, way: Way) -> WayView:
    is_run = way.racer < 0
    has_losses = not is_run and bool(drawing.losses) and bool(drawing.losses[way.racer])
    title = translate("Landscape", "Run") if is_run else racer_title(drawing.rows[way.racer])
    return WayView(
        name=str(way.racer),
        label=title,
        steps=np.asarray(way.steps, dtype=np.float64),
        x=np.asarray(way.x),
        y=np.asarray(way.y),
        color=0 if is_run else way.racer,
        end=drawing.final(way.racer) if has_losses else None,
    )


def _axis_label(axis: WayAxis, place: int) -> str:
    if axis.kind == "number":
        return ("x", "y")[place]
    if axis.kind == "random":
        return translate("Landscape", "Random direction {number}").format(number=place + 1)
    text = translate("Landscape", "Principal component {number} ({share} of the path)")
    return text.format(number=place + 1, share=f"{axis.share or 0.0:.0%}")
