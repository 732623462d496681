"""The statistics of a run's layers, as a table and as histograms over the steps."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from engine.events import SetWatching
from engine.graph.block import Path
from engine.graph.expand import place_of
from engine.runs.record.statistic import Key, Kind, Statistic, StatisticHistory, Track, on_one_scale
from engine.spec.run import WatchSpec
from studio.i18n import translate
from studio.view.bars import Bars, bars_of
from studio.view.wording import metric_text
from studio.window.page import EmptyView
from widgets.tables.trend import Trend
from widgets.tables.view_model import Cell, ColumnView, RowView, TableData

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from widgets.plots.histogram_history import HistoryView

_POINTS = 28  # of a small line: one for every two of its pixels
_BINS = 72
_DEAD = 0.5
_SMALL_GRADIENT = 1e-7
_LARGE_GRADIENT = 1e3
_SMALL_UPDATE, _LARGE_UPDATE = 1e-6, 0.1


@dataclass(frozen=True, kw_only=True)
class LayersView:
    """The layers at one recorded step; ``warned`` counts those with something to look into."""

    table: TableData
    warned: int = 0


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What was read of a record for one step, by its index, one layer and one key of it. ``keys``
    are ids and titles; ``modules`` are the names of the modules of the nodes, by node path.
    """

    steps: tuple[int, ...]
    index: int
    layers: LayersView
    layer: str
    keys: tuple[tuple[str, str], ...]
    key: str
    modules: dict[str, str]
    history: "HistoryView"
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class LayersState:
    """What is chosen and what was read. ``index`` is that of a recorded step, -1 for the newest;
    ``asked`` is how the run is to watch, until it says that it does.
    """

    folder: FilePath = FilePath()
    is_running: bool = False
    watch: WatchSpec = field(default_factory=WatchSpec)
    asked: SetWatching | None = None
    cost: str = ""
    layer: str = ""
    key: str = ""
    measure: str = ""
    index: int = -1
    reading: Reading | None = None


@dataclass(frozen=True, kw_only=True)
class LayersPageView:
    """What the page shows; ``limit`` is a percentage, ``index`` that of a recorded step;
    ``details`` was read of the layer that is chosen.
    """

    empty: EmptyView | None
    is_running: bool
    is_watching: bool
    limit: float
    cost: str
    steps: tuple[int, ...]
    index: int
    step: str
    layers: LayersView | None
    layer: str
    details: Reading | None


def present_page(state: LayersState) -> LayersPageView:
    """Return the page."""
    reading, watch = state.reading, state.asked or state.watch
    steps = reading.steps if reading is not None else ()
    is_chosen = reading is not None and reading.layer == state.layer
    text = translate("Layers", "Step {step}")
    return LayersPageView(
        empty=None if reading is not None else _empty(state),
        is_running=state.is_running,
        is_watching=watch.statistics,
        limit=100 * watch.limit,
        cost=state.cost,
        steps=steps,
        index=state.index if 0 <= state.index < len(steps) else len(steps) - 1,
        step=text.format(step=f"{steps[reading.index]:,}") if reading is not None else "",
        layers=reading.layers if reading is not None else None,
        layer=state.layer,
        details=reading if is_chosen else None,
    )


def _empty(state: LayersState) -> EmptyView:
    text = translate(
        "Layers",
        "During a run, Trellis regularly records statistics of the weights, gradients, "
        "updates and activations of each layer. Here you see how they develop.",
    )
    action = "" if state.is_running else translate("Layers", "Train")
    return EmptyView(translate("Layers", "No statistics yet"), text, action)


@dataclass(frozen=True, kw_only=True)
class _Layer:
    """One layer at one step; what is not known is NaN or empty."""

    weight: Trend
    gradient: Trend
    ratio: Trend
    activation: Trend
    dead: float
    broken: float


def layer_of(key: Key) -> str:
    """Return the module that something is of; a parameter of the model itself stands for itself."""
    kind, name = key
    return name if kind is Kind.ACTIVATION else name.rpartition(".")[0] or name


def keys_of_layer(history: StatisticHistory, layer: str) -> list[Key]:
    """Return what is recorded of a layer: first its output, then parameter by parameter."""
    order = [Kind.ACTIVATION, Kind.WEIGHT, Kind.GRADIENT, Kind.UPDATE]
    keys = [key for key in history.columns if layer_of(key) == layer]
    return sorted(
        keys, key=lambda key: (key[0] is not Kind.ACTIVATION, key[1], order.index(key[0]))
    )


def key_title(key: Key) -> str:
    """Return what a thing that is recorded is called."""
    parameter = key[1].rpartition(".")[2]
    match key[0]:
        case Kind.ACTIVATION:
            return translate("Layers", "Activation")
        case Kind.WEIGHT:
            return translate("Layers", "{name}: values").format(name=parameter)
        case Kind.GRADIENT:
            return translate("Layers", "{name}: gradient").format(name=parameter)
        case Kind.UPDATE:
            return translate("Layers", "{name}: update").format(name=parameter)


def present_layers(history: StatisticHistory, modules: Mapping[str, str], step: int) -> LayersView:
    """Return all layers as they were at the last recorded step up to ``step``, in the order of the
    names of ``modules``, which stand by flat place.
    """
    ranks = {name: rank for rank, name in enumerate(modules.values())}
    layers = dict.fromkeys(map(layer_of, history.columns))
    names = sorted(layers, key=lambda name: (ranks.get(name, len(ranks)), name))
    rows = [_row(name, _layer(history, name, step)) for name in names]
    warned = sum(row.icon == "warning" for row in rows)
    return LayersView(table=TableData(columns=_columns(), rows=tuple(rows)), warned=warned)


def measure_titles() -> dict[str, str]:
    """Return what the canvas can show of each layer, by the column of the table."""
    return {
        "weight": translate("Layers", "weight norm"),
        "gradient": translate("Layers", "gradient norm"),
        "ratio": translate("Layers", "update / weight"),
        "activation": translate("Layers", "activation std"),
        "dead": translate("Layers", "dead units"),
    }


def layer_bars(view: LayersView, modules: Mapping[str, str], measure: str, path: Path) -> Bars:
    """Return the bars of the nodes of a level for one column of the table; ``modules`` are the
    names of the modules by flat place. A block, or a layer that is made of others, has the norm of
    all that is in it together, of other figures the largest.
    """
    at = next(i for i, column in enumerate(view.table.columns) if column.key == measure)
    join = math.hypot if measure in ("weight", "gradient") else max
    places: dict[str, list[str]] = {}
    for flat, name in modules.items():
        places.setdefault(name, []).append(place_of(flat))
    values: dict[str, float] = {}
    for row in view.table.rows:
        value = _number(row.cells[at])
        if value is None:
            continue
        for place in places.get(_within(row.id, places), ()):
            values[place] = join(values[place], value) if place in values else value
    title = measure_titles()[measure]
    write, whole = ("{:.2%}".format, 1.0) if measure == "dead" else (metric_text, 0.0)
    return bars_of(values, path, lambda value: f"{title} {write(value)}", join, whole)


def _within(module: str, modules: Collection[str]) -> str:
    """Return which of some modules a module is, or lies in; empty for none."""
    while module and module not in modules:
        module = module.rpartition(".")[0]
    return module


def _number(cell: Cell) -> float | None:
    value = cell.value if isinstance(cell, Trend) else cell
    return value if isinstance(value, float) else None


def present_key(history: StatisticHistory, key: Key, title: str, step: int) -> "HistoryView":
    """Return the histograms of one tensor over the steps."""
    from widgets.plots.histogram_history import HistoryView  # loads numpy

    track = history.track(key)
    empty = translate("Layers", "No data recorded.")
    if not len(track.steps):
        return HistoryView(title=title, empty_text=empty)
    shares, (low, high) = on_one_scale(track, _BINS)
    return HistoryView(
        title=title,
        steps=track.steps.astype(float),
        shares=shares,
        low=low,
        high=high,
        at=_at(track, step),
    )


def present_facts(history: StatisticHistory, key: Key, step: int) -> tuple[tuple[str, str], ...]:
    """Return the numbers of one tensor at the last recorded step up to ``step``; of an update also
    its norm over that of the weight.
    """
    track = history.track(key)
    if not len(track.steps):
        return ()
    numbers = track.numbers[_at(track, step)]
    titles = (
        (Statistic.MEAN, translate("Layers", "mean")),
        (Statistic.DEVIATION, translate("Layers", "deviation")),
        (Statistic.MINIMUM, translate("Layers", "min")),
        (Statistic.MAXIMUM, translate("Layers", "max")),
        (Statistic.NORM, translate("Layers", "norm")),
    )
    shares = (
        (Statistic.ZEROS, translate("Layers", "fraction of zeros")),
        (Statistic.DEAD, translate("Layers", "dead units")),
        (Statistic.BROKEN, translate("Layers", "NaN or infinite")),
    )
    facts = [(title, metric_text(float(numbers[at]))) for at, title in titles]
    facts += [(title, f"{float(numbers[at]):.1%}") for at, title in shares if numbers[at] > 0]
    weight = history.track((Kind.WEIGHT, key[1])) if key[0] is Kind.UPDATE else None
    norm = weight.numbers[_at(weight, step), Statistic.NORM] if weight and len(weight.steps) else 0
    if norm > 0:
        ratio = metric_text(float(numbers[Statistic.NORM] / norm))
        facts.append((translate("Layers", "update / weight"), ratio))
    return tuple(facts)


def present_last(history: StatisticHistory, name: str) -> str:
    """Return a few facts about a layer at the step that was recorded last, for the inspector."""
    if not len(history.steps) or not keys_of_layer(history, name):
        return ""
    step = int(history.steps[-1])
    layer = _layer(history, name, step)
    titles = measure_titles()
    facts = (
        (titles["weight"], layer.weight.value, metric_text),
        (titles["gradient"], layer.gradient.value, metric_text),
        (titles["ratio"], layer.ratio.value, metric_text),
        (titles["activation"], layer.activation.value, metric_text),
        (titles["dead"], layer.dead, "{:.0%}".format),
    )
    figures = [f"{title} {write(value)}" for title, value, write in facts if math.isfinite(value)]
    head = translate("Layers", "In the last run, step {step}").format(step=f"{step:,}")
    return "\n".join((f"{head}: {' · '.join(figures)}", *_marks(layer)))


def _columns() -> tuple[ColumnView, ...]:
    return (
        ColumnView(key="layer", title=translate("Layers", "Layer")),
        ColumnView(
            key="weight",
            title=translate("Layers", "Weight norm"),
            kind="trend",
            help=translate("Layers", "The norm of all weights of the layer over time."),
            width=10,
        ),
        ColumnView(
            key="gradient",
            title=translate("Layers", "Gradient norm"),
            kind="trend",
            help=translate("Layers", "The norm of the gradients before clipping."),
            width=10,
        ),
        ColumnView(
            key="ratio",
            title=translate("Layers", "Update / weight"),
            kind="trend",
            help=translate(
                "Layers",
                "How much a step changes the weights: the norm of the update divided by "
                "the norm of the weights. About 0.001 is typical.",
            ),
            width=10,
        ),
        ColumnView(
            key="activation",
            title=translate("Layers", "Activation std"),
            kind="trend",
            help=translate("Layers", "The standard deviation of the output of the layer."),
            width=10,
        ),
        ColumnView(
            key="dead",
            title=translate("Layers", "Dead units"),
            kind="percent",
            help=translate(
                "Layers", "Units (channels for images) whose output is 0 for the entire batch."
            ),
        ),
    )


def _row(name: str, layer: _Layer) -> RowView:
    marks = _marks(layer)
    trends = (layer.weight, layer.gradient, layer.ratio, layer.activation)
    cells = tuple(trend if math.isfinite(trend.value) else None for trend in trends)
    return RowView(
        id=name,
        cells=(name, *cells, layer.dead if math.isfinite(layer.dead) else None),
        icon="warning" if marks else "",
        tooltip="\n".join((name, *marks)),
    )


def _marks(layer: _Layer) -> list[str]:
    """Return what should be looked into."""
    rules = (
        (layer.broken > 0, translate("Layers", "There are NaN or infinite values.")),
        (
            layer.dead >= _DEAD,
            translate("Layers", "At least half of the units are dead: their output is always 0."),
        ),
        (
            0 <= layer.gradient.value < _SMALL_GRADIENT,
            translate("Layers", "Vanishing gradient: almost nothing reaches this layer."),
        ),
        (
            layer.gradient.value > _LARGE_GRADIENT,
            translate("Layers", "Exploding gradient: try clipping or a lower learning rate."),
        ),
        (
            0 <= layer.ratio.value < _SMALL_UPDATE,
            translate("Layers", "The weights barely change. The learning rate may be too low."),
        ),
        (
            layer.ratio.value > _LARGE_UPDATE,
            translate(
                "Layers", "Each step changes the weights a lot. The learning rate may be too high."
            ),
        ),
    )
    return [text for holds, text in rules if holds]


def _layer(history: StatisticHistory, name: str, step: int) -> _Layer:
    import numpy as np

    tracks: dict[Kind, list[Track]] = {kind: [] for kind in Kind}
    for key in keys_of_layer(history, name):
        track = history.track(key)
        count = int(np.searchsorted(track.steps, step, side="right"))
        if count:
            tracks[key[0]].append(
                Track(track.steps[:count], track.numbers[:count], track.counts[:count])
            )
    (of_weight, weight), (_, gradient), (of_update, update) = (
        _joint_norm(tracks[kind]) for kind in (Kind.WEIGHT, Kind.GRADIENT, Kind.UPDATE)
    )
    _, ours, theirs = np.intersect1d(of_weight, of_update, return_indices=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = update[theirs] / weight[ours]  # a phase changes it in some of the steps alone
    outputs = tracks[Kind.ACTIVATION]
    spread = outputs[0].numbers[:, Statistic.DEVIATION] if outputs else np.empty(0)
    every = [
        track.numbers[-1, Statistic.BROKEN] for of_kind in tracks.values() for track in of_kind
    ]
    return _Layer(
        weight=_trend(weight),
        gradient=_trend(gradient),
        ratio=_trend(ratio),
        activation=_trend(spread),
        dead=float(outputs[0].numbers[-1, Statistic.DEAD]) if outputs else math.nan,
        broken=float(max(every, default=0)),
    )


def _joint_norm(
    tracks: list[Track],
) -> "tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]":
    """Return the steps that some tensors have in common, and the norm of all together in each."""
    import numpy as np

    if not tracks:
        return np.empty(0, np.int64), np.empty(0)
    steps = np.asarray(reduce(np.intersect1d, [track.steps for track in tracks]), np.int64)
    norms = [track.numbers[np.searchsorted(track.steps, steps), Statistic.NORM] for track in tracks]
    return steps, np.sqrt(np.sum(np.square(np.asarray(norms, np.float64)), axis=0))


def _trend(values: "npt.NDArray[np.float32 | np.float64]") -> Trend:
    import numpy as np

    if not len(values):
        return Trend(math.nan)
    picked = np.linspace(0, len(values) - 1, min(len(values), _POINTS)).astype(int)
    return Trend.of(float(values[-1]), values[picked].tolist())


def _at(track: Track, step: int) -> int:
    import numpy as np

    return max(0, int(np.searchsorted(track.steps, step, side="right")) - 1)
