"""The dialogs that search for a learning rate and a batch size; the process is played."""

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QRegularExpression
from PySide6.QtWidgets import QPushButton

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
from engine.spec.run import Choice, PhaseSpec
from studio.train.finder.controller import BatchController, RateController
from studio.train.finder.dialog import POINTS, FinderDialog
from studio.train.finder.presenter import present_rates, rate_names, scaled_rates
from tests.named_parts import part
from tests.studio.fake_job import FakeJobs
from tests.tiny_gan import gan_spec
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
    named(dialog, "start").click()
    return dialog


def named(dialog: FinderDialog, name: str):
    """Return a part of a dialog by its name there."""
    return part(dialog, f"{dialog.objectName()}.{name}")


def choices(dialog: FinderDialog) -> list[str]:
    """Return what the suggestions say, from left to right."""
    buttons = dialog.findChildren(QPushButton, QRegularExpression("choice"))
    return [button.text() for button in sorted(buttons, key=QPushButton.x) if button.isVisible()]


def measured(step: int, rate: float, loss: float) -> RateMeasured:
    return RateMeasured(step=step, count=3, rate=rate, loss=loss, smoothed=loss)


@pytest.mark.row("P22")
def test_that_a_rate_is_found_chosen_by_a_click_and_used_as_one_step_of_undo(jobs, opened, qtbot):
    dialog = begun(opened, "action.run.find_rate")
    (job,) = jobs
    assert job.request.spec == opened.session.spec
    assert (job.request.lowest, job.request.steps) == (1e-7, 100)
    for step, loss in enumerate((2.0, 1.0, 3.0), 1):
        job.tell(measured(step, 10.0**-step, loss))
    qtbot.waitUntil(lambda: "3 of 3" in named(dialog, "note").text().lower())
    assert not named(dialog, "use").isEnabled()
    job.tell(RateFound(steepest=0.05, tenth=0.001))
    job.tell(FinderDone())
    qtbot.waitUntil(named(dialog, "use").isEnabled)
    assert "0.05" in named(dialog, "chosen").text()
    assert [text.partition(": ")[2] for text in choices(dialog)] == ["0.05", "0.001"]
    named(dialog, "choice1").click()
    assert "0.001" in named(dialog, "chosen").text()
    named(dialog, "chart0").point_chosen.emit(POINTS, 1)
    assert "0.01" in named(dialog, "chosen").text()
    before = opened.session.spec
    named(dialog, "use").click()
    assert opened.session.spec.optimizer.params["lr"] == 0.01
    opened.session.undo()
    assert opened.session.spec == before


def test_that_a_search_is_cancelled_and_what_fails_is_told(jobs, opened, qtbot):
    dialog = begun(opened, "action.run.find_rate")
    named(dialog, "cancel").click()
    assert jobs[0].is_cancelled
    assert named(dialog, "note").text().startswith("Canceled.")
    named(dialog, "steps").setText("many")
    named(dialog, "start").click()
    assert len(jobs) == 1
    assert "whole number" in named(dialog, "note").text()
    named(dialog, "steps").setText("50")
    named(dialog, "start").click()
    assert jobs[1].request.steps == 50
    jobs[1].tell(FinderFailed(problems=(Diagnostic(code="R465"),)))
    qtbot.waitUntil(lambda: "ended unexpectedly" in named(dialog, "note").text())
    assert named(dialog, "start").isEnabled()
    assert not named(dialog, "use").isEnabled()


def test_that_a_batch_size_is_used_with_the_rate_scaled_along(jobs, opened, qtbot):
    opened.services.editor.set("data.batch_size", "32")
    opened.services.editor.set("optimizer.lr", "0.01")
    dialog = begun(opened, "action.run.find_batch")
    (job,) = jobs
    job.tell(BatchSizeFound(chosen=32, largest=512, free_bytes=10**9, device="cpu", samples=10_000))
    job.tell(BatchTried(size=64))
    qtbot.waitUntil(lambda: "512" in named(dialog, "note").text())
    for size, speed in ((32, 100.0), (64, 196.0), (128, 200.0)):
        job.tell(BatchMeasured(size=size, samples_per_s=speed, memory=size << 20))
    job.tell(BatchMeasured(size=256, problem=Diagnostic(code="R465")))
    job.tell(FinderDone())
    qtbot.waitUntil(named(dialog, "start").isEnabled)
    assert "256" in named(dialog, "note").text()
    assert [text.rpartition(": ")[2] for text in choices(dialog)] == ["64", "128"]
    named(dialog, "choice1").click()
    assert not named(dialog, "along").isHidden()
    named(dialog, "along").click()
    named(dialog, "use").click()
    spec = opened.session.spec
    assert (spec.data.batch_size, spec.optimizer.params["lr"]) == (128, 0.04)
    opened.session.undo()
    spec = opened.session.spec
    assert (spec.data.batch_size, spec.optimizer.params["lr"]) == (32, 0.01)


def test_that_a_schedule_with_a_highest_rate_gets_it_too():
    cycle = Choice(type="OneCycleLR", params={"max_lr": 0.5})
    assert rate_names(iris_spec(scheduler=cycle)) == ("optimizer.lr", "scheduler.max_lr")
    assert rate_names(iris_spec()) == ("optimizer.lr",)
    phase = PhaseSpec(match="head", scheduler=cycle)
    names = ("phases.0.optimizer.lr", "phases.0.scheduler.max_lr")
    assert rate_names(iris_spec(phases=(phase,)), 1) == names


def test_that_the_rate_of_a_chosen_phase_is_searched_and_used(jobs, opened, qtbot):
    session = opened.session
    phase = PhaseSpec(name="rest", match="hidden1", optimizer=Choice(type="AdamW"))
    session.change(session.graph, replace(session.spec, phases=(phase,)), "add a phase")
    opened.bench.update_actions()
    opened.bench.actions.action("action.run.find_rate").trigger()
    dialog = opened.window.findChild(FinderDialog)
    chooser = named(dialog, "phase")
    assert [chooser.itemText(index) for index in range(chooser.count())] == ["Phase 1", "rest"]
    chooser.setCurrentIndex(1)
    named(dialog, "start").click()
    (job,) = jobs
    assert job.request.phase == 1
    assert not chooser.isEnabled()
    job.tell(measured(1, 0.1, 2.0))
    job.tell(RateFound(steepest=0.05, tenth=0.001))
    job.tell(FinderDone())
    qtbot.waitUntil(named(dialog, "use").isEnabled)
    before = session.spec.optimizer
    named(dialog, "use").click()
    assert session.spec.phases[0].optimizer.params == {"lr": 0.05}
    assert session.spec.optimizer == before


def test_that_the_rate_grows_with_the_batch():
    spec = iris_spec(optimizer=Choice(type="SGD", params={"lr": 0.1}))
    assert scaled_rates(spec, 4 * spec.data.batch_size) == {"optimizer.lr": pytest.approx(0.4)}
    rates = scaled_rates(gan_spec(), 4 * gan_spec().data.batch_size)
    assert rates == {"optimizer.lr": 0.04, "phases.0.optimizer.lr": 0.08}
    assert scaled_rates(iris_spec(optimizer=Choice(type="Adafactor")), 8).keys() <= {"optimizer.lr"}


def test_that_single_high_losses_do_not_flatten_the_curve():
    losses = [measured(1, 0.1, 2.0), measured(2, 0.2, 1.0)]
    wild = RateMeasured(step=3, count=3, rate=0.3, loss=1e6, smoothed=1.5)
    (chart,) = present_rates([*losses, wild], None, None).charts
    raw = next(line for line in chart.lines if line.name == "raw")
    assert np.nanmax(raw.y) == 2.0
