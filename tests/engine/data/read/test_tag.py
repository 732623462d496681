"""Cells of several labels: what stands between them, and which columns plainly have such cells."""

import pytest

from engine.data.read.tag import mark_of, split_tags, tags_in


@pytest.mark.parametrize(
    ("cell", "tags"),
    [
        ("circle square", ("circle", "square")),
        ("a;b; c;", ("a", "b", "c")),
        ("x|y|x", ("x", "y")),
        ("rot, rund", ("rot", "rund")),
        ("红色、圆形", ("红色", "圆形")),
        ("['Science Fiction', \"Drama\"]", ("Science Fiction", "Drama")),
        ("hot dog|bus", ("hot dog", "bus")),
        ("", ()),
        ("NA", ()),
        ("[]", ()),
    ],
)
def test_that_a_cell_is_split_into_its_tags(cell, tags):
    assert split_tags(cell, mark_of([cell])) == tags


ALONE = ["circle", "square", "circle square", "circle", "square circle", ""] * 4


@pytest.mark.parametrize(
    ("name", "cells", "tags"),
    [
        ("label", ALONE, {"circle", "square"}),
        ("kind", ["a;b", "b;c", "a;c"] * 3, {"a", "b", "c"}),
        ("tags", ["haze primary", "clear primary water", "clear water"] * 3, None),
        ("tags", ["haze primary", "clear primary", "haze clear"] * 3, {"haze", "primary", "clear"}),
        ("tags", ["1|2", "2|3", "1|3"] * 3, {"1", "2", "3"}),
        ("genre", ["light blue", "dark blue", "light green", "dark green"] * 3, set()),
        ("city", ["New York", "York", "New London", "London"] * 3, set()),
        ("place", ["Bern, CH", "Basel, CH", "Paris, FR", "Lyon, FR"] * 3, set()),
        ("code", ["1;2", "2;3", "1;3"] * 3, set()),
        ("sex", ["male", "female"] * 3, set()),
        ("pixels", ["0 1 1 0", "1 1 0 0", "0 0 1 1"] * 3, set()),
        ("note", [f"word{n} word{n + 1}" for n in range(30)], set()),
        ("tags", ["", "NA"], set()),
    ],
)
def test_that_only_few_labels_that_come_in_several_combinations_are_tags(name, cells, tags):
    expected = {"haze", "primary", "clear", "water"} if tags is None else tags
    assert set(tags_in(name, cells)) == expected
