"""Lines below a table that are none of its rows."""

from pathlib import Path

import pytest

from engine.data.load.load import load_data
from engine.data.read.rows import table_rows
from engine.data.read.table import read_head, read_table
from engine.diagnostics import DiagnosticError
from engine.spec.run import Choice, DataSpec
from engine.spec.table import TableOptions

HEADER = "Id;Region;Count;Amount;Churn\n"
NUMBERS = "".join(f"{at};{'NSWE'[at % 4]};{at % 7};{at * 1.5};{at % 2}\n" for at in range(30))
NAMES = "".join(f"p{at};{'NSWE'[at % 4]};{at % 7};{at * 1.5};{at % 2}\n" for at in range(30))


def write(folder: Path, end: str, rows: str = NAMES) -> Path:
    path = folder / "export.csv"
    path.write_text(HEADER + rows + end, encoding="utf-8")
    return path


def streamed(path: Path) -> list[int]:
    with table_rows(path, TableOptions()) as found:
        return [line for line, _ in found.rows]


@pytest.mark.parametrize(
    ("end", "code", "count", "text"),
    [
        ("Total;25000\n", "D593", 1, "Total 25000"),
        ("Source: xyz\n", "D593", 1, "Source: xyz"),
        ("\n\nSource: xyz, 2024\n* preliminary", "D593", 2, "Source: xyz, 2024"),
        ("* preliminary", "D593", 1, "* preliminary"),
        ("来源：国家统计局\n", "D593", 1, "来源：国家统计局"),
        ("\nMade by A; B and C\n", "D593", 1, "Made by A B and C"),
        ("Note: a; b; c; d; e; f; g\n", "D593", 1, "Note: a b c d e f g"),
        ("\n(30 rows)\n", "D593", 1, "(30 rows)"),
        ("Source: xyz;;;;\n", "D594", 1, "Source: xyz"),
        (";;;;\nPreliminary;;;;\n2024;;;;\n", "D594", 2, "Preliminary"),
    ],
)
def test_that_notes_below_a_table_are_left_out_and_told(
    tmp_path: Path, end: str, code: str, count: int, text: str
):
    path = write(tmp_path, end)
    table = read_table(path)
    assert (table.rows, streamed(path)) == (30, table.lines.tolist())
    kinds = [column.kind for column in read_head(path).columns]
    assert kinds == ["id", "category", "number", "number", "binary"]
    source = Choice(type="table", params={"path": str(path)})
    told = load_data(DataSpec(source=source)).info.problems
    assert [(each.code, dict(each.params)) for each in told] == [
        (code, {"count": count, "text": text})
    ]


def test_that_a_column_of_numbers_has_no_words_at_its_end(tmp_path: Path):
    assert read_table(write(tmp_path, "Preliminary\n", NUMBERS)).rows == 30
    assert read_table(write(tmp_path, "Preliminary;;;;\n", NUMBERS)).rows == 30


@pytest.mark.parametrize(
    ("end", "row"),
    [
        ("p30\n", 32),
        ("p30;N;5", 32),
        ("31", 32),
        ("\n31;N", 33),
        ("Source: xyz\np30;N;3;4;1\n", 32),
        ("Source: xyz\np30;N;3\n", 32),
    ],
)
def test_that_a_row_that_is_cut_off_is_refused_with_its_line(tmp_path: Path, end: str, row: int):
    path = write(tmp_path, end)
    for read in (read_table, streamed):
        with pytest.raises(DiagnosticError) as caught:
            read(path)
        problem = caught.value.problems[0]
        assert (problem.code, problem.params["row"]) == ("D027", row)


def test_that_totals_are_left_out_above_notes_and_as_rows_are_asked_for(tmp_path: Path):
    path = write(tmp_path, "Total;;87;652.5;15\nAverage;;2.9;21.75;0.5\n\nSource: xyz\n")
    table = read_table(path)
    assert (table.format.totals, table.format.footer) == (("Average", "Total"), "Source: xyz")
    assert streamed(path) == table.lines.tolist() == list(range(2, 32))


@pytest.mark.parametrize(
    "end", ["p30;;;;\n", "p30;;;;\np31;;;;\n", "Source: xyz;N;;;\n", "A: x;;;;\np31;N;1;1;1\n"]
)
def test_that_rows_with_gaps_are_rows(tmp_path: Path, end: str):
    path = write(tmp_path, end)
    table = read_table(path)
    assert table.rows == 30 + end.count("\n")
    assert streamed(path) == table.lines.tolist()


def test_that_notes_are_kept_where_others_are_as_empty_or_somebody_says_so(tmp_path: Path):
    path = write(tmp_path, "p30;N;1;1;1\nSource: xyz;;;;\n", "North: all;;;;\n" + NAMES)
    assert read_table(path).rows == 33
    path = write(tmp_path, "Source: xyz;;;;\n")
    assert read_table(path, TableOptions(keeps_totals=True)).rows == 31
