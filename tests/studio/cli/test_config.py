"""Settings of a run from a file, on the command line."""

import json

import pytest

from engine.project import Project
from engine.runs.folder import runs_of
from engine.spec.run import Choice
from studio.cli.config import configured
from studio.cli.parser import UsageError


@pytest.fixture
def spec(project):
    return Project.open(project).spec


def written(tmp_path, document):
    file = tmp_path / "settings.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
    return file


@pytest.mark.row("S373")
def test_that_settings_are_taken_by_their_names_and_others_stay(spec, tmp_path):
    document = {
        "epochs": 7,
        "optimizer": "SGD",
        "optimizer.lr": 0.125,
        "data.shuffle": False,
        "scheduler": None,
        "metrics": ["accuracy"],
    }
    found = configured(spec, written(tmp_path, document), {})
    assert (found.epochs, found.data.shuffle, found.scheduler) == (7, False, None)
    assert found.optimizer == Choice(type="SGD", params={"lr": 0.125})
    assert found.metrics == ("accuracy",)
    assert (found.losses, found.data.source) == (spec.losses, spec.data.source)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("{", "settings.json"),
        ("[1]", "settings.json"),
        ({"epoch": 1}, "epochs"),
        ({"epochs": "many"}, "epochs"),
        ({"epochs": {"a": 1}}, "epochs"),
        ({"spec": {"run": {"epochs": "many"}}}, "epochs"),
        ({"spec": {"run": {}, "data": []}}, "data"),
    ],
)
def test_that_a_file_of_wrong_settings_is_told(spec, tmp_path, document, words):
    with pytest.raises(UsageError, match=words):
        configured(spec, written(tmp_path, document), {})


def test_that_a_project_file_gives_its_settings(spec, project, tmp_path):
    changed = configured(spec, written(tmp_path, {"epochs": 9}), {})
    assert configured(changed, project / "project.json", {}) == spec


@pytest.mark.row("S373")
@pytest.mark.real
def test_that_the_file_of_a_run_trains_the_same_run_again(run, project, tmp_path):
    changes = ("--set", "optimizer.lr=0.02", "--set", "data.batch_size=16", "--epochs", "1")
    first = run("train", project, *changes, "--json").json()
    (folder,) = runs_of(project)
    file = tmp_path / "again.json"
    file.write_bytes((folder.path / "run.json").read_bytes())
    again = run("train", project, "--config", str(file), "--json")
    assert again.code == 0, again.err
    assert again.json()["metrics"] == first["metrics"]
    assert len({json.dumps(each.document.spec.data.batch_size) for each in runs_of(project)}) == 1
    longer = run("train", project, "--config", str(file), "--epochs", "2", "--json").json()
    assert longer["epochs"] == 2


@pytest.mark.fault("F22")
def test_that_a_resumed_run_takes_no_file(run, project, tmp_path):
    done = run("train", project, "--resume", "latest", "--config", str(written(tmp_path, {})))
    assert done.code == 2
    assert "--config" in done.err
