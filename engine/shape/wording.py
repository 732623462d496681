"""Text of a shape in a sentence."""

from collections.abc import Sequence

from engine.shape.execute import Signal


def shown(signal: Signal) -> str:
    """Return ``N × 3 × 28 × 28``; ``N`` alone for one number a sample."""
    return shown_shape(signal.labels())


def shown_shape(shape: Sequence[int | str]) -> str:
    """Return the axes with times signs between them."""
    return " × ".join(str(axis) for axis in shape) if shape else "one number"
