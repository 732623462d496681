"""Values of dates, as people write them."""

from datetime import UTC, datetime

import pytest

from engine.data.read.date import (
    date_order,
    date_part,
    has_two_orders,
    likely_date_order,
    parse_date,
)


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # pyright: ignore[reportArgumentType]


DAY = at(1990, 3, 12)
MOMENT = at(1990, 3, 12, 14, 30)
QUARTER = at(2001, 4, 1)


def days(moment: datetime) -> float:
    return (moment - at(1970, 1, 1)).total_seconds() / 86_400


@pytest.mark.parametrize(
    ("cell", "moment"),
    [
        ("12 Mar 1990", DAY),
        ("12-MAR-90", DAY),
        ("12MAR1990", DAY),
        ("March 12, 1990", DAY),
        ("Mar. 12th 1990", DAY),
        ("12th of March 1990", DAY),
        ("Monday, March 12, 1990", DAY),
        ("1990-Mar-12", DAY),
        ("12. März 1990", DAY),
        ("12 mars 1990", DAY),
        ("12 de marzo de 1990", DAY),
        ("12 marzo 1990", DAY),
        ("12 de março de 1990", DAY),
        ("1990年3月12日", DAY),
        ("19900312", DAY),
        ("19900312.0", DAY),
        ("Mon, 12 Mar 1990 14:30:00 GMT", MOMENT),
        ("Mon Mar 12 14:30:00 +0000 1990", MOMENT),
        ("Mar 12 14:30:00 1990", MOMENT),
        ("Mar 12, 1990 2:30 PM", MOMENT),
        ("12-Mar-1990 16:30:00+02:00", MOMENT),
        ("2001-Q2", QUARTER),
        ("2001Q2", QUARTER),
        ("Q2 2001", QUARTER),
        ("2Q2001", QUARTER),
        ("2001年第2季度", QUARTER),
        ("2001-04", QUARTER),
        ("200104", QUARTER),
        ("Apr 2001", QUARTER),
        ("Apr-01", QUARTER),
        ("2001-W14", at(2001, 4, 2)),
        ("2001-W14-3", at(2001, 4, 4)),
        ("1 May 69", at(2069, 5, 1)),
        ("1 May 70", at(1970, 5, 1)),
    ],
)
def test_that_a_date_is_the_day_that_it_says(cell: str, moment: datetime):
    order = date_order([cell])
    assert order is not None
    assert parse_date(cell, order) == pytest.approx(days(moment), abs=1e-9)


@pytest.mark.parametrize(
    "cell",
    [
        "Mar",
        "Q2",
        "31 Feb 2020",
        "12 Foo 1990",
        "MAR-1",
        "2001-Q5",
        "2001-W54",
        "May be 2001",
        "W12",
    ],
)
def test_that_what_only_looks_like_a_date_is_none(cell: str):
    assert date_order([cell]) is None


def test_that_names_of_months_do_not_make_a_date_of_a_column_with_words():
    assert date_order(["12 Mar 1990", "May be"]) is None
    assert likely_date_order(["12 Mar 1990", "13 Mar 1990", "?"]) == "name"


def test_that_a_quarter_has_the_parts_of_its_first_day():
    value = parse_date("2001-Q3", "ymd")
    assert value is not None
    assert [date_part(value, part) for part in ("year", "month", "day")] == [2001, 7, 1]


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        (["1990-03-12", "26/03/1990", "02/03/1990"], "ymd or dmy"),
        (["1990-03-12", "03/26/1990", "03/02/1990"], "ymd or mdy"),
        (["1990-03-12 10:00", "12 Mar 1990"], "ymd or name"),
        (["26.03.1990", "19900312"], "ymd or dmy"),
        (["1990-03-12", "02/03/1990"], None),  # the second of March, or the third of February
        (["1990-03-12", "26/03/1990", "03/26/1990"], None),
        (["1990-03-12", "26/03/1990", "soon"], None),
        (["1990-03-12", "1990/03/12"], "ymd"),
        (["12/13/1990", "13/12/1990"], None),
    ],
)
def test_that_dates_of_two_styles_are_read_where_each_is_told_from_the_other(
    cells: list[str], order: str | None
):
    assert date_order(cells) == order


def test_that_a_date_of_either_style_is_the_day_that_it_says():
    for cell in ("1990-03-12", "12/03/1990"):
        assert parse_date(cell, "ymd or dmy") == days(DAY)
    assert parse_date("03/12/1990", "ymd or mdy") == days(DAY)
    assert parse_date("soon", "ymd or dmy") is None


@pytest.mark.parametrize(
    ("cells", "is_so"),
    [
        (["01/02/2020", "03/04/2020"], True),
        (["01/02/2020", "2020-03-04"], True),
        (["01/02/2020", "26/02/2020"], False),
        (["2020-01-02"], False),
        (["01.02.2020"], False),
        (["01/02/2020", "soon"], False),
        (["1/2", "3/4"], False),
        ([], False),
    ],
)
def test_that_dates_are_known_whose_day_and_month_could_be_either(cells: list[str], is_so: bool):
    assert has_two_orders(cells) == is_so


def test_that_dates_of_two_styles_that_are_called_dates_have_the_day_first():
    cells = ["2020-03-04", "01/02/2020", "2021-01-01"]
    assert likely_date_order(cells) == "ymd or dmy"


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        ([f"01/{1 + 5 * n % 12:02}/2023 12:00" for n in range(12)], None),
        ([f"01/{1 + n // 24:02}/2023 {n % 24:02}:00" for n in range(200)], "mdy"),
        ([f"{1 + n // 24:02}/01/2023 {n % 24:02}:00" for n in range(200)], "dmy"),
        ([f"01/{1 + n % 12:02}/{2000 + n // 12}" for n in range(60)], "dmy"),
        ([f"01/{1 + n % 12:02}/2023" for n in range(12)], None),  # days, or months
    ],
    ids=["in_no_order", "hours", "hours_of_days", "months", "few"],
)
def test_that_even_steps_tell_the_day_from_the_month(cells: list[str], order: str | None):
    assert date_order(cells) == order
    assert date_order(cells[::-1]) == order
    assert has_two_orders(cells) == (order is None)


@pytest.mark.parametrize(
    ("cell", "moment"),
    [
        ("1990-03-12 17:45:00 UTC", at(1990, 3, 12, 17, 45)),
        ("Mon 1990-03-12", DAY),
        ("12.03.1990 17:45 Uhr", at(1990, 3, 12, 17, 45)),
        ("03/12/1990 05:45:00 PM", at(1990, 3, 12, 17, 45)),
        ("12 марта 1990", DAY),
        ("12 maart 1990", DAY),
    ],
)
def test_that_what_stands_around_a_date_changes_nothing(cell: str, moment: datetime):
    order = likely_date_order([cell, "1990-03-30" if cell[:4] == "1990" else cell])
    days = parse_date(cell, order if "/" not in cell else "mdy")
    assert days == pytest.approx(moment.timestamp() / 86_400)
