"""The dialog for data of the user where a file of boxes has outlines of objects, too."""

import json

import pytest
from PIL import Image
from PySide6.QtWidgets import QDialog, QLabel, QPushButton

from engine.query.data.browse import take_pictures
from engine.query.data.peek import peek_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import PeekData, ProposeData, TakePictures


@pytest.fixture
def dialog(studio, host):
    host.own |= {ProposeData: propose_data, PeekData: peek_data, TakePictures: take_pictures}
    studio.show(None)
    studio.bench.actions.trigger("action.file.new_data")
    return studio.window.findChild(QDialog, "dialog.data")


def test_that_outlines_in_a_file_of_boxes_are_told(dialog, qtbot, tmp_path):
    (tmp_path / "images").mkdir()
    document = {"images": [], "annotations": [], "categories": [{"id": 1, "name": "cat"}]}
    for at in range(6):
        Image.new("RGB", (60, 50)).save(tmp_path / "images" / f"{at}.png")
        document["images"].append({"id": at, "file_name": f"{at}.png", "width": 60, "height": 50})
        document["annotations"].append({
            "image_id": at, "category_id": 1, "bbox": [5, 5, 20, 10],
            "segmentation": [[5, 5, 25, 5, 25, 15]],
        })  # fmt: skip
    (tmp_path / "boxes.json").write_text(json.dumps(document))
    dialog.set_path(str(tmp_path))
    create = dialog.findChild(QPushButton, "dialog.data.create")
    qtbot.waitUntil(create.isEnabled)
    for question in ("inputs", "target"):
        dialog.steps.open(question)
        assert (
            "Masks of objects" in dialog.findChild(QLabel, f"dialog.data.{question}.notes").text()
        )
