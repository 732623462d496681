"""Views of a search: its space and trials, which settings lead where, and which matter."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from engine.diagnostics import sentence
from engine.runs.search import (
    SearchFolder,
    SearchState,
    SearchStatus,
    TrialRecord,
    TrialStatus,
)
from engine.spec.choice import Code
from engine.spec.run import RunSpec
from engine.spec.search import MODEL, Dimension, SearchSpec, Setting, dimension_text
from studio.i18n import filled, translate
from studio.runs.search.state import NEW, SearchPageState
from studio.view.recipe_field import field_title
from studio.view.run import series_label
from studio.view.wording import metric_text
from widgets.plots.view_model import BarsView, ParallelAxis, ParallelLine, ParallelView
from widgets.tables.view_model import ColumnView, RowView, TableData


def status_text(status: SearchStatus) -> str:
    """Return where a search stands in the user's words."""
    return {
        SearchStatus.STARTING: translate("Search", "starting"),
        SearchStatus.RUNNING: translate("Search", "running"),
        SearchStatus.PAUSED: translate("Search", "paused"),
        SearchStatus.FINISHED: translate("Search", "finished"),
        SearchStatus.STOPPED: translate("Search", "stopped"),
        SearchStatus.FAILED: translate("Search", "failed"),
        SearchStatus.DIED: translate("Search", "ended unexpectedly"),
    }[status]


def trial_text(status: TrialStatus, search: SearchStatus) -> str:
    """Return how a trial stands in the user's words; one without an end stands as its search."""
    return {
        TrialStatus.RUNNING: status_text(search),
        TrialStatus.FINISHED: translate("Search", "finished"),
        TrialStatus.PRUNED: translate("Search", "pruned"),
        TrialStatus.FAILED: translate("Search", "failed"),
    }[status]


def label_of(name: str, spec: RunSpec, language: str, code: Code) -> str:
    """Return what a setting is called: as in the form, or node and parameter."""
    if name.startswith(MODEL):
        return name.removeprefix(MODEL)
    return field_title(spec, name, language, code)


def present_space(
    space: Sequence[Dimension], spec: RunSpec, language: str, code: Code
) -> TableData:
    """Return what is tried, a row for each setting."""
    return TableData(
        columns=(
            ColumnView(key="setting", title=translate("Search", "Setting")),
            ColumnView(key="values", title=translate("Search", "Values")),
        ),
        rows=tuple(
            RowView(
                id=one.name,
                cells=(label_of(one.name, spec, language, code), dimension_text(one)),
                tooltip=one.name,
            )
            for one in space
        ),
        empty_text=translate("Search", "Add settings to search over."),
    )


@dataclass(frozen=True, kw_only=True)
class TrialsView:
    """The trials of a search, which settings matter and lead where, and how far it is."""

    trials: TableData
    importance: BarsView
    parallel: ParallelView
    progress: str


@dataclass(frozen=True, kw_only=True)
class SearchView:
    """What the page shows. ``searches``, ``settings`` and ``monitors`` are choices (key and text);
    only a new search can be edited, and one that is over can be given more trials.
    """

    searches: tuple[tuple[str, str], ...]
    chosen: str
    settings: tuple[tuple[str, str], ...]
    monitors: tuple[tuple[str, str], ...]
    form: SearchSpec
    space: TableData
    problem: str
    possible: frozenset[str]
    is_new: bool
    is_paused: bool
    can_set_trials: bool
    result: TrialsView


def present_page(state: SearchPageState, spec: RunSpec, language: str, code: Code) -> SearchView:
    """Return what the page shows; ``spec`` is the recipe of a new search, ``code`` the custom code
    of its model.
    """
    shown, form, space = state.shown, state.form, state.space
    if shown is not None:
        document = shown[0].document
        spec, space, code = document.spec, document.search.space, document.graph.code
    names = [(key, folder.document.name) for key, (folder, _) in state.searches.items()]
    monitors = dict.fromkeys((*state.monitors, form.monitor))
    return SearchView(
        searches=((NEW, translate("Search", "New search")), *reversed(names)),
        chosen=state.chosen if shown is not None else NEW,
        settings=state.settings,
        monitors=tuple((name, series_label(name)) for name in monitors),
        form=msgspec.structs.replace(form, trials=state.trials),
        space=present_space(space, spec, language, code),
        problem=sentence(state.problem, language) if state.problem else "",
        possible=state.possible,
        is_new=shown is None,
        is_paused=state.is_paused,
        can_set_trials=(shown is None or state.is_over) and not state.is_grid,
        result=present_search(*(shown or (None, SearchState())), language),
    )


def present_search(folder: SearchFolder | None, state: SearchState, language: str) -> TrialsView:
    """Return what is shown of a search; None: of one that is not begun yet."""
    if folder is None:
        empty = translate(
            "Search", "Choose a search space, then start. Each trial is a separate run."
        )
        return TrialsView(
            trials=TableData(columns=(), empty_text=empty),
            importance=BarsView(labels=(), values=()),
            parallel=ParallelView(),
            progress=translate(
                "Search", "The model on the canvas and its recipe, with these variations."
            ),
        )
    return TrialsView(
        trials=_trials(folder, state, language),
        importance=_importance(folder, state, language),
        parallel=_parallel(folder, state, language),
        progress=_progress(folder, state, language),
    )


def _progress(folder: SearchFolder, state: SearchState, language: str) -> str:
    """Return in one line how far a search is and what it found."""
    ended = sum(trial.status is not TrialStatus.RUNNING for trial in state.trials)
    parts = [
        status_text(state.status),
        filled(
            translate("Search", "{ended} of {total} {total|trial|trials}"),
            ended=ended,
            total=state.total,
        ),
    ]
    best = state.best(folder.document.search.mode)
    if best is not None and best.value is not None:
        text = translate("Search", "best {measure} {value} (trial {number})")
        parts.append(
            text.format(
                measure=series_label(folder.document.search.monitor),
                value=metric_text(best.value),
                number=best.number + 1,
            )
        )
    if state.problem is not None:
        parts.append(sentence(state.problem, language))
    return " · ".join(parts)


def _trials(folder: SearchFolder, state: SearchState, language: str) -> TableData:
    """Return the trials, newest first, a star at the best."""
    search, spec = folder.document.search, folder.document.spec
    code = folder.document.graph.code
    best = state.best(search.mode)
    columns = (
        ColumnView(key="number", title=translate("Search", "Trial"), kind="count"),
        ColumnView(key="state", title=translate("Search", "State")),
        ColumnView(key="value", title=series_label(search.monitor), kind="number"),
        *(
            ColumnView(
                key=one.name,
                title=label_of(one.name, spec, language, code),
                kind="text" if one.choices else "number",
            )
            for one in search.space
        ),
        ColumnView(key="epochs", title=translate("Search", "Epochs"), kind="count"),
        ColumnView(key="duration", title=translate("Search", "Duration"), kind="duration"),
        ColumnView(key="run", title=translate("Search", "Run")),
    )
    rows = tuple(
        RowView(
            id=str(trial.number),
            cells=(
                trial.number + 1,
                trial_text(trial.status, state.status),
                trial.value,
                *(trial.settings.get(one.name) for one in search.space),
                trial.epoch,
                trial.seconds,
                trial.run,
            ),
            icon="star" if trial is best else "",
            tooltip=sentence(trial.problem, language) if trial.problem else "",
            is_muted=trial.status in (TrialStatus.PRUNED, TrialStatus.FAILED),
        )
        for trial in reversed(state.trials)
    )
    begins = translate("Search", "The first trial starts as soon as PyTorch is loaded.")
    return TableData(columns=columns, rows=rows, empty_text=begins)


def _importance(folder: SearchFolder, state: SearchState, language: str) -> BarsView:
    """Return which settings explain the differences between trials, in percent."""
    spec, code = folder.document.spec, folder.document.graph.code
    return BarsView(
        labels=tuple(label_of(name, spec, language, code) for name in state.importance),
        values=(tuple(100 * share for share in state.importance.values()),)
        if state.importance
        else (),
        title=translate("Search", "Importance in %"),
        empty_text=translate(
            "Search", "The importance of settings appears after four finished trials."
        ),
    )


def _parallel(folder: SearchFolder, state: SearchState, language: str) -> ParallelView:
    """Return an axis for each setting and one for what is looked for, a line for each trial."""
    search, spec = folder.document.search, folder.document.spec
    code = folder.document.graph.code
    measured = [trial for trial in state.trials if trial.value is not None]
    values = [trial.value for trial in measured if trial.value is not None]
    low, high = (min(values), max(values)) if values else (0.0, 0.0)
    axes = [_axis(one, label_of(one.name, spec, language, code)) for one in search.space]
    ends = () if not values else ((0.0, metric_text(low)), (1.0, metric_text(high)))
    axes.append(ParallelAxis(label=series_label(search.monitor), ticks=ends))
    lines = tuple(_line(trial, search, (low, high), axes) for trial in measured)
    return ParallelView(
        axes=tuple(axes),
        lines=lines,
        title=translate("Search", "Settings and results"),
        empty_text=translate("Search", "A line appears for each trial after its first epoch."),
    )


def _axis(dimension: Dimension, label: str) -> ParallelAxis:
    if dimension.choices:
        top = max(1, len(dimension.choices) - 1)
        ticks = tuple((index / top, text) for index, text in enumerate(dimension.choices))
        return ParallelAxis(label=label, ticks=ticks)
    ends = ((0.0, f"{dimension.low:g}"), (1.0, f"{dimension.high:g}"))
    return ParallelAxis(label=label, ticks=ends)


def _line(
    trial: TrialRecord,
    search: SearchSpec,
    ends: tuple[float, float],
    axes: Sequence[ParallelAxis],
) -> ParallelLine:
    assert trial.value is not None
    low, high = ends
    height = (trial.value - low) / (high - low) if high > low else 0.5
    heights = tuple(_height(one, trial.settings.get(one.name)) for one in search.space)
    written_out = [
        f"{axis.label} {_setting_text(trial.settings.get(one.name))}"
        for axis, one in zip(axes, search.space, strict=False)
    ]
    measure = f"{axes[-1].label} {metric_text(trial.value)}"
    number = translate("Search", "Trial {number}").format(number=trial.number + 1)
    return ParallelLine(
        id=str(trial.number),
        places=(*heights, height),
        share=height if search.mode == "max" else 1 - height,
        is_partial=trial.status is not TrialStatus.FINISHED,
        text=", ".join((f"{number}: {measure}", *written_out)),
    )


def _height(dimension: Dimension, value: Setting | None) -> float | None:
    if value is None:
        return None
    if dimension.choices:
        top = max(1, len(dimension.choices) - 1)
        return (
            dimension.choices.index(str(value)) / top if str(value) in dimension.choices else None
        )
    number, low, high = float(value), dimension.low, dimension.high
    if dimension.is_log:
        number, low, high = math.log(number), math.log(low), math.log(high)
    return min(max((number - low) / (high - low), 0.0), 1.0)


def _setting_text(value: Setting | None) -> str:
    return "–" if value is None else value if isinstance(value, str) else metric_text(value)
