"""The dialogs that search for a learning rate and a batch size; the process is played."""

import numpy as np
import pytest

from engine.diagnostics import Diagnostic
from engine.query.finder.request import (
    BatchMeasured,
    BatchTried,
    FinderDone,
    FinderFailed,
    RateFound,
    RateMeasured,
)
from engine.query.reading.request import BatchSizeFound
from engine.spec.run import Choice
from studio.train.finder.controller import BatchController, RateController
from studio.train.finder.dialog import POINTS, FinderDialog
from studio.train.finder.presenter import present_rates, rate_names, scaled_rate
from tests.studio.fake_job import FakeJobs
from tests.tiny_run import iris_spec


@pytest.fixture
def jobs(monkeypatch):
    """Return the jobs that were started; a test says what they tell."""
    jobs = FakeJobs()
    for controller in (RateController, BatchController):
        monkeypatch.setitem(controller.__init__.__kwdefaults__, "make_job", jobs)
    return jobs


def begun(opened, action: str) -> FinderDialog:
    """Return the dialog of a command, while it searches."""
    opened.bench.update_actions()
    opened.bench.actions.action(action).trigger()
    dialog = opened.window.findChild(FinderDialog)
    dialog._start.click()
    return dialog


def measured(step: int, rate: float, loss: float) -> RateMeasured:
    return RateMeasured(step=step, count=3, rate=rate, loss=loss, smoothed=loss)


def test_that_a_rate_is_found_chosen_by_a_click_and_used_as_one_step_of_undo(jobs, opened, qtbot):
    dialog = begun(opened, "action.run.find_rate")
    (job,) = jobs
    assert job.request.spec == opened.session.spec
    assert (job.request.lowest, job.request.steps) == (1e-7, 100)
    for step, loss in enumerate((2.0, 1.0, 3.0), 1):
        job.tell(measured(step, 10.0**-step, loss))
    qtbot.waitUntil(lambda: "3 of 3" in dialog._note.text().lower())
    assert not dialog._use.isEnabled()
    job.tell(RateFound(steepest=0.05, tenth=0.001))
    job.tell(FinderDone())
    qtbot.waitUntil(dialog._use.isEnabled)
    assert "0.05" in dialog._chosen.text()
    assert [button.text().partition(": ")[2] for button in dialog._choices] == ["0.05", "0.001"]
    dialog._choices[1].click()
    assert "0.001" in dialog._chosen.text()
    dialog._charts[0].point_chosen.emit(POINTS, 1)
    assert "0.01" in dialog._chosen.text()
    before = opened.session.spec
    dialog._use.click()
    assert opened.session.spec.optimizer.params["lr"] == 0.01
    opened.session.undo()
    assert opened.session.spec == before


def test_that_a_search_is_cancelled_and_what_fails_is_told(jobs, opened, qtbot):
    dialog = begun(opened, "action.run.find_rate")
    dialog._cancel.click()
    assert jobs[0].is_cancelled
    assert dialog._note.text().startswith("Canceled.")
    dialog._fields["steps"].setText("many")
    dialog._start.click()
    assert len(jobs) == 1
    assert "whole number" in dialog._note.text()
    dialog._fields["steps"].setText("50")
    dialog._start.click()
    assert jobs[1].request.steps == 50
    jobs[1].tell(FinderFailed(problems=(Diagnostic(code="R465"),)))
    qtbot.waitUntil(lambda: "ended unexpectedly" in dialog._note.text())
    assert dialog._start.isEnabled()
    assert not dialog._use.isEnabled()


def test_that_a_batch_size_is_used_with_the_rate_scaled_along(jobs, opened, qtbot):
    opened.services.editor.set("data.batch_size", "32")
    opened.services.editor.set("optimizer.lr", "0.01")
    dialog = begun(opened, "action.run.find_batch")
    (job,) = jobs
    job.tell(BatchSizeFound(chosen=32, largest=512, free_bytes=10**9, device="cpu", samples=10_000))
    job.tell(BatchTried(size=64))
    qtbot.waitUntil(lambda: "512" in dialog._note.text())
    for size, speed in ((32, 100.0), (64, 196.0), (128, 200.0)):
        job.tell(BatchMeasured(size=size, samples_per_s=speed, memory=size << 20))
    job.tell(BatchMeasured(size=256, problem=Diagnostic(code="R465")))
    job.tell(FinderDone())
    qtbot.waitUntil(dialog._start.isEnabled)
    assert "256" in dialog._note.text()
    assert [button.text().rpartition(": ")[2] for button in dialog._choices] == ["64", "128"]
    dialog._choices[1].click()
    assert not dialog._along.isHidden()
    dialog._along.click()
    dialog._use.click()
    spec = opened.session.spec
    assert (spec.data.batch_size, spec.optimizer.params["lr"]) == (128, 0.04)
    opened.session.undo()
    spec = opened.session.spec
    assert (spec.data.batch_size, spec.optimizer.params["lr"]) == (32, 0.01)


def test_that_a_schedule_with_a_highest_rate_gets_it_too():
    cycle = Choice(type="OneCycleLR", params={"max_lr": 0.5})
    assert rate_names(iris_spec(scheduler=cycle)) == ("optimizer.lr", "scheduler.max_lr")
    assert rate_names(iris_spec()) == ("optimizer.lr",)


def test_that_the_rate_grows_with_the_batch():
    spec = iris_spec(optimizer=Choice(type="SGD", params={"lr": 0.1}))
    assert scaled_rate(spec, 4 * spec.data.batch_size) == pytest.approx(0.4)


def test_that_single_high_losses_do_not_flatten_the_curve():
    losses = [measured(1, 0.1, 2.0), measured(2, 0.2, 1.0)]
    wild = RateMeasured(step=3, count=3, rate=0.3, loss=1e6, smoothed=1.5)
    (chart,) = present_rates([*losses, wild], None, None).charts
    raw = next(line for line in chart.lines if line.name == "raw")
    assert np.nanmax(raw.y) == 2.0
