"""One step up or down."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.forms.stepping import stepped


@pytest.mark.parametrize(
    ("text", "direction", "expected"),
    [
        ("0.001", 1, "0.002"),
        ("0.001", -1, "0.0009"),
        ("1e-3", 1, "0.002"),
        ("0.9", 1, "1"),
        ("1", -1, "0.9"),
        ("-0.01", 1, "-0.009"),
        ("2.5", -1, "1.5"),
        ("0", 1, "0.1"),
    ],
)
def test_that_a_fraction_moves_in_its_leading_digit(text, direction, expected):
    assert stepped(text, direction, is_float=True)[0] == expected


def test_that_the_number_at_the_caret_moves():
    assert stepped("3, 5", 1, is_float=False, caret=0) == ("4, 5", 1)
    assert stepped("3, 5", -1, is_float=False, caret=4) == ("3, 4", 4)
    assert stepped("9", 1, is_float=False, factor=10) == ("19", 2)


def test_that_bounds_stop_and_text_without_a_number_is_left():
    assert stepped("1", -1, is_float=False, minimum=1) is None
    assert stepped("0.9", 1, is_float=True, maximum=0.95) == ("0.95", 4)
    assert stepped("abc", 1, is_float=False) is None


@given(st.text(max_size=30), st.sampled_from([1, -1]), st.booleans(), st.integers(0, 40))
def test_that_no_text_breaks_a_step(text, direction, is_float, caret):
    stepped(text, direction, is_float=is_float, caret=caret)
