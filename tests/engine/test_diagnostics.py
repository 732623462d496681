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


@pytest.mark.parametrize("code", ["D028", "D461", "D530"])
@pytest.mark.parametrize(
    ("kind", "english", "chinese"),
    [("number", "a number", "数字"), ("date", "a date", "日期"), ("id", "of its kind", "该类型")],
)
def test_that_names_of_the_program_are_told_in_words(code, kind, english, chinese):
    problem = Diagnostic.of(code, row=2, column="x", value="y", kind=kind, count=1)
    assert english in sentence(problem)
    told = sentence(problem, "zh_CN")
    assert chinese in told
    assert kind not in told


def test_that_the_other_language_separates_thousands_too():
    told = Diagnostic.of("D039", column="x", classes=100_000, samples=200_000)
    assert "100,000" in sentence(told, "zh_CN")


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_that_a_name_that_ends_like_a_sentence_adds_no_second_end(language):
    params = {"field": "label", "count": 1, "classes": "Run now."}
    told = sentence(Diagnostic(code="D574", params=params), language)
    assert "Run now." in told
    assert ".." not in told
    assert ".。" not in told
