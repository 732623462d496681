"""What a curve of losses suggests, and which batch size is tried next."""

import math

import pytest

from engine.query.finder.suggestion import (
    RatePoint,
    Smoothing,
    Suggestion,
    fastest_size,
    next_size,
    suggest,
)


def curve(losses: list[float]) -> list[RatePoint]:
    """Return points whose rates rise tenfold over ten points, from a millionth."""
    return [RatePoint(10 ** (-6 + at / 10), loss) for at, loss in enumerate(losses)]


def valley() -> list[RatePoint]:
    """Return a plateau, a fall that is steepest at a thousandth, and a rise."""
    losses = [2 - 1.5 / (1 + math.exp(-(at - 30) / 2)) for at in range(50)]
    return curve([*losses, *(losses[-1] + at for at in range(1, 11))])


def test_that_the_steepest_fall_and_a_tenth_of_the_lowest_are_suggested() -> None:
    found = suggest(valley())
    assert found.steepest == pytest.approx(1e-3, rel=0.3)
    assert found.tenth == pytest.approx(10**-1.1 / 10, rel=0.3)


@pytest.mark.parametrize(
    "losses", [[], [1.0], [1.0, 2.0, 3.0], [1.0 + at for at in range(30)], [2.0] * 30]
)
def test_that_nothing_is_suggested_where_the_loss_never_falls(losses) -> None:
    assert suggest(curve(losses)) == Suggestion()


def test_that_the_mean_of_equal_losses_is_that_loss_from_the_first() -> None:
    smoothing = Smoothing()
    assert [smoothing.add(2.5) for _ in range(4)] == pytest.approx([2.5] * 4)
    assert 2.5 < smoothing.add(3.5) < 3.0


def sizes(most: int, chosen: int = 32, samples: int = 1 << 20) -> list[int]:
    """Return the sizes that are tried where batches of up to ``most`` samples fit."""
    fits = fails = 0
    tried = []
    while size := next_size(chosen, fits, fails, samples):
        tried.append(size)
        assert len(tried) < 50
        fits, fails = (size, fails) if size <= most else (fits, size)
    return tried


@pytest.mark.parametrize(("most", "chosen"), [(777, 32), (5, 32), (1, 1000), (33, 32), (4096, 7)])
def test_that_the_largest_is_found_to_an_eighth(most, chosen) -> None:
    tried = sizes(most, chosen)
    fitting = max(size for size in tried if size <= most)
    assert fitting <= most < fitting + max(2, fitting / 4)
    assert len(set(tried)) == len(tried)


def test_that_sizes_are_doubled_first_and_end_with_all_samples() -> None:
    assert sizes(10**9, samples=1258) == [32, 64, 128, 256, 512, 1024, 1258]
    assert sizes(10**9, chosen=32, samples=20) == [20]
    assert sizes(0) == [32, 16, 8, 4, 2, 1]


def test_that_the_smallest_of_the_nearly_fastest_sizes_is_suggested() -> None:
    assert fastest_size([(32, 100.0), (64, 190.0), (128, 196.0), (256, 200.0)]) == 64
    assert fastest_size([]) is None
