"""Views of predicted numbers: the points of one or of all, and the errors of each of several."""

import numpy as np

from engine.query.results.number_score import have_unlike_sizes
from engine.query.results.request import ResultReport
from studio.i18n import translate
from studio.view.wording import metric_text
from widgets.plots.view_model import XyLine, XyView
from widgets.tables.view_model import ColumnView, RowView, TableData

MOST_SERIES = 8
"""Numbers of a sample with a color each; more are one cloud of points."""

_MOST_TOLD = 4  # numbers of a sample with columns of their own in the rows
_MOST_MEASURES = 3  # numbers whose errors stand in one line
_OF_SIZE = ("mae", "rmse")


def column_choices(report: ResultReport) -> tuple[tuple[str, str], ...]:
    """Return which numbers of samples can be drawn, by what they are chosen with: of several each,
    and all together (empty) where they are of like size.
    """
    each = tuple((str(at), column.name) for at, column in enumerate(report.columns))
    if not each or have_unlike_sizes(report.columns):
        return each
    return (("", translate("Results", "All columns")), *each)


def chosen_column(report: ResultReport, wanted: str) -> str:
    """Return which number is drawn where one is wanted, which this report need not have."""
    keys = [key for key, _ in column_choices(report)]
    return wanted if wanted in keys else next(iter(keys), "")


def column_number(chosen: str) -> int | None:
    """Return the number of a chosen column; None for all."""
    return int(chosen) if chosen else None


def sample_of(report: ResultReport, point: int, column: int | None = None) -> int:
    """Return the number of the sample that a point of a chart tells of."""
    is_cloud = report.outputs > MOST_SERIES and column is None
    return point // report.outputs if is_cloud else point


def whole_metrics(report: ResultReport) -> dict[str, float]:
    """Return the measures over all that is predicted; errors of numbers of unlike size are none."""
    is_mixed = bool(report.columns) and have_unlike_sizes(report.columns)
    return {
        name: value
        for name, value in report.metrics.items()
        if not is_mixed or name not in _OF_SIZE
    }


def column_metrics(report: ResultReport) -> list[str]:
    """Return the error of each of few numbers of unlike size, in words."""
    columns = report.columns
    if not 0 < len(columns) <= _MOST_MEASURES or not have_unlike_sizes(columns):
        return []
    text = translate("Results", "MAE of {column} {value}")
    return [text.format(column=each.name, value=metric_text(each.mae)) for each in columns]


def present_columns(report: ResultReport) -> TableData:
    """Return the errors of each number, in its own unit."""
    columns = (
        ColumnView(key="column", title=translate("Results", "Column")),
        ColumnView(
            key="mae",
            title="MAE",
            kind="number",
            help=translate("Results", "Mean absolute error, in the unit of the column"),
        ),
        ColumnView(
            key="rmse",
            title="RMSE",
            kind="number",
            help=translate("Results", "Root mean square error, in the unit of the column"),
        ),
        ColumnView(
            key="r2",
            title="R²",
            kind="number",
            help=translate(
                "Results", "1 for perfect predictions, 0 for always predicting the mean of targets"
            ),
        ),
        ColumnView(key="mean", title=translate("Results", "Mean of targets"), kind="number"),
        ColumnView(
            key="deviation", title=translate("Results", "Standard deviation"), kind="number"
        ),
    )
    rows = tuple(
        RowView(
            id=str(at),
            cells=(each.name, each.mae, each.rmse, each.r2, each.mean, each.deviation),
        )
        for at, each in enumerate(report.columns)
    )
    return TableData(columns=columns, rows=rows)


def value_columns(report: ResultReport) -> tuple[ColumnView, ...]:
    """Return columns for target and prediction of each of few numbers; none of many or of one."""
    if not 0 < len(report.columns) <= _MOST_TOLD:
        return ()
    titles = {
        "truth": translate("Results", "Target: {column}"),
        "prediction": translate("Results", "Prediction: {column}"),
    }
    return tuple(
        ColumnView(key=f"{key}.{at}", title=title.format(column=each.name), kind="number")
        for at, each in enumerate(report.columns)
        for key, title in titles.items()
    )


def value_cells(report: ResultReport, number: int) -> tuple[float, ...]:
    """Return the cells of a sample in :func:`value_columns`."""
    if not 0 < len(report.columns) <= _MOST_TOLD:
        return ()
    first = number * report.outputs
    own = slice(first, first + report.outputs)
    pairs = zip(report.targets[own], report.predictions[own], strict=True)
    return tuple(value for pair in pairs for value in pair)


def present_truth(report: ResultReport, column: int | None) -> XyView:
    """Return predictions over targets."""
    series = _series(report, column)
    lines = [
        XyLine(name=name, label=name, x=target, y=guess, kind="points", color=color)
        for color, (name, target, guess) in enumerate(series)
    ]
    lines.append(_guide(np.concatenate([target for _, target, _ in series]), 1.0))
    return XyView(
        lines=tuple(lines),
        x_label=_axis(translate("Results", "Target"), series, column),
        y_label=_axis(translate("Results", "Prediction"), series, column),
    )


def present_residuals(report: ResultReport, column: int | None) -> XyView:
    """Return what predictions are too high by, over the predictions."""
    series = _series(report, column)
    lines = [
        XyLine(name=name, label=name, x=guess, y=guess - target, kind="points", color=color)
        for color, (name, target, guess) in enumerate(series)
    ]
    lines.append(_guide(np.concatenate([guess for _, _, guess in series]), 0.0))
    return XyView(
        lines=tuple(lines),
        x_label=_axis(translate("Results", "Prediction"), series, column),
        y_label=_axis(translate("Results", "Prediction minus target"), series, column),
    )


def present_fit(report: ResultReport) -> XyView:
    """Return targets and predictions over the one input."""
    x = np.asarray(report.points)
    order = np.argsort(x, kind="stable")
    _, target, predicted = _series(report, None)[0]
    return XyView(
        lines=(
            XyLine(
                name="truth", label=translate("Results", "Target"), x=x, y=target, kind="points"
            ),
            XyLine(
                name="prediction",
                label=translate("Results", "Prediction"),
                x=x[order],
                y=predicted[order],
                color=1,
            ),
        ),
        x_label=translate("Results", "Input"),
        y_label=translate("Results", "Target"),
    )


def _series(report: ResultReport, column: int | None) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Return name, targets and predictions of one number of the samples or of each; of very many as
    if they were one.
    """
    is_whole = report.outputs <= MOST_SERIES or column is not None
    shape = (-1, report.outputs if is_whole else 1)
    target = np.asarray(report.targets).reshape(shape)
    guess = np.asarray(report.predictions).reshape(shape)
    label = translate("Results", "Output {number}")
    has_names = len(report.names) == target.shape[1]
    numbers = range(1, target.shape[1] + 1)
    names = report.names if has_names else tuple(label.format(number=each) for each in numbers)
    chosen = range(target.shape[1]) if column is None else (column,)
    return [(names[at], target[:, at], guess[:, at]) for at in chosen]


def _axis(title: str, series: list[tuple[str, np.ndarray, np.ndarray]], column: int | None) -> str:
    return title if column is None else f"{title}: {series[0][0]}"


def _guide(values: np.ndarray, slope: float) -> XyLine:
    """Return the line on which the points of a perfect model lie."""
    ends = np.asarray((values.min(), values.max()))
    return XyLine(name="guide", label="", x=ends, y=ends * slope, kind="guide", dash="dash")
