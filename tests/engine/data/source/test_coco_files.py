"""Files of boxes as COCO has them: damaged, of other things, without boxes."""

import json
from pathlib import Path

import pytest

from engine.diagnostics import DiagnosticError
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from tests.engine.data.source.test_detection_folder import (
    SIZE,
    boxes_of,
    coco_text,
    codes,
    pictures,
    source_of,
)


def parts_of_coco(root: Path) -> tuple[Path, Path]:
    """Write pictures of two parts, each with a file of COCO."""
    (root / "annotations").mkdir(parents=True)
    files: list[Path] = []
    for part in ("train2017", "val2017"):
        names = [f"{part}-{at}.png" for at in range(4)]
        pictures(root / part, names=names)
        boxes = {name: [(2, 3, 20, 30, at % 2)] for at, name in enumerate(names)}
        files.append(root / "annotations" / f"instances_{part}.json")
        files[-1].write_text(json.dumps(coco_text(boxes)))
    return files[0], files[1]


@pytest.mark.parametrize("letters", [0, 30, 300, -1])
@pytest.mark.parametrize("is_alone", [False, True])
def test_that_a_cut_off_file_of_coco_is_named(tmp_path, letters, is_alone):
    cut, whole = parts_of_coco(tmp_path)
    cut.write_text(cut.read_text()[:letters])
    if is_alone:
        whole.unlink()
    with pytest.raises(DiagnosticError) as caught:
        propose_data(ProposeData(path=str(tmp_path)))
    assert caught.value.problems[0].code == "D402"
    assert caught.value.problems[0].params["file"] == str(cut)


def test_that_json_of_other_things_beside_pictures_is_no_file_of_boxes(tmp_path):
    for name in ("cat", "dog"):
        pictures(tmp_path / name)
    (tmp_path / "list.json").write_text('{"images": [{"file_name": "a.png"}]}')
    (tmp_path / "broken.json").write_text('{"version": [1, 2')
    found = propose_data(ProposeData(path=str(tmp_path)))
    assert found.spec.data.source.type == "image_folder"


def test_that_a_box_of_coco_follows_from_its_outline_or_is_counted(tmp_path):
    pictures(tmp_path, names=["a.png"])
    text = coco_text({"a.png": [(1, 2, 11, 12, 0), (3, 4, 13, 24, 1), (5, 6, 9, 9, 0)]})
    first, second, third = text["annotations"]
    del first["bbox"]
    first["segmentation"] = [[1, 2, 11, 4, 6, 12]]
    height, width = SIZE
    before, after = 3 * height + 4, (width - 13) * height + height - 24
    column = [20, height - 20] * 9 + [20]
    runs = [before, *column, after]
    second |= {"bbox": [], "segmentation": {"size": list(SIZE), "counts": runs}}
    del third["bbox"], third["segmentation"]
    (tmp_path / "b.json").write_text(json.dumps(text))
    source = source_of(tmp_path)
    assert boxes_of(source)["a.png"] == [(1, 2, 11, 12, 0), (3, 4, 13, 24, 1)]
    assert codes(source) == {"D650": 1}


def test_that_a_box_of_coco_with_no_number_is_counted_and_its_outline_stands_for_it(tmp_path):
    pictures(tmp_path, names=["a.png"])
    text = coco_text({"a.png": [(1, 2, 11, 12, 0), (3, 4, 13, 24, 1), (5, 6, 9, 9, 0)]})
    first, second, _ = text["annotations"]
    first["bbox"][2] = float("nan")
    first["segmentation"] = [[1, 2, 11, 4, 6, 12]]
    second["bbox"][0] = float("-inf")
    del second["segmentation"]
    (tmp_path / "b.json").write_text(json.dumps(text))
    source = source_of(tmp_path)
    assert boxes_of(source)["a.png"] == [(1, 2, 11, 12, 0), (5, 6, 9, 9, 0)]
    assert codes(source) == {"D650": 1}


def test_that_numbers_that_are_none_leave_a_box_out(tmp_path):
    pictures(tmp_path, names=["a.png"])
    rows = "a.png,nan,1,2,3,cat\na.png,1,1,inf,3,cat\na.png,1,1,5,5,cat\n"
    (tmp_path / "b.csv").write_text(rows)
    source = source_of(tmp_path)
    assert boxes_of(source)["a.png"] == [(1, 1, 5, 5, 0)]
    assert codes(source) == {"D292": 2}
