"""A matrix and the memory that it lies in: ``python -m widgets.cells.demo``."""

import sys

from PySide6.QtWidgets import QWidget

from widgets.cells.cell_grid import CellGrid
from widgets.cells.view_model import CellBlock, CellRow, CellView
from widgets.common.demo_window import run_demo


def build_demo(language: str) -> QWidget:
    """Return a transposed matrix of 3 by 4 and its storage of 14 elements."""
    titles = ("张量", "内存") if language == "zh_CN" else ("Tensor", "Memory")
    rows = tuple(
        CellRow(
            label=f"[{row}]",
            cells=tuple(
                CellView(text=str(index), caption=f"#{index}", tone="chosen", key=str(index))
                for index in (row + 3 * column for column in range(4))
            ),
        )
        for row in range(3)
    )
    memory = tuple(
        CellView(
            text=str(index),
            caption=f"#{index}",
            tone="chosen" if index < 12 else "muted",
            key=str(index),
        )
        for index in range(14)
    )
    grid = CellGrid("demo.cells")
    grid.setAccessibleName(titles[0])
    grid.set_blocks(
        (
            CellBlock(title=titles[0], rows=rows),
            CellBlock(title=titles[1], rows=(CellRow(cells=memory),)),
        )
    )
    return grid


if __name__ == "__main__":
    sys.exit(run_demo(build_demo, "Cells"))
