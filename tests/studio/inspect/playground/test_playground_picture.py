"""A picture in the playground: its numbers are those of the data until it is drawn over."""

from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import Qt

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
from tests.studio.inspect.results.test_results import begin, front

IMAGE = FieldInfo(name="image", role="input", kind="image", shape=(1, 2, 2), dtype="float32")
EXAMPLE = (0.1234567, 0.2, 0.3, 0.4)
TAKEN = (0.9, 0.8, 0.7, 0.6543211)
INPUTS = ModelInputs(
    step=3,
    fields=(ModelInput(info=IMAGE, low=0, high=1, example=EXAMPLE),),
    classes=("cat", "dog"),
    task="classification",
)


def picture(folder: Path) -> str:
    Image.new("L", (8, 8), 200).save(folder / "p.png")
    return str(folder / "p.png")


@pytest.fixture
def asked(host) -> list[tuple[float, ...]]:
    """Return the numbers that the model is asked about."""
    given: list[tuple[float, ...]] = []

    def answer(request: Predict) -> Prediction:
        given.append(request.values["image"])
        return Prediction(step=3, values=(0.5, 0.5))

    host.own = {DescribeModel: INPUTS, Predict: answer, TakeFile: FileInput(values=TAKEN)}
    return given


@pytest.mark.row("P19")
def test_that_a_picture_has_the_numbers_of_the_data_until_it_is_drawn_over(
    opened, asked, qtbot, tmp_path
):
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: bool(asked) and asked[-1] == EXAMPLE)
    page.picture_offered.emit(picture(tmp_path))
    qtbot.waitUntil(lambda: asked[-1] == TAKEN)
    before = len(asked)
    qtbot.mouseClick(page.pad, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(asked) > before)
    assert asked[-1] not in (TAKEN, EXAMPLE)
    page.example.click()
    qtbot.waitUntil(lambda: asked[-1] == EXAMPLE)


@pytest.mark.row("P19")
def test_that_a_picture_is_scaled_here_where_the_data_are_no_files(
    opened, asked, host, qtbot, tmp_path
):
    host.own[TakeFile] = DiagnosticError.of("D368", name="image")
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: bool(asked) and asked[-1] == EXAMPLE)
    page.picture_offered.emit(picture(tmp_path))
    qtbot.waitUntil(lambda: asked[-1] == pytest.approx((200 / 255,) * 4, abs=0.01))
