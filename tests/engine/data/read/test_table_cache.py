"""Tables in the cache: taken apart once, the same cells afterwards, nothing lost without it."""

import os
import pickle
from pathlib import Path

import pytest

from engine.data.read import table_cache
from engine.data.read.cell import Table
from engine.data.read.table import read_table
from engine.data.source import table_loader
from engine.data.source.table_loader import open_table

ROWS = 10_000  # more than a block


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a table of a size from which on the cache is used."""
    monkeypatch.setattr(table_cache, "_LEAST", 1)
    monkeypatch.setattr(table_cache, "cache_folder", lambda name: tmp_path)
    table_loader.kept_table.cache_clear()
    file = tmp_path / "表.csv"
    rows = (f"{row},Zoë {row % 7},,北{row % 3}\n" for row in range(ROWS))
    file.write_text("id,name,nothing,city\n" + "".join(rows), "utf-8")
    return file


def cells(table: Table) -> dict[str, list[str]]:
    return {column.name: list(column.cells()) for column in table.columns}


def opened_anew(path: Path) -> Table:
    table_loader.kept_table.cache_clear()
    return open_table({"path": str(path)})[1]


def stop_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> Table:
        pytest.fail("the file was read again")

    monkeypatch.setattr(table_loader, "read_table", read)


def test_that_a_table_is_taken_apart_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = read_table(path)
    first = opened_anew(path)
    stop_reading(monkeypatch)
    again = opened_anew(path)
    for table in (first, again):
        assert cells(table) == cells(plain)
        assert table.format == plain.format
        assert table.lines.tolist() == plain.lines.tolist()
        assert table.column("name").cell(ROWS - 1) == f"Zoë {(ROWS - 1) % 7}"
        assert [column.sample() for column in table.columns] == [
            column.sample() for column in plain.columns
        ]


def test_that_a_table_from_the_cache_goes_to_another_process(path: Path) -> None:
    opened_anew(path)
    table = opened_anew(path)
    assert cells(pickle.loads(pickle.dumps(table))) == cells(table)


def test_that_a_file_that_changed_is_read_again(path: Path) -> None:
    opened_anew(path)
    with path.open("a", encoding="utf-8") as file:
        file.write("last,one,,more\n")
    assert opened_anew(path).rows == ROWS + 1
    text = path.read_text("utf-8")
    path.write_text(text.replace("Zoë 1", "Zoé 1"), "utf-8")
    os.utime(path, ns=(1, 1))
    assert opened_anew(path).column("name").cell(1) == "Zoé 1"


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.99])
def test_that_a_damaged_file_of_the_cache_is_not_believed(path: Path, part: float) -> None:
    expected = read_table(path)
    opened_anew(path)
    (kept,) = path.parent.glob("*.table")
    content = bytearray(kept.read_bytes())
    content[int(part * len(content))] ^= 0xFF
    kept.unlink()
    kept.write_bytes(content)
    table = opened_anew(path)
    assert cells(table) == cells(expected)
    assert table.lines.tolist() == expected.lines.tolist()


def test_that_no_room_for_the_cache_costs_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_cache, "store_arrays", lambda *_: False)
    assert opened_anew(path).rows == ROWS
    assert not list(path.parent.glob("*.table"))
