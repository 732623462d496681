"""``--data ROOT=PATH``: where a folder with data is, for one command and what it starts."""

import pytest

from engine.project import Project
from engine.spec.data_root import VARIABLE, DataRoots


@pytest.fixture
def rooted(tmp_path, run, monkeypatch):
    """Return a project whose table lies in the root ``tables``, and where the table is now: this
    computer has not been told.
    """
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv(VARIABLE, "{}")  # what a command sets is taken back
    first, second = tmp_path / "first", tmp_path / "zweite 盘"
    first.mkdir()
    rows = [f"{n % 10},{n % 7},{'low' if n % 10 < 5 else 'high'}" for n in range(60)]
    (first / "t.csv").write_text("a,b,kind\n" + "\n".join(rows) + "\n")
    DataRoots().set({"tables": str(first)})
    project = tmp_path / "project"
    assert run("new", project, "--data", first / "t.csv", "--target", "kind").code == 0
    assert "${tables}/t.csv" in (project / "project.json").read_text()
    DataRoots().set({})
    first.rename(second)
    return project, second


def test_that_a_root_is_named_where_it_is_not_known(rooted, run):
    project, _ = rooted
    done = run("data", project)
    assert done.code == 1
    assert "${tables}/t.csv" in done.err
    assert "--data tables=PATH" in done.err


def test_that_a_command_is_told_where_a_root_is(rooted, run, monkeypatch):
    project, folder = rooted
    monkeypatch.chdir(folder.parent)
    done = run("data", project, "--data", f"tables={folder.name}", "--json")
    assert done.code == 0
    assert sum(part["samples"] for part in done.json()["splits"]) == 60
    assert DataRoots().roots() == {}, "it was told of one command"
    assert Project.open(project).spec.data.source.params["path"] == str(folder / "t.csv")


@pytest.mark.real
def test_that_a_run_and_its_evaluation_find_the_data(rooted, run):
    project, folder = rooted
    root = f"tables={folder}"
    settings = ("--set", "epochs=1", "--set", "threads=1", "--quiet")
    assert run("train", project, "--data", root, *settings).code == 0
    text = (project / "runs" / "run-0001" / "run.json").read_text()
    assert "${tables}/t.csv" in text
    assert str(folder) not in text
    done = run("evaluate", project, "--run", "latest", "--data", root, "--json")
    assert done.json()["samples"] > 0


@pytest.mark.parametrize("text", ["tables", "tables=", "=/a", "1=/a"])
def test_that_what_is_no_root_is_said(rooted, run, text):
    done = run("data", rooted[0], "--data", text)
    assert done.code == 2
    assert done.err.startswith(f"trellis: --data {text}: ")
