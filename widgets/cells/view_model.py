"""View model of a grid of cells, as frozen values."""

from dataclasses import dataclass
from typing import Literal

Tone = Literal["plain", "chosen", "muted", "error"]


@dataclass(frozen=True, kw_only=True, slots=True)
class CellView:
    """One box: a value, and below it in small letters its place or name.

    ``series`` is an index into the series colours, -1 for none. Cells with the same ``key`` belong
    together.
    """

    text: str
    caption: str = ""
    tone: Tone = "plain"
    series: int = -1
    key: str = ""
    tooltip: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class CellRow:
    """Boxes side by side with a label at their left."""

    cells: tuple[CellView, ...]
    label: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class CellBlock:
    """Rows under a heading."""

    title: str
    rows: tuple[CellRow, ...]
