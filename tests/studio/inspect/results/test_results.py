"""Results, playground and decision surface in the window; the host is played by canned answers."""

import math
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage, QMouseEvent
from PySide6.QtWidgets import QApplication

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import CheckpointSaved, RunEnded, RunStarted, WatchSurface
from engine.graph.edit.edits import SetParam
from engine.query.data.request import DescribeData, PreviewData
from engine.query.results.request import (
    ClassScore,
    DescribeModel,
    DrawSurface,
    Examine,
    ExamineStep,
    LookUp,
    ModelInput,
    ModelInputs,
    Predict,
    Prediction,
    ResultReport,
    ScoreCurve,
    TakeFile,
)
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.record.journal import RunJournal
from engine.runs.record.surface import SURFACES, Surface
from engine.spec.data import DataInfo, FieldInfo, PreviewInfo, SampleView
from studio.inspect.playground.page import PlaygroundPage
from studio.inspect.results.page import ResultsPage
from studio.inspect.results.presenter import Chart, Order, as_csv, ordered, present_xy
from studio.inspect.surface.page import SurfacePage
from studio.inspect.surface.presenter import present_shades
from studio.inspect.workspace import InspectWorkspace
from tests.studio.conftest import DIGITS, FakeHost

LINE = ScoreCurve(name="1", x=(0.0, 0.0, 1.0), y=(0.0, 1.0, 1.0), area=1.0)
REPORT = ResultReport(
    checkpoint="step-4.ckpt",
    split="validation",
    step=4,
    task="classification",
    fields=DIGITS.fields,
    classes=("0", "1"),
    indices=(10, 11, 12, 13),
    targets=(0, 1, 0, 1),
    predictions=(0, 0, 0, 1),
    chances=(0.9, 0.6, 0.7, 0.8),
    losses=(0.1, 0.9, 0.4, 0.2),
    matrix=((2, 0), (1, 1)),
    scores=(
        ClassScore(name="0", precision=2 / 3, recall=1.0, f1=0.8, support=2),
        ClassScore(name="1", precision=1.0, recall=0.5, f1=2 / 3, support=2),
    ),
    roc=(LINE,),
    precision_recall=(LINE,),
    metrics={"accuracy": 0.75},
)
INPUTS = ModelInputs(
    step=4,
    fields=(
        ModelInput(info=DIGITS.fields[0], low=0.0, high=16.0, example=tuple(map(float, [8] * 64))),
        ModelInput(
            info=FieldInfo(
                name="size",
                role="input",
                kind="vector",
                shape=(2,),
                dtype="float32",
                columns=("width", "height"),
            ),
            low=0.0,
            high=2.0,
            example=(1.0, 2.0),
        ),
    ),
    classes=("0", "1"),
    task="classification",
)
PLANE = DataInfo(
    source="spiral",
    samples=2,
    task="classification",
    fields=(
        FieldInfo(name="point", role="input", kind="point", shape=(2,), dtype="float32"),
        DIGITS.fields[1],
    ),
)


class ResultHost(FakeHost):
    """Answers what is asked about results; an examination takes two turns."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = 0
        self.is_plane = False
        self.own[TakeFile] = DiagnosticError.of("D368", name="image")  # the samples are no files

    def answer(self, request, future) -> None:
        match request:
            case _ if type(request) in self.own:
                super().answer(request, future)
            case Examine(split="test"):
                future.set_exception(
                    DiagnosticError(Diagnostic(code="K014", params={"split": "test"}))
                )
            case Examine():
                self.turns += 1
                report = REPORT if self.turns % 2 == 0 else None
                done = 4 if report else 2
                step = ExamineStep(
                    checkpoint="step-4.ckpt", sha256="4", done=done, total=4, report=report
                )
                future.set_result(step)
            case LookUp(places=places) if not self.is_plane:
                samples = tuple(
                    SampleView(index=at, values={"image": (0.5,) * 64, "label": (0.0,)})
                    for at in places
                )
                future.set_result(PreviewInfo(split="", samples=samples))
            case DescribeModel():
                future.set_result(INPUTS)
            case Predict(values=values):
                ink = sum(values["image"]) / (16 * 64)
                future.set_result(Prediction(step=4, values=(1 - ink, ink)))
            case DescribeData() if self.is_plane:
                future.set_result(PLANE)
            case PreviewData() if self.is_plane:
                samples = tuple(
                    SampleView(index=at, values={"point": (at, 1.0 - at), "label": (at,)})
                    for at in (0, 1)
                )
                future.set_result(PreviewInfo(split="train", samples=samples))
            case _:
                super().answer(request, future)


@pytest.fixture
def host() -> ResultHost:
    return ResultHost()


def tell(run: RunFolder, *events) -> None:
    journal = RunJournal(run.path)
    for event in events:
        journal.append(event)
    journal.commit()
    journal.close()


def begin(opened, qtbot, *, is_over: bool = True, spec=None) -> RunFolder:
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, spec or session.spec, "first")
    saved = CheckpointSaved(file="step-4.ckpt", sha256="", step=4, epoch=1, tags=("last", "best"))
    tell(
        folder,
        RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=3, parameters=5),
        saved,
        *((RunEnded(reason="finished", step=6, epoch=2),) if is_over else ()),
    )
    opened.services.runs.follow(folder)
    qtbot.waitUntil(lambda: session.run is not None and session.run.folder.id == folder.id)
    return folder


def front(opened, name: str, kind):
    opened.window.show_workspace("inspect")
    opened.window.findChild(InspectWorkspace).show_page(name)
    return opened.window.findChild(kind)


@pytest.fixture
def results(opened, qtbot) -> ResultsPage:
    begin(opened, qtbot)
    page = front(opened, "results", ResultsPage)
    qtbot.waitUntil(page.matrix.isVisible)
    return page


def shown(page: ResultsPage) -> list[str]:
    return [image.label for image in page.gallery.list.model().images]


def test_that_without_a_checkpoint_each_page_says_what_to_do(opened):
    for name, kind in (("results", ResultsPage), ("playground", PlaygroundPage)):
        page = front(opened, name, kind)
        assert page.empty.isVisible()
        assert page.empty.button.text() == "Start training"
    assert front(opened, "surface", SurfacePage).empty.isVisible()


@pytest.mark.row("P18")
def test_that_a_cell_of_the_confusion_matrix_opens_its_samples(results, qtbot):
    qtbot.waitUntil(lambda: shown(results) == ["1 → 0 ✗", "0", "1", "0"])
    place = results.matrix.cell_rect(1, 0).center().toPoint()
    qtbot.mouseClick(results.matrix, Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: shown(results) == ["1 → 0 ✗"])
    assert results.filter.text() == "1 predicted as 0: 1"
    qtbot.keyClick(results.matrix, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: shown(results) == ["1"])
    qtbot.mouseClick(results.show_all, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(shown(results)) == 4)


@pytest.mark.row("P18")
def test_that_all_charts_and_orders_can_be_seen(results, qtbot):
    assert "accuracy 0.75" in results.summary.text()
    for index, chart in enumerate((Chart.MATRIX, Chart.CLASSES, Chart.ROC, Chart.RECALL)):
        results.tabs.setCurrentIndex(index)
        assert results.tabs.tabData(index) == chart
    assert results.xy.isVisible()
    results.tabs.setCurrentIndex(1)
    assert [row.cells[0] for row in results.scores.model.table.rows] == ["0", "1"]
    results.order.setCurrentIndex(results.order.findData(Order.WRONG.value))
    qtbot.waitUntil(lambda: shown(results) == ["1 → 0 ✗"])


def test_that_a_part_that_cannot_be_examined_says_why(results, qtbot):
    results.part.setCurrentIndex(results.part.findData("test"))
    results.part.activated.emit(1)
    qtbot.waitUntil(results.empty.isVisible)
    assert not results.matrix.isVisible()


def test_that_an_examination_shows_how_far_it_is_and_can_be_stopped(results, host, qtbot):
    host.is_holding = True
    qtbot.mouseClick(results.examine, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(examinations(host)))
    host.answer(*examinations(host)[0])
    qtbot.waitUntil(results.progress.isVisible)
    assert results.progress.bar.value() == 500
    qtbot.mouseClick(results.progress.cancel, Qt.MouseButton.LeftButton)
    assert not results.progress.isVisible()
    host.answer(*examinations(host)[1])
    assert results.matrix.isVisible()  # what was found before stays


def examinations(host: ResultHost) -> list:
    return [held for held in host.held if isinstance(held[0], Examine)]


def test_that_samples_and_chart_are_saved(results, opened, tmp_path):
    for action in results.save.menu().actions():
        assert action.objectName().startswith("results.save.")
    results.save_requested.emit("csv")
    dialog = opened.window.findChild(object, "dialog.save_results")
    dialog.fileSelected.emit(str(tmp_path / "samples.csv"))
    dialog.close()
    lines = (tmp_path / "samples.csv").read_text().splitlines()
    assert lines[0] == "index,truth,prediction,probability,loss"
    assert lines[2] == "11,1,0,0.6,0.9"
    assert as_csv(REPORT).decode().splitlines() == lines


def test_that_numbers_are_drawn_over_truth_and_input():
    report = ResultReport(
        checkpoint="",
        split="test",
        step=1,
        task="regression",
        fields=(),
        indices=(0, 1),
        targets=(1.0, 3.0),
        predictions=(1.5, 2.0),
        losses=(0.25, math.nan),
        points=(0.2, 0.1),
    )
    truth = present_xy(report, Chart.TRUTH).lines[0]
    assert (truth.x.tolist(), truth.y.tolist()) == ([1.0, 3.0], [1.5, 2.0])
    assert present_xy(report, Chart.RESIDUALS).lines[0].y.tolist() == [0.5, -1.0]
    assert present_xy(report, Chart.FIT).lines[1].y.tolist() == [2.0, 1.5]
    assert ordered(report, Order.WORST) == (1, 0)  # a loss that is no number is the worst


@pytest.fixture
def playground(opened, qtbot) -> PlaygroundPage:
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(page.pad.isVisible)
    return page


def last_asked(host: ResultHost) -> Predict:
    return next(request for request in reversed(host.requests) if isinstance(request, Predict))


def draw(pad, points: list[QPointF]) -> None:
    """Draw a line: handed over as events, because moves on the way through Qt may be merged."""
    left = Qt.MouseButton.LeftButton
    for kind, places in (
        (QEvent.Type.MouseButtonPress, points[:1]),
        (QEvent.Type.MouseMove, points[1:]),
        (QEvent.Type.MouseButtonRelease, points[-1:]),
    ):
        for place in places:
            at = pad.mapToGlobal(place)
            event = QMouseEvent(kind, place, at, left, left, Qt.KeyboardModifier.NoModifier)
            QApplication.sendEvent(pad, event)


@pytest.mark.row("P19", "S046", "S088")
def test_that_the_answer_follows_the_drawing(playground, host, qtbot):
    qtbot.waitUntil(lambda: bool(playground.answer.text()))
    assert "a batch of size 1, 1×1×8×8, 1×2: unsqueeze(0)" in playground.batch.text()
    playground.pad.clear()
    qtbot.waitUntil(lambda: playground.answer.text() == "0  100%")
    for x in (60, 220):
        draw(playground.pad, [QPointF(x, y) for y in range(40, 260, 20)])
    qtbot.waitUntil(lambda: sum(last_asked(host).values["image"]) > 100)
    assert max(last_asked(host).values["image"]) <= 16
    qtbot.waitUntil(lambda: "100%" not in playground.answer.text())
    qtbot.keyClick(playground.pad, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: playground.answer.text() == "0  100%")


@pytest.mark.row("P19")
def test_that_a_dropped_picture_is_seen_and_a_broken_one_told(playground, opened, tmp_path, qtbot):
    image = QImage(8, 8, QImage.Format.Format_RGB888)
    image.fill(Qt.GlobalColor.white)
    image.save(str(tmp_path / "white.png"))
    (tmp_path / "broken.png").write_bytes(b"no picture")
    for name in ("white.png", "broken.png"):
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(tmp_path / name))])
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        drop = QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, data, left, none)
        playground.pad.dropEvent(drop)
    qtbot.waitUntil(lambda: any("broken.png" in line.text for line in opened.notifications.lines))
    assert playground.pad.pixels().min() == 1


def drop_on(opened, node: str, file: Path, qtbot) -> None:
    """Drop a file on a node of the canvas; what it does not take goes to the window, as in Qt."""
    opened.window.show_workspace("model")
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and node in canvas.scene.nodes)
    canvas.center_on(node)
    place = canvas.viewport.to_pixel(canvas.scene.nodes[node].rect().center())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    kinds = (Qt.DropAction.CopyAction, data, left, none)
    entered = QDragEnterEvent(place.toPoint(), *kinds)
    QApplication.sendEvent(canvas, entered)
    assert entered.isAccepted()
    QApplication.sendEvent(canvas, QDropEvent(place, *kinds))


@pytest.mark.row("S010")
def test_that_a_picture_that_is_dropped_on_an_input_goes_to_the_model(
    playground, opened, tmp_path, qtbot
):
    image = QImage(8, 8, QImage.Format.Format_RGB888)
    image.fill(Qt.GlobalColor.white)
    image.save(str(tmp_path / "white.png"))
    nodes = opened.session.graph.nodes
    source = next(node.id for node in nodes.values() if node.type == "Input")
    drop_on(opened, source, tmp_path / "white.png", qtbot)
    assert opened.window.page("inspect").page == "playground"
    qtbot.waitUntil(lambda: playground.pad.pixels().min() == 1)


@pytest.mark.row("S010")
def test_that_a_picture_on_another_node_or_on_an_input_of_numbers_is_told(
    playground, opened, tmp_path, qtbot
):
    image = QImage(8, 8, QImage.Format.Format_RGB888)
    image.fill(Qt.GlobalColor.white)
    image.save(str(tmp_path / "white.jpg"))
    nodes = opened.session.graph.nodes
    source, other = (
        next(node for node in nodes.values() if (node.type == "Input") is is_input)
        for is_input in (True, False)
    )
    drop_on(opened, other.id, tmp_path / "white.jpg", qtbot)
    assert "Drop an image on an Input" in opened.notifications.lines[-1].text
    opened.session.edit(SetParam(id=source.id, name="shape", value=(4,)), "Numbers")
    drop_on(opened, source.id, tmp_path / "white.jpg", qtbot)
    assert "does not accept images" in opened.notifications.lines[-1].text


@pytest.mark.row("P19")
def test_that_a_row_is_typed_and_a_mistake_stands_beside_it(playground, host, qtbot):
    assert playground.texts() == ("1", "2")
    width = playground.findChild(object, "playground.entry.size.0")
    width.selectAll()
    qtbot.keyClicks(width, "x")
    qtbot.waitUntil(lambda: "“x”" in playground.error.text())
    width.selectAll()
    qtbot.keyClicks(width, "0.25")
    qtbot.waitUntil(lambda: last_asked(host).values["size"] == (0.25, 2.0))
    qtbot.waitUntil(lambda: not playground.error.text())


def surface(step: int) -> Surface:
    values = np.zeros((2, 3, 3), "<f2")
    values[step % 2] = 1
    return Surface(
        step=step,
        x=(-1, 1),
        y=(0, 2),
        size=3,
        outputs=2,
        is_classified=True,
        values=values.tobytes(),
    )


@pytest.mark.row("S226")
def test_that_the_surface_of_each_recorded_step_can_be_seen(opened, host, qtbot):
    host.is_plane = True
    run = begin(opened, qtbot)
    for step in (3, 8):
        SURFACES.write(run.artefacts, step, surface(step))
    page = front(opened, "surface", SurfacePage)
    qtbot.waitUntil(lambda: page.step.text() == "Step 8")
    assert page.plane.isVisible()
    page.steps.setValue(0)
    qtbot.waitUntil(lambda: page.step.text() == "Step 3")
    (run.artefacts / "surface" / "000000003.surface").write_bytes(b"\x00")
    page.steps.setValue(1)
    qtbot.waitUntil(lambda: page.step.text() == "Step 8")
    page.steps.setValue(0)
    qtbot.waitUntil(lambda: any("000000003" in line.text for line in opened.notifications.lines))


@pytest.mark.row("S226")
def test_that_the_end_of_a_run_is_drawn_though_nobody_looked_then(opened, host, qtbot):
    host.is_plane = True
    host.own = {DrawSurface: surface(4)}
    run = begin(opened, qtbot)
    for step in (1, 2):
        SURFACES.write(run.artefacts, step, surface(step))
    page = front(opened, "surface", SurfacePage)
    qtbot.waitUntil(lambda: page.step.text() == "Step 4")
    assert page.steps.maximum() == 2
    page.steps.setValue(1)
    qtbot.waitUntil(lambda: page.step.text() == "Step 2")
    page.steps.setValue(2)
    qtbot.waitUntil(lambda: page.step.text() == "Step 4")


def test_that_a_run_draws_only_while_somebody_looks(opened, host, qtbot, monkeypatch):
    host.is_plane = True
    monkeypatch.setattr("studio.run_control.controller.RunController.is_running", True)
    run = begin(opened, qtbot, is_over=False)
    page = front(opened, "surface", SurfacePage)
    reader = CommandReader(run.commands_path)
    told: list[float] = []

    def read() -> list[float]:
        told.extend(one.every_s for one in reader.poll() if isinstance(one, WatchSurface))
        return told

    qtbot.waitUntil(lambda: any(every_s > 0 for every_s in read()))
    opened.window.show_workspace("model")
    assert not page.isVisible()
    qtbot.waitUntil(lambda: read()[-1] == 0)


def test_that_data_without_a_plane_says_so(opened, host, qtbot, monkeypatch):
    begin(opened, qtbot)
    page = front(opened, "surface", SurfacePage)
    qtbot.waitUntil(lambda: bool(page.empty.isVisible()))
    assert not page.plane.isVisible()


def test_that_shades_are_strong_where_the_model_is_sure():
    pixels = present_shades(surface(0), ((255, 0, 0), (0, 0, 255))).pixels
    assert pixels[0, 0].tolist()[:3] == [255, 0, 0]
    values = np.full((2, 3, 3), 0.5, "<f2")
    unsure = Surface(
        step=1, x=(0, 1), y=(0, 1), size=3, outputs=2, is_classified=True, values=values.tobytes()
    )
    faint = present_shades(unsure, ((255, 0, 0), (0, 0, 255))).pixels
    assert faint[0, 0, 3] < pixels[0, 0, 3] / 3


def test_that_large_numbers_keep_their_differences_and_infinite_ones_do_no_harm():
    values = np.asarray([[1e6, 1e6 + 2], [1e6 + 4, np.inf]], "<f4")
    prices = replace(surface(0), size=2, outputs=1, is_classified=False, dtype="<f4")
    pixels = present_shades(replace(prices, values=values.tobytes()), ()).pixels
    low, middle, high, endless = pixels.reshape(4, 4).tolist()
    assert low[2] > low[0]
    assert middle[3] == 0
    assert high == endless
    assert high[0] > high[2]
