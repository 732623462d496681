"""A worker that is killed: the window says so at once and the run can be resumed."""

from pathlib import Path

import pytest

from tests.e2e.conftest import Start
from tests.e2e.work import start_known_run, step_of, wait_for_run, wait_for_steps, worker_of


@pytest.mark.window
@pytest.mark.timeout(600)
@pytest.mark.fault("F13")
def test_that_a_killed_worker_is_told_and_resumed(start: Start, project: Path):
    program = start(project)
    run = start_known_run(program, project)
    wait_for_steps(program, 500)
    program.click("train.pause")
    wait_for_run(program, "paused")  # a checkpoint is written on pausing
    saved_at = step_of(program.widget("train.place"))
    program.click("train.pause")
    wait_for_steps(program, saved_at)
    worker = worker_of(run)
    worker.kill()
    notice = program.widget("notice.text", lambda w: "run-0001" in w["text"])
    assert "ended at step" in str(notice["text"])
    program.widget("train.run", lambda w: str(w["text"]).endswith("ended unexpectedly"))
    program.click("notice.action0")
    program.wait_until_gone("notice")
    wait_for_steps(program, saved_at)
    assert worker_of(run) != worker
