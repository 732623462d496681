"""Rows above and below the header of a text that are none of its table."""

from pathlib import Path

import pytest

from engine.data.load.load import load_data
from engine.data.read.table import read_table
from engine.data.source.table_loader import table_options
from engine.spec.run import Choice, DataSpec
from engine.spec.table import TableOptions

HEADER = "Id;Region;Count;Amount;Churn\n"
BODY = "".join(f"{at};{'NSWE'[at % 4]};{at % 7};{at * 1.5};{at % 2}\n" for at in range(30))
NAMES = ("Id", "Region", "Count", "Amount", "Churn")


def told(path: Path, **params: object) -> list[str]:
    source = Choice(type="table", params={"path": str(path), **params})  # pyright: ignore[reportArgumentType]
    return [each.code for each in load_data(DataSpec(source=source)).info.problems]


@pytest.mark.parametrize(
    ("above", "below", "line", "codes"),
    [
        ("", "", 2, []),
        ("Sales report 2024;;;;\n", "", 3, ["D612"]),
        ("Sales report 2024;;;;\n;;;;\n", "", 4, ["D612"]),
        ("Sales report 2024\n\n", "", 4, ["D612"]),
        ("Customer;;Orders;;\n", "", 3, ["D612"]),
        ("sep=;\n", "", 3, []),
        ("sep=;\nSales report;;;;\n", "", 4, ["D612"]),
        ("", ";;pcs;EUR;\n", 3, ["D613"]),
        ("Sales report;;;;\n", ";-;pcs;EUR;\n", 4, ["D612", "D613"]),
    ],
)
def test_that_what_is_no_row_of_the_table_is_not_read_and_told(
    tmp_path: Path, above: str, below: str, line: int, codes: list[str]
):
    path = tmp_path / "export.csv"
    path.write_text(above + HEADER + below + BODY, encoding="utf-8")
    table = read_table(path)
    assert (table.names, table.rows, int(table.lines[0])) == (NAMES, 30, line)
    assert told(path) == codes


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("1;;;\n2;3;4;5\n" + "3;4;5;6\n" * 9, "1"),  # a row without a header
        ("name;;;\nx;y;z;w\n" + "a;b;c;d\n" * 9, "x"),  # a header of few names
        ("a;b;c;d\n;;unknown;3\n" + "5;6;7;8\n" * 9, ""),  # a word where a number should be
    ],
)
def test_that_rows_with_gaps_are_rows(tmp_path: Path, text: str, first: str):
    path = tmp_path / "gaps.csv"
    path.write_text(text, encoding="utf-8")
    assert read_table(path).columns[0].cell(0) == first


def test_that_the_lines_to_skip_can_be_chosen(tmp_path: Path):
    path = tmp_path / "export.csv"
    path.write_text("Sales report;;;;\n" + HEADER + ";;pcs;EUR;\n" + BODY, encoding="utf-8")
    assert read_table(path, TableOptions(skip=1)).rows == 31
    assert read_table(path, TableOptions(skip=0)).names[0] == "Sales report"
    path.write_text("a;b;c;d;e\n" + HEADER + BODY, encoding="utf-8")
    assert read_table(path, TableOptions(skip=1)).names == NAMES
    assert told(path, skip_rows=1) == []
    for automatic in ("auto", -1):  # -1 is what earlier versions wrote
        options = table_options({"skip_rows": automatic, "encoding": "auto"})
        assert options == TableOptions()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x,NA,label\n" + "0.5,,a\n1.5,,b\n" * 9, ("x", "NA", "label")),
        ("NA,a,b\n" + "3,c,d\n" * 9, ("column 1", "column 2", "column 3")),
    ],
)
def test_that_a_word_for_a_missing_value_names_a_column_beside_names(
    tmp_path: Path, text: str, names: tuple[str, ...]
):
    path = tmp_path / "na.csv"
    path.write_text(text, encoding="utf-8")
    assert read_table(path).names == names
