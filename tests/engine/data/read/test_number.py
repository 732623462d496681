"""Values of numbers, as people write them."""

import math

import pytest

from engine.data.read.number import Decimal, decimal_of, parse_number, parse_numbers, unit_of


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
