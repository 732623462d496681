"""Searching from the command line, with a real process and real runs."""

import msgspec
import pytest

from engine.diagnostics import Diagnostic
from engine.events import Stop
from engine.runs.folder import CommandReader, RunFolder, runs_of
from engine.runs.queue import RunQueue
from studio.cli import queue_command


@pytest.mark.real
@pytest.mark.row("P21")
def test_that_a_process_of_its_own_searches_and_a_trial_that_cannot_begin_is_told(run, project):
    space = ("--vary", "losses.0.inputs.target=data.nothing", "--method", "grid")
    done = run("search", project, *space, "--epochs", "1", "--json")
    assert done.code == 0, done.err
    told = done.json()
    assert (told["state"], told["total"]) == ("finished", 1)
    (trial,) = told["trials"]
    assert trial["settings"] == {"losses.0.inputs.target": "data.nothing"}
    assert (trial["state"], trial["run"]) == ("failed", "")
    assert trial["problem"]["params"]["bound"] == "data.nothing"
    assert run("search", project, "--list", "--json").json() == {"searches": [told]}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--vary", "optimizer.lr=2..1"), 2, "smaller"),
        ((), 2, "nothing to search"),
        (("--resume", "latest"), 2, "no search"),
        (("--resume", "latest", "--epochs", "3"), 2, "only --trials"),
        (("--list",), 0, ""),
    ],
)
def test_that_wrong_use_of_a_search_is_told_in_one_line(run, project, arguments, code, words):
    done = run("search", project, *arguments)
    assert done.code == code
    assert words in done.err
    assert runs_of(project) == []


def test_that_the_queue_is_changed_and_shown_from_the_command_line(
    run, project, tmp_path, monkeypatch
):
    monkeypatch.setattr(queue_command, "user_queue", lambda: RunQueue(tmp_path / "queue"))
    assert run("queue", "pause").code == 0  # so that no process begins
    for name in ("first", "second"):
        done = run("queue", "add", project, "--epochs", "1", "--name", name)
        assert done.code == 0, done.err
    assert run("queue", "up", "entry-0002").code == 0
    entries = run("queue", "list", "--json").json()["entries"]
    assert [(entry["name"], entry["state"]) for entry in entries] == [
        ("second", "waiting"),
        ("first", "waiting"),
    ]
    assert run("queue", "remove", "entry-0001", "entry-0002").code == 0
    assert run("queue", "list", "--json").json()["entries"] == []
    assert run("queue", "down", "entry-0009").code == 2
    assert run("queue", "parallel", "many").code == 2
    assert run("queue", "parallel", "2").code == 0
    assert run("queue", "list", "--json").json()["parallel"] == 2


def test_that_what_failed_or_trains_in_the_queue_is_told_with_the_way_on(
    run, project, tmp_path, monkeypatch
):
    queue = RunQueue(tmp_path / "queue")
    monkeypatch.setattr(queue_command, "user_queue", lambda: queue)
    assert run("queue", "pause").code == 0  # so that no process begins
    for name in ("bad", "long"):
        assert run("queue", "add", project, "--epochs", "1", "--name", name).code == 0
    bad, long = queue.entries()
    queue.write(msgspec.structs.replace(bad, problem=Diagnostic(code="R561")))
    folder = RunFolder.create(project, long.graph, long.spec, long.name)
    queue.write(msgspec.structs.replace(long, run=folder.id))
    assert "queue retry ENTRY" in run("queue", "list").err
    assert run("queue", "retry", long.id).code != 0
    assert run("queue", "retry", bad.id).code == 0
    assert [entry.is_waiting for entry in queue.entries()] == [False, True]
    told = run("queue", "remove", long.id)
    assert f"--resume {folder.id}" in told.err
    assert CommandReader(folder.commands_path).poll() == [Stop()]
