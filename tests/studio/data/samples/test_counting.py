"""Pixels of each class below the samples, counted on demand; the process is played."""

import pytest
from msgspec.structs import replace

from engine.diagnostics import Diagnostic
from engine.query.reading.request import (
    CountPixels,
    PixelsCounted,
    ReadingDone,
    ReadingFailed,
    ReadingProgress,
)
from engine.spec.data import DataInfo, FieldInfo, SplitInfo
from engine.spec.statistics import PixelCounts
from studio.data.samples.counting import CountingState, PixelCounting, present_counting
from studio.data.samples.page import SamplesPage
from tests.studio.fake_job import FakeJobs

MASKED = DataInfo(
    source="segmentation_folder",
    samples=9,
    task="classification",
    fields=(
        FieldInfo(name="image", role="input", kind="image", shape=(3, 8, 8), dtype="float32"),
        FieldInfo(
            name="mask",
            role="target",
            kind="mask",
            shape=(8, 8),
            dtype="int64",
            classes=("ground", "house"),
        ),
    ),
    splits=(SplitInfo(name="train", samples=9),),
)
COUNTED = PixelsCounted(parts=(PixelCounts(part="train", classes=(300, 100)),))


@pytest.fixture
def jobs(monkeypatch):
    jobs = FakeJobs()
    monkeypatch.setitem(PixelCounting.__init__.__kwdefaults__, "make_job", jobs)
    return jobs


@pytest.fixture
def balance(jobs, opened, qtbot):
    """Return the chart of the classes, while masks are predicted."""
    opened.window.show_workspace("data")
    qtbot.waitUntil(lambda: opened.window.findChild(SamplesPage) is not None)
    page = opened.window.findChild(SamplesPage)
    qtbot.waitUntil(page.isVisible)
    show(opened, MASKED)
    qtbot.waitUntil(page.balance.count.isVisible)
    return page.balance


def show(opened, info):
    opened.session.find(data=info)


def test_that_pixels_are_counted_with_progress_and_shown(balance, jobs, qtbot):
    balance.count.click()
    (job,) = jobs
    assert isinstance(job.request, CountPixels)
    job.tell(ReadingProgress(done=3, count=9))
    qtbot.waitUntil(lambda: balance.progress.bar.value() == 333)
    assert not balance.count.isVisible()
    job.tell(COUNTED)
    job.tell(ReadingDone())
    qtbot.waitUntil(lambda: "house" in balance.chart.accessibleDescription())
    assert "25" in balance.chart.accessibleDescription()
    assert not balance.count.isVisible()
    assert not balance.progress.isVisible()


def test_that_counting_can_be_given_up_and_begun_again(balance, jobs, qtbot):
    balance.count.click()
    balance.progress.cancel.click()
    assert jobs[0].is_cancelled
    assert balance.count.isVisible()
    balance.count.click()
    assert len(jobs) == 2


def test_that_other_data_is_not_shown_with_these_pixels(balance, jobs, opened, qtbot):
    balance.count.click()
    jobs[0].tell(COUNTED)
    jobs[0].tell(ReadingDone())
    qtbot.waitUntil(lambda: "house" in balance.chart.accessibleDescription())
    session = opened.session
    split = replace(session.spec.data.split, seed=99)
    data = replace(session.spec.data, split=split)
    session.change(session.graph, replace(session.spec, data=data), "Other split")
    qtbot.waitUntil(balance.count.isVisible)
    assert "house" not in balance.chart.accessibleDescription()


def test_that_the_command_counts_where_masks_are_predicted_alone(balance, jobs, opened):
    actions = opened.bench.actions
    actions.trigger("action.data.count_pixels")
    assert len(jobs) == 1
    show(opened, None)
    actions.update()
    assert not actions.action("action.data.count_pixels").isEnabled()


def test_that_it_is_said_why_pixels_cannot_be_counted(balance, jobs, qtbot, monkeypatch):
    shown = []
    monkeypatch.setattr(balance.chart, "set_view", shown.append)
    balance.count.click()
    problem = Diagnostic.of("D052", file="/m/3.png", detail="")
    jobs[0].tell(ReadingFailed(problems=(problem,)))
    qtbot.waitUntil(balance.count.isVisible)
    assert "3.png" in shown[-1].empty_text


def test_that_parts_of_a_run_of_other_classes_are_not_counted():
    counted = SplitInfo(name="train", samples=9, class_counts=(3, 4, 2))
    flowers = DataInfo(
        source="table",
        samples=9,
        task="classification",
        fields=(
            FieldInfo(
                name="label",
                role="target",
                kind="class",
                shape=(),
                dtype="int64",
                classes=("rose", "lily"),
            ),
        ),
        splits=(SplitInfo(name="train", samples=9, class_counts=(5, 4)),),
    )
    state = CountingState(info=flowers, run_parts=(counted,))
    bars = present_counting(state, "en").bars
    assert bars == present_counting(CountingState(info=flowers), "en").bars
    assert len(bars.labels) == len(flowers.fields[0].classes)
    of_run = replace(counted, class_counts=(1, 8))
    shown = present_counting(CountingState(info=flowers, run_parts=(of_run,)), "en").bars
    assert shown != bars
