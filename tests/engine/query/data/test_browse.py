"""Questions about the samples of the chosen data, through the host's own dispatch."""

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from engine.diagnostics import DiagnosticError
from engine.query.ask import ask
from engine.query.data.request import (
    BrowseSamples,
    ListColumns,
    ListValues,
    LookAtSample,
    NameEdits,
    NameSamples,
    PeekSamples,
    PickSamples,
    TakePictures,
)
from engine.spec.browse import Condition, SampleQuery
from engine.spec.data_edits import DataEdits, split_name
from engine.spec.data_path import data_key
from engine.spec.run import Choice, DataSpec

IRIS = DataSpec(source=Choice(type="iris"))
SETOSA = Condition(column="data.label", kind="is", values=("setosa",))


def test_that_rows_have_a_cell_for_each_column():
    listed = ask(ListColumns(data=IRIS))
    window = ask(BrowseSamples(data=IRIS, start=3, count=2))
    assert listed.samples == window.total == 150
    assert [len(row.cells) for row in window.rows] == [len(listed.columns)] * 2
    names = [column.name for column in listed.columns]
    assert names[2:] == [
        "label",
        "sepal length (cm)",
        "sepal width (cm)",
        "petal length (cm)",
        "petal width (cm)",
    ]
    assert window.rows[0].cells[3:] == pytest.approx((4.6, 3.1, 1.5, 0.2))
    assert window.rows[0].cells[2] == "setosa"


def test_that_the_first_rows_of_a_table_stand_as_in_the_file_before_it_is_read(tmp_path):
    file = tmp_path / "people.csv"
    day = "2024-03-06 00:00:00"
    lines = [f"{age},{'ab'[age % 2]},{'' if age == 1 else 'Rome'},{day}" for age in range(50_000)]
    file.write_text("\n".join(["age,label,city,day", *lines, "1,2,3,4,5"]))  # the end is broken
    source = Choice(type="table", params={"path": str(file), "target": "label"})
    head = ask(PeekSamples(source=source))
    assert [column.name for column in head.columns.columns] == ["", "label", "age", "city", "day"]
    assert [column.role for column in head.columns.columns] == ["", "target", "", "", ""]
    assert not any(column.is_cheap for column in head.columns.columns)
    assert [row.cells for row in head.rows[:2]] == [
        (0, "a", "0", "Rome", "2024-03-06"),
        (1, "b", "1", None, "2024-03-06"),
    ]
    with pytest.raises(DiagnosticError):
        ask(ListColumns(data=DataSpec(source=source)))


def test_that_there_are_no_first_rows_of_what_takes_no_time(tmp_path):
    file = tmp_path / "few.csv"
    file.write_text("age,label\n1,a\n2,b\n")
    for source in (Choice(type="table", params={"path": str(file)}), Choice(type="iris")):
        assert ask(PeekSamples(source=source)).columns is None


def test_that_the_samples_of_a_selection_are_those_that_are_listed_there():
    query = SampleQuery(sort="index", is_descending=True, conditions=(SETOSA,))
    picked = ask(PickSamples(data=IRIS, query=query, ranges=((0, 2), (48, 99))))
    assert np.frombuffer(picked.content, "<i8").tolist() == [49, 48, 1, 0]
    assert ask(PickSamples(data=IRIS, query=query, ranges=())).content == b""


def test_that_samples_of_a_selection_are_named_as_edits_name_them():
    names = ask(NameSamples(data=IRIS, indices=(49, -1, 0, 150))).names
    assert [split_name(name)[0] for name in names] == ["49", "0"]
    assert ask(NameEdits(data=IRIS, names=("49", "a", "0"))).names == (names[0], "a", names[1])
    edits = DataEdits(source=data_key(IRIS.source)).excluding(["49"], is_excluded=True)
    assert ask(NameSamples(data=IRIS, indices=(149, -1, 0))).labels == ("virginica", "setosa")
    assert ask(NameEdits(data=IRIS, names=("149", "a"))).labels == ("virginica", "")
    known = ask(NameSamples(data=replace(IRIS, edits=edits), indices=(49, 0))).names
    assert known == ("49", names[1]), "the edits of earlier versions know the number alone"


def test_that_values_are_counted():
    values = ask(ListValues(data=IRIS, column="data.label"))
    assert values.values == ("setosa", "versicolor", "virginica")
    assert values.counts == (50, 50, 50)


def test_that_pictures_are_those_of_the_samples_that_were_asked_for():
    digits = DataSpec(source=Choice(type="digits"))
    shown = ask(TakePictures(data=digits, indices=(4, -1, 2, 99_999)))
    assert [each.index for each in shown.samples] == [4, 2]
    assert ask(TakePictures(data=IRIS, indices=(1,))).samples[0].pictures == ()


def test_that_all_is_known_of_a_sample_that_is_looked_at(tmp_path):
    for name in ("猫", "dog"):
        (tmp_path / name).mkdir()
        Image.new("RGB", (80, 60), (9, 200, 9)).save(tmp_path / name / "1.png")
    pictures = DataSpec(source=Choice(type="image_folder", params={"path": str(tmp_path)}))
    details = ask(LookAtSample(data=pictures, index=0, side=40))
    assert details.texts == {"image": "dog/1.png"}
    assert details.files == (str(tmp_path / "dog" / "1.png"),)
    assert (details.pictures[0].width, details.pictures[0].height) == (40, 30)
    assert details.shapes["image"] == (3, 224, 224)
    assert "image" not in details.values  # too many numbers to be read
    flower = ask(LookAtSample(data=IRIS, index=1_000_000))
    assert flower.index == 149
    assert flower.values["features"] == pytest.approx((5.9, 3.0, 5.1, 1.8))
    assert flower.values["label"] == (2.0,)


def test_that_a_damaged_sample_says_what_is_wrong_with_it(tmp_path):
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"no picture")
    pictures = DataSpec(source=Choice(type="image_folder", params={"path": str(tmp_path)}))
    details = ask(LookAtSample(data=pictures, index=1))
    assert [problem.code for problem in details.problems] == ["D052"]
    assert details.cells[0] == 1
    assert details.texts == {"image": "b.png"}
