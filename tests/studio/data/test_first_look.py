"""What a first look at data says of files that cannot be shown."""

import pytest
from PIL import Image
from PySide6.QtWidgets import QDialog, QLabel, QPushButton

from engine.query.data.peek import peek_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import PeekData, ProposeData

pytestmark = pytest.mark.row("P13")


@pytest.fixture
def dialog(studio, host):
    host.own |= {ProposeData: propose_data, PeekData: peek_data}
    studio.show(None)
    studio.bench.actions.trigger("action.file.new_data")
    return studio.window.findChild(QDialog, "dialog.data")


@pytest.mark.fault("B12")
@pytest.mark.parametrize("bad", [0, 1, 4], ids=["none", "one", "all"])
def test_that_pictures_that_cannot_be_read_are_told_before_the_project_is_made(
    dialog, qtbot, tmp_path, bad
):
    for name in ("cats", "dogs"):
        (tmp_path / name).mkdir()
        for number in range(4):
            Image.new("RGB", (8, 8), (number, 0, 9)).save(tmp_path / name / f"{number}.png")
            if number < bad:
                (tmp_path / name / f"{number}.png").write_text("no picture")
    dialog.set_path(str(tmp_path))
    told = dialog.findChild(QLabel, "dialog.data.unread")
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    if bad:
        qtbot.waitUntil(lambda: "0.png" in told.text())
    assert told.isVisibleTo(dialog) is bool(bad)
