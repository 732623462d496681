"""Texts of strangers on a terminal: they are shown, and steer nothing."""

import json

import pytest

from engine.diagnostics import Diagnostic
from engine.events import RunEnded, Warned
from engine.runs.record.journal import RunJournal
from tests.tiny_run import make_run

EVIL = "a\x1b]0;title\x07\x1b[2J\x9b31m\u202eb"


def steers(text: str) -> list[str]:
    return [letter for letter in text if letter in EVIL[1:-1] and not letter.isprintable()]


@pytest.mark.real
def test_that_a_run_of_a_stranger_steers_no_terminal(run, project):
    folder = make_run(project).rename(EVIL)
    journal = RunJournal(folder.path)
    problem = Diagnostic(code=EVIL, params={"x": EVIL}, detail=EVIL)
    journal.append(Warned(problem=problem))
    journal.append(RunEnded(reason="failed", step=0, epoch=0, problem=problem))
    journal.close()
    for words in (("runs", project), ("events", project, "latest"), ("runs", project, "--json")):
        done = run(*words)
        assert done.code == 0
        assert steers(done.out + done.err) == []
    assert json.loads(done.out)["runs"][0]["name"] == EVIL
    done = run("train", project, "--resume", EVIL)
    assert steers(done.out + done.err) == []
    done = run("runs", f"{project}{EVIL}")
    assert done.code != 0
    assert steers(done.out + done.err) == []


def test_that_a_name_of_two_lines_fakes_no_row_of_a_table(run, project):
    make_run(project).rename("first\nrun-0009  best\u2028run-0008\x85run-0007")
    lines = run("runs", project).out.splitlines()
    assert [line.split()[0] for line in lines] == ["run", "run-0001"]
