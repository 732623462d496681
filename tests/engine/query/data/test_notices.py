"""What a proposal tells where data are read otherwise than somebody may have meant."""

from pathlib import Path

import pytest

from engine.diagnostics import DiagnosticError
from engine.query.data.notices import tags_in
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.proposal import Answers

TAGS = ("circle", "square", "triangle")


def told(path: Path, target: str = "", kinds: str = "") -> dict[str, dict[str, object]]:
    answers = Answers(params={"kinds": kinds} if kinds else {})
    request = ProposeData(path=str(path), target=target, answers=answers)
    problems = propose_data(request).info.problems
    return {problem.code: dict(problem.params) for problem in problems}


@pytest.mark.parametrize("mark", [" ", "|", ", ", ";"])
def test_that_classes_that_are_several_labels_are_told(tmp_path, mark):
    cells = [mark.join(tag for at, tag in enumerate(TAGS) if n % 8 >> at & 1) for n in range(160)]
    rows = [f'{n * 7 % 50}.5\t{n % 9}\t"{cell}"' for n, cell in enumerate(cells)]
    (tmp_path / "tags.tsv").write_text("\n".join(["size\tweight\ttags", *rows]))
    found = told(tmp_path / "tags.tsv", "tags", "tags=category")
    assert found["D651"]["count"] == 7
    assert set(str(found["D651"]["labels"]).split(", ")) == set(TAGS)
    assert found["D045"]["count"] == 20  # rows without a label


@pytest.mark.parametrize(
    "classes",
    [
        ("class 1", "class 2", "class 10"),
        ("red bus", "red car", "red van", "blue bus", "blue car", "blue van"),
        ("New York", "York", "Paris", "São Paulo"),
        ("cat", "dog", "fish", "bird"),
        ("a,b", "a,c"),
    ],
)
def test_that_names_of_several_words_are_no_labels(classes):
    assert tags_in(classes) == ()


def test_that_a_target_with_too_many_values_is_told(tmp_path):
    rows = [f"{n * 7 % 90}.5,c{n}" for n in range(600)]
    (tmp_path / "k.csv").write_text(
        "\n".join(["x,y2,label", *(f"{n % 7},{r}" for n, r in enumerate(rows))])
    )
    found = told(tmp_path / "k.csv")["D660"]
    assert (found["column"], found["count"], found["target"]) == ("label", 600, "y2")


def test_that_hdf5_is_told_with_how_to_convert_it(tmp_path):
    (tmp_path / "a.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(DiagnosticError) as caught:
        told(tmp_path / "a.h5")
    assert caught.value.problems[0].code == "D661"


@pytest.mark.fault("B10")
def test_that_very_many_classes_are_taken_where_it_is_said_with_the_memory(tmp_path):
    rows = "\n".join(f"{i % 7},k{i % 10_500}" for i in range(12_000))
    (tmp_path / "sku.csv").write_text(f"x,sku\n{rows}\n")
    with pytest.raises(DiagnosticError, match="category if each value"):
        told(tmp_path / "sku.csv", "sku")
    found = told(tmp_path / "sku.csv", "sku", "sku=category")["D725"]
    assert (found["classes"], found["each"]) == (10_500, 1.1)
    layer = 10_500 * 64 * 4 * 4 / 1e6  # weights, gradients, two moments
    assert float(str(found["need"])) >= layer
