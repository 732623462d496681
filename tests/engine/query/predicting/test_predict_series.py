"""Predictions for a time series in a file: each by the time or the row that it is for."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine.diagnostics import DiagnosticError
from engine.query.ask import ask, write_predictions
from engine.query.predicting.request import PredictFile, PredictionReport
from engine.query.results.request import DescribeModel
from engine.runs.folder import RunFolder
from engine.spec.run import Choice, DataSpec, LossTerm
from tests.table_files import workbook
from tests.tiny_run import chain, make_run, node, train

LENGTH, HORIZON, STRIDE = 4, 2, 3
LOSS = LossTerm(
    loss=Choice(type="MSELoss"), inputs={"input": "model.next", "target": "data.target"}
)


def lines(start: int, count: int) -> list[str]:
    first = np.datetime64("2024-01-01")
    numbers = range(start, start + count)
    return [f"{first + n},{np.sin(n / 3):.4f},{n % 5}" for n in numbers]


def written(file: Path, rows: list[str], head: str = "day,load,heat") -> Path:
    file.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return file


def trained(folder: Path, file: Path, columns: int, **params: object) -> RunFolder:
    graph = chain(
        node("Input", "series", field="series", shape=(LENGTH, columns)),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=HORIZON),
        node("Output", "next"),
    )
    sizes = {"length": LENGTH, "horizon": HORIZON, "stride": STRIDE}
    source = Choice(type="series", params={"path": str(file), **sizes, **params})
    data = DataSpec(source=source, normalization="standard")
    run = make_run(folder / "project", graph, data=data, losses=(LOSS,), epochs=1)
    train(run)
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    """Return a run that predicts two days of one column from four days of both."""
    folder = tmp_path_factory.mktemp("series")
    file = written(folder / "load.csv", lines(0, 60))
    return trained(folder, file, 2, time="day", targets="load")


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> RunFolder:
    """Return a run of a table of one column without times."""
    folder = tmp_path_factory.mktemp("plain")
    file = written(folder / "one.csv", [f"{np.sin(n / 3):.4f}" for n in range(60)], "wave")
    return trained(folder, file, 1)


def predict(run: RunFolder, output: Path, **choices: object) -> PredictionReport:
    request = PredictFile(
        run_folder=str(run.path), checkpoint="last", output=str(output), **choices
    )
    return write_predictions(request)


def rows_of(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def problem_of(run: RunFolder, output: Path, data: Path) -> tuple[str, dict[str, object]]:
    with pytest.raises(DiagnosticError) as caught:
        predict(run, output, data=str(data))
    return caught.value.problems[0].code, dict(caught.value.problems[0].params)


def without_truths(row: dict[str, object]) -> dict[str, object]:
    """Return a row without what is written in its file, which may be written otherwise."""
    return {name: value for name, value in row.items() if not name.startswith("truth")}


def test_that_the_file_of_a_run_gives_its_own_predictions_and_those_of_the_rows_to_come(
    run, tmp_path
):
    file = run.document.spec.data.source.params["path"]
    predict(run, tmp_path / "all.jsonl", data=file)
    found = {row["time"]: row for row in rows_of(tmp_path / "all.jsonl")}
    starts = [*range(0, 57, STRIDE), 56]
    assert [row["sample"] for row in found.values()] == list(map(str, dict.fromkeys(starts)))
    predict(run, tmp_path / "part.jsonl", part="test")
    of_part = rows_of(tmp_path / "part.jsonl")
    assert of_part
    for row in of_part:
        given = found[row["time"]]
        assert {**given, "truth_load+1": 0, "truth_load+2": 0} == {
            **row,
            "truth_load+1": 0,
            "truth_load+2": 0,
        }
        assert float(given["truth_load+2"]) == pytest.approx(row["truth_load+2"])
    last = rows_of(tmp_path / "all.jsonl")[-1]
    assert (last["time"], last["truth_load+1"], last["truth_load+2"]) == ("2024-03-01", "", "")
    assert {"prediction_load+1", "prediction_load+2"} <= {*last}
    described = ask(DescribeModel(run_folder=str(run.path), checkpoint="last"))
    assert described.answers == ("load+1", "load+2")


def test_that_new_rows_need_neither_their_order_nor_the_target(run, tmp_path):
    head, rows = "heat,note,day,load", lines(100, 6)
    moved = [f"{heat},x,{day},{load}" for day, load, heat in (row.split(",") for row in rows)]
    predict(run, tmp_path / "a.jsonl", data=str(written(tmp_path / "a.csv", rows)))
    other = written(tmp_path / "b.csv", [*reversed(moved)], head)
    predict(run, tmp_path / "b.jsonl", data=str(other))
    assert rows_of(tmp_path / "a.jsonl") == rows_of(tmp_path / "b.jsonl")
    assert [row["time"] for row in rows_of(tmp_path / "a.jsonl")] == ["2024-04-14", "2024-04-16"]


def test_that_new_rows_may_have_a_decimal_comma_or_stand_in_a_workbook(run, tmp_path):
    rows = [row.split(",") for row in lines(100, 12)]
    predict(run, tmp_path / "a.jsonl", data=str(written(tmp_path / "a.csv", lines(100, 12))))
    marked = [";".join([day, load.replace(".", ","), heat]) for day, load, heat in rows]
    commas = written(tmp_path / "b.csv", marked, "day;load;heat")
    sheet = tmp_path / "c.xlsx"
    cells = [(day, float(load), int(heat)) for day, load, heat in rows]
    sheet.write_bytes(workbook({"new": [("day", "load", "heat"), *cells]}))
    for name, file in (("b", commas), ("c", sheet)):
        predict(run, tmp_path / f"{name}.jsonl", data=str(file))
        found = [without_truths(row) for row in rows_of(tmp_path / f"{name}.jsonl")]
        assert found == [without_truths(row) for row in rows_of(tmp_path / "a.jsonl")]


def test_that_rows_without_times_are_told_by_their_numbers(plain, tmp_path):
    rows = [f"{n / 9}" for n in range(5)]
    predict(plain, tmp_path / "o.jsonl", data=str(written(tmp_path / "n.csv", rows, "wave")))
    assert [row["row"] for row in rows_of(tmp_path / "o.jsonl")] == ["5", "6"]
    np.save(tmp_path / "n.npy", np.arange(5) / 9)
    predict(plain, tmp_path / "p.jsonl", data=str(tmp_path / "n.npy"))
    predictions = [
        [row["prediction_wave+1"] for row in rows_of(tmp_path / name)]
        for name in ("o.jsonl", "p.jsonl")
    ]
    assert predictions[0] == predictions[1]


def test_that_windows_in_an_array_are_samples_as_before(plain, tmp_path):
    np.save(tmp_path / "w.npy", np.zeros((3, LENGTH, 1), np.float32))
    predict(plain, tmp_path / "o.jsonl", data=str(tmp_path / "w.npy"))
    assert [row["sample"] for row in rows_of(tmp_path / "o.jsonl")] == ["0", "1", "2"]


def test_that_what_is_missing_is_told(run, tmp_path):
    rows = lines(100, 12)
    short = written(tmp_path / "short.csv", rows[: LENGTH - 1])
    assert problem_of(run, tmp_path / "o.csv", short) == (
        "P084",
        {"file": "short.csv", "rows": LENGTH - 1, "needed": LENGTH},
    )
    without = written(tmp_path / "w.csv", [row.rpartition(",")[0] for row in rows], "day,load")
    code, params = problem_of(run, tmp_path / "o.csv", without)
    assert (code, params["columns"]) == ("P053", "heat")
    torn = written(tmp_path / "t.csv", [*rows[:5], "2024-04-15,1", *rows[6:]])
    assert problem_of(run, tmp_path / "o.csv", torn)[0] == "D124"
    holed = written(tmp_path / "h.csv", [*rows[:5], "2024-04-15,1,", *rows[6:]])
    code, params = problem_of(run, tmp_path / "o.csv", holed)
    assert (code, params) == ("P085", {"row": 6, "column": "heat"})
    report = predict(run, tmp_path / "o.csv", data=str(holed), on_damaged="skip")
    assert (report.samples, report.skipped) == (3, 1)


def test_that_gaps_are_filled_as_those_that_the_model_learned_from(tmp_path):
    rows = lines(0, 60)
    rows[7] = rows[7].rpartition(",")[0] + ","
    file = written(tmp_path / "load.csv", rows)
    run = trained(tmp_path, file, 2, time="day", targets="load")
    new = lines(100, 12)
    full, holed = [*new], [*new]
    full[5] = f"{new[5].rpartition(',')[0]},{new[4].rpartition(',')[2]}"
    holed[5] = f"{new[5].rpartition(',')[0]},"
    found = []
    for name, some in (("full", full), ("holed", holed)):
        data = written(tmp_path / f"{name}.csv", some)
        predict(run, tmp_path / f"{name}.jsonl", data=str(data))
        found.append(rows_of(tmp_path / f"{name}.jsonl"))
    assert found[0] == found[1]
    worded = written(tmp_path / "worded.csv", [*new[:5], f"{holed[5]}warm", *new[6:]])
    assert problem_of(run, tmp_path / "o.csv", worded)[0] == "P085"


def test_that_digits_of_days_are_predicted_for_as_dates(tmp_path):
    days = [str(np.datetime64("2023-01-01") + n).replace("-", "") for n in range(59)]
    file = written(tmp_path / "d.csv", [f"{day},{n % 9},{n % 5}" for n, day in enumerate(days)])
    run = trained(tmp_path, file, 2, time="day", targets="load")
    predict(run, tmp_path / "p.jsonl", data=str(file))
    assert "2023-03-01" in (tmp_path / "p.jsonl").read_text("utf-8").splitlines()[-1]
