"""Curves of a run as charts: loss, metrics and learning rates, with the marks on them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from engine.diagnostics import Diagnostic
from engine.query.rate.request import LrPreview
from engine.runs.record.state import ROLLED_BACK, SKIPPED, RunState
from engine.runs.record.store import Points, Steps
from engine.spec.choice import NO_CODE, Code
from engine.spec.group import rate_series
from engine.spec.phase import PHASE_LOSS, phase_list
from engine.spec.run import RunSpec
from engine.spec.series import measured_class
from engine.spec.trained_group import TrainedGroup
from engine.spec.unfreezing import unfreezing_epochs
from studio.i18n import language_code, translate
from studio.session.run_follower import RunUpdate
from studio.view.live import change_text
from studio.view.phase import phase_title
from studio.view.rate import rate_curves, rate_labels
from studio.view.run import (
    METRIC_KINDS,
    chart_empty_text,
    chart_title,
    kind_of,
    measure_label,
    part_label,
    series_label,
    short_labels,
)
from widgets.plots.view_model import ChartView, MarkView, SeriesView

_WHOLE = "train.loss"
_COLORS = 8  # of a theme
_PART_COLORS = {"train": 0, "validation": 1}
_DASHES = ("solid", "dash", "dot")  # equal rates overlap


def present_curves(update: RunUpdate, kind: str) -> ChartView:
    """Return the chart of the loss (``loss``) or of a kind of metrics."""
    state = update.state
    names = [
        name
        for name in drawn_names(update.curves, update.folder.document.spec)
        if kind_of(name) == kind
    ]
    measures = list(dict.fromkeys(name.partition(".")[2] for name in names))
    names.sort(key=lambda name: measures.index(name.partition(".")[2]))
    if kind == "loss":
        series = _losses(update, names)
    else:
        short = short_labels(names)
        series = [
            replace(
                _series(name, *update.curves[name], measures.index(name.partition(".")[2])),
                short=short[name],
            )
            for name in names
        ]
    return ChartView(
        series=tuple(series),
        marks=marks_of(update) if kind == "loss" else (),
        steps_per_epoch=state.steps_per_epoch,
        title=chart_title(kind),
        empty_text=chart_empty_text(kind, is_unmeasured=_is_unmeasured(update)),
    )


def drawn_names(names: Iterable[str], spec: RunSpec) -> list[str]:
    """Return the curves of a run that are drawn: where phases take turns, each has the loss of its
    own steps, and that of all steps would only jump between them.
    """
    found = list(names)
    has_phases = any(named_like_phase(spec, name) for name in found if spec.phases)
    return [name for name in found if name != _WHOLE or not has_phases]


def _losses(update: RunUpdate, names: Sequence[str]) -> list[SeriesView]:
    """Return the curves of the loss: each has a colour of its own, as far as there are any, and
    what is a part of another one is dashed.
    """
    spec = update.folder.document.spec
    main = [name for name in names if is_whole_loss(name)]
    ordered = [*main, *(name for name in names if name not in main)]
    others = iter(range(len(_PART_COLORS), len(ordered) + len(_PART_COLORS)))
    taken: set[int] = set()
    series: list[SeriesView] = []
    for name in ordered:
        color = _PART_COLORS.get(name.partition(".")[0], -1)
        if color < 0 or color in taken:
            color = next(others)
        taken.add(color)
        view = _series(name, *update.curves[name], 0)
        dash = "solid" if name in main else _DASHES[1 + color // _COLORS % 2]
        label = named_like_phase(spec, name) or view.label
        series.append(replace(view, label=label, color=color, dash=dash))
    return series


def is_whole_loss(name: str) -> bool:
    """Return whether a curve is that of a loss which is minimized or evaluated, not of a term."""
    return name.startswith(PHASE_LOSS) or not name.partition(".")[2].partition(".")[2]


def _is_unmeasured(update: RunUpdate) -> bool:
    """Return whether an epoch is over and there is no metric, which those of a run come with."""
    return update.state.epoch > 0 and not any(
        kind_of(name) in METRIC_KINDS for name in update.curves
    )


def marks_of(update: RunUpdate) -> tuple[MarkView, ...]:
    """Return the marks on the curves of a run."""
    document = update.folder.document
    return present_marks(update.state, document.spec, document.graph.code)


def present_metrics(update: RunUpdate) -> dict[str, ChartView]:
    """Return the charts of the metrics by kind. Where several stand beside each other, one with a
    single metric is called like it, which leaves room for its curves.
    """
    views = {kind: present_curves(update, kind) for kind in METRIC_KINDS}
    if sum(bool(view.series) for view in views.values()) < 2:
        return views
    return {kind: _named_like_its_metric(view) for kind, view in views.items()}


def _named_like_its_metric(view: ChartView) -> ChartView:
    measures = {each.name.partition(".")[2] for each in view.series}
    if len(measures) != 1 or measured_class(*measures):
        return view
    series = tuple(replace(each, label=part_label(each.name)) for each in view.series)
    return replace(view, series=series, title=measure_label(*measures))


def _series(name: str, steps: Steps, values: Points, measure: int) -> SeriesView:
    """Return a curve: parts differ in colour, further measures (by their number) take others."""
    part = name.partition(".")[0]
    return SeriesView(
        name=name,
        label=series_label(name),
        steps=steps.astype("float64"),
        values=values,
        color=_PART_COLORS.get(part, 0) + 2 * measure,
        is_strong=part == "validation",
    )


def named_like_phase(spec: RunSpec, name: str) -> str:
    """Return what the curve of the loss of a phase is called; nothing for another curve."""
    number = name.removeprefix(PHASE_LOSS)
    if number == name or not number.isdecimal() or not int(number) <= 1 + len(spec.phases):
        return ""
    text = translate("Run", "training loss, {phase}")
    return text.format(phase=phase_title(phase_list(spec), int(number) - 1))


def present_marks(state: RunState, spec: RunSpec, code: Code = NO_CODE) -> tuple[MarkView, ...]:
    """Return where values of a run of a specification were set, where parameters were unfrozen,
    where steps that were not finite were left out or made the run go back, and the best checkpoint.
    """
    language = language_code()
    marks = list(_unfreezing_marks(state, spec))
    marks += [
        MarkView(step=mark.step, kind="knob", text=change_text(spec, mark, language, code))
        for mark in state.knobs
    ]
    marks += [MarkView(step=each.step, kind="knob", text=each.key) for each in state.changes]
    evaluated = translate("Run", "evaluated by hand")
    marks += [MarkView(step=each.step, kind="knob", text=evaluated) for each in state.evaluations]
    saved = translate("Run", "checkpoint saved by hand")
    marks += [
        MarkView(step=info.step, kind="knob", text=saved)
        for info in state.checkpoints
        if "asked" in info.tags
    ]
    marks += _not_finite(state)
    if state.best is not None:
        text = translate("Run", "best checkpoint")
        marks.append(MarkView(step=state.best.step, kind="best", text=text))
    return tuple(marks)


def _unfreezing_marks(state: RunState, spec: RunSpec) -> Iterator[MarkView]:
    """Yield the epochs so far from which on more parameters were trained."""
    names: dict[int, list[str]] = {}
    for pattern, epoch in (unfreezing_epochs(spec.unfreezing.schedule) or {}).items():
        names.setdefault((epoch - 1) * state.steps_per_epoch, []).append(pattern)
    text = translate("Run", "unfrozen: {names}")
    for step, patterns in names.items():
        if 0 < step < state.step:
            yield MarkView(step=step, kind="knob", text=text.format(names=", ".join(patterns)))


def _not_finite(state: RunState) -> Iterator[MarkView]:
    """Yield a mark where the first step of an epoch was left out, and where the run went back to:
    from there on it trains with half the learning rate.
    """
    left_out, back = (
        translate("Run", "step left out"),
        translate("Run", "went back from step {step}"),
    )
    found: dict[int, str] = {}
    for problem in state.warnings:
        if problem.code == SKIPPED:
            found[_step(problem, "step")] = left_out
        elif problem.code in ROLLED_BACK:
            found[_step(problem, "to")] = back.format(step=_step(problem, "step"))
    for step, text in found.items():
        if 0 <= step <= state.step:  # a run that goes on from a checkpoint may not come to it again
            yield MarkView(step=step, kind="problem", text=text)


def _step(problem: Diagnostic, name: str) -> int:
    """Return a step that a warning names; -1 where the record, which may be anybody's, has none."""
    step = problem.params.get(name)
    return step if isinstance(step, int) else -1


def present_plan(
    plan: LrPreview, spec: RunSpec, groups: Sequence[TrainedGroup] = ()
) -> tuple[SeriesView, ...]:
    """Return the planned rates of a run specification, whose optimizer has some groups."""
    import numpy as np

    steps = np.asarray(plan.steps, dtype=np.int64)
    curves = {
        number: (steps, np.asarray(values, dtype=np.float64))
        for number, values in enumerate(plan.values)
    }
    return _rate_series(curves if plan.steps else {}, rate_labels(spec, groups))


def present_rates(update: RunUpdate) -> tuple[SeriesView, ...]:
    """Return the rates that a run had until now; none before its first step."""
    curves = {
        number: _until(update.state.step, *curve) for number, curve in rate_curves(update).items()
    }
    spec = update.folder.document.spec
    return _rate_series(curves, rate_labels(spec, update.state.groups))


def _rate_series(
    curves: Mapping[int, tuple[Steps, Points]], labels: Sequence[str]
) -> tuple[SeriesView, ...]:
    names = rate_series(len(labels))
    whole = translate("Train", "Learning rate")
    return tuple(
        SeriesView(
            name=names[number],
            label=labels[number] if len(labels) > 1 else whole,
            steps=steps.astype("float64"),
            values=values,
            color=number,
            dash=_DASHES[number % len(_DASHES)],
        )
        for number, (steps, values) in curves.items()
    )


def _until(step: int, steps: Steps, values: Points) -> tuple[Steps, Points]:
    """Return a curve of changes with its last value at a step too: it holds until then."""
    import numpy as np

    if step <= steps[-1]:
        return steps, values
    return np.append(steps, step), np.append(values, values[-1])
