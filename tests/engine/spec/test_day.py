"""Days since 1970 as dates."""

from engine.spec.day import DayTexts, day_text


def test_that_a_day_is_written_as_its_date_and_none_outside_of_the_calendar_as_a_number():
    assert [day_text(each) for each in (0, -0.5, 19_782.73, 2e7)] == [
        *("1970-01-01", "1969-12-31", "2024-02-29"),
        "2e+07",
    ]


def test_that_times_of_a_day_alone_are_times():
    assert DayTexts.of(0.5, 0.1, 0.0, 0.999) == ("12:00", 0.1, "00:00", "23:59")
    assert DayTexts.of(0.5, 0.1, 0.0, 3.0).lowest == "1970-01-01"
