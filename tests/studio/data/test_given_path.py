"""What the program is started with beside projects: data, models, weights."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QDialog, QPushButton

from engine.query.data.peek import peek_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import PeekData, ProposeData
from studio.window.given_path import given


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "花 flowers.csv"
    rows = "".join(f"{n % 7}.5,{n % 5},{('long', 'round')[n % 2]}\n" for n in range(40))
    path.write_text(f"length,width,kind\n{rows}", encoding="utf-8")
    return path


def test_that_data_the_program_is_started_with_are_proposed(studio, host, qtbot, table):
    host.own |= {ProposeData: propose_data, PeekData: peek_data}
    studio.show(table)
    dialog = studio.window.findChild(QDialog, "dialog.data")
    assert dialog.path == str(table)
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)


def test_that_unsaved_work_is_asked_about_before_other_data(opened, host, qtbot, table):
    host.own |= {ProposeData: propose_data, PeekData: peek_data}
    session = opened.session
    session.change(session.graph, replace(session.spec, epochs=7), "Change setting")
    opened.window.data_dropped.emit(table)
    question = opened.window.findChild(QDialog, "question.unsaved")
    assert question.isVisible()
    assert opened.window.findChild(QDialog, "dialog.data") is None
    question.findChild(QPushButton, "question.unsaved.save").click()
    dialog = opened.window.findChild(QDialog, "dialog.data")
    assert dialog.path == str(table)
    assert not session.is_modified


def test_that_a_project_without_its_file_is_not_taken_for_data(studio, tmp_path):
    (tmp_path / "p" / "runs").mkdir(parents=True)
    studio.show(tmp_path / "p")
    assert studio.window.findChild(QDialog, "dialog.data") is None
    assert "project.json" in studio.notifications.lines[-1].text


def test_that_a_path_is_judged_by_what_it_holds_and_its_ending(tmp_path, table):
    for name in ("net.py", "net.safetensors", "net.ckpt", "photo.png", "unknown.xyz"):
        (tmp_path / name).touch()
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "project.json").touch()
    (tmp_path / "pictures").mkdir()
    kinds = {
        "net.py": "model",
        "net.safetensors": "tensors",  # or data: its content says which
        "net.ckpt": "weights",
        "photo.png": "project",  # it may have one inside
        "p": "project",
        "p/project.json": "project",
        "pictures": "data",
        table.name: "data",
    }
    for name, kind in kinds.items():
        found = given([tmp_path / name])
        assert found is not None
        assert found.kind == kind
    assert given([tmp_path / "unknown.xyz"]) is None


@pytest.mark.parametrize(
    "name",
    [
        *("k.tab", "k.pq", "K.SQLITE3", "k.xlsm", "k.xlsb", "k.xls", "k.ods", "k.csv.gz"),
        *("k.arrow", "k.ndjson", "k.npz", "k.idx", "train-labels-idx1-ubyte", "k.h5"),
    ],
)
def test_that_all_kinds_of_data_files_are_taken(tmp_path, name):
    (tmp_path / name).touch()
    found = given([tmp_path / name])
    assert found is not None
    assert found.kind == "data"
