"""Results and playground of a model that finds boxes."""

import pytest
from PySide6.QtGui import QColor

from engine.query.results.request import (
    BoxSample,
    BoxSamples,
    ClassScore,
    DescribeModel,
    Examine,
    ExamineStep,
    FoundBox,
    ModelInput,
    ModelInputs,
    Predict,
    PredictBoxes,
    Prediction,
    ResultReport,
    ScoreCurve,
    TrueBox,
)
from engine.spec.data import FieldInfo
from studio.inspect.playground.page import PlaygroundPage
from studio.inspect.results.boxes import present_boxes
from studio.inspect.results.page import ResultsPage
from studio.inspect.results.presenter import Chart, as_csv
from tests.studio.conftest import DIGITS
from tests.studio.inspect.results.test_results import begin, front, shown
from widgets.images.boxes import different_frames
from widgets.images.overlay import ADDED, MISSED, Layer, Look, overlaid

LABELS = FieldInfo(
    name="labels",
    role="target",
    kind="box_classes",
    shape=(-1,),
    dtype="int64",
    classes=("cat", "dog"),
)
REPORT = ResultReport(
    checkpoint="step-4.ckpt",
    split="validation",
    step=4,
    task="classification",
    fields=(DIGITS.fields[0], LABELS),
    classes=LABELS.classes,
    indices=(10, 11, 12),
    losses=(0.1, 0.9, 0.4),
    box_counts=(1, 2, 0),
    scores=(
        ClassScore(
            name="cat",
            precision=0.8,
            recall=0.5,
            f1=0.6,
            support=2,
            average_precision=0.45,
            average_precision_50=0.7,
            score=0.62,
        ),
        ClassScore(name="dog", precision=None, recall=None, f1=None, support=0),
    ),
    precision_recall=(ScoreCurve(name="cat", x=(0.0, 0.5), y=(1.0, 0.8), area=0.7),),
    metrics={"map": 0.45, "map_50": 0.7, "map_75": 0.3},
)
TRUE = (0.1, 0.1, 0.5, 0.5)
FALSE = (0.6, 0.6, 0.9, 0.9)
_ASKED = PredictBoxes(run_folder="", checkpoint="", split="validation", numbers=(0, 1, 2))


def boxes_of(request: PredictBoxes) -> BoxSamples:
    samples = [
        BoxSample(
            index=REPORT.indices[number],
            number=number,
            picture_size=(1, 8, 8),
            pixels=bytes(64),
            truth=(TrueBox(corners=TRUE, label=0), TrueBox(corners=FALSE, label=1)),
            found=(
                FoundBox(corners=TRUE, label=0, score=0.9, hit=0),
                FoundBox(corners=FALSE, label=0, score=0.2),
            ),
        )
        for number in request.numbers
    ]
    return BoxSamples(step=4, samples=tuple(samples))


@pytest.fixture
def results(opened, host, qtbot) -> ResultsPage:
    step = ExamineStep(checkpoint="step-4.ckpt", sha256="4", done=3, total=3, report=REPORT)
    host.own |= {Examine: step, PredictBoxes: boxes_of}
    begin(opened, qtbot)
    page = front(opened, "results", ResultsPage)
    qtbot.waitUntil(lambda: len(shown(page)) == 3)
    return page


def test_that_the_pictures_with_the_greatest_loss_come_first_with_their_boxes(results):
    assert shown(results) == ["loss 0.9", "loss 0.4", "loss 0.1"]
    assert results.gallery.masks.isVisible()
    assert results.gallery.masks.threshold.isVisible()
    offered = [results.order.itemData(at) for at in range(results.order.count())]
    assert "wrong" not in offered


def test_that_each_class_has_its_average_precision(results):
    assert "mAP 0.45" in results.summary.text()
    assert results.tabs.tabData(0) == Chart.CLASSES
    rows = results.scores.model.table.rows
    assert [row.cells[:3] for row in rows] == [("cat", 0.45, 0.7), ("dog", None, None)]
    results.tabs.setCurrentIndex(1)
    assert results.xy.isVisible()


def test_that_the_number_of_boxes_and_the_loss_of_each_picture_are_saved():
    lines = as_csv(REPORT).decode().splitlines()
    assert lines[0] == "index,boxes,loss"
    assert lines[2] == "11,2,0.9"


def test_that_boxes_below_the_threshold_are_not_shown(results):
    gallery = results.gallery
    view = present_boxes(REPORT, boxes_of(_ASKED))[0]

    def corner() -> QColor:
        image = overlaid(view, gallery.masks.look)
        return image.pixelColor(round(0.75 * image.width()), round(0.9 * image.height()) - 2)

    nothing = corner()
    gallery.masks.threshold.setValue(10)
    assert corner() != nothing
    gallery.masks.threshold.setValue(30)
    assert corner() == nothing


def test_that_missed_boxes_and_false_ones_are_told_apart():
    view = present_boxes(REPORT, boxes_of(_ASKED))[0]
    assert view.overlay is not None
    look = Look(layer=Layer.DIFFERENCE, threshold=0.1)
    frames = different_frames(view.overlay, look.threshold, MISSED, ADDED)
    assert [(frame.color, frame.is_dashed) for frame in frames] == [(MISSED, True), (ADDED, False)]
    assert len(different_frames(view.overlay, 0.95, MISSED, ADDED)) == 2  # both missed, none false


def test_that_the_playground_draws_the_boxes_that_are_found(opened, host, qtbot):
    field = ModelInput(info=DIGITS.fields[0], low=0.0, high=16.0, example=(8.0,) * 64)
    boxes = boxes_of(_ASKED).samples[0].found
    host.own |= {
        DescribeModel: ModelInputs(
            step=4, fields=(field,), classes=LABELS.classes, task="classification", finds_boxes=True
        ),
        Predict: Prediction(step=4, values=(), boxes=boxes),
    }
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: page.answer.text() == "cat 90%")
    assert page.masked.isVisible()
    assert not page.masked.masks.layer.isVisible()  # there are no true ones
    before = page.masked.picture.image
    page.masked.masks.threshold.setValue(95)
    assert page.masked.picture.image != before
