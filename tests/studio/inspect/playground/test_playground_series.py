"""A window of a time series in the playground: curves and cells with the names of its columns."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from engine.query.results.request import DescribeModel, ModelInput, ModelInputs, Predict, Prediction
from engine.spec.data import FieldInfo
from studio.inspect.playground.page import PlaygroundPage
from studio.inspect.playground.series_edit import SeriesEdit
from tests.studio.inspect.results.test_results import begin, front

SERIES = FieldInfo(name="series", role="input", kind="sequence", shape=(3, 2), dtype="float32")
EXAMPLE = (1.0, 10.0, 2.0, 20.0, 3.0, 30.0)
INPUTS = ModelInputs(
    step=2,
    fields=(ModelInput(info=SERIES, low=0, high=90, example=EXAMPLE, columns=("temp", "load")),),
    answers=("temp",),
)


@pytest.fixture
def asked() -> list[tuple[float, ...]]:
    return []


@pytest.fixture
def page(opened, host, qtbot, asked) -> PlaygroundPage:
    def answer(request: Predict) -> Prediction:
        asked.append(request.values["series"])
        return Prediction(step=2, values=(sum(request.values["series"]),))

    host.own = {DescribeModel: INPUTS, Predict: answer}
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: page.answer.text() == "temp: 66", timeout=30_000)
    return page


def edit_of(page: PlaygroundPage) -> SeriesEdit:
    found = page.findChild(SeriesEdit, "playground.entry.series.0")
    assert isinstance(found, SeriesEdit)
    return found


@pytest.mark.row("P19")
def test_that_a_series_is_curves_and_cells_with_the_names_of_its_columns(page, qtbot, asked):
    edit = edit_of(page)
    lines = {line.name: line.y.tolist() for line in edit.chart.view.lines}
    assert lines == {"temp": [1.0, 2.0, 3.0], "load": [10.0, 20.0, 30.0]}
    headers = [edit.table.horizontalHeaderItem(at) for at in range(2)]
    assert [header.text() for header in headers if header is not None] == ["temp", "load"]
    cell = edit.table.item(2, 0)
    assert cell is not None
    cell.setText("7.5")
    qtbot.waitUntil(lambda: page.answer.text() == "temp: 70.5", timeout=30_000)
    assert asked[-1] == (1.0, 10.0, 2.0, 20.0, 7.5, 30.0)
    assert edit.chart.view.lines[0].y.tolist() == [1.0, 2.0, 7.5]
    cell.setText("warm")
    qtbot.waitUntil(lambda: "warm" in page.error.text(), timeout=30_000)


def test_that_rows_of_a_spreadsheet_are_pasted_from_the_current_cell_on(page, qtbot, asked):
    edit = edit_of(page)
    QGuiApplication.clipboard().setText("5\t50\n6\t60\n9\t90\n")
    edit.table.setCurrentCell(1, 0)
    qtbot.keyClick(edit.table, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: page.answer.text() == "temp: 132", timeout=30_000)
    assert asked[-1] == (1.0, 10.0, 5.0, 50.0, 6.0, 60.0), "what lies beyond is left out"
