"""All that a run recorded as a table: every point and every statistic, in CSV and in Parquet."""

import csv
import json

import numpy as np
import pyarrow.parquet
import pytest

from engine.api import export
from engine.runs.record.statistic import Kind, Statistic, StatisticHistory
from engine.runs.record.store import RunStore


def rows_of(file):
    if file.suffix == ".csv":
        with file.open(newline="") as stream:
            return [
                (row["series"], int(row["step"]), row["value"]) for row in csv.DictReader(stream)
            ]
    return [
        (row["series"], row["step"], row["value"])
        for row in pyarrow.parquet.read_table(file).to_pylist()
    ]


@pytest.mark.row("P28")
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_that_every_point_and_statistic_is_in_the_table(trained, tmp_path, form):
    file = tmp_path / f"run.{form}"
    report = export(trained.folder.path, form, file)
    assert report.files == (str(file), str(tmp_path / "run.run.json"))
    found = {}
    for series, step, value in rows_of(file):
        found.setdefault(series, []).append((step, float(value)))
    history = StatisticHistory()
    with RunStore.open(trained.folder.path) as store:
        history.update(store)
        for name in store.series_names():
            curve = store.scalars(name)
            points = list(zip(curve.steps.tolist(), curve.values.tolist(), strict=True))
            assert found[name.replace(".", "/", 1)] == points
    track = history.track((Kind.WEIGHT, "hidden.weight"))
    norms = [value for _, value in found["weight/hidden.weight/norm"]]
    assert norms == track.numbers[:, Statistic.NORM].astype(np.float64).tolist()
    told = json.loads((tmp_path / "run.run.json").read_text())
    assert told["settings"]["epochs"] == 2
    assert told["events"][-1]["reason"] == "finished"
