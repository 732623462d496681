"""Runs in the files of trackers: all numbers are read back by the tracker, or nothing is kept."""

import sqlite3
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.api import export
from engine.diagnostics import DiagnosticError
from engine.export.formats import FORMATS
from engine.export.job import build_job
from engine.export.run_record import run_record
from engine.export.trackers import mlflow_run, trackio_run, wandb_run
from engine.export.trackers.write import write_tracked

TRACKERS = {
    "mlflow": (mlflow_run, "run.mlflow.db"),
    "wandb": (wandb_run, "run.wandb"),
    "trackio": (trackio_run, "curves.db"),
}
KEEPS = """
import json, pathlib, sys
run = json.load(sys.stdin)
file = pathlib.Path(sys.argv[1]) / "kept"
file.write_bytes(b"content")
points = {each["tag"]: dict(zip(each["steps"], each["values"])) for each in run["curves"]}
"""
ANSWERS = 'print(json.dumps({"file": str(file), "points": points}))\n'


def of_mlflow(file: Path) -> dict[int, float]:
    with closing(sqlite3.connect(file)) as connection:
        query = "SELECT step, value FROM metrics WHERE key = 'train/loss'"
        return dict(connection.execute(query))


READERS = {
    "mlflow": of_mlflow,
    "wandb": lambda file: wandb_run.read(file, ["train/loss"])["train/loss"],
    "trackio": lambda file: trackio_run.read(file, ["train/loss"])["train/loss"],
}


@pytest.fixture
def job(trained):
    return build_job(trained.folder.path, "best")[0]


@pytest.mark.real
@pytest.mark.row("P28")
def test_that_a_file_takes_its_place_once_every_number_was_read_back(job, tmp_path):
    script, output = tmp_path / "script.py", tmp_path / "run.db"
    script.write_text(KEEPS + ANSWERS)
    written = write_tracked(job, output, "Tracker", script)
    assert output.read_bytes() == b"content"
    assert (written.files, written.difference) == ((output,), 0.0)


@pytest.mark.real
@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        (KEEPS + "points['train/loss'].popitem()\n" + ANSWERS, "R613", "train/loss"),
        (KEEPS + "points['train/loss'][1] += 1e-9\n" + ANSWERS, "R613", "train/loss"),
        (KEEPS + "raise RuntimeError('no such table')\n", "R612", "no such table"),
        (KEEPS, "R612", "truncated"),
    ],
)
def test_that_nothing_is_kept_of_what_is_not_the_run(job, tmp_path, text, code, told):
    script, output = tmp_path / "script.py", tmp_path / "run.db"
    script.write_text(text)
    with pytest.raises(DiagnosticError) as error:
        write_tracked(job, output, "Tracker", script)
    assert error.value.problems[0].code == code
    assert told in str(error.value)
    assert not output.exists()


@pytest.mark.parametrize("name", TRACKERS)
def test_that_a_missing_package_is_named_with_the_way(trained, tmp_path, monkeypatch, name):
    monkeypatch.setattr("engine.export.formats.find_spec", lambda _: None)
    with pytest.raises(DiagnosticError) as error:
        export(trained.folder.path, name, tmp_path / "file")
    assert error.value.problems[0].code == "R614"
    assert f"pip install {FORMATS[name].needs[0]}" in str(error.value)


@pytest.mark.real
@pytest.mark.row("P28")
@pytest.mark.parametrize("name", [name for name in TRACKERS if find_spec(name)])
def test_that_the_tracker_itself_reads_the_run(trained, job, tmp_path, name):
    output = tmp_path / TRACKERS[name][1]
    report = export(trained.folder.path, name, output)
    assert report.files == (str(output),)
    assert report.largest_difference == 0
    assert list(tmp_path.iterdir()) == [output]
    curve = next(each for each in run_record(job).curves if each.tag == "train/loss")
    wanted = dict(zip(curve.steps.tolist(), curve.values, strict=True))
    assert READERS[name](output) == wanted


def test_that_the_scripts_stand_alone():
    for module, _ in TRACKERS.values():
        text = Path(str(module.__file__)).read_text(encoding="utf-8")
        assert "from engine" not in text
        assert "import engine" not in text
