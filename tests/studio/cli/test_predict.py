"""The command that predicts."""

import csv
import json

import pytest

from engine.query.ask import write_predictions
from studio.cli import predict_command

QUICK = ("--epochs", "2", "--mode", "thread", "--set", "threads=1", "--quiet")
NAMES = ("petal width (cm)", "petal length (cm)", "sepal width (cm)", "sepal length (cm)", "label")


@pytest.fixture
def table(run, project, tmp_path):
    """Return rows of flowers, beside a project that is trained."""
    assert run("train", project, *QUICK).code == 0
    file = tmp_path / "flowers.csv"
    with file.open("w", newline="") as stream:
        csv.writer(stream).writerows([NAMES, (0.2, 1.4, 3.5, 5.1, "?"), (2.3, 5.2, 3, 6.7, "?")])
    return file


def test_that_a_table_is_printed_or_written_with_a_report(
    run, project, table, tmp_path, monkeypatch
):
    done = run("predict", project, table)
    rows = list(csv.DictReader(done.out.splitlines()))
    assert (done.code, done.err, [row["sample"] for row in rows]) == (0, "", ["2", "3"])
    lines = [json.loads(line) for line in run("predict", project, table, "--json").out.splitlines()]
    assert [line["prediction"] for line in lines] == [row["prediction"] for row in rows]
    output = tmp_path / "o.csv"
    asked = []
    monkeypatch.setattr(
        predict_command,
        "write_predictions",
        lambda request, *given: asked.append(request) or write_predictions(request, *given),
    )
    monkeypatch.chdir(tmp_path)
    told = run("predict", project, table, "--output", output.name, "--json").json()
    assert (told["samples"], told["output"], told["skips"]) == (2, str(output), [])
    assert asked[0].output == str(output)  # who runs custom code works in another folder
    assert output.read_text(encoding="utf-8-sig").splitlines() == done.out.splitlines()


def test_that_a_part_is_predicted_with_the_checkpoint_that_is_asked_for(run, project, table):
    told = run("evaluate", project, "--run", "latest", "--checkpoint", "last", "--json").json()
    done = run("predict", project, "--part", "test", "--checkpoint", "last", "--json").out
    rows = [json.loads(line) for line in done.splitlines()]
    right = sum(row["prediction"] == row["truth"] for row in rows)
    assert right / len(rows) == pytest.approx(told["metrics"]["test.accuracy"])


def test_that_wrong_use_and_faults_are_told_in_a_line(run, project, table, tmp_path):
    (tmp_path / "o.csv").write_text("mine")
    (tmp_path / "few.csv").write_text("a,b\n1,2\n")
    (tmp_path / "bad.csv").write_text(table.read_text().replace("5.2", "wide"))
    for arguments, code, word in (
        ((table, "--output", tmp_path / "o.csv"), 2, "--overwrite"),
        ((table, "--output", tmp_path / "o.doc"), 2, ".parquet"),
        ((table, "--part", "test"), 2, "not both"),
        ((table, "--batch-size", "-1"), 2, "--batch-size"),
        ((tmp_path / "few.csv",), 1, "petal length (cm)"),
        ((tmp_path / "none.csv",), 1, "none.csv"),
        ((tmp_path / "bad.csv",), 1, "--on-damaged skip"),
    ):
        done = run("predict", project, *arguments)
        assert (done.code, done.out, done.err.count("\n")) == (code, "", 1)
        assert word in done.err
    assert (tmp_path / "o.csv").read_text() == "mine"


def test_that_own_files_are_predicted_without_the_data_of_the_run_and_its_parts_are_not(
    run, tmp_path
):
    data = tmp_path / "t.csv"
    rows = [(at % 7, at % 5, "ab"[at % 2]) for at in range(40)]
    with data.open("w", newline="") as stream:
        csv.writer(stream).writerows([("x", "z", "label"), *rows])
    assert run("new", tmp_path / "p", "--data", data).code == 0
    assert run("train", tmp_path / "p", *QUICK).code == 0
    moved = data.rename(tmp_path / "moved.csv")
    done = run("predict", tmp_path / "p", moved)
    assert (done.code, len(done.out.splitlines()), done.err.count("\n")) == (0, 41, 1)
    refused = run("predict", tmp_path / "p", "--part", "test")
    assert (refused.code, refused.out, refused.err.count("\n")) == (1, "", 1)
    assert "--data ROOT=PATH" in refused.err
