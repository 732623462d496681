"""Sizes of pictures and lengths of texts as columns to sort and filter by."""

from pathlib import Path

import pytest
from PIL import Image

from engine.data.browse.samples import samples_of
from engine.spec.browse import HEIGHT, WIDTH, Condition, SampleQuery
from engine.spec.run import Choice, DataSpec

SIZES = {"a/wide.png": (30, 10), "a/tall.png": (8, 40), "b/square.png": (20, 20)}


@pytest.fixture
def pictures(tmp_path: Path) -> DataSpec:
    for name, size in SIZES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", size).save(tmp_path / name)
    (tmp_path / "b" / "broken.png").write_bytes(b"no picture")
    return DataSpec(source=Choice(type="image_folder", params={"path": str(tmp_path)}))


def listed(data: DataSpec, query: SampleQuery, key: str) -> list[object]:
    samples = samples_of(data)
    at = [column.info.key for column in samples.columns].index(key)
    return [row.cells[at] for row in samples.window(query, 0, 99).rows]


def test_that_pictures_are_sorted_and_filtered_by_their_sides(pictures: DataSpec) -> None:
    by_width = SampleQuery(sort=WIDTH, is_descending=True)
    assert listed(pictures, by_width, WIDTH) == ["30", "20", "8", None]
    assert listed(pictures, by_width, HEIGHT) == ["10", "20", "40", None]
    high = Condition(column=HEIGHT, kind="between", low=15)
    assert sorted(map(str, listed(pictures, SampleQuery(conditions=(high,)), HEIGHT))) == [
        "20",
        "40",
    ]


def test_that_a_picture_that_changed_is_measured_again(pictures: DataSpec) -> None:
    query = SampleQuery(sort=WIDTH, is_descending=True)
    assert listed(pictures, query, WIDTH)[0] == "30"
    folder = Path(str(pictures.source.params["path"]))
    Image.new("RGB", (90, 10)).save(folder / "a" / "wide.png")
    assert listed(pictures, query, WIDTH)[0] == "90"


def test_that_texts_are_sorted_by_all_tokens_that_they_have(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("a\tone two\nb\tone\na\tone two three four five\n", encoding="utf-8")
    params = {"path": str(path), "task": "classification", "tokens": "words", "length": 3}
    data = DataSpec(source=Choice(type="text", params=params))
    query = SampleQuery(sort="length.text", is_descending=True)
    assert listed(data, query, "length.text") == [5, 2, 1]


def test_that_texts_of_a_table_have_a_length(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{'word ' * (1 + at % 4)},{at},{'xy'[at % 2]}" for at in range(20)]
    path.write_text("\n".join(["what is said,n,label", *rows]), encoding="utf-8")
    params = {"path": str(path), "kinds": "what is said=text", "length": 2}
    data = DataSpec(source=Choice(type="table", params=params))
    found = listed(data, SampleQuery(), "length.what is said")
    assert found == [1 + at % 4 for at in range(20)]
