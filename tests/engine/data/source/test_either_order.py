"""Dates of a table whose day and month cannot be told apart."""

from pathlib import Path

import pytest

from engine.catalog.spec import Value
from engine.data.load.load import load_data
from engine.data.read.date import parse_date
from engine.data.source.table_loader import load_table
from engine.spec.run import Choice, DataSpec

SAME = [f"{at % 12 + 1:02}/{at % 9 + 1:02}/2020" for at in range(40)]
MIXED = [cell if at % 3 else f"2021-{at % 12 + 1:02}-15" for at, cell in enumerate(SAME)]


def write(folder: Path, cells: list[str]) -> Path:
    path = folder / "orders.csv"
    rows = (f"{cell},{at * 1.5},{'ab'[at % 2]}" for at, cell in enumerate(cells))
    path.write_text("\n".join(["Ordered,Amount,Label", *rows]), encoding="utf-8")
    return path


@pytest.mark.parametrize("cells", [SAME, MIXED])
def test_that_it_is_told_and_that_the_kind_date_reads_them(tmp_path: Path, cells: list[str]):
    path = str(write(tmp_path, cells))
    data = DataSpec(source=Choice(type="table", params={"path": path}))
    problems = [each for each in load_data(data).info.problems if each.code == "D595"]
    assert [each.params["column"] for each in problems] == ["Ordered"]
    assert problems[0].params["example"] in cells
    params: dict[str, Value] = {"path": path, "kinds": "Ordered=date"}
    told = load_data(DataSpec(source=Choice(type="table", params=params))).info.problems
    assert "D595" not in [each.code for each in told]
    days = load_table(params).column("Ordered")
    assert days is not None
    assert cells[11] == "12/03/2020"
    assert float(days[11]) == parse_date("2020-03-12", "ymd")


def test_that_a_column_that_somebody_ignores_is_not_told(tmp_path: Path):
    params: dict[str, Value] = {"path": str(write(tmp_path, SAME)), "ignored": "Ordered"}
    told = load_data(DataSpec(source=Choice(type="table", params=params))).info.problems
    assert "D595" not in [each.code for each in told]
