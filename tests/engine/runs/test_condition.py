"""Conditions compare named numbers, and can do nothing else."""

import math

import pytest

from engine.diagnostics import DiagnosticError
from engine.runs.condition import parse_condition

NUMBERS = {"step": 12.0, "loss": 3.5, "grad_norm": math.inf, "nan": 0.0, "hits": 4.0}


@pytest.mark.row("N06")
@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("loss > 3", True),
        ("loss > 3 and step < 10", False),
        ("loss > 3 or step < 10", True),
        ("not nan", True),
        ("nan", False),
        ("10 <= step < 20", True),
        ("step % 5 == 2", True),
        ("hits == 2 * 2", True),
        ("grad_norm > 1e300", True),
        ("loss / 0 > 1", False),
        ("loss / 0", False),
        ("-loss < -3", True),
        ("epoch > 0", False),  # not known yet
    ],
)
def test_that_a_condition_compares_numbers(text: str, holds: bool) -> None:
    assert parse_condition(text).holds(NUMBERS) is holds


def test_that_a_condition_says_which_numbers_it_needs() -> None:
    assert parse_condition("loss > 3 and not nan").names == {"loss", "nan"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "loss >",
        "__import__('os').system('true')",
        "().__class__",
        "loss.real > 1",
        "[1 for x in (1,)]",
        "9 ** 9 ** 9",
        "'a' * 9",
        "loss is 3",
        "weight > 1",
        "1j > 0",
        "(" * 100 + "1",
        "1" * 201,
        "\0",
        "loss > 3; step",
        "lambda: 0",
        "(loss := 3)",
    ],
)
def test_that_nothing_else_can_be_said_in_one(text: str) -> None:
    with pytest.raises(DiagnosticError) as found:
        parse_condition(text)
    assert found.value.problems[0].code == "A013"
