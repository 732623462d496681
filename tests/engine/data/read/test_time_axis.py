"""Times of rows: their order, how they are written, and those after the last row."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from engine.data.read.time_axis import times_of

WORKDAYS = ["2024-03-04", "2024-03-05", "2024-03-06", "2024-03-07", "2024-03-08",
            "2024-03-11", "2024-03-12", "2024-03-13", "2024-03-14", "2024-03-15"]  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["2024-02-28 22:00:00", "2024-02-28 23:00:00"], ["2024-02-29 00:00", "2024-02-29 01:00"]),
        (["2024-02-27", "2024-02-28"], ["2024-02-29", "2024-03-01"]),
        (["2024-01-31", "2024-02-29", "2024-03-31"], ["2024-04-30", "2024-05-31"]),
        (["2024-01-01", "2024-02-01", "2024-03-01"], ["2024-04-01", "2024-05-01"]),
        (["2023-10-01", "2024-01-01", "2024-04-01"], ["2024-07-01", "2024-10-01"]),
        (["30.12.2024", "31.12.2024"], ["2025-01-01", "2025-01-02"]),
        (WORKDAYS, ["2024-03-18", "2024-03-19"]),
        (["10", "20", "30", "45"], ["55", "65"]),
        (["0.5", "1"], ["1.5", "2"]),
        (["2024-02-27"], ["", ""]),
        (["7"], ["", ""]),
    ],
)
def test_that_the_times_after_the_last_row_follow_in_the_usual_step(cells, expected):
    _, times = times_of(np.array(cells), "when")
    rows = len(cells) + np.arange(2)
    assert times.texts(rows) == expected


def test_that_rows_and_their_times_come_in_order():
    order, times = times_of(np.array(["03.01.2024", "15.01.2024", "02.01.2024"]), "when")
    assert order.tolist() == [2, 0, 1]
    assert times.texts(np.arange(3)) == ["2024-01-02", "2024-01-03", "2024-01-15"]


def test_that_clock_times_order_rows_but_name_no_day():
    order, times = times_of(np.array(["17:45", "09:10"]), "when")
    assert (order.tolist(), times) == ([1, 0], None)


@pytest.mark.parametrize("form", ["%Y%m%d%H", "%Y%m%d%H%M", "%Y%m%d%H%M%S"])
def test_that_digits_of_dates_are_dates(form):
    start = datetime(2023, 1, 27)  # noqa: DTZ001
    cells = [f"{start + timedelta(hours=n):{form}}" for n in range(120)]
    _, times = times_of(np.array(cells), "when")
    assert not len(times.gaps())
    assert times.texts(np.array([119, 120])) == ["2023-01-31 23:00", "2023-02-01 00:00"]


def test_that_digits_of_days_and_months_are_dates_except_in_a_series_of_numbers():
    days = np.array(["20230227", "20230228"])
    _, times = times_of(days, "when")
    assert times.texts(np.array([2])) == ["2023-03-01"]
    _, months = times_of(np.array(["202211", "202212", "202301"]), "when")
    assert months.texts(np.array([3])) == ["2023-02-01"]
    _, numbers = times_of(np.array(["1", "2"]), "when")
    assert numbers.texts(np.array([2])) == ["3"]
    _, same = times_of(days, "when", are_numbers=True)
    assert same.texts(np.array([2])) == ["20230229"]
