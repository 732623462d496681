"""Views of the results of a checkpoint: charts, tables and samples."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from engine.query.results.request import ResultReport, ScoreCurve
from engine.spec.data import DataInfo, PreviewInfo
from studio.i18n import filled, listed, translate
from studio.inspect.results.boxes import present_averages
from studio.inspect.results.labels import has_labels, labels_of, labels_text
from studio.inspect.results.masks import present_overlaps
from studio.inspect.results.numbers import (
    MOST_SERIES,
    column_metrics,
    present_columns,
    present_fit,
    present_residuals,
    present_truth,
    value_cells,
    value_columns,
    whole_metrics,
)
from studio.inspect.results.sequences import present_positions
from studio.inspect.results.views import present_views
from studio.view.data import PICTURE_KINDS, present_images, present_rows, split_title
from studio.view.wording import metric_text
from widgets.images.view_model import ImageView, KeypointView, Overlay
from widgets.plots.view_model import MatrixView, XyLine, XyView
from widgets.tables.view_model import ColumnView, RowView, TableData

_FEW = 4  # numbers of a sample that has more than that cloud


class Order(StrEnum):
    """Which samples come first."""

    WORST = "worst"
    BEST = "best"
    WRONG = "wrong"
    DATA = "data"


class Chart(StrEnum):
    """What is looked at."""

    MATRIX = "matrix"
    ROC = "roc"
    RECALL = "recall"
    CLASSES = "classes"
    TRUTH = "truth"
    RESIDUALS = "residuals"
    FIT = "fit"
    COLUMNS = "columns"
    POSITIONS = "positions"


Samples: TypeAlias = TableData | tuple[ImageView, ...]
Drawing: TypeAlias = MatrixView | TableData | XyView


def charts(report: ResultReport) -> tuple[Chart, ...]:
    """Return the charts that a report has."""
    if report.ious:
        return (Chart.CLASSES, Chart.MATRIX)
    if report.hits:
        return (Chart.POSITIONS,)
    if report.box_counts:
        return (Chart.CLASSES, Chart.RECALL)
    if report.task == "regression" and report.scores:  # labels, of which a sample has any number
        return (Chart.CLASSES, Chart.ROC, Chart.RECALL)
    if report.task == "regression":
        has_fit = bool(report.points) and report.outputs == 1
        columns = (Chart.COLUMNS,) if report.columns else ()
        return (*((Chart.FIT,) if has_fit else ()), Chart.TRUTH, Chart.RESIDUALS, *columns)
    has_matrix = bool(report.matrix)  # of very many classes there is none
    return (*((Chart.MATRIX,) if has_matrix else ()), Chart.CLASSES, Chart.ROC, Chart.RECALL)


def chart_titles() -> dict[Chart, str]:
    """Return what the charts are called."""
    return {
        Chart.MATRIX: translate("Results", "Confusion matrix"),
        Chart.ROC: translate("Results", "ROC curves"),
        Chart.RECALL: translate("Results", "Precision and recall"),
        Chart.CLASSES: translate("Results", "By class"),
        Chart.TRUTH: translate("Results", "Prediction vs. target"),
        Chart.RESIDUALS: translate("Results", "Residuals"),
        Chart.FIT: translate("Results", "Fit"),
        Chart.COLUMNS: translate("Results", "By column"),
        Chart.POSITIONS: translate("Results", "By position"),
    }


def present_summary(report: ResultReport) -> str:
    """Return the measures in one line."""
    names = {
        "accuracy": translate("Results", "accuracy"),
        "f1": translate("Results", "mean F1"),
        "iou": translate("Results", "mean IoU"),
        "map": "mAP",
        "map_50": translate("Results", "mAP at IoU 0.50"),
        "map_75": translate("Results", "mAP at IoU 0.75"),
        "mask_map": translate("Results", "mAP of masks"),
        "mask_map_50": translate("Results", "mAP of masks at IoU 0.50"),
        "mask_map_75": translate("Results", "mAP of masks at IoU 0.75"),
        "dice": "Dice",
        "auroc": "AUROC",
        "perplexity": translate("Results", "perplexity"),
        "mae": "MAE",
        "rmse": "RMSE",
        "r2": "R²",
    }
    metrics = whole_metrics(report).items()
    parts = [f"{names[name]} {metric_text(value)}" for name, value in metrics]
    parts += [*column_metrics(report), *present_views(report)]
    text = translate("Results", "{part}, {count} {count|sample|samples}, step {step}: {measures}")
    return filled(
        text,
        part=split_title(report.split),
        count=f"{len(report.indices):,}",
        step=f"{report.step:,}",
        measures=listed(parts),
    )


def present_chart(report: ResultReport, chart: Chart, column: int | None = None) -> Drawing:
    """Return a chart as it is drawn; of one ``column`` where several numbers are predicted."""
    if chart is Chart.MATRIX:
        return _matrix(report)
    if chart is Chart.CLASSES:
        if report.box_counts:
            return present_averages(report)
        return present_overlaps(report) if report.ious else _scores(report)
    if chart is Chart.POSITIONS:
        return present_positions(report)
    if chart is Chart.COLUMNS:
        return present_columns(report)
    return present_xy(report, chart, column)


def _matrix(report: ResultReport) -> MatrixView:
    return MatrixView(
        labels=report.classes,
        counts=report.matrix,
        row_title=translate("Results", "True class"),
        column_title=translate("Results", "Predicted class"),
    )


def _scores(report: ResultReport) -> TableData:
    """Return precision, recall and F1 of each class."""
    columns = (
        ColumnView(key="class", title=translate("Results", "Label of the class")),
        ColumnView(
            key="precision",
            title=translate("Results", "Precision"),
            kind="percent",
            help=translate("Results", "Fraction of predictions for the class that are correct"),
        ),
        ColumnView(
            key="recall",
            title=translate("Results", "Recall"),
            kind="percent",
            help=translate(
                "Results", "Fraction of samples of the class that were predicted correctly"
            ),
        ),
        ColumnView(key="f1", title="F1", kind="percent"),
        ColumnView(key="auroc", title="AUROC", kind="number"),
        ColumnView(key="support", title=translate("Results", "Samples"), kind="count"),
    )
    areas = {curve.name: curve.area for curve in report.roc}
    rows = tuple(
        RowView(
            id=str(index),
            cells=(
                score.name,
                score.precision,
                score.recall,
                score.f1,
                areas.get(score.name),
                score.support,
            ),
        )
        for index, score in enumerate(report.scores)
    )
    return TableData(columns=columns, rows=rows)


def present_xy(report: ResultReport, chart: Chart, column: int | None = None) -> XyView:
    """Return the chart of curves or points; the points of one ``column`` or of all."""
    match chart:
        case Chart.ROC:
            return _curves(
                report.roc,
                translate("Results", "False positive rate"),
                translate("Results", "True positive rate"),
                has_guide=True,
            )
        case Chart.RECALL:
            return _curves(
                report.precision_recall,
                translate("Results", "Recall"),
                translate("Results", "Precision"),
            )
        case Chart.TRUTH:
            return present_truth(report, column)
        case Chart.RESIDUALS:
            return present_residuals(report, column)
        case Chart.FIT:
            return present_fit(report)
        case _:
            return XyView()


def ordered(
    report: ResultReport, order: Order, cell: tuple[int, int] | None = None
) -> tuple[int, ...]:
    """Return the numbers of samples in an order; with a cell of the matrix only those in it."""
    costs = [-iou for iou in report.ious] or report.losses
    losses = np.nan_to_num(np.asarray(costs), nan=-np.inf if report.ious else np.inf)
    numbers = np.arange(len(losses))
    if order in (Order.WORST, Order.WRONG):
        numbers = np.argsort(-losses, kind="stable")
    elif order is Order.BEST:
        numbers = np.argsort(losses, kind="stable")
    if has_classes(report) and (cell is not None or order is Order.WRONG):
        target, predicted = np.asarray(report.targets), np.asarray(report.predictions)
        if cell is not None:
            kept = (target == cell[0]) & (predicted == cell[1])
        else:
            kept = target != predicted
        numbers = numbers[kept[numbers]]
    return tuple(numbers.tolist())


def has_classes(report: ResultReport) -> bool:
    """Return whether each sample has a class, which can be right or wrong."""
    has_own = report.ious or report.hits or report.box_counts
    return report.task != "regression" and not has_own


def present_samples(report: ResultReport, numbers: Sequence[int], preview: PreviewInfo) -> Samples:
    """Return samples as images with target and prediction, where they are images, or as rows."""
    if not any(field.kind in PICTURE_KINDS for field in report.fields):
        return present_sample_rows(report, numbers, preview)
    images = present_images(_info(report), preview)
    return tuple(
        replace(
            image,
            label=_label(report, number),
            sublabel=_aside(report, number),
            overlay=_compared(report, number, image.overlay),
        )
        for image, number in zip(images, numbers, strict=False)
    )


def _compared(report: ResultReport, number: int, overlay: Overlay | None) -> Overlay | None:
    """Return the points in a picture with those that are predicted, where points are."""
    found = report.predictions[number * report.outputs : (number + 1) * report.outputs]
    if not isinstance(overlay, KeypointView) or len(found) != 2 * len(overlay.names):
        return overlay
    return replace(overlay, prediction=np.asarray(found, np.float64).reshape(-1, 2))


def present_sample_rows(
    report: ResultReport, numbers: Sequence[int], preview: PreviewInfo
) -> TableData:
    """Return samples as rows: truth, prediction, sentences, probability and loss before the other
    fields of the data.
    """
    data = present_rows(_info(report), preview)
    sentences = {field.name for field in report.fields if field.words}
    texts = [at for at, column in enumerate(data.columns) if column.key in sentences]
    others = [at for at in range(1, len(data.columns)) if at not in texts]
    columns = [
        data.columns[0],
        *_time_columns(report),
        *(value_columns(report) or _compared_columns(report)),
        *(data.columns[at] for at in texts),
    ]
    if report.chances:
        title = translate("Results", "Probability")
        columns.append(ColumnView(key="chance", title=title, kind="percent"))
    columns.append(ColumnView(key="loss", title=translate("Results", "Loss"), kind="number"))
    rows = tuple(
        RowView(
            id=row.id,
            cells=(
                row.cells[0],
                *((report.times[number],) if report.times else ()),
                *(value_cells(report, number) or _compared_cells(report, number)),
                *(row.cells[at] for at in texts),
                *((report.chances[number],) if report.chances else ()),
                report.losses[number],
                *(row.cells[at] for at in others),
            ),
            icon="" if is_right(report, number) else "close",
        )
        for row, number in zip(data.rows, numbers, strict=False)
    )
    return TableData(
        columns=(*columns, *(data.columns[at] for at in others)),
        rows=rows,
        empty_text=translate("Results", "No matching samples."),
    )


def _compared_columns(report: ResultReport) -> tuple[ColumnView, ...]:
    """Return the columns with target and prediction of each sample."""
    kind = "number" if _is_one_number(report) else "text"
    return (
        ColumnView(key="truth", title=translate("Results", "Target"), kind=kind),
        ColumnView(key="prediction", title=translate("Results", "Prediction"), kind=kind),
    )


def _compared_cells(report: ResultReport, number: int) -> tuple[float | str, ...]:
    return tuple(_cell(report, values, number) for values in (report.targets, report.predictions))


def _time_columns(report: ResultReport) -> tuple[ColumnView, ...]:
    """Return the column with the time or the row that each sample of a series predicts first."""
    if not report.times:
        return ()
    title = translate("Results", "Predicts from")
    if report.time_kind == "row":
        title = translate("Results", "Predicts from row")
    return (ColumnView(key="time", title=title, kind="text"),)


def is_right(report: ResultReport, number: int) -> bool:
    """Return whether the class of a sample was found, or all of its labels and no others; numbers
    are never wrong.
    """
    if has_labels(report):
        found, true = (labels_of(report, v, number) for v in (report.predictions, report.targets))
        return found == true
    return report.task == "regression" or report.targets[number] == report.predictions[number]


def as_csv(report: ResultReport) -> bytes:
    """Return all samples, one a line, with the shortest digits that give the same float back; a
    column for each number of a sample that has several.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    chance, chances = _share(report)
    names = report.names or range(1, report.outputs + 1)
    numbers = [f" {name}" for name in names] if report.outputs > 1 else [""]
    is_whole = bool(report.targets) and report.width <= report.outputs
    titles = ("truth", "prediction") if is_whole else ()
    columns = [f"{title}{number}" for title in titles for number in numbers]
    time = (report.time_kind,) if report.times else ()
    writer.writerow(("index", *time, *columns, *chance, "loss"))
    for number, index in enumerate(report.indices):
        values = (report.targets, report.predictions) if titles else ()
        shown = [cell for of in values for cell in _digits(report, of, number)]
        given = (repr(chances[number]),) if chances else ()
        when = (report.times[number],) if report.times else ()
        writer.writerow((index, *when, *shown, *given, repr(report.losses[number])))
    return text.getvalue().encode()


def _share(report: ResultReport) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return the title of what is said of each sample besides its loss, and its values."""
    for name, values in (
        ("probability", report.chances),
        ("iou", report.ious),
        ("right", report.hits),
        ("boxes", report.box_counts),
    ):
        if values:
            return (name,), values
    return (), ()


def _info(report: ResultReport) -> DataInfo:
    return DataInfo(source="", samples=len(report.indices), task=report.task, fields=report.fields)


def _label(report: ResultReport, number: int) -> str:
    truth = _value(report, report.targets, number)
    predicted = _value(report, report.predictions, number)
    if report.outputs > MOST_SERIES and not has_labels(report):
        return f"#{report.indices[number]}"
    if report.task == "regression" and not has_labels(report):
        return f"{truth} → {predicted}"
    return truth if is_right(report, number) else f"{truth} → {predicted} ✗"


def _aside(report: ResultReport, number: int) -> str:
    if report.chances:
        return f"{report.chances[number]:.0%}"
    return metric_text(report.losses[number])


def _is_one_number(report: ResultReport) -> bool:
    return report.task == "regression" and report.outputs == 1


def _cell(report: ResultReport, values: Sequence[float], number: int) -> float | str:
    """Return what stands in a table: a number as such, so that it is sorted as one."""
    return values[number] if _is_one_number(report) else _value(report, values, number)


def _digits(report: ResultReport, values: Sequence[float], number: int) -> tuple[str, ...]:
    """Return all that a sample has, in all its digits."""
    if report.task != "regression":
        return (report.classes[int(values[number])],)
    first = number * report.outputs
    return tuple(map(repr, values[first : first + report.outputs]))


def _value(report: ResultReport, values: Sequence[float], number: int) -> str:
    if report.task != "regression":
        return report.classes[int(values[number])]
    if has_labels(report):
        return labels_text(report, values, number)
    first = number * report.outputs
    is_whole = report.outputs <= MOST_SERIES
    shown = values[first : first + (report.outputs if is_whole else _FEW)]
    return ", ".join((*map(metric_text, shown), *(() if is_whole else ("…",))))


def _curves(
    curves: Sequence[ScoreCurve], x_label: str, y_label: str, *, has_guide: bool = False
) -> XyView:
    mean = translate("Results", "mean over classes")
    lines = [
        XyLine(
            name=curve.name or "mean",
            label=curve.name or mean,
            x=np.asarray(curve.x),
            y=np.asarray(curve.y),
            color=index,
            dash="dot" if not curve.name else "solid" if index < MOST_SERIES else "dash",
            value=curve.area,
        )
        for index, curve in enumerate(curves)
    ]
    if has_guide and lines:
        ends = np.asarray((0.0, 1.0))
        lines.append(XyLine(name="guide", label="", x=ends, y=ends, kind="guide", dash="dash"))
    empty = translate(
        "Results", "This split contains only one class, so there is nothing to separate."
    )
    return XyView(lines=tuple(lines), x_label=x_label, y_label=y_label, empty_text=empty)
