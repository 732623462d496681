"""Values of numbers, as people write them."""

import math

import pytest

from engine.data.read.number import Decimal, decimal_of, parse_number


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
    ],
)
def test_that_a_number_is_what_it_says(cell: str, decimal: Decimal, value: float):
    assert parse_number(cell, decimal) == value


@pytest.mark.parametrize("cell", ["(a)", "()", "(-5)", "(555) 123", "1-2", "12 apples", "EUR"])
def test_that_what_only_looks_like_a_number_is_none(cell: str):
    assert parse_number(cell, ".") is None


def test_that_a_dash_alone_is_a_missing_value():
    value = parse_number("-", ".")
    assert value is not None
    assert math.isnan(value)


def test_that_brackets_and_units_leave_the_decimal_mark():
    assert decimal_of(["(1.234,50)", "12,5 EUR"]) == ","
    assert decimal_of(["(1,234.50)", "$12.5"]) == "."
