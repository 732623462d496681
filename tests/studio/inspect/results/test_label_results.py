"""Samples with several labels in the results: their names, and which ones are wrong."""

from engine.query.results.request import ClassScore, ResultReport
from engine.spec.data import FieldInfo, PreviewInfo, SampleView
from studio.inspect.results.presenter import present_sample_rows, present_samples

IMAGE = FieldInfo(name="image", role="input", kind="image", shape=(1, 2, 2), dtype="float32")
NAMES = tuple(f"tag{number}" for number in range(9))
TARGET = FieldInfo(
    name="target", role="target", kind="vector", shape=(9,), dtype="float32", columns=NAMES
)
TRUE = ((1, 0, 1, 0, 0, 0, 0, 0, 0), (0,) * 9, (1,) * 9)
FOUND = ((0.9, 0.1, 0.7, *(0.2,) * 6), (0.1, 0.8, *(0.3,) * 7), (0.9,) * 9)


def report(*, is_told: bool = True) -> ResultReport:
    score = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "support": 1}
    return ResultReport(
        checkpoint="step-4.ckpt",
        split="test",
        step=4,
        task="regression",
        fields=(IMAGE, TARGET),
        outputs=9,
        width=9,
        names=NAMES,
        indices=(3, 5, 6),
        targets=tuple(float(value) for row in TRUE for value in row),
        predictions=tuple(value for row in FOUND for value in row),
        losses=(0.1, 0.2, 0.3),
        scores=tuple(ClassScore(name=name, **score) for name in NAMES) if is_told else (),
    )


def preview() -> PreviewInfo:
    values = {"image": (0.0, 1.0, 0.5, 0.2)}
    rows = zip((3, 5, 6), TRUE, strict=True)
    samples = (SampleView(index=at, values={**values, "target": row}) for at, row in rows)
    return PreviewInfo(split="test", samples=tuple(samples))


def test_that_a_picture_is_captioned_with_the_names_of_its_labels():
    right, wrong, many = present_samples(report(), (0, 1, 2), preview())
    assert right.label == "tag0, tag2"
    assert wrong.label == "no label → tag1 ✗"
    assert many.label.startswith("tag0, tag1, ")
    assert many.label.endswith("…")


def test_that_a_row_has_the_names_and_a_mark_where_they_are_wrong():
    rows = present_sample_rows(report(), (0, 1), preview()).rows
    assert [row.icon for row in rows] == ["", "close"]
    assert rows[0].cells[1:3] == ("tag0, tag2", "tag0, tag2")
    assert rows[1].cells[1:3] == ("no label", "tag1")


def test_that_numbers_with_names_stay_numbers():
    first = present_samples(report(is_told=False), (0,), preview())[0]
    assert first.label == "#3"
