"""The confusion matrix: many classes, and the keyboard."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetrics

from widgets.common.stylesheet import mixed
from widgets.common.theme import current_theme
from widgets.plots.matrix_chart import MatrixChart
from widgets.plots.view_model import MatrixView


@pytest.fixture
def chart(qtbot) -> MatrixChart:
    chart = MatrixChart("matrix")
    qtbot.addWidget(chart)
    chart.resize(1300, 1300)
    return chart


def shown(chart: MatrixChart, row: int, column: int) -> str:
    at = chart.cell_rect(row, column).center().toPoint()
    return chart.grab().toImage().pixelColor(at).name()


@pytest.mark.row("P18")
def test_that_a_hundred_classes_are_drawn_without_a_look_at_each_cell(chart, monkeypatch):
    counts = tuple(tuple(9 * (row == column) for column in range(100)) for row in range(100))
    chart.set_view(MatrixView(labels=tuple(map(str, range(100))), counts=counts))
    theme = current_theme()
    assert shown(chart, 70, 70) == mixed(theme.surface, theme.accent, 0.9)
    assert shown(chart, 70, 30) == QColor(theme.surface).name()
    asked = []
    place = MatrixChart.cell_rect
    monkeypatch.setattr(MatrixChart, "cell_rect", lambda *of: asked.append(of) or place(*of))
    chart.grab()
    assert len(asked) < 1000


@pytest.mark.row("P18")
def test_that_keys_go_around_and_enter_chooses(chart, qtbot):
    chosen = []
    chart.cell_chosen.connect(lambda row, column: chosen.append((row, column)))
    chart.set_view(MatrixView(labels=("a", "b"), counts=((3, 1), (0, 2))))
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Enter):
        qtbot.keyClick(chart, key)
    assert chosen == [(0, 0), (0, 1), (1, 1), (1, 1)]


def test_that_names_of_few_classes_are_whole(chart, monkeypatch):
    names = ("circle", "square", "triangle", "hexagon")
    chart.set_view(MatrixView(labels=names, counts=((1,) * 4,) * 4))
    shown = []
    elide = QFontMetrics.elidedText

    def told(metrics, text, mode, width):
        shown.append(elide(metrics, text, mode, width - 1))  # as a painter's letters may be wider
        return shown[-1]

    monkeypatch.setattr(QFontMetrics, "elidedText", told)
    chart.grab()
    assert set(shown) == set(names)
