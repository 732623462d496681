"""Fuzzy ranking."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.common.search import initials, ranked, score

TITLES = ["Conv2d", "ConvTranspose2d", "BatchNorm2d", "MultiheadAttention", "Dropout", "Linear"]


def find(query):
    return ranked(query, [(title, (title,)) for title in TITLES])


def test_that_a_beginning_beats_a_middle():
    assert find("conv")[:2] == ["Conv2d", "ConvTranspose2d"]
    assert find("trans") == ["ConvTranspose2d"]


def test_that_initials_and_letters_with_gaps_are_found():
    assert find("bn")[0] == "BatchNorm2d"
    assert find("drpt") == ["Dropout"]
    assert initials("BatchNorm2d") == "bn2"


def test_that_every_word_has_to_fit():
    assert find("conv 2d")[0] == "Conv2d"
    assert find("conv zebra") == []


def test_that_an_alias_is_found_after_a_title():
    items = [("fit", ("Show everything", "zoom")), ("zoom", ("Zoom in",))]
    assert ranked("zoom", items) == ["zoom", "fit"]


def test_that_recent_ones_stand_first_without_a_query():
    items = [(title, (title,)) for title in TITLES]
    assert ranked("", items, ["Linear", "Dropout"])[:2] == ["Linear", "Dropout"]


@given(st.text(max_size=12), st.lists(st.text(max_size=20), max_size=3))
def test_that_no_text_breaks_the_score(query, texts):
    assert score(query, texts) >= 0


@pytest.mark.parametrize("title", TITLES)
def test_that_a_title_is_its_own_best_find(title):
    assert find(title)[0] == title
