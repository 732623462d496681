"""Whole numbers that name something, told by their values: postal codes, numbers of products."""

from collections.abc import Collection

import numpy as np

from engine.data.read.date import is_epoch

_LEAST_ROWS = 30
_LEAST_VALUES = 5
_DIGITS = 5  # shorter ones come again as amounts, too: a displacement of 1998 cubic centimetres
_SPARSE = 10  # numbers of the range for each that is there
_PRICE_ENDS = (0, 5, 9)  # the last digits of what people round, and of prices
_LONG = 10  # digits: what has as many in all rows is a telephone, an account
_CHECKED = (8, 12, 13, 14)  # digits of the numbers of articles, of which the last is a check digit


def are_codes(values: np.ndarray, distinct: Collection[str]) -> bool:
    """Return whether whole numbers (float64, one a row) are names. They have the same number of
    digits in all rows, and: a valid check digit (GS1, as EAN and UPC have it), or ten digits and
    more, or few of a wide range come again and again without being round. ``distinct`` are their
    texts.
    """
    known = np.unique(values)
    digits = len(str(int(known[-1])))
    if known[0] < 1 or len(str(int(known[0]))) != digits or len(known) < _LEAST_VALUES:
        return False
    if digits in _CHECKED and all(map(_has_check_digit, distinct)):
        return True
    steps = np.diff(known)
    if digits >= _LONG:
        return not is_epoch(distinct) and bool((steps != steps[0]).any())
    ends = np.isin(known % 10, _PRICE_ENDS).mean()
    is_sparse = known[-1] - known[0] >= _SPARSE * len(known)
    comes_again = len(values) >= _LEAST_ROWS and len(known) <= len(values) / 2
    return digits >= _DIGITS and comes_again and is_sparse and bool(ends < 0.5)


def _has_check_digit(text: str) -> bool:
    """Return whether the last digit is that of GS1 for those before it."""
    if not text.isdecimal():
        return False
    body = [int(digit) for digit in reversed(text[:-1])]
    total = 3 * sum(body[::2]) + sum(body[1::2])
    return (total + int(text[-1])) % 10 == 0
