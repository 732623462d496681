"""Data that are dropped: on the window, and on the dialog for a project with data of the user."""

import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QDialog, QPushButton

from engine.query.data.peek import peek_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import PeekData, ProposeData

pytestmark = pytest.mark.row("P13")


@pytest.fixture
def shown(studio, host):
    host.own |= {ProposeData: propose_data, PeekData: peek_data}
    studio.show(None)
    return studio


@pytest.fixture
def files(tmp_path):
    for name in ("pets/cats", "pets/dogs"):
        (tmp_path / name).mkdir(parents=True)
        for number in range(12):
            color = (number, len(name), 9)
            Image.new("RGB", (20, 20), color).save(tmp_path / name / f"{number}.png")
    rows = [f"{n % 7}.5,{n % 5}.25,{'round' if n % 2 else 'long'}" for n in range(40)]
    text = "\n".join(["length,width,kind", *rows, ""])
    for name in ("花 flowers.csv", "flowers.data"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def drop(widget, path) -> QDropEvent:
    """Drop a file or folder on a widget, as the desktop does."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        mime,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    event.ignore()
    widget.dropEvent(event)
    return event


@pytest.mark.parametrize("name", ["pets", "花 flowers.csv", "flowers.data"])
def test_that_what_is_dropped_on_the_window_is_proposed(shown, qtbot, files, name):
    assert drop(shown.window, files / name).isAccepted()
    dialog = shown.window.findChild(QDialog, "dialog.data")
    assert dialog.path == str(files / name)
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)


def test_that_what_is_dropped_on_the_open_dialog_is_proposed(shown, qtbot, files):
    shown.bench.actions.trigger("action.file.new_data")
    dialog = shown.window.findChild(QDialog, "dialog.data")
    assert dialog.acceptDrops()
    assert not drop(dialog, files / "notes.docx").isAccepted()
    for name in ("花 flowers.csv", "pets"):
        assert drop(dialog, files / name).isAccepted()
        assert dialog.path == str(files / name)
        qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
