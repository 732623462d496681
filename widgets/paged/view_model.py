"""View models of rows that come page by page, as frozen values."""

from dataclasses import dataclass

from widgets.tables.view_model import Cell


@dataclass(frozen=True, kw_only=True, slots=True)
class PagedRow:
    """One row: ``id`` names it whatever the order, ``cells`` are those of a table, ``label`` and
    ``sublabel`` stand below its picture; ``tip`` says them in full, where they may be cut. One
    ``is_muted`` that does not count.
    """

    id: int
    cells: tuple[Cell, ...]
    label: str = ""
    sublabel: str = ""
    tip: str = ""
    is_muted: bool = False
