"""Time series in files of any kind: the same rows are the same samples."""

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from pyarrow import feather, parquet

from engine.data.source.registry import load_source
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from tests.table_files import workbook

COUNT = 96
HEAD = ("time", "load", "heat")
TIMES = [str(np.datetime64("2024-03-01T00:00") + hour).replace("T", " ") for hour in range(COUNT)]
LOADS = [12_000 + 3456.75 * np.sin(hour / 4) for hour in range(COUNT)]
HEATS = [hour % 24 / 2 for hour in range(COUNT)]
ROWS = [(time, round(load, 2), heat) for time, load, heat in zip(TIMES, LOADS, HEATS, strict=True)]


def points(path: Path) -> None:
    lines = (f"{time},{load},{heat}" for time, load, heat in ROWS)
    path.write_text("\n".join((",".join(HEAD), *lines)) + "\n", encoding="utf-8")


def commas(path: Path) -> None:
    """Write numbers as in Germany: 12.345,67."""
    path.write_text(";".join(HEAD) + "\n", encoding="utf-8")
    with path.open("a", encoding="utf-8") as file:
        for time, load, heat in ROWS:
            marked = f"{load:,.2f}".translate(str.maketrans(",.", ".,"))
            file.write(f"{time};{marked};{str(heat).replace('.', ',')}\n")


def packed(path: Path) -> None:
    plain = path.with_suffix("")
    points(plain)
    path.write_bytes(gzip.compress(plain.read_bytes()))


def sheet(path: Path) -> None:
    path.write_bytes(workbook({"measured": [HEAD, *ROWS]}))


def columns() -> pa.Table:
    return pa.table(dict(zip(HEAD, zip(*ROWS, strict=True), strict=True)))


def database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table measured (time text, load real, heat real)")
        connection.executemany("insert into measured values (?, ?, ?)", ROWS)
        connection.commit()


def json_lines(path: Path) -> None:
    path.write_text("\n".join(json.dumps(dict(zip(HEAD, row, strict=True))) for row in ROWS))


WRITERS = {
    "series.txt": points,
    "series.csv.gz": packed,
    "german.csv": commas,
    "series.xlsx": sheet,
    "series.parquet": lambda path: parquet.write_table(columns(), path),
    "series.feather": lambda path: feather.write_feather(columns(), path),
    "series.jsonl": json_lines,
    "series.sqlite": database,
}


@pytest.mark.parametrize("name", WRITERS)
def test_that_the_same_rows_are_the_same_series_in_any_file(tmp_path: Path, name: str):
    points(tmp_path / "plain.csv")
    WRITERS[name](tmp_path / name)
    plain, other = (
        propose_data(ProposeData(path=str(tmp_path / each))).spec.data.source
        for each in ("plain.csv", name)
    )
    assert other.type == "series"
    without_path = {key: value for key, value in other.params.items() if key != "path"}
    assert without_path.items() <= plain.params.items()
    one, two = load_source(plain), load_source(other)
    indices = range(one.samples)
    assert two.samples == one.samples
    assert two.predicted_times(indices) == one.predicted_times(indices)
    for field, values in one.read(indices).items():
        torch.testing.assert_close(two.read(indices)[field], values, rtol=0, atol=0)
