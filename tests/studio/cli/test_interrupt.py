import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from engine import runtime
from engine.runs.folder import runs_of
from engine.runs.follow import read_state
from engine.runs.record.state import RunStatus
from studio.cli.progress import duration, line
from tests.tiny_run import PATIENCE_S

ROOT = Path(__file__).parents[3]
OPTIONS = ("--epochs", "1000000", "--json", "--set", "threads=1")


@pytest.mark.real
@pytest.mark.fault("F17")
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_that_an_interrupt_stops_the_run_of_another_process_and_keeps_everything(project):
    with subprocess.Popen(
        (sys.executable, "main.py", "train", str(project), *OPTIONS, "--mode", "process"),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        wait_until_running(project)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert_everything_is_kept(project, out, err)


@pytest.mark.fault("F17")
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_that_an_end_that_is_asked_for_stops_a_run_on_a_thread_and_keeps_everything(project, run):
    def ask() -> None:
        wait_until_running(project)
        os.kill(os.getpid(), signal.SIGTERM)

    asking = threading.Thread(target=ask)
    asking.start()
    done = run("train", project, *OPTIONS, "--mode", "thread")
    asking.join()
    assert done.code == 0
    assert_everything_is_kept(project, done.out, done.err)


def assert_everything_is_kept(project: Path, out: str, err: str) -> None:
    document = json.loads(out)
    assert document["state"] == "stopped"
    assert document["steps"] > 0
    assert err == "trellis: stopping; everything is kept\n"
    run = runs_of(project)[0]
    assert not run.is_alive()
    assert list(run.checkpoints.glob("*.ckpt"))


@pytest.mark.fault("F17")
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_that_an_interrupt_while_the_run_is_started_is_not_lost(project, monkeypatch, run):
    begin = runtime.start_run

    def start_and_interrupt(*args, **options):
        handle = begin(*args, **options)
        os.kill(os.getpid(), signal.SIGTERM)
        return handle

    monkeypatch.setattr(runtime, "start_run", start_and_interrupt)
    done = run("train", project, *OPTIONS, "--mode", "thread")
    assert done.code == 0
    assert json.loads(done.out)["state"] == "stopped"
    assert not runs_of(project)[0].is_alive()


def wait_until_running(project: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        runs = runs_of(project)
        if runs and read_state(runs[0]).step > 0:
            return
        time.sleep(0.05)
    pytest.fail("the run does not begin")


def test_that_times_and_lines_are_for_people():
    from engine.runs.record.state import RunState

    assert [duration(s) for s in (0.4, 59.6, 185, 7800)] == [
        "0 s",
        "1 min 0 s",
        "3 min 5 s",
        "2 h 10 min",
    ]
    assert line(RunState()) == "starting"
    state = RunState(
        status=RunStatus.RUNNING,
        epoch=1,
        epochs=3,
        step=15,
        steps_per_epoch=10,
        metrics={"train.loss": 0.123456},
        samples_per_s=12345.6,
        eta_s=61.0,
    )
    assert line(state) == (
        "epoch 1/3  step 15/30  train.loss 0.1235  12,346 samples/s  1 min 1 s left"
    )
