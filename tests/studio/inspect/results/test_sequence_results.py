"""Results of a model that gives each position of a text a token."""

from math import nan

import pytest

from engine.query.results.request import (
    Examine,
    ExamineStep,
    PredictSequences,
    ResultReport,
    SequenceSample,
    SequenceSamples,
)
from engine.spec.data import FieldInfo
from studio.inspect.results.page import ResultsPage
from studio.inspect.results.presenter import Chart, as_csv
from studio.inspect.results.sequences import present_sequences
from tests.studio.inspect.results.test_results import begin, front
from widgets.tables.view_model import TableData

WORDS = ("<pad>", "<unk>", "the", "cat", "sat")
TEXT = FieldInfo(name="text", role="input", kind="sequence", shape=(3,), dtype="int64", words=WORDS)
TARGET = FieldInfo(
    name="target", role="target", kind="sequence", shape=(3,), dtype="int64", classes=WORDS
)
REPORT = ResultReport(
    checkpoint="step-4.ckpt",
    split="validation",
    step=4,
    task="classification",
    fields=(TEXT, TARGET),
    indices=(10, 11, 12),
    losses=(0.1, 0.9, nan),
    hits=(1.0, 0.5, nan),
    positions=(0.5, 1.0, 0.25),
    metrics={"accuracy": 0.75, "perplexity": 2.5},
)
TEXTS = (("cat sat", "cat sat"), ("the cat", "the sat"), ("", ""))


def sequences_of(request: PredictSequences) -> SequenceSamples:
    samples = [
        SequenceSample(
            index=REPORT.indices[number],
            number=number,
            text="the cat",
            truth=TEXTS[number][0],
            prediction=TEXTS[number][1],
        )
        for number in request.numbers
    ]
    return SequenceSamples(step=4, samples=tuple(samples))


@pytest.fixture
def results(opened, host, qtbot) -> ResultsPage:
    step = ExamineStep(checkpoint="step-4.ckpt", sha256="4", done=3, total=3, report=REPORT)
    host.own |= {Examine: step, PredictSequences: sequences_of}
    begin(opened, qtbot)
    page = front(opened, "results", ResultsPage)
    qtbot.waitUntil(lambda: len(rows(page)) == 3)
    return page


def rows(page):
    return page.table.model.table.rows


def test_that_true_and_predicted_tokens_stand_beside_each_other(results, qtbot):
    best = results.order.findData("best")
    results.order.setCurrentIndex(best)
    qtbot.waitUntil(lambda: [row.cells[0] for row in rows(results)] == [10, 11, 12])
    assert [row.cells[1:3] for row in rows(results)] == list(TEXTS)
    assert [row.cells[3] for row in rows(results)] == [1.0, 0.5, None]
    assert [bool(row.icon) for row in rows(results)] == [False, True, False]
    offered = [results.order.itemData(at) for at in range(results.order.count())]
    assert "wrong" not in offered


def test_that_positions_are_drawn_in_the_place_of_a_confusion_matrix(results):
    assert "perplexity 2.5" in results.summary.text()
    assert [results.tabs.tabData(at) for at in range(results.tabs.count())] == [Chart.POSITIONS]
    assert results.xy.isVisible()
    (line,) = results.xy.view.lines
    assert (list(line.x), list(line.y)) == ([1, 2, 3], [0.5, 1.0, 0.25])


def test_that_the_share_of_right_tokens_is_saved():
    lines = as_csv(REPORT).decode().splitlines()
    assert lines[:3] == ["index,right,loss", "10,1.0,0.1", "11,0.5,0.9"]


def test_that_texts_about_pictures_stand_below_them():
    black = bytes(3 * 4 * 4)
    sample = SequenceSample(
        index=11,
        number=1,
        text="cat.png",
        truth="the cat sat <end>",
        prediction="the sat sat <end>",
        written="the cat",
        picture_size=(3, 4, 4),
        pixels=black,
    )
    (shown,) = present_sequences(REPORT, SequenceSamples(step=4, samples=(sample,)))
    assert shown.label == "the cat"
    assert shown.sublabel == "Target: the cat sat"
    assert shown.pixels.shape == (3, 4, 4)
    assert isinstance(present_sequences(REPORT, sequences_of(ALL)), TableData)


ALL = PredictSequences(run_folder="", checkpoint="last", split="test", numbers=(0, 1))
