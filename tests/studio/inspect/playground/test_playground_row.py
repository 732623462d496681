"""A row of a table in the playground: cells as in the file, which the host reads."""

import pytest
from PySide6.QtWidgets import QLabel, QLineEdit

from engine.diagnostics import DiagnosticError
from engine.query.results.request import (
    DescribeModel,
    ModelInput,
    ModelInputs,
    Predict,
    Prediction,
    TypedColumn,
)
from engine.spec.data import FieldInfo
from studio.inspect.playground.answer import present_answer
from studio.inspect.playground.category_edit import CategoryEdit
from studio.inspect.playground.page import PlaygroundPage
from studio.inspect.playground.presenter import entries, example_texts, typed_cells, typed_values
from tests.studio.inspect.results.test_results import begin, front

FEATURES = FieldInfo(name="features", role="input", kind="vector", shape=(2,), dtype="float32")
CATEGORIES = FieldInfo(
    name="categories", role="input", kind="categories", shape=(1,), dtype="int64"
)
INPUTS = ModelInputs(
    step=2,
    fields=(
        ModelInput(info=FEATURES, low=0, high=90, example=(41.0, 19_800.0)),
        ModelInput(info=CATEGORIES, low=0, high=3, example=(2.0,)),
    ),
    columns=(
        TypedColumn(name="age", kind="number", text="41"),
        TypedColumn(name="since", kind="date", text="17.03.2024"),
        TypedColumn(name="color", kind="category", text="red", choices=("blue", "red")),
    ),
    row_fields=("features", "categories"),
)


@pytest.mark.row("P19")
def test_that_each_column_is_a_line_with_what_stands_in_the_file(qapp):
    lines = entries(INPUTS)
    assert [line.title for line in lines] == ["age", "since", "color"]
    assert example_texts(INPUTS) == ("41", "17.03.2024", "red")
    assert lines[2].choices == ("blue", "red")
    assert "blue, red" in lines[2].help
    assert "date" in lines[1].help
    typed = ("", "18.03.2024", "green")
    assert typed_cells(INPUTS, typed) == {"age": "", "since": "18.03.2024", "color": "green"}
    assert typed_values(INPUTS, typed) == {}


@pytest.mark.row("P19")
def test_that_a_large_answer_is_written_without_a_power_of_ten(qapp):
    inputs = ModelInputs(step=2, fields=INPUTS.fields, task="regression")
    assert present_answer(inputs, Prediction(step=2, values=(310_954.3,)))[0] == "310,954"
    assert present_answer(inputs, Prediction(step=2, values=(0.25, 6.5e12)))[0] == "0.25, 6.5e+12"


def test_that_numbers_that_nothing_is_compared_with_have_the_name_of_their_output(qapp):
    answer = Prediction(step=2, values=(0.25,))
    embedding = ModelInputs(step=2, fields=INPUTS.fields, output="embedding")
    assert present_answer(embedding, answer)[0] == "embedding: 0.25"
    loss = ModelInputs(step=2, fields=INPUTS.fields, output="real", is_loss=True)
    assert present_answer(loss, answer)[0] == "Loss real: 0.25"


@pytest.mark.row("P19")
def test_that_each_number_of_an_answer_has_the_name_of_its_column(qapp):
    inputs = ModelInputs(step=2, fields=INPUTS.fields, answers=("temp (°C)+1", "temp (°C)+2"))
    answer = present_answer(inputs, Prediction(step=2, values=(5.575, -1.0)))[0]
    assert answer == "temp (°C)+1: 5.575, temp (°C)+2: -1"
    unlike = present_answer(inputs, Prediction(step=2, values=(5.575, -1.0, 3.0)))[0]
    assert unlike == "5.575, -1, 3"


@pytest.mark.row("P19")
def test_that_the_answer_follows_a_cell_and_a_wrong_one_is_told(opened, host, qtbot):
    def answer(request: Predict) -> Prediction | DiagnosticError:
        age = request.cells["age"]
        if age and not age.isdecimal():  # also what is half typed on a busy machine
            return DiagnosticError.of("D461", column="age", value=age, kind="number")
        return Prediction(step=2, values=(float(age or 7),))

    host.own = {DescribeModel: INPUTS, Predict: answer}
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: page.answer.text() == "41")
    line = page.findChild(QLineEdit, "playground.entry.column.0")
    line.clear()
    qtbot.waitUntil(lambda: page.answer.text() == "7")
    qtbot.keyClicks(line, "old")
    error = page.findChild(QLabel, "playground.error")
    qtbot.waitUntil(lambda: "“old” in “age” is not a number" in error.text())
    category = page.findChild(CategoryEdit, "playground.entry.column.2")
    listed = [category.itemText(row) for row in range(category.count())]
    assert (listed, category.currentText()) == (["blue", "red"], "red")
    line.setText("8")
    category.setCurrentIndex(0)
    qtbot.waitUntil(lambda: _last_cells(host) == {**_last_cells(host), "age": "8", "color": "blue"})
    category.setEditText("green")  # any other may be typed, too
    qtbot.waitUntil(lambda: _last_cells(host)["color"] == "green")


def _last_cells(host) -> dict[str, str]:
    return [each for each in host.requests if isinstance(each, Predict)][-1].cells
