"""Results of a time series as charts, rows and a file: the names and dates of the table."""

import csv
import io

from engine.query.results.request import ResultReport
from engine.spec.data import FieldInfo, PreviewInfo, SampleView
from studio.inspect.results.presenter import Chart, as_csv, present_sample_rows, present_xy

SERIES = FieldInfo(
    name="series", role="input", kind="sequence", shape=(2, 1), dtype="float32",
    columns=("high [−1]", "high [0]"),
)  # fmt: skip
TARGET = FieldInfo(
    name="target", role="target", kind="vector", shape=(2,), dtype="float32",
    columns=("high+1", "high+2"),
)  # fmt: skip
REPORT = ResultReport(
    checkpoint="step-4.ckpt", split="test", step=4, task="regression", fields=(SERIES, TARGET),
    outputs=2, width=2, names=("high+1", "high+2"), times=("2024-01-03",), time_kind="time",
    indices=(5,), targets=(1.0, 2.0), predictions=(1.5, 2.5), losses=(0.25,),
)  # fmt: skip


def test_that_the_legend_has_the_names_of_the_table():
    for chart in (Chart.TRUTH, Chart.RESIDUALS):
        labels = [line.label for line in present_xy(REPORT, chart).lines if line.kind == "points"]
        assert labels == ["high+1", "high+2"]


def test_that_rows_have_the_date_and_the_names_of_the_table():
    sample = SampleView(index=5, values={"series": (7.0, 8.0), "target": (1.0, 2.0)})
    table = present_sample_rows(REPORT, (0,), PreviewInfo(split="test", samples=(sample,)))
    cells = dict(zip([column.title for column in table.columns], table.rows[0].cells, strict=True))
    assert cells["Predicts from"] == "2024-01-03"
    assert (cells["high [−1]"], cells["high [0]"]) == (7.0, 8.0)
    assert (cells["high+1"], cells["high+2"]) == (1.0, 2.0)


def test_that_the_file_has_them_too():
    head, row = csv.reader(io.StringIO(as_csv(REPORT).decode()))
    assert head[:3] == ["index", "time", "truth high+1"]
    assert row[:3] == ["5", "2024-01-03", "1.0"]
