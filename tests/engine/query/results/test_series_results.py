"""Results of a time series: its numbers by the names of columns and rows, its windows by date."""

from datetime import date, timedelta

from msgspec.structs import replace

from engine.query.ask import ask
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.query.results.request import Examine, LookUp, ResultReport
from engine.runs.folder import RunFolder
from engine.spec.proposal import Answers
from engine.spec.run import Choice, DataSpec
from tests.tiny_run import train

ROWS, LENGTH = 60, 4


def forecast(tmp_path, header: str, rows: list[str]) -> ResultReport:
    """Return the results of a run that forecasts two rows of a table from the four before them."""
    path = tmp_path / "weather.csv"
    path.write_text("\n".join([header, *rows]))
    answers = Answers(source="series", params={"length": LENGTH, "horizon": 2})
    proposal = propose_data(ProposeData(path=str(path), answers=answers))
    assert proposal.graph is not None
    spec = replace(proposal.spec, epochs=1, device="cpu", threads=1)
    run = RunFolder.create(tmp_path, proposal.graph, spec)
    train(run)
    report = ask(Examine(run_folder=str(run.path), split="test", seconds=60)).report
    assert report is not None
    return report


def test_that_numbers_of_a_series_are_named_by_column_and_row(tmp_path):
    report = forecast(tmp_path, "low,high", [f"{at % 7},{at % 5}" for at in range(ROWS)])
    assert report.names == ("low+1", "high+1", "low+2", "high+2")
    series, target = report.fields
    assert series.columns[:2] == ("low [−3]", "high [−3]")
    assert series.columns[-2:] == ("low [0]", "high [0]")
    assert target.columns == report.names
    assert report.time_kind == "row"
    assert report.times == tuple(str(at + LENGTH + 1) for at in report.indices)


def test_that_each_window_has_the_date_that_it_predicts_first(tmp_path):
    days = [date(2023, 12, 30) + timedelta(days=at) for at in range(ROWS)]
    rows = [f"{day.isoformat()},{at % 7}" for at, day in enumerate(days)]
    report = forecast(tmp_path, "date,high", rows)
    assert report.names == ("high+1", "high+2")
    assert report.time_kind == "time"
    assert report.times == tuple(days[at + LENGTH].isoformat() for at in report.indices)


def test_that_windows_that_are_looked_up_have_names_and_times(tmp_path):
    days = [date(2023, 12, 30) + timedelta(days=at) for at in range(ROWS)]
    path = tmp_path / "weather.csv"
    path.write_text("\n".join(["date,high", *(f"{day},{at % 7}" for at, day in enumerate(days))]))
    params = {"path": str(path), "length": LENGTH, "horizon": 1, "time": "date"}
    data = DataSpec(source=Choice(type="series", params=params))
    looked = ask(LookUp(data=data, places=(3, 0)))
    assert [each.index for each in looked.samples] == [3, 0]
    assert looked.names["series"][-1] == "high [0]"
    assert looked.time_kind == "time"
    assert looked.times == (days[3 + LENGTH].isoformat(), days[LENGTH].isoformat())
