"""The dialog that makes a project for data of the user; the host is played, its answer is real."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from engine.diagnostics import DiagnosticError
from engine.query.data.answer import draw_samples
from engine.query.data.browse import take_pictures
from engine.query.data.peek import peek_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import DrawSamples, PeekData, ProposeData, TakePictures
from engine.spec.progress import FileProgress
from tests.each import for_each

pytestmark = pytest.mark.row("P13")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "花 flowers.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(["length", "width", "garden, size", "kind"])
        for number in range(40):
            kind = "round" if number % 2 else "long"
            rows.writerow([number % 7 + 0.5, 10 - number % 5 + 0.25, number % 4, kind])
    return path


@pytest.fixture
def pictures(tmp_path):
    for name, color in (("cats", 40), ("dogs", 200)):
        (tmp_path / "pets" / name).mkdir(parents=True)
        for number in range(12):
            pixels = np.full((20, 20, 3), color + number, np.uint8)
            Image.fromarray(pixels).save(tmp_path / "pets" / name / f"{number}.png")
    return tmp_path / "pets"


def told(answer):
    """Return an answer of the host that gives its finding, too."""

    def answered(request):
        try:
            return answer(request)
        except DiagnosticError as error:
            return error

    return answered


@pytest.fixture
def dialog(studio, host):
    host.own |= {ProposeData: told(propose_data), PeekData: told(peek_data)}
    studio.show(None)
    studio.bench.actions.trigger("action.file.new_data")
    return studio.window.findChild(QDialog, "dialog.data")


def type_in(dialog, qtbot, name: str, text: str) -> None:
    edit = dialog.findChild(QLineEdit, f"dialog.data.{name}")
    edit.selectAll()
    qtbot.keyClicks(edit, text)


def pick(dialog, name: str, value: str) -> None:
    """Choose in a box as a user does."""
    box = dialog.findChild(QComboBox, name)
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def created(studio, dialog, qtbot, tmp_path):
    """Return the specification of the project that is made when the proposal is there."""
    create = dialog.findChild(QPushButton, "dialog.data.create")
    type_in(dialog, qtbot, "project", str(tmp_path / "made"))
    qtbot.waitUntil(create.isEnabled)
    qtbot.mouseClick(create, Qt.MouseButton.LeftButton)
    assert studio.session.project.path == tmp_path / "made"
    return studio.session.spec


def answer(dialog, question: str) -> str:
    """Return what stands at a question in the list."""
    return dialog.steps.findChild(object, f"dialog.data.steps.{question}").accessibleDescription()


def test_that_a_table_becomes_a_project_that_can_be_trained(studio, dialog, qtbot, tmp_path, table):
    create = dialog.findChild(QPushButton, "dialog.data.create")
    assert not create.isEnabled()
    dialog.set_path(str(table))
    qtbot.waitUntil(create.isEnabled)
    target = dialog.findChild(QComboBox, "dialog.data.target")
    assert target.currentData() == "kind"
    assert "40" in answer(dialog, "inputs")
    pick(dialog, "dialog.data.target", "width")
    assert not create.isEnabled()
    spec = created(studio, dialog, qtbot, tmp_path)
    assert spec.data.source.params["target"] == "width"
    assert spec.losses[0].loss.type == "MSELoss"
    assert any(node.type == "Linear" for node in studio.session.graph.nodes.values())


def test_that_a_project_is_called_like_its_data(dialog, qtbot, table):
    dialog.set_path(str(table))
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    assert Path(dialog.project).name == table.stem
    create = dialog.findChild(QPushButton, "dialog.data.create")
    packed = table.with_name("packed.data.csv.gz")
    packed.write_bytes(gzip.compress(table.read_bytes()))
    dialog.set_path(str(packed))
    qtbot.waitUntil(lambda: create.isEnabled() and Path(dialog.project).name == "packed.data")


@pytest.mark.fault("B10")
def test_that_what_is_no_data_is_told_at_its_question(dialog, qtbot, tmp_path):
    (tmp_path / "empty").mkdir()
    dialog.set_path(str(tmp_path / "empty"))
    problem = dialog.findChild(QLabel, "dialog.data.inputs.problem")
    qtbot.waitUntil(lambda: "no pictures" in problem.text())
    assert "no pictures" in answer(dialog, "inputs")
    assert not dialog.findChild(QPushButton, "dialog.data.create").isEnabled()


def test_that_what_cannot_be_read_in_one_way_can_be_in_another(studio, dialog, qtbot, tmp_path):
    path = tmp_path / "colors.csv"
    path.write_text("\n".join(["color", *(("red", "green", "blue")[n % 3] for n in range(60))]))
    dialog.set_path(str(path))
    problem = dialog.findChild(QLabel, "dialog.data.target.problem")
    qtbot.waitUntil(lambda: "target" in problem.text())  # there is one column
    dialog.steps.open("inputs")
    assert dialog.findChild(QComboBox, "dialog.data.source").isVisibleTo(dialog)
    pick(dialog, "dialog.data.source", "text")
    spec = created(studio, dialog, qtbot, tmp_path)
    assert spec.data.source.type == "text"


def test_that_columns_get_kinds_and_roles_without_typing(studio, dialog, qtbot, tmp_path, table):
    dialog.set_path(str(table))
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    pick(dialog, "dialog.data.kind.2", "category")
    pick(dialog, "dialog.data.role.0", "ignored")
    spec = created(studio, dialog, qtbot, tmp_path)
    inputs = {node.params.get("field") for node in studio.session.graph.nodes.values()}
    assert "categories" in inputs  # the garden: its name has a comma
    info = propose_data(ProposeData(path=str(table)))  # as it would be without the choices
    assert "categories" not in {field.name for field in info.info.fields}
    assert spec.data.source.params["ignored"] == "length"


def test_that_several_numbers_are_predicted_together(studio, dialog, qtbot, tmp_path, table):
    dialog.set_path(str(table))
    create = dialog.findChild(QPushButton, "dialog.data.create")
    qtbot.waitUntil(create.isEnabled)
    pick(dialog, "dialog.data.role.0", "target")
    qtbot.waitUntil(create.isEnabled)
    pick(dialog, "dialog.data.role.1", "target")
    qtbot.waitUntil(create.isEnabled)
    target = dialog.findChild(QComboBox, "dialog.data.target")
    assert target.currentText() == "length, width"
    spec = created(studio, dialog, qtbot, tmp_path)
    assert spec.data.source.params["target"] == "length,width"
    assert spec.losses[0].loss.type == "MSELoss"


def test_that_a_group_is_chosen_among_the_columns(studio, dialog, qtbot, tmp_path, table):
    dialog.set_path(str(table))
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    dialog.steps.open("parts")
    pick(dialog, "field.data.split.kind", "group")
    column = "field.data.split.column"
    qtbot.waitUntil(lambda: dialog.findChild(QComboBox, column) is not None)
    qtbot.waitUntil(lambda: bool(dialog.findChild(QLabel, f"{column}.message").text()))
    assert not dialog.findChild(QPushButton, "dialog.data.create").isEnabled()
    pick(dialog, column, "garden, size")
    spec = created(studio, dialog, qtbot, tmp_path)
    assert (spec.data.split.kind, spec.data.split.column) == ("group", "garden, size")


def test_that_a_typed_setting_that_cannot_be_is_told_and_holds_up_the_project(dialog, qtbot, table):
    create = dialog.findChild(QPushButton, "dialog.data.create")
    dialog.set_path(str(table))
    qtbot.waitUntil(create.isEnabled)
    dialog.forms["parts"].value_changed.emit("data.split.test", "much")
    assert not create.isEnabled()
    message = dialog.findChild(QLabel, "field.data.split.test.message")
    assert message.text()
    dialog.forms["parts"].value_changed.emit("data.split.test", "0.15")
    qtbot.waitUntil(create.isEnabled)


def test_that_pictures_are_seen_before_all_are_read(dialog, host, qtbot, pictures):
    waiting = []
    host.own[ProposeData] = lambda request: waiting.append(request) or DiagnosticError.of("D073")
    dialog.set_path(str(pictures))
    shown = dialog.preview.gallery.list.model()
    qtbot.waitUntil(lambda: shown.rowCount() == 24)  # some at a time, till there are no more
    labels = {shown.index(row, 0).data() for row in range(3)}
    assert labels == {"cats", "dogs"}
    assert not dialog.findChild(QPushButton, "dialog.data.create").isEnabled()


@pytest.mark.parametrize("file", ["", "boxes.csv"])
def test_that_boxes_are_seen_on_the_pictures_of_a_folder_or_of_a_file(
    dialog, host, qtbot, pictures, file
):
    rows = (f"cats/{number}.png,2,4,12,14,cat" for number in range(12))
    (pictures / "boxes.csv").write_text("\n".join(rows))
    host.own[TakePictures] = take_pictures
    dialog.set_path(str(pictures / file))
    gallery = dialog.preview.gallery
    shown = gallery.list.model()  # first the files as they are, some at a time
    qtbot.waitUntil(lambda: bool(shown.images) and shown.images[0].overlay is not None)
    assert shown.rowCount() == 12
    overlay = shown.images[0].overlay
    assert overlay.classes == ("cat",)
    assert overlay.corners[0] == pytest.approx((0.1, 0.2, 0.6, 0.7))
    assert gallery.masks.isVisibleTo(dialog)
    assert answer(dialog, "target") == "boxes of 1 class: cat"


def test_that_transforms_are_a_preset(studio, dialog, qtbot, tmp_path, pictures):
    dialog.set_path(str(pictures))
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    pick(dialog, "dialog.data.augmentation", "light")
    pick(dialog, "dialog.data.scaling", "imagenet")
    spec = created(studio, dialog, qtbot, tmp_path)
    types = [step.type for step in spec.data.transforms]
    assert "RandomHorizontalFlip" in types
    assert types[-1] == "Normalize"
    assert spec.data.normalization == "none"


@pytest.fixture
def speckled(tmp_path):
    """Pictures that look other when they are shifted, one of them cut off."""
    numbers = np.random.default_rng(0)
    for name in ("cats", "dogs"):
        (tmp_path / "pets" / name).mkdir(parents=True)
        for number in range(12):
            pixels = numbers.integers(0, 255, (20, 20, 3), np.uint8)
            Image.fromarray(pixels).save(tmp_path / "pets" / name / f"{number}.png")
    return tmp_path / "pets"


def drawn_pixels(dialog):
    images = dialog.preview.drawn.gallery.list.model().images
    return [image.pixels.tobytes() for image in images]


@pytest.mark.row("P14")
def test_that_samples_are_shown_as_the_chosen_augmentation_draws_them(
    dialog, host, qtbot, speckled
):
    host.own[DrawSamples] = told(draw_samples)
    dialog.set_path(str(speckled))
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    assert not dialog.preview.drawn.isVisibleTo(dialog)
    dialog.steps.open("transforms")
    shown = dialog.preview.drawn.gallery.list.model()
    qtbot.waitUntil(lambda: shown.rowCount() > 0)
    assert {image.label for image in shown.images} == {"cats", "dogs"}
    assert not dialog.preview.drawn.draw.isEnabled()  # nothing is random
    plain = drawn_pixels(dialog)
    pick(dialog, "dialog.data.augmentation", "light")
    qtbot.waitUntil(lambda: drawn_pixels(dialog) != plain)
    first = drawn_pixels(dialog)
    qtbot.mouseClick(dialog.preview.drawn.draw, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: drawn_pixels(dialog) != first)
    second = drawn_pixels(dialog)
    qtbot.keyClick(dialog.steps, "R")
    qtbot.waitUntil(lambda: drawn_pixels(dialog) != second)
    pick(dialog, "dialog.data.augmentation", "none")
    qtbot.waitUntil(lambda: drawn_pixels(dialog) == plain)


@pytest.mark.fault("F11")
def test_that_a_damaged_picture_is_named_beside_the_samples_that_can_be_drawn(
    dialog, host, qtbot, speckled
):
    host.own[DrawSamples] = told(draw_samples)
    for name in range(12):
        file = speckled / "cats" / f"{name}.png"
        file.write_bytes(file.read_bytes()[:200])
    dialog.set_path(str(speckled))
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    dialog.steps.open("transforms")
    problem = dialog.findChild(QLabel, "dialog.data.drawn.problem")
    qtbot.waitUntil(lambda: problem.isVisibleTo(dialog))
    assert ".png" in problem.text()
    shown = dialog.preview.drawn.gallery.list.model()
    assert {image.label for image in shown.images} == {"dogs"}


def test_that_rows_of_a_table_stay_where_no_transform_changes_them(dialog, qtbot, table):
    dialog.set_path(str(table))
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    dialog.steps.open("transforms")
    assert dialog.preview.rows.isVisibleTo(dialog)
    assert not dialog.preview.drawn.isVisibleTo(dialog)


def test_that_the_classes_are_counted(dialog, qtbot, pictures):
    dialog.set_path(str(pictures))
    qtbot.waitUntil(lambda: dialog.preview.balance.isVisibleTo(dialog))
    counted = dialog.preview.balance.accessibleDescription()
    assert "cats" in counted
    assert "dogs" in counted


def test_that_other_data_begin_anew(dialog, qtbot, table, pictures):
    create = dialog.findChild(QPushButton, "dialog.data.create")
    dialog.set_path(str(table))
    qtbot.waitUntil(create.isEnabled)
    pick(dialog, "dialog.data.target", "width")
    qtbot.waitUntil(create.isEnabled)
    dialog.set_path(str(pictures))
    assert not create.isEnabled()
    qtbot.waitUntil(create.isEnabled)
    assert "cats" in answer(dialog, "target")
    assert not dialog.columns.isVisibleTo(dialog)


def test_that_another_reader_can_be_chosen(dialog, qtbot, table):
    create = dialog.findChild(QPushButton, "dialog.data.create")
    dialog.set_path(str(table))
    qtbot.waitUntil(create.isEnabled)
    pick(dialog, "dialog.data.source", "text")
    qtbot.waitUntil(create.isEnabled)
    assert "Text" in answer(dialog, "inputs")


def test_that_reading_is_counted_and_can_be_given_up(dialog, host, qtbot, pictures):
    progress = FileProgress(path=str(pictures), done=4096, unit="files")

    def given_up(request):
        host.on_reading(request, progress)
        return DiagnosticError.of("D073", field="data.source.path", folder=str(pictures))

    host.own[ProposeData] = given_up
    dialog.set_path(str(pictures))
    panel = dialog.preview.progress
    qtbot.waitUntil(lambda: panel.isVisibleTo(dialog))
    assert "4,096" in panel.bar.accessibleName()
    qtbot.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
    assert host.given_up == 1
    host.on_reading(host.requests[-1], None)
    again = dialog.findChild(QPushButton, "dialog.data.again")
    qtbot.waitUntil(lambda: again.isVisibleTo(dialog))
    assert "canceled" in answer(dialog, "inputs")
    host.own[ProposeData] = told(propose_data)
    qtbot.mouseClick(again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    assert not again.isVisibleTo(dialog)


def test_that_a_chart_of_what_was_read_before_is_gone_after_a_cancel(dialog, host, qtbot, pictures):
    dialog.set_path(str(pictures))
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    assert dialog.preview.balance.isVisibleTo(dialog)

    def given_up(_request):
        return DiagnosticError.of("D073", field="data.source.path", folder=str(pictures))

    host.own[ProposeData] = given_up
    pick(dialog, "dialog.data.size", "large")
    again = dialog.findChild(QPushButton, "dialog.data.again")
    qtbot.waitUntil(lambda: again.isVisibleTo(dialog))
    assert not dialog.preview.balance.isVisibleTo(dialog)


def test_that_a_path_of_nothing_is_told_without_the_host(dialog, host, qtbot, tmp_path):
    host.is_holding = True
    dialog.set_path(str(tmp_path / "gone"))
    problem = dialog.findChild(QLabel, "dialog.data.inputs.problem")
    qtbot.waitUntil(lambda: "gone" in problem.text())
    assert not any(isinstance(one, ProposeData | PeekData) for one in host.requests)


def test_that_boxes_beside_masks_are_offered_with_a_reason(dialog, qtbot, tmp_path):
    root = tmp_path / "both"
    for name in ("images", "masks", "labels"):
        (root / name).mkdir(parents=True)
    for number in range(8):
        pixels = np.full((16, 16), number % 2, np.uint8)
        Image.fromarray(pixels + 90).save(root / "images" / f"{number}.png")
        Image.fromarray(pixels).save(root / "masks" / f"{number}.png")
        (root / "labels" / f"{number}.txt").write_text("0 0.5 0.5 0.4 0.4\n")
    dialog.set_path(str(root))
    create = dialog.findChild(QPushButton, "dialog.data.create")
    qtbot.waitUntil(create.isEnabled)
    notes = dialog.findChild(QLabel, "dialog.data.inputs.notes")
    assert "masks and boxes" in notes.text()
    pick(dialog, "dialog.data.source", "detection_folder")
    qtbot.waitUntil(create.isEnabled)
    assert "masks and boxes" not in notes.text()


def test_that_nobody_reads_on_for_a_dialog_that_was_closed(dialog, host, qtbot, pictures):
    progress = FileProgress(path=str(pictures), done=4096, unit="files")
    host.is_holding = True
    dialog.set_path(str(pictures))
    qtbot.waitUntil(lambda: any(isinstance(one, ProposeData) for one in host.requests))
    asked = next(one for one in host.requests if isinstance(one, ProposeData))
    host.on_reading(asked, progress)
    qtbot.waitUntil(lambda: dialog.preview.progress.isVisibleTo(dialog))
    dialog.reject()
    assert host.given_up == 1


def test_that_a_table_that_names_pictures_is_asked_about_like_others(
    studio, dialog, qtbot, tmp_path, pictures
):
    path = tmp_path / "pets" / "list.csv"
    rows = [
        f"{name}/{number}.png,{number},{name}" for name in ("cats", "dogs") for number in range(12)
    ]
    path.write_text("\n".join(["photo,weight,kind", *rows]))
    create = dialog.findChild(QPushButton, "dialog.data.create")
    dialog.set_path(str(path))
    qtbot.waitUntil(create.isEnabled)
    photo = dialog.findChild(QComboBox, "dialog.data.kind.0")
    assert photo.currentData() == "image"
    assert photo.currentText()
    pick(dialog, "dialog.data.role.0", "ignored")
    qtbot.waitUntil(create.isEnabled)
    pick(dialog, "dialog.data.role.0", "input")
    created(studio, dialog, qtbot, tmp_path)
    fields = {node.params.get("field") for node in studio.session.graph.nodes.values()}
    assert "photo" in fields


@for_each(
    "question, wanted",
    [
        ("inputs", ["path", "file", "folder", "source", "encoding", "rows", "size", "create"]),
        ("kinds", ["kind.0", "role.0", "kind.1", "missing", "rows", "size", "create"]),
        ("transforms", ["scaling", "rows", "size", "project", "cancel", "create"]),
    ],
)
def test_that_tab_goes_from_the_questions_to_the_answers_and_to_what_is_shown(
    dialog, qtbot, table, question, wanted
):
    dialog.set_path(str(table))
    create = dialog.findChild(QPushButton, "dialog.data.create")
    qtbot.waitUntil(create.isEnabled)
    dialog.steps.open(question)
    dialog.steps.findChild(QWidget, "dialog.data.steps.transforms").setFocus()
    names = []
    while (not names or names[-1] != "create") and len(names) < 60:
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        name = dialog.focusWidget().objectName()
        names.append(name.removeprefix("dialog.data.").removeprefix("field.data.source."))
    assert [name for name in names if name in wanted] == wanted
