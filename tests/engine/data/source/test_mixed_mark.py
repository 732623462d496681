"""Columns of numbers with two decimal marks."""

from pathlib import Path

import pytest

from engine.data.load.load import load_data
from engine.data.source.registry import load_source
from engine.data.source.table import TableSource
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.spec.run import Choice, DataSpec


def table(path: Path, **params: str) -> Choice:
    return Choice(type="table", params={"path": str(path), **params})


def told(path: Path, **params: str) -> dict[str, Diagnostic]:
    problems = load_data(DataSpec(source=table(path, **params))).info.problems
    return {problem.code: problem for problem in problems}


def first(path: Path, **params: str) -> list[float]:
    source = load_source(table(path, **params))
    assert isinstance(source, TableSource)
    values = source.column("a")
    assert values is not None
    return values[:4].tolist()


def test_that_two_decimal_marks_in_a_column_are_read_and_told(tmp_path: Path):
    cells = ["7.500", "3,528", "0,545", "0.954"] * 10
    rows = "".join(f"{cell};{at % 7};{at % 3}\n" for at, cell in enumerate(cells))
    path = tmp_path / "mixed.csv"
    path.write_text(f"a;b;c\n{rows}", encoding="utf-8")
    found = told(path)["D610"]
    assert found.severity is Severity.WARNING
    params = {"column": "a", "point": "0.954", "comma": "0,545", "example": "1,234"}
    assert found.params == params | {"value": "1.234"}
    assert first(path) == pytest.approx([7.5, 3.528, 0.545, 0.954])


def test_that_the_decimal_mark_of_a_file_can_be_chosen(tmp_path: Path):
    cells = ["7.500", "3,528", "0,5", "0.5"] * 10
    rows = "".join(f"{cell};{at % 7};{at % 3}\n" for at, cell in enumerate(cells))
    path = tmp_path / "chosen.csv"
    path.write_text(f"a;b;c\n{rows}", encoding="utf-8")
    assert first(path) == pytest.approx([7.5, 3.528, 0.5, 0.5])
    assert "D610" not in told(path, decimal="comma")
    assert first(path, decimal="comma") == pytest.approx([7500, 3.528, 0.5, 0.5])
    with pytest.raises(DiagnosticError) as caught:
        first(path, decimal="point", kinds="a=number")
    assert caught.value.problems[0].params["value"] == "0,5"


def test_that_two_marks_are_told_where_each_number_can_be_read_both_ways(tmp_path: Path):
    path = tmp_path / "grown.csv"
    rows = [f"{cell};{at % 3}\n" for at, cell in enumerate(["7,500", "3,528"] * 10)]
    path.write_text(f"a;c\n{''.join(rows)}", encoding="utf-8")
    assert "D610" not in told(path)
    path.write_text(f"a;c\n{''.join(rows)}5.123;1\n", encoding="utf-8")
    params = told(path)["D610"].params
    assert (params["point"], params["comma"]) == ("5.123", "7,500")
    assert (params["example"], params["value"]) == ("1.234", "1234")
