"""Samples as rows: what stands in them, in which order, which of them, and their pictures."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from engine.data.browse.samples import Samples, samples_of
from engine.diagnostics import DiagnosticError
from engine.spec.browse import Condition, SampleQuery
from engine.spec.data_edits import DataEdits
from engine.spec.data_path import data_key
from engine.spec.run import Choice, DataSpec, SplitSpec

TABLE = """\
id,name,age,city,note,group
1,Zoë,31,Rome,likes red apples,a
2,adam,NA,Oslo,likes green pears,b
3,Bea,7,Rome,,a
4,carl,31.5,Paris,red is fine,b
5,Dora,-2,Oslo,none of these,a
6,emil,7,Rome,APPLES and more,b
"""
PEOPLE = {"target": "group", "kinds": "age=number, city=category", "missing": "mean"}


@pytest.fixture
def people(tmp_path):
    """Return people of whom one has no age and one no note."""
    return samples_of(people_spec(tmp_path))


def people_spec(folder: Path) -> DataSpec:
    """Write the table of the people and return its specification."""
    path = folder / "people.csv"
    path.write_text(TABLE, encoding="utf-8")
    return spec_of("table", path=str(path), **PEOPLE)


def spec_of(source: str, **params: object) -> DataSpec:
    return DataSpec(source=Choice(type=source, params=params), split=SplitSpec(kind="sequential"))


def listed(samples: Samples, *conditions: Condition, **query: object) -> list[int]:
    """Return the numbers of the samples that a query lists, in its order."""
    window = samples.window(SampleQuery(conditions=conditions, **query), 0, 1000)
    assert window.total == len(window.rows)
    return [row.index for row in window.rows]


def column(samples: Samples, key: str, **query: object) -> list[object]:
    at = [info.key for info in samples.describe().columns].index(key)
    return [row.cells[at] for row in samples.window(SampleQuery(**query), 0, 1000).rows]


def test_that_a_table_is_listed_as_it_stands_in_its_file(people):
    assert column(people, "data.name") == ["Zoë", "adam", "Bea", "carl", "Dora", "emil"]
    assert column(people, "data.age") == ["31", None, "7", "31.5", "-2", "7"]
    kinds = {info.key: (info.kind, info.role) for info in people.describe().columns}
    assert kinds["data.age"] == ("number", "input")
    assert kinds["data.city"] == ("category", "input")
    assert kinds["data.group"] == ("category", "target")
    assert kinds["part"] == ("part", "")


def test_that_dates_with_midnight_behind_each_are_listed_as_dates(tmp_path):
    midnight = "00:00:00.000000"
    rows = [f"2024-03-0{at} {midnight},2024-03-0{at} {9 * (at % 2):02}:00:00,{at % 2}"
            for at in range(1, 7)]  # fmt: skip
    (tmp_path / "t.csv").write_text("\n".join(["day,time,y", *rows]))
    samples = samples_of(spec_of("table", path=str(tmp_path / "t.csv"), target="y"))
    assert column(samples, "data.day")[:2] == ["2024-03-01", "2024-03-02"]
    assert column(samples, "data.time")[:2] == ["2024-03-01 09:00:00", "2024-03-02 00:00:00"]


@pytest.mark.parametrize(
    ("key", "upwards", "downwards"),
    [
        ("data.age", [4, 2, 5, 0, 3, 1], [3, 0, 2, 5, 4, 1]),
        ("data.city", [1, 4, 3, 0, 2, 5], [0, 2, 5, 3, 1, 4]),
        ("data.name", [1, 2, 3, 4, 5, 0], [0, 5, 4, 3, 2, 1]),
        ("data.note", [5, 1, 0, 4, 3, 2], [3, 4, 0, 1, 5, 2]),
        ("", [0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]),
    ],
)
def test_that_equal_values_stay_in_their_order_and_missing_ones_come_last(
    people, key, upwards, downwards
):
    assert listed(people, sort=key) == upwards
    assert listed(people, sort=key, is_descending=True) == downwards


def test_that_conditions_are_joined_with_and(people):
    rome = Condition(column="data.city", kind="is", values=("Rome",))
    young = Condition(column="data.age", kind="between", high=7)
    red = Condition(column="data.note", kind="contains", text="red")
    assert listed(people, rome) == [0, 2, 5]
    assert listed(people, rome, young) == [2, 5]
    assert listed(people, young) == [2, 4, 5]
    assert listed(people, red) == [0, 3]
    assert listed(people, rome, red) == [0]
    assert listed(people, Condition(column="data.city", kind="is", values=("Oslo", "Paris"))) == [
        1,
        3,
        4,
    ]


def test_that_a_condition_can_be_turned_round(people):
    rome = Condition(column="data.city", kind="is", values=("Rome",), is_not=True)
    assert listed(people, rome) == [1, 3, 4]
    assert listed(people, Condition(column="data.age", kind="missing")) == [1]
    assert listed(people, Condition(column="data.note", kind="missing", is_not=True)) == [
        0,
        1,
        3,
        4,
        5,
    ]


def test_that_a_text_is_looked_for_in_all_columns_of_words_in_any_letters(people):
    assert listed(people, Condition(column="", kind="contains", text="apples")) == [0, 5]
    assert listed(people, Condition(column="", kind="contains", text="ZOË")) == [0]
    assert listed(people, Condition(column="", kind="contains", text="red likes")) == [0]
    assert listed(people, Condition(column="", kind="contains", text="oslo")) == [1, 4]


def test_that_a_part_is_listed_alone(tmp_path):
    samples = samples_of(spec_of("iris"))
    parts = column(samples, "part")
    assert [parts.count(part) for part in ("train", "validation", "test")] == [105, 23, 22]
    assert listed(samples, part="test") == list(range(128, 150))
    assert set(column(samples, "part", part="validation")) == {"validation"}


def test_that_a_split_that_is_wrong_hides_no_sample():
    spec = DataSpec(source=Choice(type="iris"), split=SplitSpec(kind="group", column="nothing"))
    samples = samples_of(spec)
    assert len(listed(samples)) == 150
    assert set(column(samples, "part")) == {None}


def test_that_a_window_ends_where_the_samples_do(people):
    rows = people.window(SampleQuery(), 4, 100).rows
    assert [row.index for row in rows] == [4, 5]
    assert people.window(SampleQuery(), 99, 5).rows == ()
    assert people.window(SampleQuery(), -3, 2).start == 0


def test_that_what_comes_up_in_a_column_is_counted_where_it_is_listed(people):
    city = people.values("data.city", SampleQuery())
    assert (city.values, city.counts) == (("Oslo", "Paris", "Rome"), (2, 1, 3))
    grown = SampleQuery(conditions=(Condition(column="data.age", kind="between", low=30),))
    assert people.values("data.city", grown).counts == (1, 1)
    age = people.values("data.age", SampleQuery())
    assert (age.lowest, age.highest, age.missing) == (-2, 31.5, 1)


def test_that_a_column_that_is_not_there_is_named(people):
    for query in (
        SampleQuery(sort="data.nothing"),
        SampleQuery(conditions=(Condition(column="data.nothing", kind="missing"),)),
    ):
        with pytest.raises(DiagnosticError) as caught:
            people.window(query, 0, 1)
        assert caught.value.problems[0].code == "D170"
        assert caught.value.problems[0].params["column"] == "nothing"


def test_that_pictures_are_sorted_and_found_by_path_class_and_size(tmp_path):
    sizes = {"cat/a 10.png": 40, "cat/a 9.png": 30, "dog/Ü.png": 20}
    for name, side in sizes.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        pixels = np.random.default_rng(side).integers(0, 255, (side, side, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(path)
    samples = samples_of(spec_of("image_folder", path=str(tmp_path)))
    names = column(samples, "data.image")
    assert sorted(names) == sorted(sizes)
    assert column(samples, "data.label", sort="data.label", is_descending=True)[0] == "dog"
    assert [names[at] for at in listed(samples, sort="bytes")] == [
        "dog/Ü.png",
        "cat/a 9.png",
        "cat/a 10.png",
    ]
    found = listed(samples, Condition(column="", kind="contains", text="ü"))
    assert [names[at] for at in found] == ["dog/Ü.png"]


def test_that_a_picture_is_small_and_a_damaged_one_says_so(tmp_path):
    Image.new("RGB", (400, 200), (250, 20, 20)).save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"no picture")
    samples = samples_of(spec_of("image_folder", path=str(tmp_path)))
    good, damaged = samples.pictures.of([0, 1], 64)
    (picture,) = good.pictures
    assert (picture.width, picture.height, picture.channels) == (64, 32, 3)
    pixels = np.frombuffer(picture.pixels, np.uint8).reshape(32, 64, 3)
    assert np.abs(pixels.astype(int) - (250, 20, 20)).max() < 8
    assert not damaged.pictures
    assert damaged.problems[0].code == "D052"


def test_that_numbers_in_memory_are_shown_as_pictures():
    samples = samples_of(spec_of("digits"))
    (picture,) = samples.pictures.of([7], 128)[0].pictures
    assert (picture.width, picture.height, picture.channels) == (8, 8, 1)
    wanted = samples.source.read([7])["image"][0, 0] * 255
    given = np.frombuffer(picture.pixels, np.uint8).reshape(8, 8)
    assert np.abs(given - wanted.numpy()).max() <= 0.5


def test_that_a_mask_keeps_its_classes(tmp_path):
    for name in ("images", "masks"):
        (tmp_path / name).mkdir()
    mask = np.zeros((40, 60), np.uint8)
    mask[:, 30:] = 2
    mask[:10, :30] = 255  # no class
    Image.fromarray(mask).save(tmp_path / "masks" / "a.png")
    Image.new("RGB", (60, 40), (9, 9, 9)).save(tmp_path / "images" / "a.png")
    spec = spec_of("segmentation_folder", path=str(tmp_path), classes=3)
    samples = samples_of(spec)
    assert samples.describe().pictures == ("image", "mask")
    shown = samples.pictures.of([0], 30)[0].pictures
    assert [(each.field, each.kind) for each in shown] == [("image", "image"), ("mask", "mask")]
    assert (shown[0].width, shown[0].height) == (shown[1].width, shown[1].height)
    pixels = np.frombuffer(shown[1].pixels, np.uint8).reshape(shown[1].height, shown[1].width)
    assert set(pixels[-10:, :10].flatten()) == {0}
    assert pixels[0, 0] == 255
    assert shown[1].classes == ("0", "1", "2")
    assert set(pixels[:, -10:].flatten()) == {2}


def test_that_texts_are_listed_as_they_were_written(tmp_path):
    path = tmp_path / "lines.tsv"
    path.write_text("good film\tup\nbad film\tdown\nso so\tup\n", encoding="utf-8")
    samples = samples_of(spec_of("text", path=str(path), task="classification"))
    assert column(samples, "data.text") == ["good film", "bad film", "so so"]
    assert column(samples, "data.label") == ["up", "down", "up"]
    assert listed(samples, Condition(column="data.text", kind="contains", text="FILM")) == [0, 1]


def test_that_of_pairs_each_text_is_listed_once(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("go\tva\nrun\tcours\nstop\thalte\n", encoding="utf-8")
    samples = samples_of(spec_of("text", path=str(path), task="pairs"))
    keys = [info.key for info in samples.describe().columns if info.kind == "text"]
    assert keys == ["data.source", "data.target"]


def test_that_a_series_is_listed_as_its_numbers(tmp_path):
    path = tmp_path / "series.csv"
    path.write_text("value\n" + "\n".join(str(at) for at in range(30)), encoding="utf-8")
    samples = samples_of(spec_of("series", path=str(path), length=4, horizon=1))
    series = next(info for info in samples.describe().columns if info.kind == "series")
    assert not series.is_cheap
    assert column(samples, series.key)[2] == (2, 3, 4, 5)
    assert column(samples, "data.target")[2] == 6


def test_that_the_samples_are_those_of_the_file_as_it_is(people, tmp_path):
    path = tmp_path / "people.csv"
    spec = spec_of("table", **PEOPLE, path=str(path))
    assert samples_of(spec) is people
    path.write_text(TABLE + "7,new,1,Rome,x,b\n", encoding="utf-8")
    assert len(listed(samples_of(spec))) == 7


def test_that_edits_of_samples_are_seen_and_nothing_is_hidden():
    spec = spec_of("iris")
    edits = DataEdits(source=data_key(spec.source))
    edits = edits.excluding(["1"], is_excluded=True).relabelled(["2"], "virginica")
    edits = edits.moved(["3"], "test").tagged(["3", "4"], "odd")
    samples = samples_of(replace(spec, edits=edits))
    assert len(listed(samples)) == 150
    names = samples.source.sample_names(range(150))
    first, second, third = (names.index(name) for name in ("1", "2", "3"))
    assert column(samples, "part")[first] is None
    assert column(samples, "data.label")[second] == "virginica"
    assert column(samples, "part")[third] == "test"
    odd = Condition(column="tags", kind="contains", text="odd")
    assert listed(samples, odd) == [third, names.index("4")]
    assert first not in listed(samples, part="train")
    wrong = SplitSpec(kind="group", column="nothing")
    unsplit = samples_of(replace(spec, edits=edits, split=wrong))
    assert column(unsplit, "data.label")[second] == "virginica"


def test_that_a_class_that_was_edited_stands_in_a_table(people, tmp_path):
    spec = spec_of("table", path=str(tmp_path / "people.csv"), **PEOPLE)
    name = people.source.sample_names([0])[0]
    edits = DataEdits(source=data_key(spec.source)).relabelled([name], "b")
    assert column(people, "data.group") == ["a", "b", "a", "b", "a", "b"]
    edited = samples_of(replace(spec, edits=edits))
    assert column(edited, "data.group") == ["b", "b", "a", "b", "a", "b"]


def test_that_edited_samples_are_marked_and_listed_by_their_edits(tmp_path):
    spec = people_spec(tmp_path)
    edits = spec.edits.of(data_key(spec.source))
    edits = edits.excluding(["3"], is_excluded=True).relabelled(["2", "3"], "b")
    edits = edits.moved(["5"], "train").tagged(["6", "2"], "odd").tagged(["2"], "big")
    samples = samples_of(replace(spec, edits=edits))
    assert column(samples, "edit") == ["relabelled", "excluded", None, "moved", "tagged", None]
    assert column(samples, "tags") == ["big, odd", None, None, None, "odd", None]
    assert column(samples, "data.group") == ["b", "b", "a", "b", "a", "b"]
    parts = column(samples_of(spec), "part")
    assert column(samples, "part") == [parts[0], None, parts[2], "train", *parts[4:]]
    excluded = Condition(column="edit", kind="is", values=("excluded",))
    assert listed(samples, excluded) == [1]
    assert listed(samples, Condition(column="tags", kind="contains", text="big")) == [0]
    assert 1 not in listed(samples, part="train")
    assert "edit" not in [info.key for info in samples_of(spec).describe().columns]


def test_that_pictures_are_not_read_again_after_an_edit(tmp_path):
    spec = people_spec(tmp_path)
    first = samples_of(spec)
    edits = spec.edits.of(data_key(spec.source)).excluding(["2"], is_excluded=True)
    assert samples_of(replace(spec, edits=edits)).pictures is first.pictures
    assert samples_of(spec) is first


def test_that_boxes_are_counted_named_and_laid_over_pictures(tmp_path):
    for name in ("a.png", "b.png"):
        Image.new("RGB", (40, 20)).save(tmp_path / name)
    rows = ("a.png,4,2,20,10,cat", "a.png,0,0,40,20,dog", "a.png,8,8,9,9,cat", "b.png,,,,,")
    (tmp_path / "boxes.csv").write_text("\n".join(("path,x1,y1,x2,y2,class", *rows)))
    samples = samples_of(spec_of("detection_folder", path=str(tmp_path), size=(10, 10)))
    assert column(samples, "data.boxes") == [3, 0]
    assert column(samples, "data.labels") == ["cat × 2, dog", None]
    assert column(samples, "data.image") == ["a.png", "b.png"]
    assert listed(samples, sort="data.boxes") == [1, 0]
    assert listed(samples, Condition(column="", kind="contains", text="cat")) == [0]
    first, second = samples.pictures.of([0, 1], 16)
    picture = first.pictures[0]
    assert (picture.width, picture.height, picture.classes) == (16, 8, ("cat", "dog"))
    assert picture.boxes[0] == pytest.approx((0.1, 0.1, 0.5, 0.5))  # of the whole picture
    assert picture.labels == (0, 1, 0)
    assert second.pictures[0].classes == ("cat", "dog")
    assert second.pictures[0].boxes == ()
