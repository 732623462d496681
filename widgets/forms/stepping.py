"""Steps up and down from the number in a text field."""

import math
import re

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def stepped(
    text: str,
    direction: int,
    *,
    is_float: bool,
    caret: int = 0,
    minimum: float | None = None,
    maximum: float | None = None,
    factor: int = 1,
) -> tuple[str, int] | None:
    """Return the text with the number at the caret moved, and the caret after that number.

    Whole numbers move by ``factor``; others by one in their leading digit (0.001 to 0.002, or to
    0.0009). None when there is no number or the bounds (inclusive here) forbid the step.
    """
    matches = [match for match in _NUMBER.finditer(text) if match.start() <= max(caret, 0)]
    match = matches[-1] if matches else _NUMBER.search(text)
    if match is None:
        return None
    try:
        value = float(match.group())
    except ValueError:
        return None
    moved = _moved_float(value, direction) if is_float else math.trunc(value) + direction * factor
    if minimum is not None:
        moved = max(moved, minimum)
    if maximum is not None:
        moved = min(moved, maximum)
    if moved == value:
        return None
    written = f"{moved:.6g}" if is_float else str(int(moved))
    return text[: match.start()] + written + text[match.end() :], match.start() + len(written)


def _moved_float(value: float, direction: int) -> float:
    if value == 0:
        return direction * 0.1
    exponent = math.floor(math.log10(abs(value)) + 1e-12)
    towards_zero = (direction < 0) == (value > 0)
    is_power = math.isclose(abs(value), 10.0**exponent, rel_tol=1e-9)
    step = 10.0 ** (exponent - 1 if is_power and towards_zero else exponent)
    moved = value + direction * step
    return 0.0 if math.isclose(moved, 0, abs_tol=step * 1e-6) else moved
