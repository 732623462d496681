"""Time series: windows of rows by index, what comes after them, and a run that learns it."""

import numpy as np
import pytest
import torch

from engine.data.load.load import load_data
from engine.data.read.number_table import read_numbers
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError
from engine.query.ask import ask
from engine.query.data.request import DescribeData
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, DataSpec, LossTerm
from tests.tiny_run import chain, make_run, node, train

TABLE = "day,sales,rain\n" + "".join(f"2026-01-{day:02},{day},{day / 2}\n" for day in range(1, 29))


def spec_of(path, normalization="none", **params):
    source = Choice(type="series", params={"path": str(path), **params})
    return DataSpec(source=source, normalization=normalization)


def source_of(path, **params):
    return load_source(spec_of(path, **params).source)


def written(tmp_path, text, name="table.csv"):
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    return tmp_path / name


def problem_of(path, **params):
    with pytest.raises(DiagnosticError) as caught:
        source_of(path, **params)
    return caught.value.problems[0]


def test_that_a_window_is_followed_by_the_rows_after_it(tmp_path):
    path = written(tmp_path, TABLE)
    source = source_of(path, length=3, horizon=2, stride=2, targets="sales")
    assert source.samples == (28 - 5) // 2 + 1
    batch = source.read([0, 2, source.samples - 1])
    assert batch["series"][:, :, 0].tolist() == [[1, 2, 3], [5, 6, 7], [23, 24, 25]]
    assert batch["series"][:, :, 1].tolist() == [[0.5, 1, 1.5], [2.5, 3, 3.5], [11.5, 12, 12.5]]
    assert batch["target"].tolist() == [[4, 5], [8, 9], [26, 27]]
    for info in source.infos:
        assert batch[info.name].shape == (3, *info.shape)
        assert str(batch[info.name].dtype) == f"torch.{info.dtype}"
    assert torch.equal(source.column("series")[[0, 2]], batch["series"][:2])
    several = source_of(path, length=3, horizon=2)
    assert several.infos[1].shape == (2, 2)
    assert several.read([0])["target"].tolist() == [[[4, 2], [5, 2.5]]]
    one = source_of(path, length=3, targets="sales")
    assert (one.infos[1].kind, one.infos[1].shape) == ("scalar", (1,))


def test_that_windows_are_no_copies_of_the_rows(tmp_path):
    path = written(tmp_path, TABLE)
    source = source_of(path, length=5)
    windows = source.column("series")
    assert windows.untyped_storage().nbytes() <= source.table.values.nbytes
    assert windows.shape == (source.samples, 5, 2)


def test_that_rows_are_ordered_by_a_column_of_times(tmp_path):
    head, *rows = TABLE.strip().split("\n")
    shuffled = "\n".join([head, *reversed(rows)])
    ordered = source_of(written(tmp_path, TABLE), length=3)
    again = source_of(written(tmp_path, shuffled, "b.csv"), length=3, time="day")
    assert torch.equal(again.read(range(5))["series"], ordered.read(range(5))["series"])
    by_number = source_of(written(tmp_path, shuffled, "c.csv"), length=3, time="sales")
    assert by_number.table.names == ("rain",)
    assert by_number.read([0])["target"].tolist() == [[2.0]]


@pytest.mark.fault("B11")
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_that_delimiters_quotes_and_line_ends_are_recognized(tmp_path, delimiter):
    text = TABLE.replace("sales", '"sales"').replace("\n", "\r\n").replace(",", delimiter)
    text = text.replace("2026-01-09", "\r\n2026-01-09") + "\r\n"
    assert source_of(written(tmp_path, text), length=3, time="day").table.names == ("sales", "rain")


def test_that_an_array_is_a_series_too(tmp_path):
    np.save(tmp_path / "one.npy", np.arange(9))
    np.save(tmp_path / "two.npy", np.ones((9, 3)))
    assert source_of(tmp_path / "one.npy", length=3).read([1])["target"].tolist() == [[4.0]]
    assert source_of(tmp_path / "two.npy", length=3).infos[0].shape == (3, 3)


@pytest.mark.fault("B10", "B11")
def test_that_what_is_no_series_is_named_with_row_and_column(tmp_path):
    path = written(tmp_path, TABLE)
    assert problem_of("").code == "D120"
    assert problem_of(tmp_path / "none.csv").code == "D131"
    assert problem_of(path, features="snow").code == "D121"
    assert problem_of(path, time="snow").code == "D121"
    assert problem_of(path, length=28).code == "D128"
    wrong = problem_of(written(tmp_path, TABLE.replace("2026-01-07,7", "2026-01-07,many")))
    assert (wrong.code, wrong.params["row"], wrong.params["column"]) == ("D122", 7, "sales")
    assert problem_of(written(tmp_path, TABLE.replace("01-07,7,3.5", "01-07,7"))).code == "D124"
    assert (
        problem_of(written(tmp_path, TABLE.replace("01-07,", "first,")), time="day").code == "D123"
    )
    assert problem_of(written(tmp_path, "a,b\nx,y\n")).code == "D125"
    assert problem_of(written(tmp_path, "")).code == "D125"
    assert problem_of(written(tmp_path, 'a,"b\n1,2\n')).code == "D125"
    assert problem_of(written(tmp_path, "a,b\n" + "1" * 200_000 + ",2\n")).code == "D125"
    assert problem_of(written(tmp_path, "1,2\n3,4\n")).code == "D126"
    np.save(tmp_path / "deep.npy", np.ones((3, 3, 3)))
    assert problem_of(tmp_path / "deep.npy").code == "D147"


@pytest.mark.fault("B10")
def test_that_missing_values_and_shared_rows_are_found_before_the_run(tmp_path):
    path = written(tmp_path, TABLE.replace("2026-01-07,7", "2026-01-07,nan"))
    with pytest.raises(DiagnosticError) as caught:
        load_data(spec_of(path, length=3, missing="none"))
    problem = caught.value.problems[0]
    assert (problem.code, problem.params["row"], problem.params["column"]) == ("D010", 7, "sales")
    rows = "".join(f"{number}\n" for number in range(200))
    source = source_of(written(tmp_path, "x\n" + rows), length=3)
    parts = {"train": torch.arange(100), "validation": torch.arange(100, 150)}
    assert source.check(parts) == ()
    parts["validation"], parts["train"] = torch.arange(1, 197, 2), torch.arange(0, 197, 2)
    assert [problem.code for problem in source.check(parts)] == ["D127"]


def test_that_a_series_is_normalized_by_column(tmp_path):
    path = written(tmp_path, TABLE)
    data = load_data(spec_of(path, "standard", length=3, stride=4))
    scaling = data.scalings["series"]
    assert scaling.shift.shape == (1, 2)
    training = data.tensors("train")["series"]
    assert training.mean(dim=(0, 1)).tolist() == pytest.approx([0, 0], abs=1e-5)
    assert training.std(dim=(0, 1), correction=0).tolist() == pytest.approx([1, 1], abs=1e-5)


@pytest.mark.parametrize("kind", ["none", "standard"])
def test_that_a_model_learns_a_series(tmp_path, kind):
    time = np.arange(400) / 5
    rows = "".join(f"{value:.6f}\n" for value in np.sin(time))
    path = written(tmp_path, f"wave\n{rows}")
    graph = chain(
        node("Input", "series", field="series", shape=(8, 1)),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=1),
        node("Output", "next"),
    )
    loss = LossTerm(
        loss=Choice(type="MSELoss"), inputs={"input": "model.next", "target": "data.target"}
    )
    run = make_run(
        tmp_path / "project", graph, data=spec_of(path, kind, length=8), losses=(loss,), epochs=30
    )
    state = train(run)
    assert state.status is RunStatus.FINISHED
    assert state.metrics["test.r2"] > 0.95


GAPS = "day,sales,rain\n" + "".join(
    f"2026-01-{day:02},{'' if day in (1, 4, 5) else day},{'NA' if day == 28 else day * 2}\n"
    for day in (*range(1, 10), *range(11, 29))
)


@pytest.mark.parametrize(
    ("fill", "sales", "rain"),
    [
        (None, [2, 2, 3, 3, 3, 6], 54),
        ("forward", [2, 2, 3, 3, 3, 6], 54),
        ("linear", [2, 2, 3, 4, 5, 6], 54),
    ],
)
def test_that_missing_numbers_are_filled_and_told(tmp_path, fill, sales, rain):
    chosen = {} if fill is None else {"missing": fill}
    lines = GAPS.splitlines(keepends=True)
    path = written(tmp_path, lines[0] + "".join(reversed(lines[1:])))
    source = source_of(path, length=3, time="day", **chosen)
    assert source.table.names == ("sales", "rain")
    assert source.table.values[:6, 0].tolist() == sales
    assert source.table.values[-1, 1] == rain
    told, gap = source.check({})
    assert (gap.code, gap.params["before"]) == ("D720", "2026-01-09")
    assert (told.code, told.params["count"]) == ("D694" if fill == "linear" else "D693", 4)
    assert told.params["columns"] == "sales, rain"
    assert (
        source_of(path, length=3, time="day", features="rain", targets="rain")
        .check({})[0]
        .params["count"]
        == 1
    )


def test_that_a_line_between_neighbours_goes_by_the_times(tmp_path):
    text = "at,level\n0,0\n1,\n10,10\n"
    path = written(tmp_path, text)
    table = read_numbers(path, "at", "linear")
    assert table.values[:, 0].tolist() == [0, 1, 10]
    assert read_numbers(path, "", "linear").values[:, 1].tolist() == [0, 5, 10]


def test_that_gaps_are_refused_where_that_is_said_and_words_always(tmp_path):
    path = written(tmp_path, GAPS.replace("2026-01-01,,2\n", ""))
    assert problem_of(path, length=3, missing="none").code == "D122"
    wrong = written(tmp_path, GAPS.replace("06,6,", "06,six,"), "b.csv")
    problem = problem_of(wrong, length=3)
    assert (problem.code, problem.params["row"], problem.params["column"]) == ("D122", 6, "sales")


def test_that_gaps_of_arrays_are_filled_too(tmp_path):
    values = np.arange(20.0).reshape(10, 2)
    values[4, 1] = np.nan
    np.save(tmp_path / "x.npy", values)
    source = source_of(tmp_path / "x.npy", length=2)
    assert source.table.values[4, 1] == values[3, 1]
    assert dict(source.table.filled) == {"x2": 1}


@pytest.mark.parametrize(
    ("days", "gaps"),
    [
        (range(60), 0),
        ([day for day in range(60) if day % 7 < 5], 0),
        ([day for day in range(90) if not 20 <= day < 30 and not 60 <= day < 75], 2),
        ([day for day in range(200) if day % 20 != 19 or day == 19], 8),
        ([day * day % 7 // 3 + 3 * day for day in range(60)], 0),
    ],
    ids=["all", "no weekends", "two gaps", "each 20th", "by chance"],
)
def test_that_missing_rows_are_told(tmp_path, days, gaps):
    path = tmp_path / "sales.csv"
    rows = (f"{np.datetime64('2024-01-01') + day},{day % 7}" for day in days)
    path.write_text("day,sales\n" + "\n".join(rows), encoding="utf-8")
    params = {"path": str(path), "time": "day", "length": 4}
    info = ask(DescribeData(data=DataSpec(source=Choice(type="series", params=params))))
    told = [problem for problem in info.problems if problem.code == "D720"]
    assert [problem.params["count"] for problem in told] == [gaps] * bool(gaps)
    if gaps == 2:
        assert told[0].params["before"] == "2024-01-20"
        assert told[0].params["after"] == "2024-01-31"
