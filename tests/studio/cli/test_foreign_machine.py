"""A project of somebody else names a machine: no command starts SSH for it unasked."""

import json
import os

import pytest

from engine.project import Project
from engine.runs.folder import RunFolder
from engine.runs.machine.known_machine import KnownMachines
from engine.runs.machine.remote import Remote, send_away
from engine.runs.search import SearchFolder, SearchState, SearchStatus, TrialRecord, TrialStatus
from engine.runtime.study import Study
from engine.spec.search import SearchSpec, parse_dimension

THEIRS = Remote(host="evil.example", user="root", python="/tmp/x", folder="/srv/x")


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """Return the file in which a program called ssh notes how it was called."""
    noted = tmp_path / "called.txt"
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$*" >> {noted}\nexit 255\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return noted


@pytest.fixture
def foreign(project):
    document = Project.open(project)
    run = RunFolder.create(project, document.graph, document.spec)
    send_away(run, THEIRS)
    return run


@pytest.mark.row("P33")
@pytest.mark.timeout(300)
def test_that_a_run_from_elsewhere_starts_no_ssh(run, project, foreign, calls):
    done = run("train", project, "--resume", "latest")
    assert done.code == 1
    assert "--trust-machine root@evil.example" in done.err
    assert not calls.exists()
    assert KnownMachines().machines == ()


@pytest.mark.real
@pytest.mark.row("P33")
@pytest.mark.timeout(300)
def test_that_the_user_may_name_the_machine_of_a_run(run, project, foreign, calls):
    for words in (("--resume", "latest", "--trust-machine", "gpu"), ("--trust-machine", "gpu")):
        assert run("train", project, *words).code == 2
    assert not calls.exists()
    words = ("--resume", "latest", "--trust-machine", "root@evil.example")
    assert run("train", project, *words, "--quiet").code == 1
    assert "-- root@evil.example" in calls.read_text()


@pytest.mark.real
@pytest.mark.row("P33")
@pytest.mark.timeout(300)
def test_that_a_search_from_elsewhere_starts_no_ssh_and_keeps_its_trial(
    run, project, foreign, calls
):
    document = Project.open(project)
    (foreign.path / "checkpoints" / "last.ckpt").touch()
    wanted = SearchSpec(space=(parse_dimension("optimizer.lr=0.001..0.1:log"),), trials=1)
    folder = SearchFolder.create(project, document.graph, document.spec, wanted)
    study = Study(folder)
    asked = study.ask()
    study.note_run(asked.number, foreign.id)
    study.close()
    record_checkpoint(foreign)
    trial = TrialRecord(number=0, status=TrialStatus.RUNNING, run=foreign.id)
    folder.write_state(SearchState(status=SearchStatus.STOPPED, total=1, trials=(trial,)))
    done = run("search", project, "--resume", "latest", "--json")
    assert done.code == 1
    assert "root@evil.example" in done.err
    assert not calls.exists()
    assert [one["state"] for one in json.loads(done.out)["trials"]] == ["running"]
    words = ("--resume", "latest", "--trust-machine", "root@evil.example", "--quiet")
    run("search", project, *words)
    assert "-- root@evil.example" in calls.read_text()


def record_checkpoint(run: RunFolder) -> None:
    """Let a run say that it has a checkpoint and was stopped."""
    from engine.events import CheckpointSaved, RunEnded
    from engine.runs.record.journal import RunJournal

    journal = RunJournal(run.path)
    journal.append(
        CheckpointSaved(file="last.ckpt", step=1, epoch=0, sha256="0" * 64, tags=("last",))
    )
    journal.append(RunEnded(reason="stopped", step=1, epoch=0))
    journal.close()
