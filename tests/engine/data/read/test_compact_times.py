"""Days with their time, written as digits alone: dates where all of them can be such."""

from datetime import datetime, timedelta

import pytest

from engine.data.read.date import parse_date
from engine.data.read.table import read_head

START = datetime(2023, 1, 9, 16)  # noqa: DTZ001
MOMENTS = [START + timedelta(minutes=97 * at) for at in range(60)]


def kind_of(tmp_path, cells, name="moment"):
    file = tmp_path / "t.csv"
    rows = [f"{cell},{at % 7}.5" for at, cell in enumerate(cells)]
    file.write_text("\n".join([f"{name},y", *rows]))
    return read_head(file).columns[0].kind


@pytest.mark.parametrize("form", ["%Y%m%d%H", "%Y%m%d%H%M", "%Y%m%d%H%M%S"])
@pytest.mark.parametrize("name", ["moment", "v3", "日期"])
def test_that_digits_of_days_and_times_are_dates(tmp_path, form, name):
    assert kind_of(tmp_path, [each.strftime(form) for each in MOMENTS], name) == "date"


def test_that_what_cannot_be_a_time_is_none(tmp_path):
    cells = [each.strftime("%Y%m%d%H%M") for each in MOMENTS]
    assert kind_of(tmp_path, [*cells, "202301092561"]) != "date"
    assert kind_of(tmp_path, [*cells, "202313091600"]) != "date"
    assert kind_of(tmp_path, [*cells, "212301091600"]) != "date"
    assert kind_of(tmp_path, cells, "order_id") != "date"


@pytest.mark.parametrize(
    ("cell", "hours"), [("2023010916", 16.0), ("202301091630", 16.5), ("20230109163036", 16.51)]
)
def test_that_the_time_is_read(cell, hours):
    days = parse_date(cell, "ymd")
    assert days == pytest.approx(START.toordinal() - 719163 + hours / 24)
    assert parse_date("2023010924", "ymd") is None
