"""Results and playground of a model that gives each pixel a class."""

from math import nan

import numpy as np
import pytest
from msgspec.structs import replace

from engine.query.results.mask_sample import MaskSample, MaskSamples
from engine.query.results.request import (
    ClassScore,
    DescribeModel,
    Examine,
    ExamineStep,
    ModelInput,
    ModelInputs,
    Predict,
    Prediction,
    PredictMasks,
    ResultReport,
)
from engine.spec.data import FieldInfo
from studio.inspect.playground.page import PlaygroundPage
from studio.inspect.results.page import ResultsPage
from studio.inspect.results.presenter import Chart, as_csv
from tests.studio.conftest import DIGITS
from tests.studio.inspect.results.test_results import begin, front, shown

MASK = FieldInfo(
    name="mask",
    role="target",
    kind="mask",
    shape=(8, 8),
    dtype="int64",
    classes=("ground", "cat"),
)
REPORT = ResultReport(
    checkpoint="step-4.ckpt",
    split="validation",
    step=4,
    task="classification",
    fields=(DIGITS.fields[0], MASK),
    classes=MASK.classes,
    indices=(10, 11, 12),
    losses=(0.1, 0.9, 0.4),
    ious=(0.5, 0.75, 0.25),
    matrix=((90, 10), (20, 60)),
    scores=(
        ClassScore(name="ground", precision=0.82, recall=0.9, f1=0.86, iou=0.75, support=100),
        ClassScore(name="cat", precision=0.86, recall=0.75, f1=0.8, iou=0.67, support=80),
    ),
    metrics={"accuracy": 0.83, "iou": 0.71, "dice": 0.83},
)


def masks_of(request: PredictMasks) -> MaskSamples:
    samples = [
        MaskSample(
            index=REPORT.indices[number],
            number=number,
            size=(8, 8),
            picture_size=(1, 8, 8),
            pixels=bytes(64),
            truth=np.zeros(64, np.int16).tobytes(),
            prediction=np.full(64, 1, np.int16).tobytes(),
        )
        for number in request.numbers
    ]
    return MaskSamples(step=4, samples=tuple(samples))


def step_of(report: ResultReport) -> ExamineStep:
    return ExamineStep(checkpoint="step-4.ckpt", sha256="4", done=3, total=3, report=report)


@pytest.fixture
def results(opened, host, qtbot) -> ResultsPage:
    host.own |= {Examine: step_of(REPORT), PredictMasks: masks_of}
    begin(opened, qtbot)
    page = front(opened, "results", ResultsPage)
    qtbot.waitUntil(lambda: len(shown(page)) == 3)
    return page


def test_that_samples_with_the_least_overlap_come_first_with_their_masks(results):
    assert shown(results) == ["IoU 25%", "IoU 50%", "IoU 75%"]
    assert results.gallery.masks.isVisible()
    offered = [results.order.itemData(at) for at in range(results.order.count())]
    assert "wrong" not in offered


def test_that_each_class_has_its_overlap(results):
    assert "mean IoU 0.71" in results.summary.text()
    assert results.tabs.tabData(0) == Chart.CLASSES
    rows = results.scores.model.table.rows
    assert [row.cells[:2] for row in rows] == [("ground", 0.75), ("cat", 0.67)]
    results.tabs.setCurrentIndex(1)
    assert results.matrix.isVisible()
    results.matrix.cell_chosen.emit(1, 0)  # counts pixels, so it lists nothing else
    assert len(shown(results)) == 3


def test_that_the_overlap_of_each_sample_is_saved():
    lines = as_csv(REPORT).decode().splitlines()
    assert lines[0] == "index,iou,loss"
    assert lines[2] == "11,0.75,0.9"


def test_that_a_sample_without_any_class_comes_last(opened, host, qtbot):
    host.own |= {
        Examine: step_of(replace(REPORT, ious=(nan, 0.75, 0.25))),
        PredictMasks: masks_of,
    }
    begin(opened, qtbot)
    page = front(opened, "results", ResultsPage)
    qtbot.waitUntil(lambda: len(shown(page)) == 3)
    assert shown(page) == ["IoU 25%", "IoU 75%", "IoU –"]


def test_that_the_playground_lays_the_mask_over_the_picture(opened, host, qtbot):
    mask = np.zeros((8, 8), np.int16)
    mask[:2] = 1
    field = ModelInput(info=DIGITS.fields[0], low=0.0, high=16.0, example=(8.0,) * 64)
    host.own |= {
        DescribeModel: ModelInputs(
            step=4, fields=(field,), classes=MASK.classes, task="classification"
        ),
        Predict: Prediction(step=4, values=(0.75, 0.25), size=(8, 8), mask=mask.tobytes()),
    }
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: page.answer.text() == "cat 25%")
    assert page.masked.isVisible()
    image = page.masked.picture.image
    assert image.pixelColor(0, 0) != image.pixelColor(0, 7)
