"""Results and playground while a run goes on, and after: which weights they are of."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit

from engine.events import CheckpointSaved, RunEnded
from engine.query.results.request import DescribeModel, Examine, ExamineStep, Predict, Prediction
from studio.inspect.playground import controller
from studio.inspect.playground.page import PlaygroundPage
from studio.inspect.playground.pictures import drawn_values
from studio.inspect.results.page import ResultsPage
from tests.named_parts import part
from tests.studio.inspect.results.test_results import (
    INPUTS,
    REPORT,
    ResultHost,
    begin,
    examinations,
    front,
    last_asked,
    tell,
)

NEWEST = CheckpointSaved(file="step-6.ckpt", sha256="", step=6, epoch=2, tags=("last", "best"))


@pytest.fixture
def host() -> ResultHost:
    return ResultHost()


@pytest.mark.row("P18")
def test_that_another_part_takes_what_was_found_of_the_one_before_away(opened, host, qtbot):
    begin(opened, qtbot)
    page = front(opened, "results", ResultsPage)
    qtbot.waitUntil(page.matrix.isVisible)
    host.is_holding = True
    page.part.setCurrentIndex(page.part.findData("train"))
    page.part.activated.emit(2)
    assert not page.matrix.isVisible()
    assert not page.summary.text()
    qtbot.waitUntil(lambda: bool(examinations(host)))
    host.answer(*examinations(host)[0])
    qtbot.waitUntil(page.progress.isVisible)
    qtbot.mouseClick(page.progress.cancel, Qt.MouseButton.LeftButton)
    assert page.empty.button.text() == "Continue"


@pytest.mark.row("P18")
def test_that_a_run_that_ended_is_examined_at_its_newest_weights(opened, host, qtbot):
    run = begin(opened, qtbot, is_over=False)
    page = front(opened, "results", ResultsPage)
    qtbot.waitUntil(page.matrix.isVisible)
    report = replace(REPORT, checkpoint=NEWEST.file, step=6)
    step = ExamineStep(checkpoint=NEWEST.file, sha256="6", done=4, total=4, report=report)
    host.own = {Examine: step}
    tell(run, NEWEST, RunEnded(reason="finished", step=6, epoch=2))
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: "step 6" in page.summary.text())
    asked = [request for request in host.requests if isinstance(request, Examine)]
    named = [(request.checkpoint, request.sha256) for request in asked]
    assert named == [("best", ""), ("step-4.ckpt", "4"), ("best", "")]


@pytest.mark.row("P19")
def test_that_the_newest_weights_answer_to_what_was_drawn(opened, host, qtbot):
    run = begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: bool(page.answer.text()))
    page.pad.clear()
    qtbot.waitUntil(lambda: page.answer.text() == "0  100%")
    assert page.note.text().startswith("weights of step 4,")
    host.own = {Predict: Prediction(step=6, values=(0.25, 0.75))}
    tell(run, NEWEST)
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: page.answer.text() == "1  75%")
    assert page.note.text().startswith("weights of step 6,")
    assert last_asked(host).checkpoint == "best"
    files = part(page, "playground.checkpoint")
    files.setCurrentIndex(files.findData("last"))
    files.activated.emit(1)
    qtbot.waitUntil(lambda: last_asked(host).checkpoint == "last")
    assert not sum(last_asked(host).values["image"])  # and not an example instead


@pytest.mark.row("P19")
def test_that_another_checkpoint_answers_to_the_very_same_drawing(opened, host, qtbot):
    host.own = {DescribeModel: lambda _: replace(INPUTS)}  # as told anew
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: bool(page.answer.text()))
    page.pad.clear()
    qtbot.mousePress(page.pad, Qt.MouseButton.LeftButton, pos=QPoint(80, 60))
    qtbot.mouseMove(page.pad, QPoint(200, 180))
    qtbot.mouseRelease(page.pad, Qt.MouseButton.LeftButton, pos=QPoint(200, 180))
    drawn = drawn_values(INPUTS.fields[0], page.pad.pixels())
    assert sum(drawn) > 0
    qtbot.waitUntil(lambda: last_asked(host).values["image"] == drawn)
    line = page.findChild(QLineEdit, "playground.entry.size.0")
    files = part(page, "playground.checkpoint")
    files.setCurrentIndex(files.findData("last"))
    files.activated.emit(1)
    qtbot.waitUntil(lambda: last_asked(host).checkpoint == "last")
    assert last_asked(host).values["image"] == drawn
    assert page.findChild(QLineEdit, "playground.entry.size.0") is line  # what is typed goes on


@pytest.mark.row("P19")
def test_that_the_answer_of_one_model_is_not_shown_under_the_classes_of_another(
    opened, host, qtbot
):
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: page.answer.text() in ("0  50%", "1  50%"))
    host.own = {DescribeModel: replace(INPUTS, classes=("cat", "dog"))}
    host.is_holding = True
    begin(opened, qtbot)

    def held(kind: type) -> list:
        return [each for each in host.held if isinstance(each[0], kind)]

    qtbot.waitUntil(lambda: bool(held(DescribeModel)))
    host.answer(*held(DescribeModel)[0])
    qtbot.waitUntil(lambda: bool(held(Predict)))
    assert not page.answer.text()
    assert not page.bars.isVisible()
    answered = []

    def is_answered() -> bool:
        """Answer what is asked, also a second time, and return whether the page shows it."""
        for each in held(Predict):
            if each not in answered:
                answered.append(each)
                host.answer(*each)
        return page.answer.text() in ("cat  50%", "dog  50%")

    qtbot.waitUntil(is_answered)


@pytest.mark.row("P19")
def test_that_not_every_checkpoint_of_a_quick_run_is_opened_but_the_newest_one_answers(
    opened, host, qtbot, monkeypatch
):
    monkeypatch.setattr(controller, "_RENEW_MS", 10**6)
    run = begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    asking = page.findChild(controller.PlaygroundController)._prediction

    def is_quiet() -> bool:
        """Return whether there is an answer and no other question is on its way."""
        return bool(page.answer.text()) and not asking._timer.isActive()

    qtbot.waitUntil(is_quiet)
    host.own = {Predict: Prediction(step=6, values=(0.25, 0.75))}
    opened.services.runs.follow(run)
    tell(run, NEWEST)
    qtbot.waitUntil(lambda: page.answer.text() == "1  75%" and is_quiet())
    asked = len(host.requests)
    host.own = {Predict: Prediction(step=8, values=(0.5, 0.5))}
    tell(run, replace(NEWEST, file="step-8.ckpt", step=8))
    qtbot.waitUntil(lambda: "step 8" in part(page, "playground.checkpoint").currentText())
    qtbot.wait(300)
    assert not [each for each in host.requests[asked:] if isinstance(each, Predict)]
    assert page.note.text().startswith("weights of step 6,")
    page.pad.clear()
    qtbot.waitUntil(lambda: page.note.text().startswith("weights of step 8,"))
