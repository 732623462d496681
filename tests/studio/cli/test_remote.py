"""Training on another machine from the command line: what is refused before anything is sent."""

import pytest


@pytest.mark.real
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--on", "a b"), "a b"),
        (("--key", "/k"), "--on"),
        (("--on", "gpu", "--resume", "latest"), "--on"),
    ],
)
def test_that_a_machine_that_cannot_be_meant_is_wrong_use(run, project, words, told):
    done = run("train", project, *words)
    assert (done.code, told in done.err) == (2, True)


@pytest.mark.row("P33")
def test_that_a_machine_that_cannot_be_reached_leaves_no_run(run, project, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    done = run("train", project, "--on", "gpu", "--trust")
    assert done.code == 1
    assert "ssh" in done.err
    assert run("runs", project).out == ""
