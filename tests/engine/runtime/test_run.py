import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import msgspec
import psutil
import pytest

from engine.diagnostics import DiagnosticError
from engine.events import Pause, RunEnded, Stop
from engine.runs.follow import read_state
from engine.runs.machine.known_machine import KnownMachines
from engine.runs.machine.remote import Remote, read_remote, send_away
from engine.runs.process.launch import Launch
from engine.runs.process.process_start import process_start
from engine.runs.process.run_lock import WorkerTag, read_tag
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.runtime import Standby, attach_run, live_runs, mode_problems, resume_run, run, start_run
from engine.runtime import standby as standby_module
from engine.runtime.job import child
from engine.runtime.job.child import start_worker
from engine.runtime.job.fork_client import ForkServer, fork_server
from engine.spec.run import ComputeSpec
from tests.tiny_run import PATIENCE_S, iris_graph, iris_spec, make_run


def long(spec, mode="thread"):
    return msgspec.structs.replace(spec, epochs=100_000, mode=mode)


def wait_for(handle, status: RunStatus) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while read_state(handle.folder).status is not status:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def processes() -> set[psutil.Process]:
    """Return the processes of the program that this one has started and that are there."""

    def is_ours(process: psutil.Process) -> bool:
        with contextlib.suppress(psutil.Error):
            return any(word.startswith("engine.") for word in process.cmdline())
        return False

    return {child for child in psutil.Process().children() if is_ours(child)}


def ends(handle) -> list[str]:
    with RunStore.open(handle.folder.path) as store:
        return [s.event.reason for s in store.events() if isinstance(s.event, RunEnded)]


def test_that_a_run_on_a_thread_finishes(trained):
    assert trained.exit_reason == "finished"
    assert trained.folder.document.name == "first"
    assert ends(trained) == ["finished"]


def test_that_errors_keep_a_run_from_being_made(project):
    spec = msgspec.structs.replace(project.spec, losses=())
    with pytest.raises(DiagnosticError):
        start_run(project.path, project.graph, spec)
    assert not project.runs_folder.exists()


@pytest.mark.row("P15")
def test_that_a_run_is_found_paused_and_stopped_by_another_handle(project):
    handle = start_run(project.path, project.graph, long(project.spec), problems=())
    wait_for(handle, RunStatus.RUNNING)
    assert [run.folder.id for run in live_runs(project.path)] == [handle.folder.id]
    other = attach_run(handle.folder.path)
    assert other.is_alive()
    assert other.exit_reason is None
    with pytest.raises(DiagnosticError) as error:
        resume_run(project.path, "latest")
    assert error.value.problems[0].code == "R155"
    other.send(Pause())
    wait_for(handle, RunStatus.PAUSED)
    other.send(Stop())
    assert handle.wait(PATIENCE_S)
    assert (handle.exit_reason, other.exit_reason) == ("stopped", "stopped")
    assert live_runs(project.path) == []
    assert ends(handle) == ["stopped"]


def test_that_a_finished_run_goes_on_for_more_epochs(project):
    spec = msgspec.structs.replace(project.spec, epochs=1, mode="thread")
    first = start_run(project.path, project.graph, spec, problems=())
    assert first.wait(PATIENCE_S)
    first.stop()  # nothing to do any more
    resumed = resume_run(project.path, "latest", length=3)
    assert resumed.wait(PATIENCE_S)
    assert resumed.exit_reason == "finished"
    assert read_state(resumed.folder).epoch == 3
    assert resumed.folder.id == first.folder.id
    assert ends(resumed) == ["finished", "finished"]


def test_that_it_is_told_what_another_mode_means_to_a_run(project):
    folder = make_run(project.path)
    (found,) = mode_problems(folder, "ddp", 2)
    assert (found.code, found.params["processes"]) == ("D695", 2)
    assert not mode_problems(folder, "", 0)
    assert not mode_problems(folder, "thread", 0)


def test_that_stopping_a_run_keeps_everything_and_waits(project):
    handle = start_run(project.path, project.graph, long(project.spec), problems=())
    wait_for(handle, RunStatus.RUNNING)
    handle.stop()
    assert not handle.is_alive()
    assert handle.exit_reason == "stopped"
    assert list(handle.folder.checkpoints.glob("*.ckpt"))


@pytest.mark.real
def test_that_a_stop_right_after_a_resume_is_not_passed_over(project):
    first = start_run(project.path, project.graph, long(project.spec), problems=())
    wait_for(first, RunStatus.RUNNING)
    first.stop()
    resumed = resume_run(project.path, "latest", mode="process")
    resumed.send(Stop())  # its worker is still being loaded
    try:
        assert resumed.wait(PATIENCE_S)
    finally:
        resumed.stop()
    assert ends(resumed) == ["stopped", "stopped"]


@pytest.mark.real
@pytest.mark.fault("F13")
@pytest.mark.row("N28")
@pytest.mark.parametrize("way", ["spawned", "forked"])
def test_that_the_worker_that_waited_trains_and_its_death_is_told(project, way, request):
    if way == "spawned":
        request.getfixturevalue("spawning")
    before = processes()
    standby = Standby()
    standby.prepare()
    assert standby.is_ready()
    waiting = processes() - before
    spec = long(project.spec, "process")
    handle = start_run(project.path, project.graph, spec, problems=(), standby=standby)
    assert standby.is_ready() == fork_server.is_open
    try:
        wait_for(handle, RunStatus.RUNNING)
        tag = read_tag(handle.folder.path)
        assert tag is not None
        worker = psutil.Process(tag.pid)
        assert (worker in waiting) == (way == "spawned")
        worker.kill()
        assert handle.wait(PATIENCE_S)
    finally:
        handle.stop()
    assert handle.exit_reason == "died"
    assert ends(handle) == ["died"]
    standby.close()


@pytest.mark.real
@pytest.mark.fault("F02")
def test_that_a_run_outlives_the_server_that_forked_it(project, monkeypatch):
    before = processes()
    server = ForkServer()  # its last user is this test
    for module in (standby_module, child):
        monkeypatch.setattr(module, "fork_server", server)
    standby = Standby()
    standby.prepare()
    (forking,) = processes() - before
    spec = long(project.spec, "process")
    handle = start_run(project.path, project.graph, spec, problems=(), standby=standby)
    standby.close()
    assert not forking.is_running()
    wait_for(handle, RunStatus.RUNNING)
    handle.stop()
    assert handle.exit_reason == "stopped"


@pytest.mark.real
def test_that_a_spare_that_is_not_needed_ends(spawning):
    before = processes()
    standby = Standby()
    standby.prepare()
    (spare,) = processes() - before
    standby.close()
    assert not spare.is_running()
    assert not standby.is_ready()


@pytest.mark.real
def test_that_a_dead_spare_is_passed_over(project, spawning):
    before = processes()
    standby = Standby()
    standby.prepare()
    (spare,) = processes() - before
    spare.kill()
    spare.wait(PATIENCE_S)
    spec = msgspec.structs.replace(project.spec, epochs=1, mode="process")
    handle = start_run(project.path, project.graph, spec, problems=(), standby=standby)
    assert handle.wait(PATIENCE_S)
    assert handle.exit_reason == "finished"
    standby.close()


@pytest.mark.real
def test_that_a_worker_that_cannot_be_started_is_told(monkeypatch):
    with pytest.raises(DiagnosticError) as error:
        start_worker(["/no/such/program"])
    assert error.value.problems[0].code == "E015"


@pytest.mark.fault("F05")
def test_that_a_full_disk_is_told_before_a_run_begins_or_goes_on(trained):
    project = trained.folder.project
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 10, hard))
    try:
        with pytest.raises(DiagnosticError) as resumed:
            resume_run(project, "latest", length=9)
        document = trained.folder.document
        with pytest.raises(DiagnosticError) as started:
            start_run(project, document.graph, document.spec, problems=())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert resumed.value.problems[0].code == started.value.problems[0].code == "P002"
    assert [path.name for path in (project / "runs").iterdir()] == [trained.folder.id]


@pytest.mark.real
def test_that_what_fetches_the_files_of_a_run_may_give_up_when_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(child, "TERMINATE_S", 0.0)
    folder = make_run(tmp_path)
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    created = process_start(process.pid)
    tag = WorkerTag(pid=process.pid, created=created, is_closing=True)
    (folder.path / "worker.json").write_bytes(msgspec.json.encode(tag))
    run.RunHandle(folder, process=process).stop()
    assert process.wait() == -signal.SIGTERM


@pytest.fixture
def unsent(monkeypatch):
    """Make runs for another machine that nobody sends there."""
    monkeypatch.setattr(run, "begin_run", lambda folder, **_: run.RunHandle(folder))


@pytest.mark.row("P33")
@pytest.mark.parametrize(
    "changes",
    [
        {"device": "cuda:63"},
        {"mode": "dp"},
        {"compute": ComputeSpec(gpus="62,63")},
        {"compute": ComputeSpec(placement="head=cuda:63")},
    ],
)
def test_that_what_this_machine_lacks_keeps_no_run_from_another(tmp_path, unsent, changes):
    spec = iris_spec(**changes)
    with pytest.raises(DiagnosticError):
        start_run(tmp_path, iris_graph(), spec)
    folder = start_run(tmp_path, iris_graph(), spec, remote=Remote(host="gpu")).folder
    assert read_remote(folder.path).remote.host == "gpu"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"device": "banana"}, "R018"),
        ({"mode": "fsdp", "compute": ComputeSpec(compile=True)}, "R201"),
    ],
)
def test_that_what_no_machine_can_do_is_not_sent_to_one(tmp_path, unsent, changes, code):
    with pytest.raises(DiagnosticError) as error:
        start_run(tmp_path, iris_graph(), iris_spec(**changes), remote=Remote(host="gpu"))
    assert [problem.code for problem in error.value.problems] == [code]


@pytest.mark.row("P33")
def test_that_a_run_goes_on_only_on_machines_that_the_user_has_trained_on(
    tmp_path, unsent, monkeypatch
):
    mine = Remote(host="gpu", folder="~/mine")
    sent, process = [], SimpleNamespace(pid=os.getpid())
    monkeypatch.setattr(run, "start_worker", lambda words: sent.append(words) or process)
    foreign = make_run(tmp_path)
    send_away(foreign, mine)
    KnownMachines().remember(mine)
    for begin in (resume_run, lambda *_: run._train(foreign, Launch(folder=""), "process", None)):
        with pytest.raises(DiagnosticError) as error:
            begin(tmp_path, foreign.id)
        assert [problem.code for problem in error.value.problems] == ["R418"]
    assert sent == []
    folder = start_run(tmp_path, iris_graph(), iris_spec(), remote=mine).folder
    resume_run(tmp_path, folder.id)
    assert folder.id in sent[0][-1]
