"""The dialog that suggests a number of workers; the process is played."""

import pytest

from engine.diagnostics import Diagnostic, sentence
from engine.query.reading.request import (
    BatchSizeFound,
    LoadingMeasured,
    PinningMeasured,
    ReadingDone,
    ReadingFailed,
    ReadingProgress,
)
from engine.query.reading.suggestion import suggested_workers
from studio.data.loading.controller import LoadingController
from studio.data.loading.dialog import LoadingDialog
from tests.named_parts import part
from tests.studio.fake_job import FakeJobs

pytestmark = pytest.mark.row("S291")


@pytest.fixture
def jobs(monkeypatch):
    """Return the jobs that were started; a test says what they tell."""
    jobs = FakeJobs()
    monkeypatch.setitem(LoadingController.__init__.__kwdefaults__, "make_job", jobs)
    return jobs


@pytest.fixture
def dialog(jobs, opened):
    """Return the dialog, opened by the button beside the setting, while it measures."""
    opened.window.show_workspace("data")
    opened.window.page("data").form.browse_requested.emit("data.loader.num_workers")
    dialog = opened.window.findChild(LoadingDialog)
    part(dialog, "dialog.loading.start").click()
    return dialog


def measured(workers: int, rate: float) -> LoadingMeasured:
    return LoadingMeasured(workers=workers, batches_per_s=rate, first_s=0.5)


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        ({0: 10, 1: 12, 2: 24, 4: 25}, 2),
        ({0: 500, 1: 300, 2: 280}, 0),
        ({0: 10, 1: 20, 2: 40, 4: 80}, 4),
    ],
)
def test_that_the_fewest_workers_that_are_nearly_the_fastest_are_suggested(rates, expected):
    assert suggested_workers(measured(*each) for each in rates.items()) == expected
    assert suggested_workers(()) is None


def test_that_the_suggested_number_is_applied_as_one_step_of_undo(jobs, dialog, opened, qtbot):
    (job,) = jobs
    assert job.request.data == opened.session.spec.data
    job.tell(ReadingProgress(done=1, count=2, workers=1))
    qtbot.waitUntil(
        lambda: part(dialog, "dialog.loading.note").text() == "Reading batches with 1 worker…"
    )
    job.tell(measured(0, 10.0))
    job.tell(measured(2, 30.0))
    job.tell(ReadingDone())
    qtbot.waitUntil(part(dialog, "dialog.loading.apply").isEnabled)
    assert part(dialog, "dialog.loading.note").text().startswith("2 workers read nearly as fast")
    assert [part(dialog, "dialog.loading.rows").topLevelItem(at).text(4) for at in (0, 1)] == [
        "chosen now",
        "suggested",
    ]
    part(dialog, "dialog.loading.apply").click()
    assert opened.session.spec.data.loader.num_workers == 2
    assert opened.session.undo_label == "Set number of workers"


def test_that_a_number_that_fails_is_told_and_cannot_be_chosen(jobs, dialog, qtbot):
    problem = Diagnostic(code="D052", params={"file": "cat/1.png"})
    jobs[0].tell(LoadingMeasured(workers=4, problem=problem))
    jobs[0].tell(ReadingDone())
    told = f"No batch could be read. {sentence(problem)}"
    qtbot.waitUntil(lambda: part(dialog, "dialog.loading.note").text() == told)
    part(dialog, "dialog.loading.rows").setCurrentItem(
        part(dialog, "dialog.loading.rows").topLevelItem(0)
    )
    assert not part(dialog, "dialog.loading.apply").isEnabled()


def test_that_measuring_is_cancelled_and_what_fails_is_told(jobs, dialog, qtbot):
    part(dialog, "dialog.loading.cancel").click()
    assert jobs[0].is_cancelled
    assert part(dialog, "dialog.loading.note").text().startswith("Canceled.")
    part(dialog, "dialog.loading.start").click()
    problem = Diagnostic(code="D190")
    jobs[1].tell(ReadingFailed(problems=(problem,)))
    qtbot.waitUntil(
        lambda: part(dialog, "dialog.loading.note").text().startswith("Measuring the data stopped")
    )
    assert part(dialog, "dialog.loading.start").isEnabled()


def found(**changes) -> BatchSizeFound:
    values = {
        "chosen": 32, "chosen_bytes": 2_000_000, "largest": 1024, "largest_bytes": 60_000_000,
        "free_bytes": 80_000_000, "device": "cpu", "samples": 100_000,
    }  # fmt: skip
    return BatchSizeFound(**values | changes)


def test_that_the_largest_batch_that_fits_is_offered_and_applied_with_the_workers(
    jobs, dialog, opened, qtbot
):
    assert jobs[0].request.graph == opened.session.graph
    jobs[0].tell(measured(2, 30.0))
    jobs[0].tell(found())
    jobs[0].tell(ReadingDone())
    qtbot.waitUntil(part(dialog, "dialog.loading.apply").isEnabled)
    assert "1,024" in part(dialog, "dialog.loading.memory").text()
    assert not part(
        dialog, "dialog.loading.batch"
    ).isChecked()  # a larger batch changes the training: the user decides
    part(dialog, "dialog.loading.batch").click()
    part(dialog, "dialog.loading.apply").click()
    data = opened.session.spec.data
    assert (data.loader.num_workers, data.batch_size) == (2, 1024)
    opened.session.undo()
    assert opened.session.spec.data.batch_size != 1024
    assert opened.session.spec.data.loader.num_workers != 2


def test_that_a_batch_that_does_not_fit_is_to_be_replaced(jobs, dialog, qtbot):
    jobs[0].tell(found(chosen=4096))
    qtbot.waitUntil(part(dialog, "dialog.loading.batch").isChecked)


def test_that_no_larger_batch_is_offered_than_there_are_samples(jobs, dialog, qtbot):
    jobs[0].tell(found(samples=1500))
    qtbot.waitUntil(
        lambda: "1,500 training samples" in part(dialog, "dialog.loading.memory").text()
    )
    assert not part(dialog, "dialog.loading.batch").isVisible()


def test_that_it_is_told_why_the_memory_is_not_known(jobs, dialog, qtbot):
    jobs[0].tell(found(problem=Diagnostic(code="U027")))
    qtbot.waitUntil(part(dialog, "dialog.loading.memory").isVisible)
    assert not part(dialog, "dialog.loading.batch").isVisible()


def test_that_pinned_memory_is_offered_where_it_is_faster(jobs, dialog, opened, qtbot):
    jobs[0].tell(measured(2, 30.0))
    jobs[0].tell(PinningMeasured(device="cuda:0", pageable_per_s=20.0, pinned_per_s=31.5))
    jobs[0].tell(ReadingDone())
    qtbot.waitUntil(part(dialog, "dialog.loading.apply").isEnabled)
    assert "20.0" in part(dialog, "dialog.loading.pinning").text()
    assert "31.5" in part(dialog, "dialog.loading.pinning").text()
    assert part(dialog, "dialog.loading.pin").isChecked()
    part(dialog, "dialog.loading.apply").click()
    spec = opened.session.spec
    assert (spec.compute.pin_memory, spec.data.loader.num_workers) == (True, 2)
    opened.session.undo()
    assert not opened.session.spec.compute.pin_memory


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (PinningMeasured(), "not tried"),
        (PinningMeasured(device="cuda:0", pageable_per_s=20.0, pinned_per_s=20.2), "20.2"),
        (PinningMeasured(problem=Diagnostic(code="D190")), "Measuring the data stopped"),
    ],
)
def test_that_pinned_memory_that_does_not_help_is_told_and_not_offered(
    found, words, jobs, dialog, qtbot
):
    jobs[0].tell(measured(0, 30.0))
    jobs[0].tell(found)
    jobs[0].tell(ReadingDone())
    qtbot.waitUntil(part(dialog, "dialog.loading.apply").isEnabled)
    assert words in part(dialog, "dialog.loading.pinning").text()
    assert not part(dialog, "dialog.loading.pin").isVisibleTo(dialog)
    assert not part(dialog, "dialog.loading.pin").isChecked()
