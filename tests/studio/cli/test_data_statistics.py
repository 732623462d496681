"""What the command line says of the values of a project's data."""

import csv
import re

import numpy as np
import pytest

from tests.engine.data.health.planted import photos
from tests.mask_table import HEIGHT, WIDTH, scans


@pytest.fixture
def table(tmp_path, run):
    """Return a project about a table, and the values of its columns in the training set."""
    rows = [(7 * n % 40, 3 * (7 * n % 40) + 1) for n in range(40)]
    with (tmp_path / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("size", "price"), *rows])
    project = tmp_path / "project"
    assert run("new", project, "--data", tmp_path / "table.csv", "--target", "price").code == 0
    return project


@pytest.mark.row("S145")
def test_that_statistics_are_those_of_the_values_before_they_are_normalised(table, run):
    told = run("data", table, "--json").json()
    (features,) = [each for each in told["statistics"] if each["name"] == "features"]
    (target,) = [each for each in told["statistics"] if each["name"] == "target"]
    assert features["total"] == told["splits"][0]["samples"]
    assert target["mean"][0] == pytest.approx(3 * features["mean"][0] + 1)
    assert target["std"][0] == pytest.approx(3 * features["std"][0])
    assert 0 <= features["low"][0] < features["high"][0] <= 39
    assert told["field_columns"] == {"features": ["size"], "target": ["price"]}
    shown = run("data", table).out
    assert "features: size" in shown
    ends = {line.split()[0]: line.split()[-1] for line in shown.splitlines()[:3]}
    assert ends == {"field": "column", "features": "size", "target": "price"}


def test_that_dates_are_told_as_dates(tmp_path, run):
    rows = [(f"2024-{1 + n % 12:02}-{1 + n % 28:02}", n % 7, n) for n in range(40)]
    with (tmp_path / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("day", "size", "price"), *rows])
    project = tmp_path / "project"
    assert run("new", project, "--data", tmp_path / "table.csv", "--target", "price").code == 0
    lines = run("data", project).out.splitlines()
    (told,) = (line for line in lines if line.startswith("features: day") and "train" in line)
    assert re.search(r"train +2024-\d\d-\d\d +\d+\.?\d* days +2024-01-\d\d +2024-12-\d\d$", told)


def test_that_a_picture_that_cannot_be_read_is_a_finding_beside_the_rest(tmp_path, run):
    folder = photos(tmp_path / "pictures")
    project = tmp_path / "project"
    assert run("new", project, "--data", folder).code == 0
    for file in (folder / "cats").iterdir():
        file.write_bytes(b"no picture")
    done = run("data", project, "--json")
    assert done.code == 1
    assert [each for each in done.json()["problems"] if "cats" in str(each.get("params"))]
    assert done.json()["statistics"] == []
    assert done.json()["samples"] == 24


def test_that_the_pixels_of_each_class_are_told_for_each_part(tmp_path, run):
    project = tmp_path / "project"
    assert run("new", project, "--data", scans(tmp_path / "data")).code == 0
    told = run("data", project, "--json").json()
    sizes = {part["name"]: part["samples"] for part in told["splits"]}
    for part in told["pixels"]:
        assert len(part["classes"]) == 3
        assert sum(part["classes"]) == sizes[part["part"]] * HEIGHT * WIDTH
    assert [part["part"] for part in told["pixels"]] == list(sizes)
    assert "%" in run("data", project).out


def test_that_missing_values_are_counted_for_each_column(tmp_path, run):
    lines = [
        "age,city,sold",
        *(f"{row if row % 4 else ''},{'ab'[row % 2]},{row % 2}" for row in range(40)),
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    project = tmp_path / "project"
    assert run("new", project, "--data", tmp_path / "t.csv").code == 0
    told = run("data", project, "--json").json()
    ages = [each for part in told["parts"] for each in part["missing"] if each["column"] == "age"]
    assert sum(each["missing"] for each in ages) == 10
    assert [each["rows"] for each in ages] == [part["samples"] for part in told["splits"]]
    told = told["missing"]
    assert {each["column"]: (each["missing"], each["rows"]) for each in told} == {
        "age": (10, 40),
        "city": (0, 40),
        "sold": (0, 40),
    }
    out = run("data", project).out
    assert "age 10 of 40 (train " in out
    assert "of the values that are there, not of what is filled in" in out


def test_that_a_part_without_any_value_of_a_column_has_no_statistics_of_it(tmp_path, run):
    rows = [(n, "train") if n < 30 else ("", "validation") for n in range(40)]
    lines = [f"{age},{n},{name},{n % 2}" for n, (age, name) in enumerate(rows)]
    (tmp_path / "t.csv").write_text("\n".join(["age,size,split,sold", *lines]))
    project = tmp_path / "project"
    assert run("new", project, "--data", tmp_path / "t.csv", "--target", "sold").code == 0
    told = run("data", project, "--json").json()["parts"]
    found = {part["part"]: part["fields"][0] for part in told if part["samples"]}
    assert found["validation"]["mean"][0] is None
    assert found["validation"]["missing"] == [10, 0]
    assert found["train"]["mean"][0] is not None


def test_that_what_is_not_used_is_told_with_the_reason(tmp_path, run):
    lines = ["age,sold", *(f"{row},{row % 2 if row % 4 else ''}" for row in range(40))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    project = tmp_path / "project"
    assert run("new", project, "--data", tmp_path / "t.csv", "--target", "sold").code == 0
    done = run("data", project, "--exclude", "3", "--json")
    told = {each["reason"]: each["count"] for each in done.json()["left_out"]}
    assert told == {"missing": 10, "excluded": 1}
    assert "not used: 10 with missing values, 1 excluded" in run("data", project).out


def test_that_an_array_without_targets_says_what_to_do(tmp_path, run):
    np.save(tmp_path / "x.npy", np.zeros((20, 4), np.float32))
    done = run("new", tmp_path / "project", "--data", tmp_path / "x.npy")
    assert done.code == 0
    assert "y.npy" in done.err


def test_that_a_column_of_numbers_alone_is_a_time_series(tmp_path, run):
    (tmp_path / "one.csv").write_text("level\n" + "\n".join(str(at % 7) for at in range(200)))
    project = tmp_path / "project"
    assert run("new", project, "--data", tmp_path / "one.csv").code == 0
    assert run("data", project, "--json").json()["source"] == "series"


def test_that_a_series_is_told_and_read_as_a_table_where_that_is_said(tmp_path, run):
    rows = [f"2024-{1 + n // 28:02}-{1 + n % 28:02},{n % 24}.5,{n % 7}" for n in range(200)]
    file = tmp_path / "load.csv"
    file.write_text("\n".join(["day,load,warm", *rows]))
    done = run("new", tmp_path / "series", "--data", file, "--target", "load")
    assert "“load” is predicted from the rows before" in done.err
    assert run("data", tmp_path / "series", "--json").json()["source"] == "series"
    assert run("new", tmp_path / "table", "--data", file, "--as", "table").code == 0
    assert run("data", tmp_path / "table", "--json").json()["source"] == "table"
    refused = run("new", tmp_path / "other", "--data", file, "--as", "sound_folder")
    assert refused.code == 2
    assert "table, series, text, arrays" in refused.err
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(("target", "told"), [("temp", ["temp"]), ("temp,rain", ["temp", "rain"])])
def test_that_the_columns_of_a_time_series_have_their_names(tmp_path, run, target, told):
    rows = [(f"2024-{1 + n // 28:02}-{1 + n % 28:02}", n % 9, n % 5) for n in range(200)]
    with (tmp_path / "weather.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("day", "temp", "rain"), *rows])
    project = tmp_path / "project"
    made = run(
        "new", project, "--data", tmp_path / "weather.csv", "--as", "series", "--target", target
    )
    assert made.code == 0, made.err
    shown = run("data", project).out
    assert "series: temp" in shown
    assert "series: rain" in shown
    for name in told:
        assert f"target: {name}" in shown
    assert "series: 0" not in shown
    fields = run("data", project, "--json").json()["statistics"]
    assert {each["name"]: each["columns"] for each in fields} == {
        "series": ["temp", "rain"],
        "target": told,
    }
