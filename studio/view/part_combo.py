"""Choice of a part of the data, where a page shows one of them."""

from collections.abc import Callable

from PySide6.QtWidgets import QComboBox, QWidget

from studio.view.data import PARTS, split_title
from widgets.common import parts


def part_combo(
    parent: QWidget, name: str, title: str, tip: str, chosen: Callable[[str], object]
) -> QComboBox:
    """Return a box with the parts, of which the chosen one is told by its name."""
    box = parts.combo(parent, name, title, tip)
    for part in PARTS:
        box.addItem(split_title(part), part)
    box.currentIndexChanged.connect(lambda: chosen(box.currentData()))
    return box
