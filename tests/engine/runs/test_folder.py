import json
import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import Pause, RunEnded, RunStarted, SetValue, Stop
from engine.runs.folder import CommandReader, RunFolder, find_run, runs_of
from engine.runs.follow import RunFollower, read_state
from engine.runs.process.run_lock import HeartbeatWatch, RunLock, WorkerTag, is_alive, read_tag
from engine.runs.record.journal import RunJournal
from engine.runs.record.state import RunStatus
from tests.tiny_run import iris_graph, iris_spec, make_run


def code_of(caught: pytest.ExceptionInfo[DiagnosticError]) -> str:
    return caught.value.problems[0].code


def started() -> RunStarted:
    return RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=10, parameters=3)


@pytest.mark.parametrize("name", ["a run", "Läufe 运行 🚀", "'; rm -rf \"%s\n", "-x"])
def test_that_a_run_opens_as_it_was_made(tmp_path: Path, name: str) -> None:
    project = tmp_path / "Projekt ü 项目 %s"
    made = RunFolder.create(project, iris_graph(), iris_spec(), name)
    opened = RunFolder.open(made.path)
    assert opened.document == made.document
    assert list(opened.document.graph.nodes) == list(made.document.graph.nodes)
    assert find_run(project, name).path == made.path


@pytest.mark.parametrize(("age", "told"), [(0, []), (3600, ["R157"])], ids=["new", "old"])
def test_that_a_run_that_is_being_made_is_no_problem(tmp_path: Path, age: float, told) -> None:
    make_run(tmp_path)
    coming = tmp_path / "runs" / "run-0002"
    coming.mkdir()
    os.utime(coming, (time.time() - age,) * 2)
    problems: list[Diagnostic] = []
    assert [run.id for run in runs_of(tmp_path, problems)] == ["run-0001"]
    assert [problem.code for problem in problems] == told


def test_that_runs_are_numbered_and_latest_is_the_newest(tmp_path: Path) -> None:
    made = [make_run(tmp_path) for _ in range(11)]
    assert [run.id for run in runs_of(tmp_path)] == [run.id for run in made]
    assert find_run(tmp_path, "latest").id == "run-0011"
    assert find_run(tmp_path, "run-0003").id == "run-0003"


def test_that_the_newest_run_with_a_name_is_meant(tmp_path: Path) -> None:
    RunFolder.create(tmp_path, iris_graph(), iris_spec(), "base")
    second = RunFolder.create(tmp_path, iris_graph(), iris_spec(), "base")
    assert find_run(tmp_path, "base").id == second.id


def test_that_a_missing_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError) as caught:
        find_run(tmp_path, "latest")
    assert code_of(caught) == "R161"
    make_run(tmp_path)
    with pytest.raises(DiagnosticError) as caught:
        find_run(tmp_path, "nothing")
    assert code_of(caught) == "R162"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "R158"),
        (b"\xff\xfe{}", "R158"),
        (b"[" * 100_000, "R158"),
        (b'{"format": 99, "id": "x", "name": "", "created": 0, "graph": {}, "spec": {}}', "R159"),
    ],
)
def test_that_a_damaged_run_is_told_and_left_out(tmp_path: Path, content: bytes, code: str) -> None:
    make_run(tmp_path)
    broken = make_run(tmp_path)
    (broken.path / "run.json").write_bytes(content)
    with pytest.raises(DiagnosticError) as caught:
        RunFolder.open(broken.path)
    assert code_of(caught) == code
    problems: list[Diagnostic] = []
    assert [run.id for run in runs_of(tmp_path, problems)] == ["run-0001"]
    assert [problem.code for problem in problems] == [code]


def test_that_the_document_holds_no_path_of_this_machine(tmp_path: Path) -> None:
    text = (make_run(tmp_path).path / "run.json").read_text()
    assert str(tmp_path) not in text
    assert json.loads(text)["graph"]["nodes"][0]["id"] == "features"


def test_that_commands_arrive_in_order_and_once(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    reader = CommandReader(run.commands_path)
    assert reader.poll() == []
    run.send(Pause())
    run.send(SetValue(name="optimizer.lr", value=0.5))
    assert reader.poll() == [Pause(), SetValue(name="optimizer.lr", value=0.5)]
    assert reader.poll() == []


def test_that_half_a_command_waits_and_nonsense_is_told(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    reader = CommandReader(run.commands_path)
    with run.commands_path.open("ab") as stream:
        stream.write(b'{"type": "Explode"}\n\xff\n{"type": "St')
    assert [getattr(found, "code", None) for found in reader.poll()] == ["R160", "R160"]
    with run.commands_path.open("ab") as stream:
        stream.write(b'op"}\n')
    assert reader.poll() == [Stop()]


def test_that_commands_to_an_earlier_worker_are_passed_over(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    run.send(Stop())
    reader = CommandReader(run.commands_path, run.commands_size())
    assert reader.poll() == []
    run.send(Pause())
    assert reader.poll() == [Pause()]


def test_that_there_is_one_worker_at_a_run(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    lease = RunLock(run.path, 0)
    assert run.is_alive()
    with pytest.raises(DiagnosticError) as caught:
        RunLock(run.path, 0)
    assert code_of(caught) == "R155"
    lease.release()
    assert not run.is_alive()
    RunLock(run.path, 0).release()


def test_that_a_process_number_used_again_is_not_taken_for_the_worker() -> None:
    assert not is_alive(WorkerTag(pid=os.getpid(), created=1.0))


def dead_worker(run: RunFolder) -> int:
    """Let a child take the run, tell its start and go without an end; return its number."""
    script = (
        "import os, sys; from pathlib import Path\n"
        "from engine.runs.record.journal import RunJournal\n"
        "from engine.runs.process.run_lock import RunLock\n"
        "from engine.events import RunStarted\n"
        "path = Path(sys.argv[1]); journal = RunJournal(path)\n"
        "RunLock(path, journal.last_id())\n"
        "journal.append(RunStarted(pid=os.getpid(), device='cpu', threads=1, epochs=2,"
        " steps_per_epoch=10, parameters=3))\n"
        "print(os.getpid(), flush=True); os._exit(9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(run.path)], capture_output=True, check=False, text=True
    )
    return int(done.stdout)


@pytest.mark.real
@pytest.mark.fault("F13")
def test_that_a_dead_worker_is_found_and_its_end_told_once(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    follower, second = RunFollower(run), RunFollower(run)
    assert follower.poll()[0].status is RunStatus.STARTING
    pid = dead_worker(run)
    assert read_tag(run.path) is not None
    state, events = follower.poll()
    assert state.status is RunStatus.DIED
    assert state.problem is not None
    assert state.problem.params["pid"] == pid
    assert sum(isinstance(stored.event, RunEnded) for stored in events) == 1
    state, events = second.poll()
    assert state.status is RunStatus.DIED
    assert sum(isinstance(stored.event, RunEnded) for stored in events) == 1
    follower.close()
    second.close()


def test_that_a_resume_shows_as_starting_until_it_tells_something(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    journal = RunJournal(run.path)
    journal.append(started())
    journal.end(RunEnded(reason="stopped", step=3, epoch=0), 0)
    assert read_state(run).status is RunStatus.STOPPED
    lease = RunLock(run.path, journal.last_id())
    assert read_state(run).status is RunStatus.STARTING
    journal.append(started())
    assert read_state(run).status is RunStatus.RUNNING
    journal.end(RunEnded(reason="finished", step=20, epoch=2), lease.tag.after_event)
    assert read_state(run).status is RunStatus.FINISHED, "while its worker is just leaving"
    journal.close()
    lease.release()
    assert read_state(run).status is RunStatus.FINISHED


@pytest.mark.fault("F18")
def test_that_a_silent_worker_is_stalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(tmp_path)
    journal = RunJournal(run.path)
    lease = RunLock(run.path, 0)
    journal.append(started())
    follower = RunFollower(run)
    assert follower.poll()[0].status is RunStatus.RUNNING
    monkeypatch.setattr("engine.runs.process.run_lock.STALLED_S", -1.0)
    assert follower.poll()[0].status is RunStatus.STALLED
    monkeypatch.undo()
    assert follower.poll()[0].status is RunStatus.RUNNING
    follower.close()
    journal.close()
    lease.release()


@pytest.mark.fault("F18")
def test_that_a_worker_that_was_suspended_is_stalled_after_ten_seconds_and_recovers_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    beat = tmp_path / "worker.json"
    beat.touch()
    watch = HeartbeatWatch(tmp_path)
    told = list[bool]()
    for now in range(1000, 1030):  # noqa: B007 - the clock reads it
        told.append(watch.is_stalled())
    assert told == [False] * 11 + [True] * 19
    os.utime(beat, ns=(1, 2 * beat.stat().st_mtime_ns))
    assert not watch.is_stalled()


def test_that_a_renamed_run_is_the_same_run_under_another_name(tmp_path):
    run = make_run(tmp_path)
    renamed = run.rename("good")
    opened = RunFolder.open(run.path)
    assert opened.document == renamed.document
    assert opened.document == msgspec.structs.replace(run.document, name="good")


def test_that_a_note_and_tags_stay_when_a_run_is_renamed(tmp_path):
    run = make_run(tmp_path).describe("less dropout", ("paper",)).rename("good")
    document = RunFolder.open(run.path).document
    assert (document.name, document.note, document.tags) == ("good", "less dropout", ("paper",))


@pytest.mark.real
@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
def test_that_a_command_that_was_half_written_does_not_spoil_the_next(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    run.send(Pause())
    code = (
        "import resource, sys; from pathlib import Path;"
        "from engine.diagnostics import DiagnosticError;"
        "from engine.events import Stop; from engine.runs.document import append_command;"
        "path = Path(sys.argv[1]); most = path.stat().st_size + 5;"  # as on a disk that gets full
        "resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))\n"
        "try: append_command(path, Stop())\n"
        "except DiagnosticError as error: print(error.problems[0].code)"
    )
    command = [sys.executable, "-c", code, str(run.commands_path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert told.stdout == "P002\n"
    run.send(SetValue(name="epochs", value=3))
    assert CommandReader(run.commands_path).poll() == [Pause(), SetValue(name="epochs", value=3)]
