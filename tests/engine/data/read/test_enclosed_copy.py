"""Copies of row groups in the cache, where more is wanted of a set than is kept in memory."""

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from engine.data.read import enclosed, enclosed_copy
from engine.data.read.cache import cache_folder
from engine.data.read.enclosed import read_enclosed
from engine.diagnostics import DiagnosticError
from engine.files import open_file

ROWS, GROUP = 24, 4


def content(row: int, sign: bytes = b"file") -> bytes:
    return sign * (row + 1)


@pytest.fixture(params=["structure", "bytes"])
def file(request, tmp_path) -> Path:
    """Return a file of six row groups, of which one has a row without a file."""
    return write(tmp_path / "rows.parquet", is_plain=request.param == "bytes")


def write(file: Path, *, is_plain: bool = False, sign: bytes = b"file") -> Path:
    contents = [None if row == 5 else content(row, sign) for row in range(ROWS)]
    structures = [None if each is None else {"bytes": each, "path": "a"} for each in contents]
    column = pa.array(contents, pa.binary()) if is_plain else pa.array(structures)
    parquet.write_table(pa.table({"image": column}), file, row_group_size=GROUP)
    return file


@pytest.fixture(autouse=True)
def read(monkeypatch, tmp_path) -> Counter[int]:
    """Have one row group fit into memory, and return how often each is read whole."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    counts = Counter[int]()
    before = enclosed.ParquetFile.read

    def counted(self: Any, group: int, wanted: Any) -> list[Any]:
        counts[group] += 1
        return before(self, group, wanted)

    monkeypatch.setattr(enclosed.ParquetFile, "read", counted)
    monkeypatch.setattr(enclosed, "_KEPT", 1)
    begin_anew(monkeypatch)
    return counts


def begin_anew(monkeypatch) -> None:
    """Remember nothing, as another process."""
    monkeypatch.setattr(enclosed, "_groups", enclosed.RowGroups())


def value(file: Path, row: int) -> bytes | None:
    return read_enclosed(file / str(row + 1) / "image.png")


def read_across(file: Path, rounds: int, sign: bytes = b"file") -> None:
    """Read rows of all groups in turn, as in random order, and check each."""
    for at in range(rounds):
        for start in range(0, ROWS, GROUP):
            row = start + at % GROUP
            if row != 5:
                assert value(file, row) == content(row, sign)


def copies() -> list[Path]:
    folder = cache_folder("row-groups")
    assert folder is not None
    return sorted(folder.glob("*.rows"))


def test_that_a_row_group_is_read_whole_twice_and_its_rows_alone_from_then_on(
    file, read, monkeypatch
):
    read_across(file, 5)
    assert max(read.values()) == 2
    assert len(copies()) >= ROWS // GROUP - 1  # the last one fits into memory
    read.clear()
    begin_anew(monkeypatch)
    read_across(file, 5)
    assert read.total() <= 1
    with pytest.raises(DiagnosticError) as caught:
        value(file, 5)
    assert caught.value.problems[0].code == "D506"


def test_that_what_is_read_once_in_its_order_is_not_copied(file, read):
    for row in range(ROWS):
        if row != 5:
            assert value(file, row) == content(row)
    assert set(read.values()) == {1}
    assert not copies()


@pytest.mark.parametrize("fault", ["full disk", "little room", "no cache", "write fails"])
def test_that_rows_are_read_as_before_where_no_copy_can_be_made(file, read, monkeypatch, fault):
    if fault == "full disk":
        usage = shutil.disk_usage(file)._replace(free=0)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    elif fault == "little room":
        monkeypatch.setattr(enclosed_copy, "_LIMIT", 1)
    elif fault == "no cache":
        monkeypatch.setattr(enclosed_copy, "cache_folder", lambda _: None)
    written: list[Path] = []
    monkeypatch.setattr(enclosed_copy, "write_cached", lambda at, *_: written.append(at))
    read_across(file, 5)
    assert set(read.values()) == {4, 5}
    tries = Counter(written).values()
    assert set(tries) == ({1} if fault == "write fails" else set())
    assert not copies()


def test_that_of_a_set_above_the_limit_some_is_copied_and_stays(file, read, monkeypatch):
    read_across(file, 5)
    two = sorted(each.stat().st_size for each in copies())[:2]
    shutil.rmtree(copies()[0].parent)
    begin_anew(monkeypatch)
    monkeypatch.setattr(enclosed_copy, "_LIMIT", sum(two))
    read_across(file, 4)
    kept = {each: each.stat().st_mtime_ns for each in copies()}
    assert 1 <= len(kept) <= 2
    read_across(file, 4)
    assert {each: each.stat().st_mtime_ns for each in copies()} == kept


def test_that_copies_of_another_set_make_room(file, tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    other = write(tmp_path / "other" / "rows.parquet")
    read_across(other, 3)
    first = set(copies())
    begin_anew(monkeypatch)
    monkeypatch.setattr(enclosed_copy, "_LIMIT", sum(each.stat().st_size for each in first))
    read_across(file, 3)
    assert len(copies()) == len(first)
    assert not first & set(copies())


@pytest.mark.parametrize("damage", ["changed", "cut", "gone", "emptied"])
def test_that_a_copy_that_is_lost_or_damaged_costs_no_wrong_bytes(file, read, monkeypatch, damage):
    read_across(file, 3)
    for copy in copies():
        whole = copy.read_bytes()
        if damage == "gone":
            copy.unlink()
        else:
            ends = {"changed": whole[:-200] + b"?" * 200, "cut": whole[:-9], "emptied": b""}
            copy.write_bytes(ends[damage])
    read_across(file, 4)
    if damage == "gone":  # others may have needed the room, and would again
        assert len(copies()) <= 1
    begin_anew(monkeypatch)
    read_across(file, 4)
    read.clear()
    read_across(file, 4)
    assert not read


def test_that_a_copy_of_a_file_that_changed_since_is_not_read(file):
    read_across(file, 3)
    write(file, sign=b"other")
    read_across(file, 4, b"other")


def test_that_copies_are_for_this_user_alone(file):
    read_across(file, 3)
    assert {each.stat().st_mode & 0o077 for each in copies()} == {0}
    with open_file(copies()[0]) as stream:
        assert stream.readline() == enclosed_copy.SIGN
