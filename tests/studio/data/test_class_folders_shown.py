"""What the dialog for one's own data shows of patients' folders with the classes in them."""

import pytest
from PIL import Image
from PySide6.QtWidgets import QDialog, QPushButton, QWidget

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


def labels(dialog):
    shown = dialog.preview.gallery.list.model()
    return {shown.index(row, 0).data() for row in range(shown.rowCount())}


def test_that_pictures_have_the_classes_that_are_proposed_or_chosen(dialog, qtbot, tmp_path):
    for patient in ("p1", "p2", "p3", "p4"):
        for kind in ("ill", "well"):
            (tmp_path / patient / kind).mkdir(parents=True)
            Image.new("RGB", (8, 8)).save(tmp_path / patient / kind / "1.png")
    dialog.set_path(str(tmp_path))
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    qtbot.waitUntil(lambda: labels(dialog) == {"ill", "well"})
    steps = {
        name: dialog.steps.findChild(QWidget, f"dialog.data.steps.{name}")
        for name in ("target", "parts")
    }
    assert "by groups" in steps["parts"].accessibleDescription()
    notes = dialog.findChild(QWidget, "dialog.data.target.notes").text()
    assert "“Class folders”" in notes
    assert "p1" in dialog.findChild(QWidget, "dialog.data.parts.notes").text()
    dialog.forms["target"].value_changed.emit("data.source.class_folders", "outer")
    qtbot.waitUntil(lambda: labels(dialog) == {"p1", "p2", "p3", "p4"})
    assert "“Class folders”" not in dialog.findChild(QWidget, "dialog.data.target.notes").text()
