"""Custom code from the command line: what ends its process does not end the command."""

import pytest

CODE = """
import os


def leaving(features):
    os._exit(5)


def talking(features):
    print("talking")
    return features
"""


@pytest.fixture(name="own")
def _own(project):
    (project / "code").mkdir()
    (project / "code" / "own.py").write_text(CODE)
    return project


@pytest.mark.real
@pytest.mark.timeout(240)
@pytest.mark.fault("F13")
def test_that_code_that_ends_its_process_is_told_before_a_run_and_starts_none(run, own):
    words = ("train", own, "--trust", "--json", "--epochs", "1", "--set")
    done = run(*words, "data.transforms.0=own.leaving")
    assert (done.code, done.out) == (1, "")
    assert "“leaving” ended the process" in done.err
    assert "(“own.py”, line 5)" in done.err
    assert run("runs", own, "--json").json()["runs"] == []
    fine = run(*words, "data.transforms.0=own.talking")  # and print() is no output of the command
    assert fine.json()["state"] == "finished"
