"""Tables with several labels in a cell: proposed as tags, each of them a label of the sample."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.data.load.load import load_split
from engine.diagnostics import DiagnosticError
from engine.query.data.columns import list_table_columns
from engine.query.data.proposal import propose_data
from engine.query.data.request import ListTableColumns, ProposeData
from engine.spec.proposal import Answers, Proposal

TAGS = ("circle", "square", "triangle")
KINDS = "data.source.kinds"


def tags_of(number: int) -> list[str]:
    return [tag for at, tag in enumerate(TAGS) if number % 8 >> at & 1]


def written(folder: Path, mark: str = "|", name: str = "tags") -> Path:
    rows = [f'{n * 7 % 50}.5\t{n % 9}\t"{mark.join(tags_of(n))}"' for n in range(160)]
    path = folder / "shapes.tsv"
    path.write_text("\n".join([f"size\tweight\t{name}", *rows]))
    return path


def proposed(path: Path, target: str = "", **params: str) -> Proposal:
    answers = Answers(params=dict(params))
    return propose_data(ProposeData(path=str(path), target=target, answers=answers))


@pytest.mark.parametrize("mark", [" ", "|", ", ", ";"])
@pytest.mark.parametrize(("name", "target"), [("tags", ""), ("label", ""), ("shapes", "shapes")])
def test_that_tags_are_proposed_and_each_is_a_label(tmp_path, mark, name, target):
    found = proposed(written(tmp_path, mark, name), target)
    field = found.info.target
    assert field is not None
    assert (found.info.task, field.kind, field.columns) == ("binary", "vector", TAGS)
    assert found.spec.data.source.params["kinds"] == f"{name}=tags"
    assert found.spec.losses[0].loss.type == "BCEWithLogitsLoss"
    assert found.info.samples == 160  # also those without a label
    assert "D651" not in [problem.code for problem in found.info.problems]
    used = {column.name: (column.kind, column.role) for column in found.table}
    assert used[name] == ("tags", "target")


def test_that_a_sample_has_the_tags_of_its_row(tmp_path):
    data = proposed(written(tmp_path)).spec.data
    source = load_split(data)[0]
    values = source.read(range(16))["target"]
    expected = [[float(tag in tags_of(n)) for tag in TAGS] for n in range(16)]
    assert [row.tolist() for row in values] == expected
    assert (source.text("tags", 3), source.text("tags", 0)) == ("circle|square", "")


def test_that_the_samples_with_each_label_are_counted(tmp_path):
    parts = proposed(written(tmp_path)).info.splits
    assert tuple(map(sum, zip(*(part.label_counts for part in parts), strict=True))) == (80, 80, 80)
    assert not any(part.class_counts for part in parts)


def test_that_another_kind_is_kept_and_another_target_is_predicted(tmp_path):
    path = written(tmp_path)
    classes = proposed(path, kinds="tags=category").info.target
    assert classes is not None
    assert "circle|square" in classes.classes
    number = proposed(path, "size")
    assert number.info.task == "regression"
    assert {column.name: column.kind for column in number.table}["tags"] == "category"


def test_that_tags_are_a_category_where_they_are_an_input(tmp_path):
    found = proposed(written(tmp_path), "size", kinds="tags=tags")
    assert found.info.field("categories") is not None
    columns = list_table_columns(ListTableColumns(source=found.spec.data.source))
    assert {each.name: each.kind for each in columns.used}["tags"] == "category"


@pytest.mark.parametrize(
    ("target", "kinds", "code"),
    [
        ("tags,size", "tags=tags", "D049"),
        ("blank", "blank=tags", "D672"),
        ("many", "many=tags", "D671"),
    ],
)
def test_that_what_cannot_be_tags_is_told(tmp_path, target, kinds, code):
    path = tmp_path / "wide.tsv"
    words = [" ".join(f"w{n}_{at}" for at in range(70)) for n in range(160)]
    rows = [f"{n}.5\t{n % 9}\ta|b\t\t{words[n]}" for n in range(160)]
    path.write_text("\n".join(["size\tx\ttags\tblank\tmany", *rows]))
    with pytest.raises(DiagnosticError) as caught:
        proposed(path, target, kinds=kinds)
    assert [problem.code for problem in caught.value.problems] == [code]


def test_that_a_table_of_labels_beside_pictures_may_have_tags(tmp_path):
    for number in range(32):
        Image.fromarray(np.full((8, 8), number, np.uint8)).save(tmp_path / f"{number}.png")
    lines = [f"{number}.png,{' '.join(tags_of(number))}" for number in range(32)]
    (tmp_path / "labels.csv").write_text("\n".join(["file,label", *lines]))
    found = proposed(tmp_path)
    field = found.info.target
    assert field is not None
    assert (found.info.samples, field.columns) == (32, TAGS)
    assert found.spec.data.source.params["kinds"] == "file=image, label=tags"
