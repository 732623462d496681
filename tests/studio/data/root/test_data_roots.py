"""The folders with data that projects name: set, removed and put back, and the open project."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QPushButton, QTreeWidget

from engine.runs.machine.known_machine import KnownMachines
from engine.runs.machine.remote import Remote
from engine.spec.data_root import VARIABLE, DataRoots
from engine.spec.run import Choice
from studio.data.root.presenter import free_name

MACHINE = Remote(host="gpu", user="anna")


@pytest.fixture
def roots(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(VARIABLE, raising=False)
    return DataRoots()


def part(studio, kind, name):
    found = studio.window.findChild(kind, f"dialog.data_roots.{name}")
    assert found is not None, name
    return found


def rows(studio):
    table = part(studio, QTreeWidget, "table")
    items = [table.topLevelItem(index) for index in range(table.topLevelItemCount())]
    return [[item.text(column) for column in range(3)] for item in items]


def show(studio):
    studio.bench.actions.action("action.data.roots").trigger()


def put(studio, name, path):
    part(studio, QLineEdit, "name").setText(name)
    part(studio, QLineEdit, "path").setText(str(path))
    part(studio, QPushButton, "set").click()


def choose_data(studio, path):
    session = studio.session
    source = Choice(type="image_folder", params={"path": str(path)})
    data = replace(session.spec.data, source=source)
    session.change(session.graph, replace(session.spec, data=data), "x")


def path_of(studio):
    return studio.session.spec.data.source.params["path"]


def test_that_folders_are_set_changed_removed_and_put_back(opened, roots, tmp_path):
    show(opened)
    put(opened, "photos", tmp_path)
    put(opened, "sounds", "/gone/sounds")
    assert rows(opened) == [["photos", str(tmp_path), ""], ["sounds", "/gone/sounds", "not there"]]
    put(opened, "sounds", tmp_path / "config")
    assert roots.roots() == {"photos": str(tmp_path), "sounds": str(tmp_path / "config")}
    table = part(opened, QTreeWidget, "table")
    alone = QItemSelectionModel.SelectionFlag.ClearAndSelect
    table.setCurrentItem(table.topLevelItem(0), 0, alone | QItemSelectionModel.SelectionFlag.Rows)
    part(opened, QPushButton, "remove").click()
    assert [row[0] for row in rows(opened)] == ["sounds"]
    undo = part(opened, QPushButton, "undo")
    for expected in (
        {"photos": str(tmp_path), "sounds": str(tmp_path / "config")},
        {"photos": str(tmp_path), "sounds": "/gone/sounds"},
        {"photos": str(tmp_path)},
        {},
    ):
        assert undo.isEnabled()
        undo.click()
        assert roots.roots() == expected
    assert not undo.isEnabled()


def test_that_a_name_that_is_none_is_said_and_nothing_is_set(opened, roots):
    show(opened)
    put(opened, "1/2", "/data")
    assert roots.roots() == {}
    assert rows(opened) == []
    texts = [line.text for line in opened.notifications.lines]
    assert any("“1/2” cannot be the name" in text for text in texts)


def test_that_a_folder_is_chosen_with_a_name_for_it(opened, roots, monkeypatch, qtbot):
    show(opened)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/data/2024 Fotos")
    part(opened, QPushButton, "browse").click()
    name = part(opened, QLineEdit, "name")
    assert name.text() == "Fotos"
    QTest.keyClick(name, Qt.Key.Key_Return)
    assert roots.roots() == {"Fotos": "/data/2024 Fotos"}


@pytest.mark.parametrize(
    ("path", "taken", "name"),
    [
        ("photos", (), "photos"),
        ("photos", ("photos",), "photos-2"),
        ("照片", (), "照片"),
        ("2024", (), "data"),
        ("", ("data", "data-2"), "data-3"),
    ],
)
def test_that_a_name_is_made_from_that_of_the_folder(path, taken, name):
    assert free_name(path, taken) == name


def test_that_the_folders_of_another_machine_are_set(opened, roots):
    KnownMachines().remember(MACHINE)
    show(opened)
    machine = part(opened, QComboBox, "machine")
    assert [machine.itemText(n) for n in range(machine.count())] == ["This computer", "anna@gpu"]
    machine.setCurrentIndex(1)
    assert not part(opened, QPushButton, "browse").isEnabled()
    put(opened, "photos", "/there/photos")
    assert rows(opened) == [["photos", "/there/photos", ""]]
    assert (roots.roots(), roots.roots("anna@gpu")) == ({}, {"photos": "/there/photos"})


def test_that_the_open_project_follows_its_folder(opened, roots, tmp_path):
    roots.set({"photos": "/old/photos"})
    choose_data(opened, "/old/photos/cats")
    show(opened)
    put(opened, "photos", "/new/photos")
    assert path_of(opened) == str(Path("/new/photos/cats"))
    table = part(opened, QTreeWidget, "table")
    table.setCurrentItem(table.topLevelItem(0))
    part(opened, QPushButton, "remove").click()
    assert path_of(opened) == str(Path("/new/photos/cats")), "it is still there"


@pytest.mark.parametrize("path", ["${photos}/cats", "/old/photos/cats"])
def test_that_data_that_is_located_tells_where_its_folder_is(opened, roots, monkeypatch, path):
    if not path.startswith("$"):
        roots.set({"photos": "/old/photos"})
    choose_data(opened, path)
    page = opened.window.page("data")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/new/bilder/cats")
    page.fit.locate_requested.emit("data.source.path")
    assert path_of(opened) == "/new/bilder/cats"
    assert roots.roots() == {"photos": "/new/bilder"}
    opened.session.undo()
    assert path_of(opened) == path


def test_that_data_of_another_name_is_located_alone(opened, roots, monkeypatch):
    choose_data(opened, "${photos}/cats")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/new/dogs")
    opened.window.page("data").fit.locate_requested.emit("data.source.path")
    assert path_of(opened) == "/new/dogs"
    assert roots.roots() == {}
