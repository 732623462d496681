"""The worker as a process of its own."""

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from engine.events import RunEnded, Step, Stop
from engine.runs.follow import RunFollower, read_state
from engine.runs.process import run_lock
from engine.runs.process.launch import Launch, launch_from_line, standby_arguments, worker_arguments
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.runtime.job.child import start_worker
from engine.train import worker as worker_module
from engine.train.worker import run_in_thread
from tests.tiny_run import PATIENCE_S, curves, make_run, train, wait_until

ROOT = Path(__file__).parents[3]


def test_that_a_launch_survives_its_line() -> None:
    launch = Launch(folder="/tmp/ä\n b/run-0001", resume="latest", length=3.0)
    assert launch_from_line(launch.to_line()) == launch
    assert launch.to_line().count(b"\n") == 1


@pytest.mark.real
def test_that_a_waiting_worker_trains_the_same_curve_as_a_thread(tmp_path: Path) -> None:
    run, in_thread = make_run(tmp_path), make_run(tmp_path)
    worker = subprocess.Popen(
        standby_arguments(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"ready\n"
    worker.communicate(Launch(folder=str(run.path)).to_line(), timeout=PATIENCE_S)
    assert worker.returncode == 0
    train(in_thread)
    assert curves(run) == curves(in_thread)
    assert read_state(run).status is RunStatus.FINISHED
    assert read_state(run).pid == worker.pid


@pytest.mark.real
def test_that_wrong_use_and_a_taken_run_have_their_exit_codes(tmp_path: Path) -> None:
    code = "import sys; from engine.train.worker import main; sys.exit(main(sys.argv[1:]))"
    for arguments, wanted in (([], 2), ([str(tmp_path)], 3)):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, check=False, cwd=ROOT
        )
        assert done.returncode == wanted
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.real
def test_that_taking_a_run_needs_no_torch(tmp_path: Path) -> None:
    code = (
        "import sys; import engine.train.worker; from engine.runs.locked_run import LockedRun;"
        "from engine.runs.process.launch import Launch;"
        "LockedRun(Launch(folder=sys.argv[1])).release();"
        "assert 'torch' not in sys.modules"
    )
    run = make_run(tmp_path)
    subprocess.run([sys.executable, "-c", code, str(run.path)], check=True, cwd=ROOT)


@pytest.mark.real
@pytest.mark.skipif(sys.platform != "linux", reason="sessions are weighed on Linux")
def test_that_a_worker_in_a_session_of_its_own_lowers_that_too(tmp_path: Path) -> None:
    look = "from pathlib import Path; print(Path('/proc/self/autogroup').read_text())"
    fresh = subprocess.run(
        [sys.executable, "-c", look], check=False, start_new_session=True, capture_output=True
    )
    if not fresh.stdout.strip():
        pytest.skip("this kernel weighs no sessions")
    weight = Path("/proc/self/autogroup").read_text().strip()  # empty: not in a weighed session
    code = (
        "import os, sys; from pathlib import Path; from engine.train.worker import main;"
        "main([sys.argv[1]]); print(os.nice(0), Path('/proc/self/autogroup').read_text())"
    )
    before = os.nice(0)
    for is_own, wanted in ((True, "nice 5"), (False, weight)):
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)],
            start_new_session=is_own,
            capture_output=True,
            check=True,
            cwd=ROOT,
            text=True,
        )
        niceness, session = done.stdout.split(" ", 1)
        assert int(niceness) == min(before + 10, 19)
        assert session.strip().endswith(wanted)


def test_that_a_worker_that_waits_ends_with_its_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "warm_up", lambda: None)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert worker_module.main(["--standby", "--no-nice"]) == 0


def test_that_the_arguments_of_a_worker_say_what_is_asked(tmp_path: Path) -> None:
    launch = Launch(folder=str(tmp_path), resume="latest", length=4.0)
    tail = worker_arguments(launch, nice=False)[3:]
    assert tail == [str(tmp_path), "--resume", "latest", "--length", "4.0", "--no-nice"]


def test_that_a_stop_before_the_first_step_is_a_stop(tmp_path: Path) -> None:
    run = make_run(tmp_path, epochs=1000)
    run.send(Stop())
    state = train(run)
    assert (state.status, state.step) == (RunStatus.STOPPED, 0)
    assert train(run, "latest", length=1).status is RunStatus.FINISHED


def test_that_a_stop_between_a_resume_and_its_worker_counts(tmp_path: Path) -> None:
    run = make_run(tmp_path, epochs=1000)
    run.send(Stop())
    assert train(run).status is RunStatus.STOPPED
    launch = Launch(folder=str(run.path), resume="latest", commands_from=run.commands_size())
    run.send(Step(count=5))
    run.send(Stop())
    assert run_in_thread(launch).join(PATIENCE_S)
    with RunStore.open(run.path) as store:
        ends = [stored.event for stored in store.events() if isinstance(stored.event, RunEnded)]
    assert [(end.reason, end.step) for end in ends] == [("stopped", 0)] * 2


@pytest.mark.real
@pytest.mark.fault("F18")
@pytest.mark.skipif(sys.platform == "win32", reason="no process can be suspended there")
def test_that_a_suspended_trainer_shows_as_stalled_and_goes_on_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(tmp_path, epochs=100_000)
    worker = start_worker(worker_arguments(Launch(folder=str(run.path))))
    try:
        wait_until(run, lambda state: state.step > 3)
        os.kill(worker.pid, signal.SIGSTOP)
        wait_until(run, lambda _: psutil.Process(worker.pid).status() == psutil.STATUS_STOPPED)
        now = time.monotonic()
        monkeypatch.setattr(run_lock, "time", SimpleNamespace(monotonic=lambda: now))
        follower = RunFollower(run)
        assert follower.poll()[0].status is RunStatus.RUNNING
        now += 9.0
        assert follower.poll()[0].status is RunStatus.RUNNING
        now += 2.0
        stalled = follower.poll()[0]
        assert stalled.status is RunStatus.STALLED
        os.kill(worker.pid, signal.SIGCONT)
        wait_until(run, lambda _: follower.poll()[0].status is RunStatus.RUNNING)
        wait_until(run, lambda state: state.step > stalled.step)
        run.send(Stop())
        worker.wait(PATIENCE_S)
        assert follower.poll()[0].status is RunStatus.STOPPED
        follower.close()
    finally:
        if worker.poll() is None:
            worker.kill()
            worker.wait(PATIENCE_S)
