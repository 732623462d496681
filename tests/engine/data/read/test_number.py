"""Values of numbers, as people write them."""

import math

import pytest

from engine.data.read.number import (
    Decimal,
    decimal_of,
    parse_number,
    parse_numbers,
    style_of,
    unit_of,
)
from engine.spec.table import TableFormat


@pytest.mark.parametrize(
    ("cell", "decimal", "value"),
    [
        ("(12.00)", ".", -12),
        ("($1,234.50)", ".", -1234.5),
        ("$ (1,234.50)", ".", -1234.5),
        ("(1.234,50 €)", ",", -1234.5),
        ("12.00-", ".", -12),
        ("−3.5", ".", -3.5),
        ("-$5", ".", -5),
        ("12 EUR", ".", 12),
        ("CHF 1’234.50", ".", 1234.5),
        ("R$ 1.234,50", ",", 1234.5),
        ("1 234,5 zł", ",", 1234.5),
        ("12.5 %", ".", 12.5),
        ("1\N{NARROW NO-BREAK SPACE}234\N{NARROW NO-BREAK SPACE}567", ".", 1_234_567),
        ("1\N{NO-BREAK SPACE}234,5", ",", 1234.5),
        ("1'234.5", ".", 1234.5),
        ("12,34,567", ".", 1_234_567),
        ("1:23:45", ".", 5025),
        ("125:00:00", ".", 450_000),
        ("2:05", ".", 125),
        ("2:05,5", ",", 125.5),
        ("3,528", "both", 3.528),
        ("7.500", "both", 7.5),
        ("1,234.5", "both", 1234.5),
        ("1.234,5", "both", 1234.5),
        ("1.234.567", "both", 1_234_567),
        ("1,234,567", "both", 1_234_567),
    ],
)
def test_that_a_number_is_what_it_says(cell: str, decimal: Decimal, value: float):
    assert parse_number(cell, decimal) == value


@pytest.mark.parametrize(
    "cell", ["(a)", "()", "(-5)", "(555) 123", "1-2", "12 apples", "EUR", "1:75", "1:2:3:4"]
)
def test_that_what_only_looks_like_a_number_is_none(cell: str):
    assert parse_number(cell, ".") is None


def test_that_a_dash_alone_is_a_missing_value():
    value = parse_number("-", ".")
    assert value is not None
    assert math.isnan(value)


def test_that_brackets_and_units_leave_the_decimal_mark():
    assert decimal_of(["(1.234,50)", "12,5 EUR"]) == ","
    assert decimal_of(["(1,234.50)", "$12.5"]) == "."


@pytest.mark.parametrize(
    ("cells", "unit", "values"),
    [
        (["50 kg", "61.5 kg", "70"], "kg", [50, 61.5, 70]),
        (["1.248 CC", "998 CC"], "CC", [1.248, 998]),
        (["-3°", "4°"], "°", [-3, 4]),
        (["180厘米", "175厘米"], "厘米", [180, 175]),
    ],
)
def test_that_a_unit_that_all_numbers_have_is_left_away(
    cells: list[str], unit: str, values: object
):
    assert unit_of(cells) == unit
    numbers, wrong = parse_numbers(cells, ".", unit)
    assert (numbers.tolist(), wrong) == (values, [])


def test_that_numbers_in_several_units_are_no_numbers():
    cells = ["512 MB", "1 GB"]
    assert unit_of(cells) == ""
    assert parse_numbers(cells, ".", unit_of(cells))[1] == [0, 1]
    assert unit_of(["3A", "4A"]) == ""  # a seat
    assert unit_of(["5 apples", "6 apples"]) == ""


@pytest.mark.parametrize("cell", ["0,545", "-0,545", "0 545", "0,545,000"])
def test_that_a_group_of_thousands_does_not_begin_with_nothing(cell: str):
    assert parse_number(cell, ".") is None


@pytest.mark.parametrize(
    ("cells", "style"),
    [
        (["7.500", "3,528", "0,545", "0.954"], "both"),
        (["1.5", "2,5"], "both"),
        (["0.954", "3,528", "1,234.5"], "."),
        (["0,545", "1.234"], ","),
        (["2,5"] * 30 + ["2.5"], ","),  # a slip of somebody's pen
        (["1,234"], "."),  # that of the table
    ],
)
def test_that_the_numbers_of_a_column_say_how_they_are_written(cells: list[str], style: Decimal):
    assert style_of(cells, TableFormat(kind="csv")) == style
    chosen = TableFormat(kind="csv", decimal=",", is_decimal_chosen=True)
    assert style_of(cells, chosen) == ","
