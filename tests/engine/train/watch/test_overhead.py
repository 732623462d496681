"""Watching costs what it may, however dear a look is."""

import pytest

from engine.train.watch.overhead import Overhead


def play(
    overhead: Overhead,
    seconds: float,
    step_s: float,
    look_s: float,
    *,
    begin: float = 0.0,
    shares: list[float] | None = None,
) -> list[float]:
    """Return the moments of the looks of a run whose steps take ``step_s``; into ``shares`` goes
    what is told after each step.
    """
    now, looks = begin, []
    is_looking = overhead.is_due(now)
    while now < seconds:
        now += step_s + (look_s if is_looking else 0)
        overhead.step_done(now, sampled=is_looking, watched=False, estimate=look_s)
        looks += [now] if is_looking else []
        if shares is not None:
            shares.append(overhead.share)
        is_looking = overhead.is_due(now)
    return looks


@pytest.mark.row("N23")
@pytest.mark.parametrize("look_s", [0.001, 0.05, 2.0])
def test_that_looking_stays_below_the_limit(look_s: float) -> None:
    overhead = Overhead(limit=0.03, every_steps=10)
    looks = play(overhead, 400, 0.01, look_s)
    assert look_s * (len(looks) - 2) / 400 <= 0.03
    assert overhead.share <= 0.04
    assert overhead.is_throttled == (look_s > 0.01)


@pytest.mark.row("N23")
@pytest.mark.parametrize("look_s", [0.001, 0.05, 0.25])
def test_that_the_limit_is_kept_from_the_first_second_on(look_s: float) -> None:
    shares: list[float] = []
    looks = play(Overhead(limit=0.03, every_steps=10), 60, 0.01, look_s, shares=shares)
    assert looks[0] < 1
    assert len(looks) > 2
    assert max(shares) <= 0.031


@pytest.mark.row("N23")
def test_that_another_limit_is_kept_from_the_first_second_on() -> None:
    overhead = Overhead(limit=0.03, every_steps=10)
    play(overhead, 68, 0.01, 0.25)
    overhead.change(0.1, 10)
    shares: list[float] = []
    looks = play(overhead, 98, 0.01, 0.25, begin=68.0, shares=shares)
    assert looks[0] < 69
    assert 0.05 < max(shares) <= 0.101


@pytest.mark.row("N23")
def test_that_the_limit_is_kept_of_the_time_that_steps_take() -> None:
    overhead = Overhead(limit=0.03, every_steps=10)
    now, steps, looks = 0.0, 0, 0
    while now < 400:
        if steps % 50 == 0:
            now += 0.5  # an epoch ends
            overhead.step_started(now)
        is_looking = overhead.is_due(now)
        now += 0.06 if is_looking else 0.01
        overhead.step_done(now, sampled=is_looking, watched=False, estimate=0.05)
        steps, looks = steps + 1, looks + is_looking
    assert looks > 50
    assert looks * 0.05 <= 0.03 * (steps * 0.01 + looks * 0.05)
    assert overhead.share <= 0.03


def test_that_a_first_look_in_the_middle_of_a_run_is_no_rate() -> None:
    overhead = Overhead(limit=0.03, every_steps=10)
    for step in range(1, 200):
        overhead.step_done(step * 0.01, sampled=False, watched=False)
    overhead.change(0.03, 10)
    shares: list[float] = []
    play(overhead, 60, 0.01, 0.25, begin=1.99, shares=shares)
    assert 0.01 < max(shares) <= 0.031


def test_that_a_guess_puts_statistics_off_for_ten_seconds_at_most() -> None:
    looks = play(Overhead(limit=0.03, every_steps=10), 21, 0.01, 5.0)
    assert 10 < looks[1] - looks[0] < 16


@pytest.mark.row("N23")
def test_that_a_look_counts_however_much_longer_than_a_step_it_takes() -> None:
    overhead = Overhead(limit=0.03, every_steps=10)
    now = 0.0
    for step in range(2000):
        is_watched = step % 100 == 99
        now += 0.101 if is_watched else 0.001
        overhead.step_done(now, sampled=False, watched=is_watched)
    assert overhead.share == pytest.approx(0.5, abs=0.01)


def test_that_the_first_step_is_looked_at_and_then_a_few_a_second_at_most() -> None:
    looks = play(Overhead(limit=1.0, every_steps=1), 10, 0.001, 0.0)
    assert looks[0] == pytest.approx(0.001)
    assert 38 <= len(looks) <= 41


def test_that_steps_between_looks_are_those_that_are_wanted() -> None:
    looks = play(Overhead(limit=1.0, every_steps=7), 100, 1.0, 0.0)
    assert looks[:3] == [1.0, 8.0, 15.0]


@pytest.mark.parametrize(("limit", "soon"), [(1.0, True), (0.001, False)])
def test_that_another_limit_holds_at_once(limit: float, soon: bool) -> None:
    overhead = Overhead(limit=0.001, every_steps=1)
    looks = play(overhead, 400, 0.1, 0.05)
    now = looks[-1]
    overhead.change(limit, 1)
    assert overhead.is_due(now + 1.0) == soon


def test_that_a_long_run_is_not_recorded_ever_more_densely() -> None:
    looks = play(Overhead(limit=1.0, every_steps=1), 20_000, 0.5, 0.0)
    assert len(looks) < 10_000


def test_that_what_others_look_at_counts_and_a_pause_does_not() -> None:
    overhead = Overhead(limit=0.03, every_steps=10)
    now = 0.0
    for step in range(200):
        is_watched = step % 10 == 9
        if step in (99, 100):  # a pause, before a step that is looked at and before another
            now += 500
            overhead.step_started(now)
        now += 0.02 if is_watched else 0.01
        overhead.step_done(now, sampled=False, watched=is_watched)
    assert overhead.share == pytest.approx(0.1, abs=0.02)


@pytest.mark.row("N23")
def test_that_what_a_run_looks_at_beside_its_steps_counts_and_makes_no_step_longer() -> None:
    overhead = Overhead(limit=0.03, every_steps=10)
    now = 0.0
    for step in range(400):
        beside = 0.05 if step % 10 == 9 else 0.0
        now += 0.01 + beside
        overhead.step_done(now, sampled=False, watched=False, beside=beside)
    assert overhead.share == pytest.approx(1 / 3, abs=0.01)
    overhead.step_done(now + 0.02, sampled=False, watched=True)
    assert overhead.share == pytest.approx(1 / 3, abs=0.01)  # a step is known to take 0.01 s
