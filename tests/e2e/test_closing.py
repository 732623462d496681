"""Closing the window while a run goes: keep it running, stop it, or stay."""

import signal
from pathlib import Path

import pytest

from engine.project import Project
from engine.runs.follow import read_state
from engine.runs.record.state import RunStatus
from tests.e2e.conftest import Start
from tests.e2e.screen import Program, wait_until
from tests.e2e.work import (
    family_of,
    living,
    start_known_run,
    step_of,
    wait_for_run,
    wait_for_steps,
    worker_of,
)

pytestmark = [pytest.mark.window, pytest.mark.timeout(600)]


@pytest.mark.fault("F16")
@pytest.mark.row("N28")
def test_that_a_run_goes_on_where_one_stays_or_keeps_it_and_ends_where_it_is_stopped(
    start: Start, project: Path
):
    program = start(project)
    run = start_known_run(program, project)
    stay(program)
    worker, family = worker_of(run), family_of(program)
    program.key("ctrl+q")
    program.click("question.running.keep")
    assert program.end() == 0
    wait_until(lambda: living(family) <= {worker}, "the end of all but the worker")
    before = read_state(run).step
    wait_until(lambda: read_state(run).step > before, "the next steps without a window")
    program = start(project)
    program.click("workspace.train")
    seen = wait_for_steps(program)
    assert seen >= before
    wait_for_steps(program, seen)
    assert worker_of(run) == worker
    program.click("train.stop")
    wait_for_run(program, "stopped")
    wait_until(lambda: not living({worker}), "the end of the worker")
    run = start_known_run(program, project)
    worker, family = worker_of(run), family_of(program)
    program.key("ctrl+q")
    program.click("question.running.stop")
    assert program.end() == 0
    wait_until(lambda: not living(family | {worker}), "the end of all processes")
    state = read_state(run)
    assert state.status is RunStatus.STOPPED
    assert state.last is not None
    assert state.last.step == state.step


def stay(program: Program) -> None:
    """Ask to close the window and stay: the run goes on."""
    program.key("ctrl+q")
    program.click("question.running.cancel")
    program.wait_until_gone("question.running")
    seen = step_of(program.widget("train.place"))
    wait_for_steps(program, seen)


@pytest.mark.fault("F17")
def test_that_sigterm_keeps_unsaved_work_and_leaves_only_the_run(start: Start, project: Path):
    program = start(project)
    run = start_known_run(program, project)
    worker = worker_of(run)
    program.scroll_to("field.seed", "train.form")
    program.replace_text("field.seed", "77")
    program.widget("mainWindow", lambda w: str(w["text"]).startswith("*"))
    family = family_of(program)
    program.terminate()
    assert program.end() == 128 + signal.SIGTERM
    wait_until(lambda: living(family) <= {worker}, "the end of all but the worker")
    (recovery,) = Project.open(project).recoveries()
    assert recovery.spec.seed == 77
    program = start(project)
    program.click("notice.action0")
    program.widget("mainWindow", lambda w: str(w["text"]).startswith("*"))
    program.click("workspace.train")
    wait_for_steps(program)
    program.scroll_to("field.seed", "train.form")
    program.widget("field.seed", lambda w: w["text"] == "77")
