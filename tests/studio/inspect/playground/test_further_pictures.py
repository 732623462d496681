"""A second picture of a sample in the playground: shown, and replaced by a file of the user."""

from pathlib import Path

import pytest
from PIL import Image

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

LEFT, RIGHT = (
    FieldInfo(name=name, role="input", kind="image", shape=(1, 2, 2), dtype="float32")
    for name in ("left", "right")
)
SIZE = FieldInfo(name="size", role="input", kind="scalar", shape=(1,), dtype="float32")
EXAMPLES = {"left": (0.1, 0.2, 0.3, 0.4), "right": (0.5, 0.6, 0.7, 0.8)}
TAKEN = (0.9, 0.8, 0.7, 0.65)
INPUTS = ModelInputs(
    step=3,
    fields=(
        ModelInput(info=LEFT, low=0, high=1, example=EXAMPLES["left"]),
        ModelInput(info=RIGHT, low=0, high=1, example=EXAMPLES["right"]),
        ModelInput(info=SIZE, low=0, high=1, example=(0.5,)),
    ),
    classes=("cat", "dog"),
    task="classification",
)


def picture(folder: Path) -> str:
    Image.new("L", (8, 8), 200).save(folder / "p.png")
    return str(folder / "p.png")


@pytest.fixture
def asked(host) -> list[dict[str, tuple[float, ...]]]:
    """Return the numbers that the model is asked about, by field."""
    given: list[dict[str, tuple[float, ...]]] = []

    def answer(request: Predict) -> Prediction:
        given.append(request.values)
        return Prediction(step=3, values=(0.5, 0.5))

    def take(request: TakeFile) -> FileInput:
        assert request.field == "right"
        return FileInput(values=TAKEN)

    host.own = {DescribeModel: INPUTS, Predict: answer, TakeFile: take}
    return given


def test_that_a_second_picture_is_no_line_of_numbers():
    assert [entry.field for entry in entries(INPUTS)] == ["size"]


@pytest.mark.row("P19")
def test_that_a_second_picture_is_shown_and_replaced_by_a_file(opened, asked, qtbot, tmp_path):
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: bool(asked) and asked[-1]["right"] == EXAMPLES["right"])
    assert asked[-1]["left"] == EXAMPLES["left"]
    assert page.pictures.isVisible()
    assert page.pad_name.text() == "left"
    page.pictures.file_offered.emit("right", picture(tmp_path))
    qtbot.waitUntil(lambda: asked[-1]["right"] == TAKEN)
    assert asked[-1]["left"] == EXAMPLES["left"]
    page.example.click()
    qtbot.waitUntil(lambda: asked[-1]["right"] == EXAMPLES["right"])


def test_that_a_second_picture_is_scaled_here_where_the_data_are_no_files(
    opened, asked, host, qtbot, tmp_path
):
    host.own[TakeFile] = DiagnosticError.of("D368", name="right")
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: bool(asked) and asked[-1]["right"] == EXAMPLES["right"])
    page.pictures.file_offered.emit("right", picture(tmp_path))
    expected = pytest.approx((200 / 255,) * 4, abs=0.01)
    qtbot.waitUntil(lambda: asked[-1]["right"] == expected)
