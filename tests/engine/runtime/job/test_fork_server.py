"""Processes that are forked from one that has PyTorch loaded are as good as new ones."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engine.runs.process.forking import can_fork
from engine.runs.process.launch import LAUNCHER
from engine.runtime.job.child import start_worker
from engine.runtime.job.fork_client import UNKNOWN_CODE, ForkedChild, ForkServer, fork_server
from engine.runtime.job.job import Job, module_command

PATIENCE_S = 200  # torch is loaded, perhaps on a busy machine
ROOT = Path(__file__).parents[4]
PROGRAM = "tests.engine.runtime.job.forked_program"
pytestmark = [
    pytest.mark.real,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not can_fork(), reason="processes are spawned here"),
]


@pytest.fixture(scope="module", name="server")
def _server() -> Iterator[ForkServer]:
    server = ForkServer()
    server.open()
    yield server
    server.close()


def fork(server: ForkServer, *words: str, **environment: str) -> ForkedChild:
    with tempfile.TemporaryFile() as errors:
        return server.fork(module_command(PROGRAM, *words), errors, {**os.environ, **environment})


def said(child: ForkedChild) -> str:
    """Return what a process says until its end."""
    assert child.stdin is not None
    assert child.stdout is not None
    with child.stdin, child.stdout:
        text = child.stdout.read().decode()
    assert child.wait(PATIENCE_S) == 0
    return text


def state(server: ForkServer, **environment: str) -> dict[str, object]:
    return json.loads(said(fork(server, "state", "two words", **environment)))


def detached(server: ForkServer, file: Path) -> tuple[ForkedChild, dict[str, object]]:
    """Return a process that is heard by nobody, and what it has of its own."""
    child = server.fork(module_command(PROGRAM, "mark", str(file)), None)
    deadline = time.monotonic() + PATIENCE_S
    while not (file.exists() and file.read_text().endswith("}")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return child, json.loads(file.read_text())


def test_that_a_forked_process_is_as_a_new_one_but_for_what_is_loaded(server):
    sibling = fork(server, "wait")
    assert sibling.pid
    first, second = state(server, A_WORD="here"), state(server)
    assert first["has_torch"]
    assert first["arguments"][1:] == ["state", "two words"]
    assert first["environment"] == {**os.environ, "A_WORD": "here"}
    assert first["folder"] == str(ROOT)
    assert len(first["files"]) == 4, "its streams, and the folder that it looks at"
    assert first["threads"] == 1
    assert len(first["random"]) == 3
    assert first["interrupt"] == (signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    assert first["session"] == os.getsid(0)
    for one, other in zip(first["random"], second["random"], strict=True):
        assert one != other
    end(sibling)


def end(child: ForkedChild) -> None:
    child.kill()
    child.wait(PATIENCE_S)
    for stream in (child.stdin, child.stdout):
        if stream is not None:
            stream.close()


def test_that_a_forked_process_computes_with_threads_what_a_new_one_computes(server):
    command = module_command(PROGRAM, "train")
    spawned = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    assert said(fork(server, "train")) == said(fork(server, "train")) == spawned.stdout


def test_that_ps_tells_forked_processes_apart(server):
    child = fork(server, "wait", "x" * 5000)
    deadline = time.monotonic() + PATIENCE_S
    while psutil.Process(child.pid).cmdline()[:4] != [*module_command(PROGRAM, "wait")]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    end(child)


def test_that_exit_codes_and_signals_are_told(server):
    child = fork(server, "say")
    assert child.wait(PATIENCE_S) == child.poll() == 7
    end(child)
    child = fork(server, "wait")
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.05)
    assert child.poll() is None
    child.terminate()
    assert child.wait(PATIENCE_S) == -signal.SIGTERM
    child.kill()  # without effect
    end(child)


def test_that_variables_which_count_at_the_beginning_make_a_new_program(server):
    fresh = state(server, OMP_NUM_THREADS="3")
    assert not fresh["has_torch"]
    assert fresh["environment"]["OMP_NUM_THREADS"] == "3"
    assert len(fresh["files"]) == 4


def test_that_a_busy_server_begins_what_nobody_keeps_but_not_what_was_taken_back(
    tmp_path,
):
    server = ForkServer()
    server.open()
    child = server.fork(module_command(PROGRAM, "mark", str(tmp_path / "mark")), None)
    child.kill()  # PyTorch is loaded before it begins
    assert child.poll() == -signal.SIGKILL
    mark = tmp_path / "other mark"
    server.fork(module_command(PROGRAM, "mark", str(mark)), None)
    deadline = time.monotonic() + PATIENCE_S
    while not (mark.exists() and mark.read_text().endswith("}")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    psutil.Process(json.loads(mark.read_text())["pid"]).kill()
    assert not (tmp_path / "mark").exists(), "the server has come to the order after it"
    server.close()


@pytest.mark.fault("F02")
def test_that_children_outlive_their_server_and_another_starts_and_ends_with_its_last_user(
    tmp_path,
):
    before = set(psutil.Process().children())
    server = ForkServer()
    server.open()
    child, own = detached(server, tmp_path / "mark")
    assert own["session"] == own["pid"] == child.pid
    (process,) = (
        each
        for each in set(psutil.Process().children()) - before
        if "engine.runtime.job.fork_server" in each.cmdline()
    )
    process.kill()
    process.wait(PATIENCE_S)
    assert child.poll() is None
    assert psutil.Process(child.pid).status() != psutil.STATUS_ZOMBIE
    assert state(server)["has_torch"]
    child.terminate()
    assert child.wait(PATIENCE_S) == UNKNOWN_CODE
    server.open()
    server.close()
    child, _ = detached(server, tmp_path / "other mark")
    before = [each for each in psutil.Process().children() if each.is_running()]
    server.close()
    assert not server.is_open
    assert any(not each.is_running() for each in before)
    child.kill()
    child.wait(PATIENCE_S)


def test_that_the_end_of_a_program_ends_its_server_and_what_listens_to_it():
    text = (
        "import sys, time, psutil\n"
        "from engine.query.machine.request import GetCapabilities\n"
        "from engine.runtime import HostClient\n"
        "client = HostClient()\n"
        "client.start()\n"
        "client.request(GetCapabilities()).result()\n"
        "print(*(child.pid for child in psutil.Process().children(recursive=True)), flush=True)\n"
        "time.sleep(600)\n"
    )
    program = subprocess.Popen([sys.executable, "-c", text], cwd=ROOT, stdout=subprocess.PIPE)
    assert program.stdout is not None
    with program:
        members = [psutil.Process(int(pid)) for pid in program.stdout.readline().split()]
        program.kill()
    assert len(members) == 2
    _, alive = psutil.wait_procs(members, 30)
    assert not [each for each in alive if each.status() != psutil.STATUS_ZOMBIE]


def test_that_what_is_loaded_here_keeps_nothing_from_being_forked_in_the_tests(quiet_process):
    import sklearn  # noqa: F401 - it sets variables

    from engine.train.worker import warm_up

    warm_up()
    assert state(fork_server)["has_torch"]


def test_that_a_job_keeps_the_last_words_of_a_forked_process(server, monkeypatch):
    monkeypatch.setattr("engine.runtime.job.child.fork_server", server)
    monkeypatch.setattr("engine.runtime.job.child._FORKED", {PROGRAM})
    state(server)  # it has loaded PyTorch: what is to end has begun
    ending = Job(module_command(PROGRAM, "say")).end()
    assert ending == (7, "last words")


def test_that_what_starts_several_processes_is_forked_too(quiet_process):
    child = start_worker((sys.executable, "-m", LAUNCHER, "--help"))
    assert isinstance(child, ForkedChild)
    assert child.wait(PATIENCE_S) == 0
