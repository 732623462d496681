"""The machines that the user knows, on the command line."""

import pytest

from engine.project import Project
from engine.runs.folder import RunFolder
from engine.runs.machine.known_machine import KnownMachines
from engine.runs.machine.remote import Remote, send_away

MINE = Remote(host="gpu", user="anna", port=2222, key="~/.ssh/mine")
OLD = Remote(host="old", python="~/venv/bin/python", folder="/data/anna")


@pytest.fixture
def known(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return KnownMachines()


@pytest.mark.row("P33")
def test_that_the_known_machines_are_listed(run, project, known):
    known.remember(OLD)
    document = Project.open(project)
    sent = RunFolder.create(project, document.graph, document.spec)
    known.note(sent, send_away(sent, MINE))
    head, *lines = run("known-machines").out.splitlines()
    assert head.split()[0] == "machine"
    for line, remote, runs in ((lines[0], MINE, 1), (lines[1], OLD, 0)):
        words = line.split()
        assert words[0] == remote.shown
        assert {remote.python, remote.folder, str(runs)} < set(words)
    told = run("known-machines", "--json").json()
    assert [one["machine"] for one in told["machines"]] == [MINE.shown, OLD.shown]
    assert [one["runs"] for one in told["machines"]] == [1, 0]
    assert told["forgotten"] == []


@pytest.mark.row("P33")
def test_that_machines_are_forgotten_by_name(run, known):
    elsewhere = Remote(host="old", folder="~/other")
    for remote in (MINE, OLD, elsewhere):
        known.remember(remote)
    done = run("known-machines", "--forget", "old")
    assert done.code == 0
    assert (OLD.folder in done.out, elsewhere.folder in done.out) == (True, True)
    assert known.machines == (MINE,)
    told = run("known-machines", "--forget", MINE.shown, "--json").json()
    assert (told["machines"], told["forgotten"][0]["host"]) == ([], "gpu")
    assert "train --on" in run("known-machines").out


@pytest.mark.row("P33")
def test_that_a_name_that_is_not_known_is_wrong_use_and_forgets_nothing(run, known):
    known.remember(OLD)
    done = run("known-machines", "--forget", "old", "gpu")
    assert done.code == 2
    assert "old" in done.err
    assert known.machines == (OLD,)
