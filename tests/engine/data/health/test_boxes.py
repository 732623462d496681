"""Boxes that stand out: tiny, there twice, cut off; classes with few of them."""

from pathlib import Path

import pytest

from engine.spec.run import Choice, DataSpec, SplitSpec
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
