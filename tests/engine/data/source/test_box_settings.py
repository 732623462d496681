"""What corners of Pascal VOC count from, and sizes of pictures that are read once."""

from pathlib import Path

import pytest
from PIL import Image

from engine.data.read import image
from engine.data.source.boxes import heads
from engine.data.source.boxes.folder import DetectionFolderSource
from engine.data.source.registry import forget_sources
from tests.engine.data.source.test_detection_folder import (
    BOXES,
    SIZE,
    as_table,
    as_yolo,
    boxes_of,
    pictures,
    source_of,
    voc_text,
)


def test_that_a_setting_says_what_corners_of_voc_count_from(tmp_path):
    pictures(tmp_path / "images", names=["a.png"])
    (tmp_path / "a.xml").write_text(voc_text("a.png", [(3, 4, 9, 9, 0)], first=0), "utf-8")

    def found(**settings):
        return boxes_of(source_of(tmp_path, **settings))["a.png"]

    assert found() == found(voc_origin="one") == [(2, 3, 9, 9, 0)]  # nothing says otherwise
    assert found(voc_origin="zero") == [(3, 4, 9, 9, 0)]
    (tmp_path / "a.xml").write_text(voc_text("a.png", [(1, 0, 9, 9, 0)], first=0), "utf-8")
    assert found() == [(1, 0, 9, 9, 0)]
    assert found(voc_origin="one") == [(0, 0, 9, 9, 0)]  # cut off at the border


@pytest.mark.parametrize("make", [as_yolo, as_table])
def test_that_a_picture_is_opened_for_its_size_once_and_again_when_it_changed(
    tmp_path, monkeypatch, make
):
    make(tmp_path)
    opened: list[Path] = []

    def read_size(path: Path) -> tuple[int, int]:
        opened.append(path)
        return image.read_size(path)

    monkeypatch.setattr(heads, "read_size", read_size)

    def source() -> DetectionFolderSource:
        forget_sources()
        opened.clear()
        return source_of(tmp_path)

    def sizes(source: DetectionFolderSource) -> dict[str, list[int]]:
        names = [Path(source.text("image", at)).name for at in range(source.samples)]
        return dict(zip(names, source.boxes().sizes.tolist(), strict=True))

    first = source()
    assert sorted(file.name for file in opened) == sorted(sizes(first))
    again = source()
    assert opened == []
    assert (
        sizes(again) == sizes(first) == {name: list(SIZE) for name in BOXES if name in sizes(first)}
    )
    assert boxes_of(again) == boxes_of(first)
    file = next(path for path in tmp_path.rglob("*") if path.name == "b.png")
    Image.new("RGB", (100, 90)).save(file)
    changed = source()
    assert opened == [file]
    assert sizes(changed) == {**sizes(first), "b.png": [90, 100]}
