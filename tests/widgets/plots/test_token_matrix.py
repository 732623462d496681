"""Attention weights with tokens, and the small pictures of heads: colours, keys, scrolling."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from widgets.common.theme import current_theme
from widgets.plots.head_grid import HeadGrid, HeadRow
from widgets.plots.token_matrix import TokenMatrix, TokenMatrixView, weight_color


def view_of(count: int) -> TokenMatrixView:
    tokens = tuple(f"{number}" for number in range(count))
    weights = np.tril(np.ones((count, count), np.float32)) / np.arange(1, count + 1)[:, None]
    return TokenMatrixView(rows=tokens, columns=tokens, weights=weights.astype(np.float32))


@pytest.fixture
def matrix(qtbot) -> TokenMatrix:
    matrix = TokenMatrix("weights")
    qtbot.addWidget(matrix)
    matrix.resize(500, 400)
    matrix.show()
    return matrix


@pytest.mark.row("S218")
def test_that_a_large_weight_is_full_and_a_masked_cell_hatched(matrix):
    matrix.set_view(view_of(4))
    image = matrix.viewport().grab().toImage()

    def colors(row: int, column: int) -> set[str]:
        area = matrix.cell_rect(row, column).toRect().adjusted(2, 2, -3, -3)
        xs, ys = range(area.left(), area.right()), range(area.top(), area.bottom())
        return {image.pixelColor(x, y).name() for x in xs for y in ys}

    assert weight_color(1.0).name() in colors(0, 0)
    assert weight_color(1.0).name() not in colors(0, 2)
    masked = colors(0, 2)
    assert len(masked) > 1, "hatched"
    assert current_theme().surface in masked
    assert "does not see" in matrix.sentence(0, 2)
    assert "0.5000" in matrix.sentence(1, 0)


def test_that_keys_go_from_cell_to_cell_and_scroll_a_large_matrix(matrix, qtbot):
    matrix.set_view(view_of(100))
    assert matrix.horizontalScrollBar().maximum() > 0
    seen: list[tuple[int, int]] = []
    matrix.cell_changed.connect(lambda row, column: seen.append((row, column)))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Up):
        qtbot.keyClick(matrix, key)
    assert seen == [(0, 0), (0, 1), (1, 1), (0, 1), (0, 1)]
    matrix.look_at(99, 99)
    area = matrix.cell_rect(99, 99)
    assert matrix.viewport().rect().contains(area.center().toPoint())
    assert "“99”" in matrix.accessibleDescription()
    matrix.set_view(view_of(3))
    assert not matrix.accessibleDescription(), "that cell is no more"


def test_that_a_few_tokens_fit_without_scrolling(matrix):
    matrix.set_view(view_of(8))
    assert matrix.horizontalScrollBar().maximum() == matrix.verticalScrollBar().maximum() == 0


def test_that_keys_go_from_head_to_head_and_stay_inside(qtbot):
    grid = HeadGrid("heads")
    qtbot.addWidget(grid)
    rows = tuple(
        HeadRow(name=name, pictures=np.zeros((heads, 4, 4), np.uint8))
        for name, heads in (("first", 4), ("second", 2))
    )
    chosen: list[tuple[int, int]] = []

    def choose(layer: int, head: int) -> None:
        chosen.append((layer, head))
        grid.set_heads(rows, (layer, head))

    grid.head_chosen.connect(choose)
    grid.set_heads(rows, (0, 3))
    keys = (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Up)
    for key in keys:
        qtbot.keyClick(grid, key)
    assert chosen == [(0, 3), (1, 1), (1, 1), (1, 0), (0, 0)]
    grid.resize(grid.sizeHint())
    at = grid.picture_rect(1, 1).center().toPoint()
    qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=at)
    assert chosen[-1] == (1, 1)
    assert grid.accessibleDescription() == "second, head 2 of 2"


@pytest.mark.row("N20")
def test_that_states_are_blue_below_zero_and_red_above(matrix):
    states = np.array([[-1.0, 0.0, 1.0]], np.float32)
    view = TokenMatrixView(rows=("a → b",), columns=("1", "2", "3"), weights=states, is_signed=True)
    matrix.set_view(view)
    image = matrix.viewport().grab().toImage()
    below, none, above = (
        image.pixelColor(matrix.cell_rect(0, column).center().toPoint()) for column in range(3)
    )
    assert below.blue() > below.red()
    assert above.red() > above.blue()
    assert max(none.getRgb()[:3]) - min(none.getRgb()[:3]) < 12, "about the surface"
    assert "unit 3 is 1.0000" in matrix.sentence(0, 2)
