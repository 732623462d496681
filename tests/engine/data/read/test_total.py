"""Row of totals at the end of a table."""

from pathlib import Path

import pytest

from engine.data.load.load import load_data
from engine.data.read.table import read_head, read_table
from engine.data.read.total import total_of
from engine.spec.run import Choice, DataSpec
from engine.spec.table import TableOptions

ROWS = [f"2020-{at % 12 + 1:02}-01,{'NSWE'[at % 4]},{at},{at * 1.5}" for at in range(24)]


def write(folder: Path, last: str, rows: list[str] = ROWS) -> Path:
    path = folder / "sales.csv"
    path.write_text("\n".join(["Month,Region,Count,Amount", *rows, last]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("row", "word"),
    [
        (["Total", "", "2000", "25000.00"], "Total"),
        (["", "Summe:", "2.000", "25.000,00"], "Summe:"),
        (["合计", "7"], "合计"),
        (["Total", ""], ""),
        (["Total", "N", "5"], ""),  # of a place: a company
        (["Totals Ltd", "", "5"], ""),
        (["1", "2"], ""),
    ],
)
def test_that_a_row_of_totals_has_its_word_and_numbers(row: list[str], word: str):
    assert total_of(row) == word


def test_that_totals_are_no_sample_and_are_told(tmp_path: Path):
    path = write(tmp_path, "Total,,276,414.0")
    table = read_table(path)
    assert (table.rows, table.column("Count").cell(23)) == (24, "23")
    assert [column.kind for column in read_head(path).columns[:2]] == ["date", "category"]
    source = Choice(type="table", params={"path": str(path)})
    problems = load_data(DataSpec(source=source)).info.problems
    assert [(each.code, each.params["word"]) for each in problems] == [("D614", "Total")]
    assert read_table(path, TableOptions(keeps_totals=True)).rows == 25


@pytest.mark.parametrize("rows", [ROWS[:5], [*ROWS, "Total,,1,2"], [*ROWS, "TOTAL,N,1,2"]])
def test_that_a_name_or_a_short_table_is_no_total(tmp_path: Path, rows: list[str]):
    assert read_table(write(tmp_path, "Total,,276,414.0", rows)).rows == len(rows) + 1


NAMED = "\n".join(
    ["Company,Employees,Revenue", *(f"{at}co,{at + 7},{at * 1.5}" for at in range(24))]
)


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ("Total,100,263.5", ()),  # a company
        ("Total,444,263.5", ("Total",)),
        ("Total,,414.2", ("Total",)),  # its cells are rounded
        ("Average,100,263.5", ()),
        ("Average,18.5,263.5", ("Average",)),
        ("Total,444,414\nAverage,18.5,17.25", ("Average", "Total")),
        ("Total,100,7\nAverage,18.5,17.25", ("Average",)),
        ("Mean,0,0", ()),
    ],
)
def test_that_a_total_of_numbers_alone_has_to_sum_them_up(
    tmp_path: Path, last: str, words: tuple[str, ...]
):
    path = tmp_path / "companies.csv"
    path.write_text(f"{NAMED}\n{last}\n", encoding="utf-8")
    table = read_table(path)
    assert table.format.totals == words
    assert table.rows == 24 + len(last.split()) - len(words)
