"""The certificate of a run from the command line."""

import pytest

from engine.runs.folder import runs_of


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--certify", "0"), "from 1 to"),
        (("--run", "latest"), "--certify"),
        (("--certify", "3", "--folds", "3"), "--folds"),
        (("--certify", "3", "--run", "latest", "--resume", "latest"), "--resume"),
    ],
)
def test_that_wrong_use_is_told_in_one_line(run, project, arguments, words):
    done = run("train", project, *arguments)
    assert done.code == 2
    assert words in done.err
    assert runs_of(project) == []


def test_that_a_run_that_is_not_there_is_told(run, project):
    done = run("train", project, "--certify", "3", "--run", "latest")
    assert done.code == 2
    assert "has no runs yet" in done.err


@pytest.mark.real
@pytest.mark.row("N14")
def test_that_a_run_is_trained_and_certified_and_certified_again(run, project):
    done = run("train", project, "--epochs", "2", "--certify", "3", "--json")
    assert done.code == 0, done.err
    told = done.json()
    assert told["state"] == "finished"
    assert told["certificate"]["equal"]
    assert told["certificate"]["steps"] == 3
    again = run("train", project, "--run", "latest", "--certify", "2")
    assert again.code == 0, again.err
    assert "the 2 steps after a resume" in again.out
    (listed,) = run("runs", project, "--json").json()["runs"]
    assert listed["certificate"]["steps"] == 2
