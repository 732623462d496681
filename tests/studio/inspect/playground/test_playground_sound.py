"""A sound in the playground: that of the data, then one of the user's."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, QRegularExpression, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget

from engine.diagnostics import DiagnosticError
from engine.query.results.request import (
    DescribeModel,
    FileInput,
    ModelInput,
    ModelInputs,
    Predict,
    Prediction,
    TakeFile,
)
from engine.spec.data import FieldInfo
from studio.inspect.playground.page import PlaygroundPage
from studio.inspect.playground.presenter import entries
from tests.studio.inspect.results.test_results import begin, front

SOUND = FieldInfo(name="sound", role="input", kind="sound", shape=(1, 16, 20), dtype="float32")
QUIET = tuple(np.linspace(-90, -60, 320).tolist())
LOUD = tuple(np.linspace(-20, 10, 320).tolist())
INPUTS = ModelInputs(
    step=3,
    fields=(ModelInput(info=SOUND, low=-90, high=-60, example=QUIET),),
    classes=("owl", "rain"),
    task="classification",
)


def answer(request: Predict) -> Prediction:
    loud = 1.0 if max(request.values["sound"]) > 0 else 0.0
    return Prediction(step=3, values=(loud, 1 - loud))


def drop(target: QWidget, file: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    place, kinds = QPointF(9, 9), (copy, data, left, Qt.KeyboardModifier.NoModifier)
    entered = QDragEnterEvent(place.toPoint(), *kinds)
    QApplication.sendEvent(target, entered)
    assert entered.isAccepted()
    QApplication.sendEvent(target, QDropEvent(place, *kinds))


def test_that_the_numbers_of_a_sound_are_no_line_to_type_into(qapp):
    assert entries(INPUTS) == ()


@pytest.mark.row("P19")
def test_that_a_dropped_sound_is_heard_by_the_model_and_the_sample_comes_back(
    opened, host, qtbot, tmp_path
):
    asked: list[TakeFile] = []

    def hear(request: TakeFile) -> FileInput:
        asked.append(request)
        return FileInput(values=LOUD)

    host.own = {DescribeModel: INPUTS, Predict: answer, TakeFile: hear}
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: page.answer.text() == "rain  100%")
    assert page.played.isVisible()
    assert not page.pad.isVisible()
    before = page.played.picture.image.copy()
    drop(page.played, tmp_path / "uhu.wav")
    qtbot.waitUntil(lambda: page.answer.text() == "owl  100%")
    assert (asked[0].field, asked[0].path) == ("sound", str(tmp_path / "uhu.wav"))
    assert page.played_name.text() == "uhu.wav"
    page.example.click()
    qtbot.waitUntil(lambda: page.answer.text() == "rain  100%")
    assert page.played_name.text() != "uhu.wav"
    assert page.played.picture.image == before


def test_that_a_file_that_is_no_sound_is_told_and_the_answer_stays(opened, host, qtbot, tmp_path):
    def hear(request: TakeFile) -> DiagnosticError:
        return DiagnosticError.of("D361", file=request.path, detail="")

    host.own = {DescribeModel: INPUTS, Predict: answer, TakeFile: hear}
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: page.answer.text() == "rain  100%")
    assert page.findChild(QPushButton, "playground.played.open").isVisible()
    drop(page.played, tmp_path / "notes.wav")
    qtbot.waitUntil(lambda: any("notes.wav" in line.text for line in opened.notifications.lines))
    assert page.answer.text() == "rain  100%"


def test_that_a_video_is_put_in_as_a_sound_is(opened, host, qtbot, tmp_path):
    video = FieldInfo(name="video", role="input", kind="video", shape=(3, 2, 8, 8), dtype="float32")
    dark, light = (0.0,) * 384, (1.0,) * 384
    inputs = ModelInputs(
        step=3,
        fields=(ModelInput(info=video, low=0, high=1, example=dark),),
        classes=("day", "night"),
        task="classification",
    )

    def told(request: Predict) -> Prediction:
        day = max(request.values["video"])
        return Prediction(step=3, values=(day, 1 - day))

    host.own = {DescribeModel: inputs, Predict: told, TakeFile: FileInput(values=light)}
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: page.answer.text() == "night  100%")
    assert page.played.isVisible()
    assert page.played.accessibleName() == "Video"
    drop(page.played, tmp_path / "noon.mp4")
    qtbot.waitUntil(lambda: page.answer.text() == "day  100%")
    assert page.played_name.text() == "noon.mp4"


def test_that_picture_sound_and_numbers_of_one_model_never_lie_over_each_other(opened, host, qtbot):
    image = FieldInfo(name="image", role="input", kind="image", shape=(3, 48, 48), dtype="float32")
    row = FieldInfo(name="row", role="input", kind="vector", shape=(6,), dtype="float32")
    fields = (
        ModelInput(info=image, low=0, high=1, example=(0.5,) * 6912),
        ModelInput(info=SOUND, low=-90, high=-60, example=QUIET),
        ModelInput(info=row, low=0, high=1, example=(0.5,) * 6),
    )
    host.own = {DescribeModel: replace(INPUTS, fields=fields), Predict: answer}
    opened.window.resize(1280, 560)
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: page.answer.text() == "rain  100%", timeout=30_000)
    lines = page.findChildren(QLineEdit, QRegularExpression(r"^playground\.entry\."))
    assert len(lines) == 6
    buttons = [page.findChild(QPushButton, f"playground.{name}") for name in ("clear", "open")]
    everything = [page.pad, *buttons, page.played, *lines]
    places = [QRect(each.mapTo(page, QPoint()), each.size()) for each in everything]
    for first, second in combinations(places, 2):
        assert not first.intersects(second)
    lines[-2].setFocus()
    qtbot.keyClick(lines[-2], Qt.Key.Key_Tab)  # to what is below the end of the page
    qtbot.waitUntil(lambda: not lines[-1].visibleRegion().isEmpty(), timeout=30_000)
