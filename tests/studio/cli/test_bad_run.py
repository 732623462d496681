"""Files of a run that somebody else made, or that were damaged: they hide no other run."""

import os
import shutil
import sys

import pytest

from engine.diagnostics import DiagnosticError
from engine.runs.folder import RunFolder, runs_of
from engine.runs.process.run_lock import RunLock, WorkerTag, is_alive
from tests.tiny_run import make_run

WORKERS = (
    '{"pid": -1, "created": 1.0}',
    '{"pid": 0, "created": 1.0}',
    '{"pid": 9223372036854775808, "created": 1.0}',
    '{"pid": true, "created": 1.0}',
    '{"pid": "x", "created": 1.0}',
    '{"pid": 1, "created": -1e300}',
    '{"pid": 1, "created": 1.0, "agent": -7, "agent_created": 0.0}',
    '{"pid": 1, "created": 1.0, "taken": -1}',
    '{"pid": 1' + "0" * 5000 + "}",
    "[" * 100_000,
    "",
)
NAMES = ("worker.json", "newcomer.json", "worker.lock", "commands.jsonl", "log.txt", "events.db")
KINDS = ("folder", "pipe", "garbage")


@pytest.fixture
def runs(project) -> list[RunFolder]:
    """Return the runs of a project; of the second one tests make what they like."""
    return [make_run(project) for _ in range(3)]


def listed(run, project) -> tuple[list[str], str]:
    done = run("runs", project, "--json")
    assert done.code == 0
    assert "internal" not in done.err
    return [one["run"] for one in done.json()["runs"]], done.err


@pytest.mark.parametrize("content", WORKERS)
def test_that_a_bad_word_of_who_trains_a_run_counts_as_none_and_is_told(
    run, project, runs, content
):
    (runs[1].path / "worker.json").write_text(content)
    ids, told = listed(run, project)
    assert ids == [one.id for one in runs]
    assert "worker.json" in told
    assert not runs[1].is_alive()


@pytest.mark.parametrize("pid", [-1, 0, 2**63, 2**31 - 1])
def test_that_a_number_of_no_process_is_none_that_lives(pid):
    assert not is_alive(WorkerTag(pid=pid, created=1.0))


@pytest.mark.timeout(120)
@pytest.mark.skipif(sys.platform == "win32", reason="pipes in folders are of POSIX")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_that_one_bad_run_hides_no_other(run, project, runs, name, kind):
    put(runs[1].path / name, kind)
    ids, _ = listed(run, project)
    assert {runs[0].id, runs[2].id} <= set(ids)
    assert run("events", project, runs[2].id).code == 0


@pytest.mark.timeout(120)
@pytest.mark.skipif(sys.platform == "win32", reason="pipes in folders are of POSIX")
@pytest.mark.parametrize("kind", KINDS)
def test_that_a_run_without_a_document_is_told_and_hides_no_other(run, project, runs, kind):
    (runs[1].path / "run.json").unlink()
    put(runs[1].path / "run.json", kind)
    ids, told = listed(run, project)
    assert ids == [runs[0].id, runs[2].id]
    assert runs[1].id in told


@pytest.mark.timeout(120)
@pytest.mark.skipif(sys.platform == "win32", reason="pipes in folders are of POSIX")
@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_that_no_worker_waits_for_a_pipe_in_the_place_of_its_lock(runs, kind):
    put(runs[1].path / "worker.lock", kind)
    with pytest.raises(DiagnosticError):
        RunLock(runs[1].path, 0)


def test_that_a_folder_of_a_huge_number_keeps_no_run_from_being_made(project, runs):
    for name in ("run-" + "9" * 20, "run-" + "9" * 200, "run-٣"):
        shutil.copytree(runs[0].path, runs[0].path.parent / name)
    assert make_run(project).id == "run-0004"
    assert "run-0004" in [one.id for one in runs_of(project)]


def put(path, kind: str) -> None:
    path.unlink(missing_ok=True)
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"\x00\xff{" * 1000)
