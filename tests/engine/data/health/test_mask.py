"""Masks that cannot be read, and classes that no or nearly no pixel has."""

import numpy as np
from msgspec.structs import replace
from PIL import Image

from engine.diagnostics import sentence
from engine.spec.data_edits import split_name
from engine.spec.run import SplitSpec
from engine.spec.transform import TransformSpec
from tests.engine.data.health.planted import codes, examined, the
from tests.mask_table import HEIGHT, WIDTH, scans, spec_of

IN_ORDER = SplitSpec(kind="sequential", train=0.5, validation=0.5, test=0.0)


def draw(folder, row, value, pixels):
    """Write a mask with so many pixels of a class."""
    mask = np.zeros((HEIGHT, WIDTH), np.uint8)
    mask.flat[:pixels] = value
    Image.fromarray(mask).save(folder / "m" / f"{row}.png")


def test_that_masks_with_all_classes_are_told_as_such(tmp_path):
    report = examined(spec_of(scans(tmp_path)))
    assert not {"D440", "D441", "D442"} & set(codes(report))
    assert {"balance", "damaged"} <= {result.check for result in report.checks}


def test_that_a_class_without_pixels_in_training_is_told_with_samples_that_have_it(tmp_path):
    path = scans(tmp_path)
    draw(tmp_path, 20, 3, 50)  # in the second half
    data = replace(spec_of(path, classes=5, names="none, red, blue, green, gold"), split=IN_ORDER)
    found = the(examined(data), "D440")
    assert found.problem.params["count"] == 2
    assert "green" in sentence(found.problem)
    assert "gold" in sentence(found.problem, "zh_CN")
    assert [sample.index for sample in found.samples] == [20]


def test_that_a_class_of_nearly_no_pixels_is_told_unless_the_loss_is_weighted(tmp_path):
    path = scans(tmp_path)
    draw(tmp_path, 4, 3, 2)
    data = replace(spec_of(path, classes=4), split=IN_ORDER)
    found = the(examined(data), "D441")
    assert [sample.index for sample in found.samples] == [4]
    assert "D441" not in codes(examined(data, is_weighted=True))


def test_that_a_mask_that_cannot_be_read_is_told_and_can_be_excluded(tmp_path):
    path = scans(tmp_path)
    (tmp_path / "m" / "7.png").write_bytes(b"no picture")
    found = the(examined(spec_of(path)), "D442")
    assert [sample.index for sample in found.samples] == [7]
    assert [split_name(name)[0] for name in found.repairs[0].excluded] == [
        "9"
    ]  # its row in the file


def test_that_pixels_of_masks_that_evaluation_cuts_off_are_counted(tmp_path):
    data = replace(spec_of(scans(tmp_path)), split=IN_ORDER)
    crop = TransformSpec(type="CenterCrop", params={"size": (HEIGHT // 2, WIDTH)})
    found = the(examined(replace(data, transforms=(crop,))), "D677")
    assert found.problem.params == {"share": 50, "samples": 12, "names": "CenterCrop"}
    assert {sample.part for sample in found.samples} == {"validation"}
    for kept in (
        replace(crop, parts="train"),
        TransformSpec(type="Resize", params={"size": (HEIGHT * 2, WIDTH // 2)}),
        TransformSpec(type="Pad", params={"padding": (3,)}),
    ):
        assert "D677" not in codes(examined(replace(data, transforms=(kept,))))
