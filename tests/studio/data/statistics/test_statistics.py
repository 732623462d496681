"""Statistics of each part and the vocabulary, on their page; process and host are played."""

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QAction

from engine.diagnostics import Diagnostic
from engine.query.data.request import ListVocabulary
from engine.query.reading.request import PartsMeasured, ReadingDone, ReadingFailed, ReadingProgress
from engine.spec.data import DataColumn, DataInfo, FieldInfo, LeftOut, SplitInfo
from engine.spec.statistics import FieldStatistics, MissingValues, PartStatistics
from engine.spec.vocabulary import CountedToken, PartTokens, VocabularyReport
from studio.data.statistics.controller import StatisticsController, is_quickly_read
from studio.data.statistics.page import COLUMNS, VOCABULARY, StatisticsPage
from studio.data.statistics.presenter import (
    StatisticsState,
    present_statistics,
    present_vocabulary,
)
from studio.data.statistics.vocabulary import VocabularyController
from studio.run_control.controller import RunController
from tests.studio.fake_job import FakeJobs

INFO = DataInfo(
    source="table",
    samples=30,
    task="classification",
    fields=(
        FieldInfo(
            name="features", role="input", kind="vector", shape=(2,), dtype="float32",
            columns=("size", "age"),
        ),
        FieldInfo(
            name="label", role="target", kind="class", shape=(), dtype="int64",
            classes=("cat", "dog"),
        ),
    ),
    splits=(
        SplitInfo(name="train", samples=20, class_counts=(15, 5)),
        SplitInfo(name="test", samples=10, class_counts=(4, 6)),
    ),
    left_out=(LeftOut(reason="missing", count=7), LeftOut(reason="excluded", count=2)),
)  # fmt: skip


TEXT = FieldInfo(
    name="text", role="input", kind="sequence", shape=(8,), dtype="int64", words=("the", "cat")
)
READ = replace(INFO, fields=(TEXT, INFO.fields[1]))


def part(name, samples, means, missing):
    measured = FieldStatistics(
        name="features", mean=means, std=(1.0, 2.0), low=(0.0, 0.0), high=(9.0, 9.0),
        samples=samples, total=samples,
    )  # fmt: skip
    lacking = (
        MissingValues(column="age", missing=missing, rows=samples),
        MissingValues(column="note", missing=1, rows=samples),
    )
    return PartStatistics(part=name, samples=samples, fields=(measured,), missing=lacking)


PARTS = (part("train", 20, (5.0, 6.0), 3), part("test", 10, (7.0, 8.0), 4))
REPORT = VocabularyReport(
    fields=("text",),
    field="text",
    size=3,
    found=3,
    tokens=(CountedToken(token="the", number=2, count=40),),
    parts=(PartTokens(part="train", tokens=100, unknown=5, samples=9, read=9),),
)


def cells(view, name, part):
    return next(row.cells for row in view.table.rows if row.cells[:2] == (name, part))


def test_that_each_column_and_class_has_a_row_for_each_part():
    view = present_statistics(StatisticsState(info=INFO, parts=PARTS), "en")
    assert cells(view, "size", "Training")[2:7] == (5.0, 1.0, 0.0, 9.0, None)
    assert cells(view, "age", "Test")[2:8] == (8.0, 2.0, 0.0, 9.0, 4, 10)
    assert cells(view, "note", "Test")[2:8] == (None, None, None, None, 1, 10)
    assert cells(view, "class dog", "Test")[7:] == (6, 0.6)
    assert len({row.id for row in view.table.rows}) == len(view.table.rows)
    assert "not used: 7 with missing values, 2 excluded" in view.summary


def test_that_the_ends_of_dates_are_dates():
    dated = replace(INFO, file_columns=(DataColumn(name="age", kind="date"),))
    measured = FieldStatistics(
        name="features", mean=(5.0, 19_785.5), std=(1.0, 412.25), low=(0.0, -1.0),
        high=(9.0, 19_800.75), samples=20, total=20,
    )  # fmt: skip
    parts = (replace(PARTS[0], fields=(measured,)),)
    view = present_statistics(StatisticsState(info=dated, parts=parts), "en")
    assert cells(view, "age", "Training")[2:6] == (
        "2024-03-03",
        "412.2 d",
        "1969-12-31",
        "2024-03-18",
    )
    assert cells(view, "size", "Training")[2:6] == (5.0, 1.0, 0.0, 9.0)


def test_that_a_wide_field_has_a_row_for_each_entry_and_a_name_for_all():
    wide = replace(PARTS[0].fields[0], name="image", mean=(1.0,) * 3, std=(1.0,) * 3,
                   low=(0.0,) * 3, high=(1.0,) * 3)  # fmt: skip
    parts = (replace(PARTS[0], fields=(wide,), missing=()),)
    view = present_statistics(StatisticsState(info=INFO, parts=parts), "en")
    assert [row.cells[0] for row in view.table.rows][:3] == ["image [0]", "image [1]", "image [2]"]


def test_that_unknown_tokens_are_told_for_each_part_and_data_without_texts_says_so():
    view = present_vocabulary(REPORT, None, "en")
    assert view.unknown == "Training: 5 of 100 tokens unknown (5.0%)"
    assert [row.cells for row in view.table.rows] == [(2, "the", 40)]
    assert present_vocabulary(VocabularyReport(), None, "en").table.empty_text


@pytest.fixture
def jobs(monkeypatch):
    jobs = FakeJobs()
    monkeypatch.setitem(StatisticsController.__init__.__kwdefaults__, "make_job", jobs)
    return jobs


def many(info):
    """Return the description of so many samples that they are not read unasked."""
    return replace(info, splits=(SplitInfo(name="train", samples=10_000_000),))


@pytest.fixture
def page(jobs, opened, qtbot) -> StatisticsPage:
    opened.session.find(data=many(INFO))
    opened.window.show_page("data", "statistics")
    qtbot.waitUntil(lambda: opened.window.findChild(StatisticsPage) is not None)
    page = opened.window.findChild(StatisticsPage)
    qtbot.waitUntil(page.isVisible)
    return page


@pytest.mark.parametrize(
    ("samples", "kind", "shape", "is_quick"),
    [
        (300, "sequence", (40,), True),
        (10_000_000, "sequence", (40,), False),
        (300, "image", (3, 64, 64), True),
        (15_000, "image", (3, 16, 16), False),
        (1_000, "image", (3, -1, -1), False),
        (300, "video", (3, 16, 224, 224), False),
        (15_000, "vector", (20,), True),
    ],
)
def test_that_few_and_small_samples_are_quickly_read(samples, kind, shape, is_quick):
    field = FieldInfo(name="x", role="input", kind=kind, shape=shape, dtype="float32")
    parts = (SplitInfo(name="train", samples=samples),)
    info = replace(INFO, samples=samples, fields=(field,), splits=parts)
    assert is_quickly_read(info) == is_quick


def test_that_few_samples_are_measured_by_themselves_and_not_again_once_stopped(
    page, jobs, opened, qtbot
):
    opened.session.find(data=INFO)
    qtbot.waitUntil(lambda: len(jobs) == 1)
    jobs[-1].tell(ReadingProgress(done=3, count=30))
    qtbot.waitUntil(page.progress.isVisible)
    page.progress.cancel.click()
    assert jobs[-1].is_cancelled
    opened.session.find(data=replace(INFO, task="regression"))
    qtbot.waitUntil(page.measure.isVisible)
    assert len(jobs) == 1


def test_that_few_samples_are_measured_only_after_the_run_that_goes_on(
    page, jobs, opened, qtbot, monkeypatch
):
    with monkeypatch.context() as going_on:
        going_on.setattr(RunController, "is_running", property(lambda self: True))
        opened.session.find(data=INFO)
        qtbot.waitUntil(page.measure.isEnabled)
        assert not jobs
    opened.session.run_changed.emit()
    qtbot.waitUntil(lambda: len(jobs) == 1)


def test_that_many_are_measured_when_the_user_says_so_and_can_be_stopped(page, jobs, opened, qtbot):
    opened.session.find(data=many(INFO))
    qtbot.waitUntil(page.measure.isEnabled)
    assert not jobs
    page.measure.click()
    job = jobs[-1]
    job.tell(ReadingProgress(done=3, count=30))
    qtbot.waitUntil(page.progress.isVisible)
    page.progress.cancel.click()
    assert job.is_cancelled
    qtbot.waitUntil(page.measure.isVisible)
    page.measure.click()
    job = jobs[-1]
    job.tell(PartsMeasured(parts=PARTS))
    job.tell(ReadingDone())
    qtbot.waitUntil(lambda: page.columns.model.rowCount() > 0)
    page.measure.click()
    assert jobs[-1] is not job
    jobs[-1].tell(ReadingFailed(problems=(Diagnostic(code="D190"),)))
    qtbot.waitUntil(page.measure.isVisible)
    assert page.columns.model.rowCount() > 0  # what was measured of the same data stays


def test_that_only_data_with_a_vocabulary_offer_it(page, opened, qtbot):
    command = opened.window.findChild(QAction, "action.data.vocabulary")
    assert not page.tabs.isVisible()
    assert not command.isEnabled()
    opened.session.find(data=many(READ))
    qtbot.waitUntil(page.tabs.isVisible)
    qtbot.waitUntil(command.isEnabled)
    page.show_tab(VOCABULARY)
    opened.session.find(data=many(INFO))
    qtbot.waitUntil(page.tabs.isHidden)
    assert page.tab == COLUMNS


def test_that_the_vocabulary_is_looked_through(page, opened, host, qtbot):
    opened.session.find(data=many(READ))
    asked = []

    def answer(request):
        asked.append(request)
        return REPORT

    host.own[ListVocabulary] = answer
    assert not asked
    opened.context[VocabularyController].show()
    qtbot.waitUntil(lambda: page.tokens.model.rowCount() == 1)
    assert page.search.hasFocus()
    qtbot.keyClicks(page.search, "th")
    qtbot.waitUntil(lambda: asked[-1].text == "th")


def test_that_the_columns_of_a_series_are_called_by_their_names():
    named = replace(PARTS[0].fields[0], name="series", columns=("temp", "rain"))
    parts = (replace(PARTS[0], fields=(named,), missing=()),)
    view = present_statistics(StatisticsState(info=INFO, parts=parts), "en")
    assert cells(view, "rain", "Training")[2] == 6.0
