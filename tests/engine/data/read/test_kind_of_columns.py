"""Kinds of columns as real tables have them: each was named before it was tried."""

import random
from collections.abc import Callable
from datetime import date, timedelta

import pytest

from engine.data.read.kind import propose_columns
from engine.spec.table import TableFormat

ROWS = 400
draw = random.Random(15)
START = date(2015, 1, 1)

Cells = Callable[[int], str]
"""The cell of a row."""


def any_of(*values: str) -> Cells:
    return lambda row: draw.choice(values)


def whole(least: int, most: int) -> Cells:
    return lambda row: str(draw.randint(least, most))


def decimal(least: float, most: float, digits: int = 2) -> Cells:
    return lambda row: f"{draw.uniform(least, most):.{digits}f}"


def some_of(count: int, least: int, most: int, width: int = 0) -> Cells:
    """Return a few numbers of a range that come again and again."""
    known = [f"{draw.randint(least, most):0{width}}" for _ in range(count)]
    return lambda row: draw.choice(known)


def day(form: str, step: int = 1) -> Cells:
    return lambda row: (START + timedelta(step * row)).strftime(form)


def article(row: int) -> str:
    body = f"400638{draw.randrange(10**6):06}"
    total = sum((3 if at % 2 else 1) * int(digit) for at, digit in enumerate(body))
    return f"{body}{-total % 10}"


GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
FRENCH = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
SPANISH = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"


def named(form: str, months: str) -> Cells:
    words = months.split()

    def cell(row: int) -> str:
        when = START + timedelta(row)
        return form.format(day=when.day, month=words[when.month - 1], year=when.year)

    return cell


def grouped(mark: str) -> Cells:
    return lambda row: f"{draw.randint(1000, 9_999_999):,}".replace(",", mark)


def account(row: int) -> str:
    value = draw.uniform(-5000, 5000)
    return f"({-value:,.2f})" if value < 0 else f"{value:,.2f}"


BATTERY: tuple[tuple[str, str, Cells], ...] = (
    # dates
    ("released", "date", day("%d %b %Y")),
    ("opened", "date", day("%B %d, %Y")),
    ("dob", "date", day("%d-%b-%y")),
    ("admitted", "date", day("%d%b%Y")),
    ("first_seen", "date", day("%a, %d %b %Y %H:%M:%S GMT")),
    ("tweeted", "date", day("%a %b %d %H:%M:%S +0000 %Y")),
    ("updated_on", "date", day("%b %d, %Y %I:%M %p")),
    ("Beginn", "date", named("{day}. {month} {year}", GERMAN)),
    ("début", "date", named("{day} {month} {year}", FRENCH)),
    ("inicio", "date", named("{day} de {month} de {year}", SPANISH)),
    ("入职", "date", named("{year}年{month}月{day}日", "1 2 3 4 5 6 7 8 9 10 11 12")),
    ("born", "date", day("%Y%m%d")),
    ("start", "date", day("%Y%m%d.0")),
    ("date_key", "date", day("%Y%m%d")),
    ("quarter", "date", lambda row: f"{2001 + row // 40}-Q{row // 10 % 4 + 1}"),
    ("fiscal", "date", lambda row: f"{2001 + row // 40}Q{row // 10 % 4 + 1}"),
    ("period", "date", lambda row: f"Q{row // 10 % 4 + 1} {2001 + row // 40}"),
    ("季度", "date", lambda row: f"{2001 + row // 40}年第{row // 10 % 4 + 1}季度"),
    ("ym", "date", day("%Y-%m", 30)),
    ("billing", "date", day("%Y%m", 30)),
    ("issue", "date", day("%b %Y", 30)),
    ("Month", "date", day("%b-%y", 30)),
    ("week", "date", day("%G-W%V", 7)),
    ("logged", "date", day("%Y/%m/%d 08:15")),
    # numbers that are names
    ("zip", "category", some_of(60, 10_115, 98_999)),
    ("zip_code", "id", whole(10_000, 99_999)),
    ("PLZ", "category", some_of(30, 1000, 9999)),
    ("location", "category", some_of(60, 10_115, 98_999)),
    ("delivered to", "category", some_of(40, 1001, 99_999, width=5)),
    ("sku", "id", whole(100_000, 999_999)),
    ("sku_sold", "category", some_of(25, 100_000, 999_999)),
    ("what", "category", some_of(50, 1_000_000, 9_999_999)),
    ("product number", "category", some_of(12, 1, 40)),
    ("Artikelnummer", "category", some_of(40, 10_000_000, 89_999_999)),
    ("Filialnummer", "category", some_of(12, 1, 400)),
    ("Artikelnr", "category", some_of(18, 1, 5000)),
    ("Postleitzahl", "category", some_of(30, 1067, 99_998)),
    ("产品编号", "category", some_of(18, 1, 300)),
    ("productcode", "category", some_of(30, 10, 99_000)),
    ("product", "category", whole(1, 30)),
    ("department", "category", whole(1, 12)),
    ("state", "category", whole(1, 50)),
    ("area code", "category", some_of(30, 201, 989)),
    ("called from", "category", lambda row: f"({draw.choice(range(201, 250))})"),
    ("prefix", "category", some_of(15, 2, 999, width=4)),
    ("EAN", "id", article),
    ("scanned", "id", article),
    ("contact", "id", whole(5_000_000_000, 9_999_999_999)),
    ("HouseNumber", "category", some_of(18, 1, 99)),
    ("browser", "category", whole(1, 9)),
    ("store_nbr", "category", whole(1, 45)),
    ("grade level", "category", any_of("01", "02", "03", "04")),
    # numbers that are amounts
    ("age", "number", whole(18, 90)),
    ("children", "number", whole(0, 5)),
    ("num_rooms", "number", whole(1, 9)),
    ("no of visits", "number", whole(0, 12)),
    ("number_of_products", "number", whole(1, 4)),
    ("class_size", "number", whole(12, 34)),
    ("url_length", "number", whole(10, 180)),
    ("email count", "number", whole(0, 15)),
    ("model_year", "number", whole(1970, 1982)),
    ("year", "number", whole(1950, 2020)),
    ("salary", "number", some_of(60, 30_001, 89_999)),
    ("offered", "number", lambda row: str(1000 * draw.randint(20, 99))),
    ("listed at", "number", lambda row: str(1000 * draw.randint(12, 60) - draw.choice((5, 10)))),
    ("displacement", "number", any_of("1198", "1390", "1598", "1968", "1998", "2993")),
    ("curb weight", "number", whole(1500, 4500)),
    ("rpm", "number", any_of("4800", "5000", "5200", "5500", "6000")),
    ("odometer", "number", whole(10_000, 99_999)),
    ("inhabitants", "number", whole(900, 3_800_000)),
    ("votes", "number", whole(100, 999_999)),
    ("rank", "number", lambda row: str(row * 3 + 7)),
    ("sensor counts", "number", whole(32_000, 33_500)),
    ("steps", "number", whole(1000, 18_000)),
    ("quality_points", "number", whole(3, 8)),
    ("balance", "number", account),
    ("profit", "number", lambda row: f"{draw.uniform(-50, 90):.2f}".replace("-", "−")),
    ("booked", "number", lambda row: f"{draw.uniform(1, 90):.2f}{draw.choice(('', '-'))}"),
    ("paid", "number", lambda row: f"${draw.uniform(1, 9000):,.2f}"),
    ("cost in euro", "number", lambda row: f"{draw.uniform(1, 90):.2f} EUR"),
    ("growth", "number", lambda row: f"{draw.uniform(-9, 9):.1f} %"),
    ("habitants", "number", grouped("\N{NARROW NO-BREAK SPACE}")),
    ("Einwohner CH", "number", grouped("’")),
    ("lakhs", "number", lambda row: f"{draw.randint(1, 9)},{draw.randint(10, 99)},000"),
    ("temperature", "number", decimal(-10, 35, 1)),
    ("ratio", "number", decimal(0, 1, 4)),
    ("gap", "number", lambda row: draw.choice(("", "NA", f"{draw.uniform(0, 9):.3f}"))),
    ("Gewicht", "number", lambda row: f"{draw.randint(50, 99)} kg"),
    ("Engine", "number", lambda row: f"{draw.choice((998, 1248, 1497))} CC"),
    ("Mileage", "number", lambda row: f"{draw.uniform(10, 28):.1f} kmpl"),
    ("身高", "number", lambda row: f"{draw.randint(150, 199)}厘米"),
    ("Temp.", "number", lambda row: f"{draw.uniform(-9, 30):.1f} °C".replace(".", ",")),
    ("memory", "category", any_of("512 MB", "1 GB", "2 GB")),
    ("seat", "category", any_of("3A", "14A", "22A")),
    ("Dauer", "number", lambda row: f"{draw.randint(0, 3)}:{row % 60:02}:{draw.randint(0, 59):02}"),
    ("用时", "number", lambda row: f"{draw.randint(0, 23)}:{row % 60:02}"),
    ("chip", "number", lambda row: f"{draw.randint(0, 40)}:{row % 60:02}:{draw.randint(0, 59):02}"),
    ("departure", "date", lambda row: f"{draw.randint(0, 23)}:{row % 60:02}"),
    # people and places
    ("user", "category", whole(1, 40)),
    ("User", "category", whole(1, 60)),
    ("user count", "number", whole(1, 40)),
    ("users", "number", whole(1, 40)),
    ("区", "category", whole(1, 5)),
    ("用户", "category", whole(1, 30)),
    # words
    ("color", "category", any_of("red", "green", "blue")),
    ("shift", "category", any_of("Q1", "Q2", "Q3", "Q4")),
    ("size label", "category", any_of("S", "M", "L", "XL")),
    ("weekday", "category", any_of("Mon", "Tue", "Wed", "Thu", "Fri")),
    ("month name", "category", any_of("Jan", "Feb", "Mar", "Apr")),
    ("smoker", "binary", any_of("yes", "no")),
    ("won", "binary", any_of("0", "1")),
    ("user_id", "id", lambda row: str(7 * row + 1000)),
    ("comment", "text", lambda row: f"it took {row} days until the {row * 7} parts came"),
)


@pytest.mark.row("P13")
@pytest.mark.parametrize(("name", "kind", "cell"), BATTERY, ids=[name for name, _, _ in BATTERY])
def test_that_a_column_is_read_as_what_it_is(name: str, kind: str, cell: Cells):
    draw.seed(name)
    cells = [cell(row) for row in range(ROWS)]
    beside = [f"{row % 7 / 3:.3f}" for row in range(ROWS)]
    infos, _ = propose_columns(("x", name, "y"), (beside, cells, beside), TableFormat(kind="csv"))
    assert infos[1].kind == kind, cells[:8]
