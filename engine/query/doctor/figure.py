"""Measured numbers as a learner reads them."""

_PLAIN = 1e6  # from here on by its power of ten


def figure(value: float) -> str:
    """Return a number with two or three digits that count: 0.13, 8.54, 130, 1.3e+24."""
    return f"{value:.0f}" if 100 <= abs(value) < _PLAIN else f"{value:.3g}"
