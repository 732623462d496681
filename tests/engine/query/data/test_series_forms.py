"""Tables of time series as offices and spreadsheets write them."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from engine.data.source.registry import load_source
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.query.data.source_choice import source_of
from engine.spec.proposal import Answers

START = datetime(2023, 1, 1)  # noqa: DTZ001
HOURS = [START + timedelta(hours=n) for n in range(1000)]


def written(folder: Path, lines: list[str]) -> Path:
    path = folder / "s.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8-sig")
    return path


def intervals() -> list[str]:
    form = "%d.%m.%Y %H:%M"
    return [
        f"{at:{form}};{at + timedelta(hours=1):{form}};10.{n:03},52;6.{n:03},5"
        for n, at in enumerate(HOURS)
    ]


def test_that_the_end_of_each_interval_is_left_out_of_a_series_and_told(tmp_path):
    path = written(tmp_path, ["Datum von;Datum bis;Netzlast [MWh];Residuallast", *intervals()])
    found = propose_data(ProposeData(path=str(path)))
    source = found.spec.data.source
    assert (source.type, source.params["time"]) == ("series", "Datum von")
    assert source.params["targets"] == "Residuallast"
    assert {each.code: each.params for each in found.info.problems}["D655"]["columns"] == (
        "Datum bis"
    )
    assert load_source(source).read([0])["series"][0, 1].tolist() == pytest.approx(
        [10001.52, 6001.5]
    )


def test_that_another_column_of_dates_in_no_order_leaves_a_table_one(tmp_path):
    lines = [
        f"{at:%Y-%m-%d %H:%M},{HOURS[n * 7 % 1000]:%Y-%m-%d},{n}" for n, at in enumerate(HOURS)
    ]
    assert source_of(written(tmp_path, ["time,built,load", *lines])).type == "table"


@pytest.mark.parametrize("is_said", [False, True])
def test_that_quoted_decimal_commas_are_numbers_of_a_series(tmp_path, is_said):
    lines = [f'{at:%Y-%m-%d %H:%M},"{n % 24},3","1.{n:03},56"' for n, at in enumerate(HOURS)]
    path = written(tmp_path, ["Datum,Temperatur,Last", *lines])
    answers = Answers(source="series") if is_said else Answers()
    source = propose_data(ProposeData(path=str(path), answers=answers)).spec.data.source
    assert (source.type, source.params["targets"]) == ("series", "Last")
    values = load_source(source).read([0])["series"][0, 1].tolist()
    assert values == pytest.approx([1.3, 1001.56])


def test_that_times_with_decimal_commas_are_those_of_a_series(tmp_path):
    lines = [f"{n // 100},{n % 100:02};{n % 7},5;0,{n:04}" for n in range(1000)]
    source = source_of(written(tmp_path, ["Zeit;Spannung;Strom", *lines]))
    assert (source.type, source.params["time"]) == ("series", "Zeit")


@pytest.mark.parametrize("form", ["%Y%m%d%H", "%Y%m%d%H%M", "%Y%m%d%H%M%S"])
def test_that_no_rows_are_missing_between_times_of_digits(tmp_path, form):
    lines = [f"{at:{form}},{n % 24}.5,{n}" for n, at in enumerate(HOURS)]
    found = propose_data(ProposeData(path=str(written(tmp_path, ["when,temp,load", *lines]))))
    assert found.spec.data.source.type == "series"
    assert "D720" not in {each.code for each in found.info.problems}
