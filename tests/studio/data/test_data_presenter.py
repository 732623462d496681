"""Samples of the data as pictures with their labels."""

import numpy as np
import pytest
from msgspec.structs import replace

from engine.query.results.request import ResultReport
from engine.spec.data import DataInfo, FieldInfo, PreviewInfo, SampleView, SplitInfo
from studio.inspect.results.presenter import as_csv, present_sample_rows
from studio.view.data import present_balance, present_facts, present_images, present_rows
from tests.studio.conftest import DIGITS, IRIS

SENTENCE = FieldInfo(
    name="sentence",
    role="input",
    kind="sequence",
    shape=(3,),
    dtype="int64",
    words=("<pad>", "<unk>", "the", "sea"),
)
SEA = PreviewInfo(
    split="train",
    samples=(
        SampleView(
            index=5, values={"sentence": (2, 3, 0), "label": (1,)}, texts={"sentence": "The sea!"}
        ),
    ),
)


@pytest.mark.row("S220", "S144")
def test_that_samples_are_pictures_with_their_labels_in_one_range():
    bright = tuple(float(number) for number in range(64))
    samples = (
        SampleView(index=7, values={"image": bright, "label": (1,)}),
        SampleView(index=3, values={"image": (0.5,) * 64, "label": (0,)}),
    )
    views = present_images(DIGITS, PreviewInfo(split="train", samples=samples))
    assert [(view.label, view.sublabel) for view in views] == [("1", "#7"), ("0", "#3")]
    assert {(view.minimum, view.maximum) for view in views} == {(0.0, 63.0)}
    assert np.array_equal(views[0].pixels, np.arange(64, dtype=np.float32).reshape(1, 8, 8))


def test_that_samples_without_pictures_give_none():
    sample = SampleView(index=0, values={"features": (1.0, 2.0, 3.0, 4.0), "species": (0,)})
    assert present_images(IRIS, PreviewInfo(split="train", samples=(sample,))) == ()


@pytest.mark.row("P19")
def test_that_sentences_are_shown_as_they_were_written(qapp):
    fields = (SENTENCE, DIGITS.fields[1])
    info = DataInfo(source="s", samples=1, task="classification", fields=fields)
    assert present_rows(info, SEA).rows[0].cells == (5, "The sea!", "1")
    assert ("sentence", "input, 3, int64, 2 words") in present_facts(info)


def test_that_rows_of_a_table_are_shown_as_the_file_has_them(qapp):
    columns = ("joined year", "age", "member")
    features = FieldInfo(
        name="features", role="input", kind="vector", shape=(3,), dtype="float32", columns=columns
    )
    town = FieldInfo(
        name="categories",
        role="input",
        kind="categories",
        shape=(1,),
        dtype="int64",
        columns=("town",),
        vocabularies=(("<unk>", "Oslo"),),
    )
    fields = (features, town, DIGITS.fields[1])
    info = DataInfo(source="s", samples=2, task="classification", fields=fields)
    values = {"features": (2024.0, 40.5, 1.0), "categories": (0,), "label": (1,)}
    rows = (
        {"joined": "05.03.2024", "age": 31.0, "town": "Rome", "member": "yes"},
        {"joined": None, "age": None, "town": None, "member": "no"},
    )
    samples = tuple(SampleView(index=at, values=values, row=row) for at, row in enumerate(rows))
    shown = present_rows(info, PreviewInfo(split="test", samples=samples))
    assert [column.title for column in shown.columns[:5]] == ["No.", *rows[0]]
    assert [row.cells[1:] for row in shown.rows] == [
        ("05.03.2024", 31.0, "Rome", "yes", "1"),
        (None, None, None, "no", "1"),
    ]
    kinds = [column.kind for column in shown.columns]
    assert kinds == ["count", "text", "number", "text", "text", "text"]


def test_that_a_text_to_go_on_with_is_called_a_language_model(qapp):
    words = {"kind": "sequence", "shape": (3,), "dtype": "int64", "words": ("a", "b")}
    read = FieldInfo(name="text", role="input", **words)
    more = FieldInfo(name="previous", role="input", **words)
    target = FieldInfo(name="target", role="target", classes=("a", "b"), **words)

    def task_of(*fields: FieldInfo) -> str:
        info = DataInfo(source="s", samples=2, task="classification", fields=fields)
        return dict(present_facts(info))["Task"]

    assert task_of(read, target) == "language model"
    assert task_of(read, more, target) == "sequence to sequence"


@pytest.mark.row("P19")
def test_that_a_sentence_stands_beside_its_prediction_in_the_results(qapp):
    report = ResultReport(
        checkpoint="c",
        split="test",
        step=1,
        task="classification",
        fields=(SENTENCE, DIGITS.fields[1]),
        classes=("0", "1"),
        indices=(5,),
        targets=(1,),
        predictions=(0,),
        chances=(0.75,),
        losses=(1.5,),
    )
    rows = present_sample_rows(report, (0,), SEA)
    assert [column.key for column in rows.columns[3:5]] == ["sentence", "chance"]
    assert rows.rows[0].cells == (5, "1", "0", "The sea!", 0.75, 1.5, "1")


def test_that_numbers_of_samples_are_sorted_as_numbers_and_saved_in_all_their_digits():
    report = ResultReport(
        checkpoint="c",
        split="test",
        step=1,
        task="regression",
        fields=(),
        indices=(5, 6),
        targets=(0.1234567, -2.0),
        predictions=(-0.0765432, 1e-9),
        losses=(0.04, 4.0),
    )
    preview = PreviewInfo(
        split="test", samples=tuple(SampleView(index=at, values={}) for at in (5, 6))
    )
    data = present_sample_rows(report, (0, 1), preview)
    assert [column.kind for column in data.columns[1:3]] == ["number", "number"]
    assert [row.cells[1:3] for row in data.rows] == [(0.1234567, -0.0765432), (-2.0, 1e-9)]
    lines = as_csv(report).decode().splitlines()
    assert lines[1:] == ["5,0.1234567,-0.0765432,0.04", "6,-2.0,1e-09,4.0"]
    pair = replace(report, outputs=2, indices=(5,), losses=(2.0,))
    assert as_csv(pair).decode().splitlines() == [
        "index,truth 1,truth 2,prediction 1,prediction 2,loss",
        "5,0.1234567,-2.0,-0.0765432,1e-09,2.0",
    ]


@pytest.mark.row("S133")
@pytest.mark.parametrize(
    ("target", "words"),
    [
        (
            FieldInfo(
                name="y", kind="class", role="target", shape=(), dtype="int64", classes=tuple("ab")
            ),
            "read",
        ),
        (
            FieldInfo(name="y", kind="scalar", role="target", shape=(1,), dtype="float32"),
            "a number",
        ),
        (
            FieldInfo(name="y", kind="vector", role="target", shape=(10,), dtype="float32"),
            "10 numbers",
        ),
        (None, "no target"),
    ],
)
def test_that_it_is_told_why_classes_are_not_counted(qapp, target, words):
    fields = () if target is None else (target,)
    splits = (SplitInfo(name="train", samples=8),)
    info = DataInfo(source="own", task="classification", samples=8, fields=fields, splits=splits)
    bars = present_balance(info)
    assert not bars.labels
    assert words in bars.empty_text


def test_that_numbers_to_predict_are_shown_as_they_are_spread():
    price = FieldInfo(name="target", role="target", kind="vector", shape=(1,), dtype="float32")
    info = DataInfo(
        source="table",
        samples=6,
        task="regression",
        fields=(replace(price, columns=("price",)),),
        splits=(
            SplitInfo(name="train", samples=4, value_counts=(3, 1)),
            SplitInfo(name="test", samples=2, value_counts=(0, 2)),
        ),
        value_edges=(200_000.0, 300_000.0, 400_000.0),
    )
    bars = present_balance(info)
    assert bars.labels == ("250,000", "350,000")
    assert bars.values == ((3, 1), (0, 2))
    assert bars.groups == ("Training", "Test")
    assert "price" in bars.title


def test_that_samples_with_each_label_are_drawn_where_there_are_any_number():
    target = FieldInfo(
        name="target",
        role="target",
        kind="vector",
        shape=(2,),
        dtype="float32",
        columns=("round", "red"),
    )
    parts = (
        SplitInfo(name="train", samples=9, label_counts=(4, 7)),
        SplitInfo(name="test", samples=3, label_counts=(0, 2)),
    )
    info = DataInfo(source="table", samples=12, task="binary", fields=(target,), splits=parts)
    bars = present_balance(info)
    assert bars.labels == ("round", "red")
    assert bars.values == ((4.0, 7.0), (0.0, 2.0))
    assert bars.title == "Samples with each label"
