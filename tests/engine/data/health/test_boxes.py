"""Boxes that stand out: tiny, there twice, cut off; classes with few of them."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.data.preview import describe
from engine.spec.preset import finds_regions, with_photographs
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.spec.transform import TransformSpec
from tests.engine.data.health.planted import codes, examined, photo, the

COUNT = 12


def boxed(
    root: Path, *more: str, size: tuple[int, int] | None = (48, 64), small: int = 1
) -> DataSpec:
    """Return pictures with a box of each of two classes, and more of some; ``small`` boxes of the
    second.
    """
    rows = [f"{at:03d}.png,4,4,30,30,cat" for at in range(COUNT)]
    rows += [f"{at:03d}.png,20,8,50,40,dog" for at in range(0, COUNT, small)]
    for at in range(COUNT):
        photo(at).save(root / f"{at:03d}.png")
    (root / "boxes.csv").write_text("\n".join((*rows, *more)))
    source = Choice(type="detection_folder", params={"path": str(root), "size": size})
    return DataSpec(source=source, split=SplitSpec(kind="sequential", validation=0.0, test=0.0))


def test_that_sound_boxes_are_told_as_such(tmp_path):
    report = examined(boxed(tmp_path))
    assert codes(report) == []
    assert {"boxes", "balance"} <= {result.check for result in report.checks}


def test_that_tiny_boxes_are_measured_as_the_model_gets_them(tmp_path):
    row = "003.png,10,10,16,22,cat"
    assert "D304" not in codes(examined(boxed(tmp_path, row)))
    found = the(examined(boxed(tmp_path, row, size=(24, 32))), "D304")
    assert found.problem.params == {"count": 1, "size": "3 × 6"}
    assert [sample.name for sample in found.samples] == ["003.png"]
    assert found.samples[0].pixels
    left, top, right, bottom, label = found.samples[0].boxes[0]
    # 64 × 48 pixels fill the width of a square; above and below is an eighth of it
    assert (left, top) == pytest.approx((10 / 64, 1 / 8 + 10 / 64))
    assert (right, bottom) == pytest.approx((16 / 64, 1 / 8 + 22 / 64))
    assert label == 0


def test_that_a_box_that_is_there_twice_is_told_and_one_of_another_class_is_not(tmp_path):
    same = ("003.png,4.2,4,30,30,cat", "003.png,4,4,30,30,dog", "005.png,4,4,28,30,cat")
    found = the(examined(boxed(tmp_path, *same)), "D305")
    assert found.problem.params["count"] == 1
    assert [sample.name for sample in found.samples] == ["003.png"]


def test_that_findings_about_pictures_have_all_their_boxes(tmp_path):
    data = boxed(tmp_path)
    photo(3).save(tmp_path / "005.png")  # a copy
    found = the(examined(data), "D200")
    assert [sample.name for sample in found.samples] == ["003.png", "005.png"]
    for sample in found.samples:
        assert [label for *_, label in sample.boxes] == [0, 1]
        assert sample.boxes[0][0] == pytest.approx(4 / 64)


def test_that_boxes_that_were_cut_off_are_told_once_with_their_samples(tmp_path):
    report = examined(boxed(tmp_path, "007.png,-9,-9,20,20,cat", "007.png,5,5,90,40,dog"))
    found = the(report, "D291")
    assert found.problem.params["count"] == 2
    assert (found.total, found.samples[0].name) == (1, "007.png")


@pytest.mark.parametrize(("small", "expected"), [(1, []), (6, ["D307", "D308"])])
def test_that_boxes_count_for_the_balance_of_classes(tmp_path, small, expected):
    report = examined(boxed(tmp_path, small=small))
    assert codes(report) == expected
    if expected:
        assert the(report, "D307").problem.params == {
            "most": COUNT, "large": "cat", "least": 2, "small": "dog",
        }  # fmt: skip
        assert the(report, "D308").total == 2


def centered(root: Path, *steps: TransformSpec) -> DataSpec:
    """Return pictures with a box at the left edge and one in the middle, six for validation."""
    for at in range(COUNT):
        photo(at).save(root / f"{at:03d}.png")
    rows = [f"{at:03d}.png,{box},cat" for at in range(COUNT) for box in ("0,4,10,30", "24,8,40,40")]
    (root / "boxes.csv").write_text("\n".join(rows))
    source = Choice(type="detection_folder", params={"path": str(root), "size": None})
    split = SplitSpec(kind="sequential", train=0.5, validation=0.5, test=0.0)
    return DataSpec(source=source, split=split, transforms=steps)


def test_that_true_boxes_that_evaluation_loses_are_counted(tmp_path):
    crop = TransformSpec(type="CenterCrop", params={"size": (40, 40)})
    found = the(examined(centered(tmp_path, crop)), "D670")
    assert found.problem.params == {"count": 6, "total": 12, "samples": 6, "names": "CenterCrop"}
    assert [sample.part for sample in found.samples] == ["validation"] * 6
    trained = replace(crop, parts="train")
    resized = TransformSpec(type="Resize", params={"size": (40, 40)})
    report = examined(centered(tmp_path, trained, resized))
    assert codes(report) == []
    assert "cut_boxes" in {result.check for result in report.checks}


@pytest.mark.parametrize(
    ("steps", "cut"),
    [
        ((("CenterCrop", (50, 50)),), 6),  # 3 of 10 pixels are left of one box, 0 of the other cut
        ((("Resize", (30, 30)), ("CenterCrop", (24, 24))), 6),
        ((("CenterCrop", (56, 56)),), 0),  # 6 of 10
        ((("Resize", (16, 24)),), 0),
    ],
)
def test_that_boxes_that_evaluation_cuts_to_less_than_half_are_counted(tmp_path, steps, cut):
    made = [TransformSpec(type=name, params={"size": size}) for name, size in steps]
    report = examined(centered(tmp_path, *made))
    assert codes(report) == (["D676"] if cut else [])
    if cut:
        params = the(report, "D676").problem.params
        assert (params["count"], params["total"], params["samples"]) == (cut, 12, 6)


def test_that_the_preset_for_photographs_keeps_all_true_boxes_in_evaluation(tmp_path):
    data = centered(tmp_path)
    info = describe(data)
    assert finds_regions(info)
    kept = with_photographs(data, (40, 40), 3, keeps_all=finds_regions(info))
    assert [step.type for step in kept.transforms if step.parts == "evaluation"] == ["Resize"]
    assert codes(examined(kept)) == []
    assert codes(examined(with_photographs(data, (32, 32), 3))) == ["D670"]
