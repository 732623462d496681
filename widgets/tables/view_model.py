"""View models of tables, problems and logs, as frozen values."""

from dataclasses import dataclass
from typing import Literal

from widgets.tables.trend import Trend

Cell = str | int | float | bool | Trend | None
Severity = Literal["error", "warning", "hint"]
Level = Literal["debug", "info", "warning", "error"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ColumnView:
    """One column. ``kind`` decides alignment, sorting and how a cell is written: ``number`` with
    six digits, ``percent`` of a fraction, ``count`` with thousands, ``duration`` and ``size`` of
    seconds and bytes, ``time`` of seconds since 1970 in local time, ``flag`` a check mark,
    ``trend`` a :class:`Trend`. One that is elastic takes the room that the others leave,
    however wide its content is.
    """

    key: str
    title: str
    kind: Literal[
        "text", "number", "percent", "count", "duration", "size", "time", "flag", "code", "trend"
    ] = "text"
    help: str = ""
    is_visible: bool = True
    width: int = 0  # in characters; 0: as wide as its content
    is_elastic: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RowView:
    """One row: cells in the order of the columns. ``color`` is an index into the series colours
    (a swatch before the first cell), -1 for none; ``icon`` the name of an icon.
    """

    id: str
    cells: tuple[Cell, ...]
    color: int = -1
    icon: str = ""
    tooltip: str = ""
    is_muted: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class TableData:
    """A whole table."""

    columns: tuple[ColumnView, ...] = ()
    rows: tuple[RowView, ...] = ()
    empty_text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemView:
    """One problem: a sentence, where it is (``conv1``, ``Learning rate``) and, behind it, the
    original message. ``fixes`` say what mends it, best first.
    """

    severity: Severity
    text: str
    where: str = ""
    detail: str = ""
    code: str = ""
    fixes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class LogLine:
    """One line of the log; ``time`` is seconds since 1970, 0 where it is not known; ``source`` says
    whether the program said it, or the run.
    """

    text: str
    level: Level = "info"
    time: float = 0.0
    source: Literal["program", "run"] = "program"


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeRow:
    """One row of a tree: cells in the order of the columns. ``parent`` is the id of the row above,
    which comes earlier; ``is_group`` says that it only holds others together.
    """

    id: str
    cells: tuple[Cell, ...]
    parent: str = ""
    is_group: bool = False
    tooltip: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeData:
    """A whole tree."""

    columns: tuple[ColumnView, ...] = ()
    rows: tuple[TreeRow, ...] = ()
