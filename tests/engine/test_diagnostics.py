"""Sentences of findings: numbers as they are read, and the word that goes with each."""

import pytest

from engine.diagnostics import Diagnostic, sentence


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (Diagnostic.of("D039", column="x", classes=100_000, samples=200_000), "100,000 different"),
        (Diagnostic.of("D433", file="a", count=1, size=8), "has 1 object, whose"),
        (Diagnostic.of("D433", file="a", count=2, size=8), "has 2 objects, whose"),
        (Diagnostic.of("H001", silent=1, total=9, name="relu"), "1 of 9 units of “relu” is zero"),
        (Diagnostic.of("D134", line=12_345), "Line 12345 "),
    ],
)
def test_that_numbers_are_written_for_people(problem, said):
    assert said in sentence(problem)


def test_that_the_other_language_separates_thousands_too():
    told = Diagnostic.of("D039", column="x", classes=100_000, samples=200_000)
    assert "100,000" in sentence(told, "zh_CN")
