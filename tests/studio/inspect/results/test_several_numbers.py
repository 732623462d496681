"""Results of a model that predicts several numbers of unlike size: each in its own unit."""

import numpy as np
import pytest
from msgspec.structs import replace

from engine.query.results.number_score import NumberScore
from engine.query.results.request import ResultReport
from engine.spec.data import FieldInfo, PreviewInfo, SampleView
from studio.inspect.results.numbers import chosen_column, column_choices, sample_of
from studio.inspect.results.presenter import (
    Chart,
    charts,
    present_chart,
    present_sample_rows,
    present_summary,
    present_xy,
)
from studio.inspect.results.state import ResultsState, present_results

AREA = FieldInfo(name="area", role="input", kind="scalar", shape=(1,), dtype="float32")
TARGET = FieldInfo(
    name="target", role="target", kind="vector", shape=(2,), dtype="float32",
    columns=("price", "rooms"),
)  # fmt: skip
PRICE = NumberScore(name="price", mae=1e4, rmse=2e4, r2=0.9, mean=3e5, deviation=1e5)
ROOMS = NumberScore(name="rooms", mae=0.5, rmse=0.6, r2=0.8, mean=3.0, deviation=1.0)
REPORT = ResultReport(
    checkpoint="step-4.ckpt", split="test", step=4, task="regression", fields=(AREA, TARGET),
    outputs=2, width=2, names=("price", "rooms"), indices=(5, 8),
    targets=(2e5, 2.0, 4e5, 4.0), predictions=(2.1e5, 2.5, 3.9e5, 3.5), losses=(0.25, 0.3),
    columns=(PRICE, ROOMS), metrics={"mae": 5000.25, "rmse": 14142.1, "r2": 0.85},
)  # fmt: skip
ALIKE = replace(REPORT, columns=(ROOMS, replace(ROOMS, name="baths")))


def test_that_the_errors_of_each_column_are_a_table():
    assert Chart.COLUMNS in charts(REPORT)
    table = present_chart(REPORT, Chart.COLUMNS)
    assert [row.cells for row in table.rows] == [
        ("price", 1e4, 2e4, 0.9, 3e5, 1e5),
        ("rooms", 0.5, 0.6, 0.8, 3.0, 1.0),
    ]
    assert Chart.COLUMNS not in charts(replace(REPORT, columns=()))


def test_that_an_error_over_numbers_of_unlike_size_is_not_told():
    told = present_summary(REPORT)
    assert "R² 0.85" in told
    assert "MAE of rooms 0.5" in told
    assert "RMSE" not in told
    assert "RMSE" in present_summary(ALIKE)


def test_that_numbers_of_unlike_size_are_drawn_one_at_a_time():
    assert column_choices(REPORT) == (("0", "price"), ("1", "rooms"))
    assert chosen_column(REPORT, "") == "0"
    state = ResultsState(has_checkpoint=True, report=REPORT, chart=Chart.TRUTH, column="1")
    view = present_results(state, "en")
    assert (view.columns, view.column) == (column_choices(REPORT), "1")
    assert not present_results(replace_chart(state, Chart.COLUMNS), "en").columns
    drawn = present_xy(REPORT, Chart.TRUTH, 1)
    (points,) = (line for line in drawn.lines if line.kind == "points")
    assert np.allclose((points.x, points.y), ((2.0, 4.0), (2.5, 3.5)))
    (guide,) = (line for line in drawn.lines if line.kind == "guide")
    assert (guide.x.min(), guide.x.max()) == (2.0, 4.0)
    assert drawn.x_label == "Target: rooms"
    rests = present_xy(REPORT, Chart.RESIDUALS, 0)
    assert np.allclose(rests.lines[0].y, (1e4, -1e4))


def replace_chart(state: ResultsState, chart: Chart) -> ResultsState:
    """Return the state with another chart in front."""
    return ResultsState(has_checkpoint=True, report=state.report, chart=chart)


def test_that_numbers_of_like_size_may_be_drawn_together():
    keys = [key for key, _ in column_choices(ALIKE)]
    assert keys == ["", "0", "1"]
    points = [line for line in present_xy(ALIKE, Chart.TRUTH).lines if line.kind == "points"]
    assert len(points) == 2


@pytest.mark.parametrize(("column", "sample"), [(3, 14), (None, 1)])
def test_that_a_point_of_one_column_of_many_is_a_sample(column, sample):
    many = replace(REPORT, outputs=12, width=12)
    assert sample_of(many, 14, column) == sample


def test_that_rows_have_a_column_for_each_number():
    sample = SampleView(index=5, values={"area": (90.0,), "target": (2e5, 2.0)})
    table = present_sample_rows(REPORT, (0,), PreviewInfo(split="test", samples=(sample,)))
    cells = dict(zip([column.title for column in table.columns], table.rows[0].cells, strict=True))
    assert (cells["Target: price"], cells["Prediction: price"]) == (2e5, 2.1e5)
    assert (cells["Target: rooms"], cells["Prediction: rooms"]) == (2.0, 2.5)
