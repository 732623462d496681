"""Several runs beside one another: what they reached, and how model and weights differ.

The first run is what the others are compared with.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import compress

from engine.graph.code import DRAFT_FILE, MODEL_FILE
from engine.graph.comparison import LevelComparison, compare, diff
from engine.graph.model import Graph
from engine.query.distance.request import Distance, DistanceReport, LayerDistance
from engine.runs.cross_validation import mean_and_deviation
from engine.runs.record.state import RunStatus
from studio.i18n import listed, translate
from studio.model.comparison.presenter import ChangeRow, present_changes
from studio.runs.rows import RunRecord, annotation_columns, metric_names
from studio.view.run import series_label, status_text
from studio.view.wording import duration_text
from widgets.tables.view_model import Cell, ColumnView, RowView, TableData

_ICONS = {"+": "add", "−": "remove", "≠": "edit"}


class Aspect(StrEnum):
    """What of the runs is compared."""

    RESULTS = "results"
    SETTINGS = "settings"
    DATA = "data"
    MODEL = "model"
    WEIGHTS = "weights"


@dataclass(frozen=True, kw_only=True)
class ModelDifference:
    """What the model of another run has otherwise than that of the first; ``files`` are those of
    the user's own code that differ.
    """

    run: str
    levels: dict[str, LevelComparison]
    files: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ModelRow:
    """A line of the table of models: the place that it is about, in the model of a run."""

    run: str
    level: str
    node: str


def aspect_titles() -> dict[Aspect, str]:
    """Return what can be compared, in the order of the tabs."""
    return {
        Aspect.RESULTS: translate("Comparison", "Results"),
        Aspect.SETTINGS: translate("Comparison", "Settings"),
        Aspect.DATA: translate("Comparison", "Data"),
        Aspect.MODEL: translate("Comparison", "Model"),
        Aspect.WEIGHTS: translate("Comparison", "Weights"),
    }


def present_results(records: Sequence[RunRecord]) -> TableData:
    """Return what the runs reached side by side, the mean and standard deviation of those that
    finished, and of two runs how far the second is from the first.
    """
    finished = [_is_finished(record) for record in records]
    rows = [
        _measured(name, series_label(name), [r.state.metrics.get(name) for r in records], finished)
        for name in metric_names(records)
    ]
    counts: tuple[tuple[str, str, list[Cell]], ...] = (
        ("epochs", translate("Comparison", "Epochs"), [r.state.epoch for r in records]),
        ("steps", translate("Comparison", "Steps"), [r.state.step for r in records]),
        (
            "parameters",
            translate("Comparison", "Parameters"),
            [r.state.parameters for r in records],
        ),
    )
    rows += [_measured(key, title, values, finished) for key, title, values in counts]
    times = [duration_text(record.state.elapsed_s) for record in records]
    rows.append(_told("duration", translate("Comparison", "Duration"), times))
    rows += [
        _told(key, title, [words(record.folder.document) for record in records])
        for key, title, words in annotation_columns(records)
    ]
    columns = [
        ColumnView(key="measure", title=translate("Comparison", "Result")),
        *(ColumnView(key=r.folder.id, title=_name(r), kind="number") for r in records),
    ]
    if len(records) == 2:
        help_text = translate("Comparison", "Second run minus first run")
        title = translate("Comparison", "Difference")
        columns.append(ColumnView(key="difference", title=title, kind="number", help=help_text))
    if len(records) > 1:
        columns += _spread_columns()
    return TableData(columns=tuple(columns), rows=tuple(rows))


def results_note(records: Sequence[RunRecord]) -> str:
    """Return in a sentence which runs mean and deviation leave out; empty where that is none."""
    left_out = [record for record in records if not _is_finished(record)]
    if len(records) < 2 or not left_out:
        return ""
    told = (f"{_name(record)} ({status_text(record.state.status)})" for record in left_out)
    text = translate("Comparison", "Not finished, so not in mean and standard deviation: {runs}.")
    return text.format(runs=listed(told))


def _is_finished(record: RunRecord) -> bool:
    return record.state.status is RunStatus.FINISHED


def _measured(key: str, title: str, values: Sequence[Cell], finished: Sequence[bool]) -> RowView:
    cells: tuple[Cell, ...] = (title, *values)
    if len(values) == 2:
        cells = (*cells, _difference(*values))
    if len(values) > 1:
        cells = (*cells, *_spread(list(compress(values, finished))))
    return RowView(id=key, cells=cells)


def _told(key: str, title: str, texts: Sequence[str]) -> RowView:
    """Return a row of words, between which there is no difference to count."""
    fillers = {1: 0, 2: 3}.get(len(texts), 2)
    return RowView(id=key, cells=(title, *texts, *([""] * fillers)))


def _spread_columns() -> tuple[ColumnView, ...]:
    mean = translate("Comparison", "The mean of the finished runs that have this result")
    deviation = translate(
        "Comparison", "The sample standard deviation of the finished runs that have this result"
    )
    return (
        ColumnView(key="mean", title=translate("Comparison", "Mean"), kind="number", help=mean),
        ColumnView(
            key="deviation",
            title=translate("Comparison", "Standard deviation"),
            kind="number",
            help=deviation,
        ),
    )


def _spread(values: Sequence[Cell]) -> tuple[Cell, Cell]:
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    return mean_and_deviation(numbers) if numbers else (None, None)


def _difference(first: Cell, second: Cell) -> Cell:
    if isinstance(first, int | float) and isinstance(second, int | float):
        return second - first
    return None


def model_differences(graphs: Sequence[tuple[str, Graph]]) -> tuple[ModelDifference, ...]:
    """Return how the models of runs (id and graph) differ from that of the first."""
    first = graphs[0][1]
    return tuple(
        ModelDifference(
            run=run,
            levels=compare(first, graph),
            files=tuple(
                name
                for name in diff(Graph(code=first.code), Graph(code=graph.code)).code
                if name not in (MODEL_FILE, DRAFT_FILE)
            ),
        )
        for run, graph in graphs[1:]
    )


def present_models(
    differences: Sequence[ModelDifference], records: Sequence[RunRecord], language: str
) -> tuple[TableData, tuple[ModelRow, ...]]:
    """Return the table of what differs between the models, and the place of each row."""
    names = {record.folder.id: _name(record) for record in records}
    rows: list[RowView] = []
    places: list[ModelRow] = []
    for difference in differences:
        graph = difference.levels[""].both
        changes = [*present_changes(difference.levels, graph, language), *_files(difference)]
        for change in changes:
            cells: list[Cell] = [change.name, change.what]
            if len(differences) > 1:
                cells.insert(0, names[difference.run])
            icon = _ICONS[change.sign]
            rows.append(RowView(id=str(len(rows)), cells=tuple(cells), icon=icon))
            places.append(ModelRow(run=difference.run, level=change.level, node=change.node))
    columns = [
        ColumnView(key="name", title=translate("Comparison", "Node"), width=24),
        ColumnView(key="what", title=translate("Comparison", "Differences")),
    ]
    if len(differences) > 1:
        columns.insert(0, ColumnView(key="run", title=translate("Comparison", "Run")))
    same = translate("Comparison", "These runs trained the same model.")
    return TableData(columns=tuple(columns), rows=tuple(rows), empty_text=same), tuple(places)


def _files(difference: ModelDifference) -> list[ChangeRow]:
    what = translate("Comparison", "custom code differs")
    return [
        ChangeRow(level="", node="", sign="≠", name=file, what=what, color="yellow")
        for file in difference.files
    ]


def present_distances(report: DistanceReport, records: Sequence[RunRecord]) -> TableData:
    """Return how far the weights of the other runs are from those of the first, by layer."""
    others = [_name(record) for record in records[1:]]
    columns = [
        ColumnView(key="layer", title=translate("Comparison", "Layer"), kind="code"),
        ColumnView(key="count", title=translate("Comparison", "Weights"), kind="count"),
        ColumnView(
            key="norm",
            title=translate("Comparison", "Norm"),
            kind="number",
            help=translate("Comparison", "Euclidean norm of the weights of the first run"),
        ),
    ]
    for at, name in enumerate(others):
        columns += _distance_columns(at, f" · {name}" if len(others) > 1 else "")
    whole = translate("Comparison", "All layers")
    rows = [_distance_row("", whole, report.whole)]
    rows += [_distance_row(layer.layer, layer.layer, layer) for layer in report.layers]
    only = translate("Comparison", "only in {run}")
    rows += [
        RowView(
            id=f"{name}/{layer}",
            cells=(layer, *[None] * (len(columns) - 1), only.format(run=name)),
            is_muted=True,
        )
        for name, layers in zip(others, report.more, strict=True)
        for layer in layers
    ]
    columns.append(ColumnView(key="note", title=translate("Comparison", "Remark")))
    return TableData(columns=tuple(columns), rows=tuple(rows))


def _distance_columns(at: int, suffix: str) -> tuple[ColumnView, ...]:
    return (
        ColumnView(
            key=f"l2.{at}",
            title=translate("Comparison", "Distance") + suffix,
            kind="number",
            help=translate("Comparison", "Euclidean norm of the difference (L2)"),
        ),
        ColumnView(
            key=f"relative.{at}",
            title=translate("Comparison", "Relative") + suffix,
            kind="percent",
            help=translate(
                "Comparison", "Distance divided by the norm of the weights of the first run"
            ),
        ),
        ColumnView(
            key=f"cosine.{at}",
            title=translate("Comparison", "Cosine") + suffix,
            kind="number",
            help=translate(
                "Comparison", "Cosine of the angle between the weights: 1 is the same direction"
            ),
        ),
    )


def _distance_row(key: str, title: str, layer: LayerDistance) -> RowView:
    cells: list[Cell] = [title, layer.elements, layer.norm]
    for other in layer.others:
        cells += _numbers(other)
    lacking = translate("Comparison", "missing or different shape")
    cells.append(lacking if None in layer.others else "")
    return RowView(id=f"/{key}", cells=tuple(cells))


def _numbers(distance: Distance | None) -> tuple[Cell, Cell, Cell]:
    if distance is None:
        return (None, None, None)
    return (distance.l2, distance.relative, distance.cosine)


def distance_note(report: DistanceReport, records: Sequence[RunRecord]) -> str:
    """Return which checkpoints were read."""
    pairs = zip(records, report.files, strict=True)
    return " · ".join(f"{_name(record)}: {file}" for record, file in pairs)


def without_checkpoint(records: Sequence[RunRecord]) -> str:
    """Return in a sentence which runs have no weights; empty where all have."""
    names = listed(_name(record) for record in records if not record.state.checkpoints)
    text = translate("Comparison", "No weights to compare for runs without a checkpoint: {runs}.")
    return text.format(runs=names) if names else ""


def _name(record: RunRecord) -> str:
    return record.folder.document.name
