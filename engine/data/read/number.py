"""Numbers as people write them, read from the cells of a column."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.data.read.cell import MISSING
from engine.spec.table import TableFormat

Mark = Literal[".", ","]
Decimal = Mark | Literal["both"]
"""The decimal mark of numbers; ``both`` where some have a point and others a comma: one mark alone
is then the decimal mark of its number.
"""
Values = NDArray[np.float64]

_NAN = float("nan")
_SPACES = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
_CODES = "USD|EUR|GBP|CHF|CNY|RMB|JPY|INR|KRW|SEK|NOK|DKK|PLN|CAD|AUD|BRL"
_UNIT = rf"(?:(?:US|R|A|C|HK|NT|S)?\$|[€£¥₹₩₽₺元]|kr\.?|zł|{_CODES})"
_UNITS = re.compile(rf"^([+-]?)\s*{_UNIT}\s*(?=[\d.,+-])|\s*(?:[%‰]|{_UNIT})$")
_BRACKETED = re.compile(r"([^\d()]*)\(([^()+-]*\d[^()+-]*)\)")  # as accounts have what is negative
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
_GROUPS = {
    ".": re.compile(
        rf"[+-]?(?!0)(\d{{1,3}}([,'’{_SPACES}]\d{{3}})+|\d{{1,2}}(,\d{{2}})+,\d{{3}})(\.\d+)?"
    ),
    ",": re.compile(rf"[+-]?(?!0)\d{{1,3}}([.'’{_SPACES}]\d{{3}})+(,\d+)?"),
}
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_MEASURED = re.compile(r"([+-]?[\d.,]*\d)(\s*)([^\W\d_]{1,5}\d?|°|°\s?[CF]|㎡|km/h)")
_MEASURE_WORDS = """
    kg mg g lb lbs oz km m cm mm mi ft in inch l ml kW kWh W Wh MW V A mA mAh Hz kHz MHz GHz kB KB
    MB GB TB ms s sec min mins h hr hrs hour hours day days year years yrs mph km/h kmh bar Pa hPa
    kPa psi ppm cc CC bhp hp HP PS kmpl mpg rpm px sqft m² m2 m³ ° °C °F Jahre Tage Stunden Min Std
    公斤 千克 克 斤 吨 米 厘米 毫米 公里 千米 升 毫升 岁 年 天 小时 分钟 秒 平方米 平米 ㎡ 度
"""
_MEASURES = frozenset(_MEASURE_WORDS.split())
_DURATION = re.compile(r"(\d+):([0-5]?\d)(?::([0-5]?\d))?([.,]\d+)?")
_MARKS = re.compile(rf"[,.'’{_SPACES}]")
_IS_COMMA = re.compile(
    r"[+-]?(\d*,(\d{1,2}|\d{4,})|0,\d+|\d{4,},\d+|[\d.]*\.\d{3},\d+)([eE][+-]?\d+)?"
)
_IS_POINT = re.compile(
    r"[+-]?(\d*\.(\d{1,2}|\d{4,})|0\.\d+|\d{4,}\.\d+|[\d,]*,\d{3}\.\d+)([eE][+-]?\d+)?"
)
_CODE = re.compile(r"[+-]?0\d+|\(0\d+\)")
_MIXED_SHARE = 0.1  # of the numbers that tell their mark; fewer are slips of somebody's pen


class Marks(NamedTuple):
    """How many numbers tell that their decimal mark is a point, or a comma, and the first of each:
    ``1.5`` and ``1,234.56`` have a point, ``1,5`` and ``1.234,56`` a comma, ``1.234`` may be either
    and tells nothing.
    """

    points: int
    commas: int
    point: str
    comma: str

    @property
    def are_mixed(self) -> bool:
        """Whether no single decimal mark can be that of all numbers."""
        return bool(self.points and self.commas)

    @property
    def most(self) -> Mark | None:
        """The mark of most of them, None where they say nothing."""
        if self.points == self.commas:
            return None
        return "." if self.points > self.commas else ","

    @property
    def style(self) -> Decimal | None:
        """How the numbers of one column are written, None where they say nothing."""
        least = _MIXED_SHARE * (self.points + self.commas)
        return "both" if self.are_mixed and min(self.points, self.commas) >= least else self.most


def marks_of(cells: Iterable[str]) -> Marks:
    """Return what numbers tell of their decimal mark."""
    points = commas = 0
    point = comma = ""
    for cell in cells:
        text = _bare(cell)
        if _IS_POINT.fullmatch(text):
            points += 1
            point = point or cell
        if _IS_COMMA.fullmatch(text):
            commas += 1
            comma = comma or cell
    return Marks(points, commas, point, comma)


def decimal_of(cells: Iterable[str]) -> Mark | None:
    """Return the decimal mark of most numbers, None where they say nothing."""
    return marks_of(cells).most


def style_of(cells: Iterable[str], form: TableFormat) -> Decimal:
    """Return how the numbers of a column of a table are written, by its cells; as the user says
    where the user does, and as the table where they say nothing.
    """
    if form.is_decimal_chosen:
        return form.decimal
    return marks_of(map(without_unit, cells)).style or form.decimal


def unit_of(cells: Iterable[str]) -> str:
    """Return the unit of measure that stands behind all of the numbers, empty for none or several:
    ``50 kg``. Plain numbers may stand among them, and words.
    """
    numbers = (cell for cell in cells if any(map(str.isdigit, cell)))
    units = {_unit(cell) for cell in numbers if not _PLAIN.fullmatch(cell)}
    return units.pop() if len(units) == 1 else ""


def without_unit(cell: str, unit: str = "") -> str:
    """Return the text of a number without its unit of measure; where none is given, without any."""
    known = _unit(cell)
    return cell[: -len(known)].rstrip() if known and unit in ("", known) else cell


def _unit(cell: str) -> str:
    match = _MEASURED.fullmatch(cell)
    if match is None or match[3] not in _MEASURES:
        return ""
    is_code = len(match[3]) == 1 and match[3].isupper() and not match[2]  # of a room: 3A
    return "" if is_code else match[3]


def is_clock(cell: str) -> bool:
    """Return whether a cell is written as a time of day or a duration: ``1:23:45``."""
    return _DURATION.fullmatch(cell) is not None


def _duration(cell: str) -> float | None:
    """Return the seconds of a duration of hours, minutes and seconds, or of the last two."""
    match = _DURATION.fullmatch(cell)
    if match is None:
        return None
    total = 0.0
    for part in match.groups()[:3]:
        total = total * 60 + int(part) if part else total
    return total + float((match[4] or "0").replace(",", "."))


def _sign(unit: re.Match[str]) -> str:
    # A template (r"\1") has Python look up a module for every cell.
    return unit[1] or ""


def _bare(cell: str) -> str:
    """Return the text of a number without its units, with a minus sign for the brackets of accounts
    (``(12.00)``) and for a minus behind it (``12.00-``).
    """
    text = cell.replace("\N{MINUS SIGN}", "-")
    if text.endswith(")") and (match := _BRACKETED.fullmatch(text)):
        text = f"-{_UNITS.sub(_sign, match[1] + match[2])}"
    else:
        text = _UNITS.sub(_sign, text)
    is_behind = text.endswith("-") and text[:1].isdigit()
    return f"-{text[:-1].rstrip()}" if is_behind else text


def parse_number(cell: str, decimal: Decimal) -> float | None:
    """Return the number of a cell, NaN for a missing one, None for anything else; the seconds of a
    duration (``1:23:45``, ``2:05``).
    """
    if cell in MISSING:
        return _NAN
    text = cell
    if not _PLAIN.fullmatch(cell):  # most are
        text = _bare(cell)
    if _PLAIN.fullmatch(text) and (decimal != "," or "." not in text):
        return float(text)
    if decimal != "." and _COMMA.fullmatch(text):
        return float(text.replace(",", "."))
    if decimal == "both":
        decimal = "." if _GROUPS["."].fullmatch(text) else ","
    if _GROUPS[decimal].fullmatch(text):
        fraction = decimal in text
        digits = _MARKS.sub(lambda mark: "." if fraction and mark[0] == decimal else "", text)
        return float(digits)
    if decimal == "," and _PLAIN.fullmatch(text):
        return float(text)  # 3.5 cannot be a number with groups of three
    return _duration(text) if ":" in text else None


def parse_numbers(
    cells: Sequence[str], decimal: Decimal, unit: str = ""
) -> tuple[Values, list[int]]:
    """Return numbers (float64, NaN where one is missing) and the positions of the cells that are
    neither; ``unit`` may stand behind them.
    """
    if unit:
        cells = [without_unit(cell, unit) for cell in cells]
    if decimal == "." and "_" not in "".join(cells):
        try:
            return np.fromiter(map(float, cells), np.float64, len(cells)), []
        except ValueError:
            pass  # one is missing, or no number
        try:
            return np.array([_NAN if cell in MISSING else float(cell) for cell in cells]), []
        except ValueError:
            pass  # one by one, then
    numbers = [parse_number(cell, decimal) for cell in cells]
    wrong = [index for index, number in enumerate(numbers) if number is None]
    return np.array([_NAN if number is None else number for number in numbers]), wrong


def is_code(cell: str) -> bool:
    """Return whether digits are no number: those of a postal code or of a telephone have a 0 in
    front.
    """
    return _CODE.fullmatch(cell) is not None
