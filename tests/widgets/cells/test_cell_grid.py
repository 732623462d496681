from PySide6.QtCore import QPoint

from widgets.cells.cell_grid import CellGrid
from widgets.cells.view_model import CellBlock, CellRow, CellView


def grid(qtbot) -> CellGrid:
    cells = tuple(CellView(text=str(i), caption=f"#{i}", key=str(i % 2)) for i in range(4))
    made = CellGrid("cells")
    qtbot.addWidget(made)
    made.resize(400, 200)
    made.set_blocks((CellBlock(title="Memory", rows=(CellRow(cells=cells, label="row"),)),))
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_that_cells_with_one_key_light_up_together_under_the_pointer(qtbot):
    made = grid(qtbot)
    before = made.sheet.grab().toImage()
    qtbot.mouseMove(made.sheet, made.sheet.place_of("1"))
    qtbot.waitUntil(lambda: made.sheet.lit == "1")
    assert made.sheet.grab().toImage() != before
    qtbot.mouseMove(made.sheet, QPoint(1, 1))
    qtbot.waitUntil(lambda: not made.sheet.lit)


def test_that_cells_are_told_to_those_who_hear_the_window(qtbot):
    made = grid(qtbot)
    assert made.sheet.accessibleDescription() == "Memory: 0 (#0) 1 (#1) 2 (#2) 3 (#3)"


def test_that_a_grid_is_as_large_as_its_cells_and_empties(qtbot):
    made = grid(qtbot)
    wide = made.sheet.width()
    made.set_blocks(())
    assert made.sheet.width() < wide
    assert made.blocks() == ()
