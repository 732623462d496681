"""The Samples page: all samples in every order, under conditions; the host is played."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QPushButton,
)

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.data.request import (
    BrowseSamples,
    ListColumns,
    LookAtSample,
    PeekSamples,
    TakePictures,
)
from engine.spec.browse import (
    ColumnValues,
    SampleColumn,
    SampleColumns,
    SampleDetails,
    SampleHead,
    SamplePicture,
    SampleRow,
)
from engine.spec.run import Choice
from studio.data.samples.page import SamplesPage
from studio.data.samples.presenter import present_details, present_values
from studio.data.samples.state import edit_title
from studio.view.data import split_title
from tests.studio.data.samples.played import PlayedSamples
from widgets.images.view_model import BoxView

COUNT = 5000


@pytest.fixture
def played():
    return PlayedSamples(COUNT)


@pytest.fixture
def host(host, played):
    host.own |= played.answers()
    return host


def index_of(page, position):
    row = page.browser.model.row(position)
    return None if row is None else row.id


def chips(page):
    buttons = page.filter.findChildren(QPushButton)
    named = [each for each in buttons if "chip" in each.objectName() and not each.isHidden()]
    return [each.accessibleName() for each in named]


def choose(combo, data):
    combo.setCurrentIndex(combo.findData(data))


def test_that_all_samples_of_the_data_are_there(page, qtbot):
    assert page.browser.model.rowCount() == COUNT
    assert page.count.text() == "5,000 samples"
    bar = page.browser.grid.verticalScrollBar()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: index_of(page, COUNT - 1) == COUNT - 1)
    qtbot.waitUntil(lambda: page.browser.model.picture(COUNT - 1) is not None)


def test_that_few_rows_are_asked_for_where_many_are_there(page, played, qtbot):
    qtbot.waitUntil(lambda: page.browser.model.picture(0) is not None)
    assert sum(request.count for request in played.of(BrowseSamples)) < COUNT / 10
    assert all(len(request.indices) <= 24 for request in played.of(TakePictures))


def test_that_a_part_a_column_and_a_text_choose_and_order_samples(page, qtbot):
    choose(page.part, "test")
    qtbot.waitUntil(lambda: index_of(page, 0) == 2)
    choose(page.sort, "data.size")
    qtbot.waitUntil(lambda: index_of(page, 0) == 4997)
    page.direction.click()
    qtbot.waitUntil(lambda: index_of(page, 0) == 2)
    page.search.setText("name 499")
    wanted = [at for at in range(2, COUNT, 3) if "name 499" in f"name {at}"]
    qtbot.waitUntil(lambda: page.browser.model.rowCount() == len(wanted))
    assert page.count.text() == f"{len(wanted)} of 5,000 samples"
    assert [index_of(page, at) for at in range(len(wanted))] == wanted


def test_that_the_table_sorts_by_a_click_on_its_header(page, qtbot):
    page.forms.setCurrentIndex(1)
    qtbot.waitUntil(page.browser.table.isVisible)
    page.browser.model.sort(3, Qt.SortOrder.AscendingOrder)
    qtbot.waitUntil(lambda: index_of(page, 0) == COUNT - 1)
    assert page.sort.currentData() == "data.size"
    header = page.browser.table.horizontalHeader()
    assert header.sortIndicatorSection() == 3
    page.browser.model.sort(-1, Qt.SortOrder.AscendingOrder)
    qtbot.waitUntil(lambda: index_of(page, 0) == 0)


def test_that_what_no_sample_meets_says_so_and_can_be_taken_back(page, qtbot):
    page.search.setText("nowhere")
    qtbot.waitUntil(page.empty.isVisible)
    assert page.empty.button.text() == "Remove all conditions"
    page.empty.button.click()
    qtbot.waitUntil(lambda: page.browser.model.rowCount() == COUNT)
    assert page.search.text() == ""
    assert page.browser.isVisible()


def test_that_conditions_are_put_together_and_removed_one_by_one(page, qtbot):
    bar = page.filter
    page.funnel.click()
    choose(bar.column, "data.label")
    qtbot.waitUntil(lambda: bar.value.findData("odd") == 1)
    choose(bar.value, "odd")
    bar.add.click()
    qtbot.waitUntil(lambda: page.browser.model.rowCount() == COUNT // 2)
    choose(bar.column, "data.size")
    assert not bar.add.isEnabled()
    bar.high.setText("4")
    qtbot.keyClick(bar.high, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.browser.model.rowCount() == 2)
    assert chips(page) == ["label is odd", "size ≤ 4"]
    assert [index_of(page, at) for at in (0, 1)] == [COUNT - 3, COUNT - 1]
    page.findChild(QPushButton, "data.filter.chip0").click()
    qtbot.waitUntil(lambda: page.browser.model.rowCount() == 4)
    assert chips(page) == ["size ≤ 4"]
    assert page.count.text() == "4 of 5,000 samples"


def test_that_a_part_is_a_condition_by_its_title(page, qtbot):
    page.funnel.click()
    choose(page.filter.column, "part")
    qtbot.waitUntil(lambda: page.filter.value.count() == 2)
    assert page.filter.value.itemText(1) == "Test (1)"
    choose(page.filter.value, "test")
    choose(page.filter.relation, "is not")
    choose(page.filter.value, "test")
    page.filter.add.click()
    qtbot.waitUntil(lambda: chips(page) == ["Split is not Test"])
    qtbot.waitUntil(lambda: index_of(page, 2) == 3)


def test_that_the_selection_is_told_by_the_indices_of_the_source(page, qtbot):
    choose(page.sort, "data.size")
    qtbot.waitUntil(lambda: index_of(page, 0) == COUNT - 1)
    page.browser.select_ranges(((0, 2),))
    qtbot.waitUntil(lambda: page.selection == (COUNT - 1, COUNT - 2))
    assert page.chosen.text() == "2 selected"
    with qtbot.waitSignal(page.samples_selected) as heard:
        page.browser.select_ranges(((0, 1), (3000, 4999)))
    assert len(heard.args[0]) == 2000
    assert heard.args[0][:2] == (COUNT - 1, COUNT - 3001)
    page.browser.chosen.clearSelection()
    qtbot.waitUntil(lambda: page.selection == ())
    assert page.chosen.text() == ""


def test_that_other_features_add_acts_for_the_selection(page, qtbot):
    page.browser.select(7)
    qtbot.waitUntil(lambda: page.selection == (7,))
    heard = []
    page.menu_filled.connect(lambda menu, chosen: heard.append((menu, chosen)))
    page.menu_requested.emit(page.mapToGlobal(page.rect().center()))
    ((menu, chosen),) = heard
    assert isinstance(menu, QMenu)
    assert chosen == (7,)
    menu.close()


def test_that_selected_rows_are_copied_as_a_table(page, qtbot):
    page.browser.select_ranges(((1, 2), (3, 4)))
    page.browser.copy_requested.emit()
    qtbot.waitUntil(lambda: QApplication.clipboard().text().startswith("No."))
    assert QApplication.clipboard().text().splitlines() == [
        "No.\tSplit\tname\tsize\tlabel",
        "1\tvalidation\tname 1\t4999\todd",
        "3\ttrain\tname 3\t4997\todd",
    ]


def test_that_a_damaged_picture_says_what_is_wrong_with_it(opened, played, qtbot):
    damage = Diagnostic(code="D052", params={"file": "a.png", "detail": "x"})
    played.damaged[1] = damage
    opened.window.show_workspace("data")
    page = opened.window.findChild(SamplesPage)
    model = page.browser.model
    qtbot.waitUntil(lambda: model.has_picture(1))
    assert model.picture(1) is None
    assert model.picture(2) is not None
    assert "a.png" in model.data(model.index(1, 0), Qt.ItemDataRole.ToolTipRole)


def test_that_data_that_cannot_be_loaded_says_why(opened, host, page, qtbot):
    host.own[ListColumns] = DiagnosticError(Diagnostic(code="D075"))
    opened.services.editor.set("data.source", "iris")
    qtbot.waitUntil(page.empty.isVisible)
    assert page.count.text() == ""
    assert page.selection == ()


def test_that_order_and_form_outlive_other_data_as_far_as_they_can(opened, played, page, qtbot):
    page.forms.setCurrentIndex(1)
    choose(page.sort, "data.size")
    qtbot.waitUntil(lambda: index_of(page, 0) == COUNT - 1)
    played.count, played.columns = 9, played.columns[:3]
    opened.services.editor.set("data.split.seed", "5")
    qtbot.waitUntil(lambda: page.browser.model.rowCount() == 9)
    assert page.sort.currentData() == ""
    assert page.browser.form == "table"


def test_that_the_latest_wish_wins(opened, host, played, page, qtbot):
    host.is_holding = True
    host.held.clear()
    for count, part in enumerate(("test", "validation", "train"), start=1):
        choose(page.part, part)
        qtbot.waitUntil(lambda count=count: len(host.held) == count)
    host.is_holding = False
    for request, future in reversed(host.held):
        host.answer(request, future)
    qtbot.waitUntil(lambda: page.browser.model.rowCount() == len(range(0, COUNT, 3)))
    assert index_of(page, 0) == 0


def test_that_enter_shows_a_sample_in_full_and_escape_takes_it_away(
    host, page, qtbot, handed_over, tmp_path
):
    file = tmp_path / "名 a.png"
    details = SampleDetails(
        index=3,
        cells=PlayedSamples(COUNT).row(3).cells,
        values={"image": (0.5, 1.0)},
        shapes={"image": (1, 1, 2)},
        texts={"name": "all that is written\nin two lines"},
        files=(str(file),),
    )
    host.own[LookAtSample] = details
    page.browser.select(3)
    qtbot.keyClick(page.browser.grid, Qt.Key.Key_Return)
    qtbot.waitUntil(page.details.isVisible)
    assert page.details.title.text() == "Sample 3"
    shown = page.findChild(QPlainTextEdit, "data.details.text.name")
    assert shown.toPlainText() == "all that is written\nin two lines"
    said = [label.text() for label in page.details.findChildren(QLabel)]
    assert {"size", "4997", "label", "odd", "Training"} <= set(said)
    assert page.details.play.isHidden()
    page.details.copy_path.click()
    assert QApplication.clipboard().text() == str(file)
    page.details.show_file.click()
    assert handed_over == [str(tmp_path)]
    page.browser.grid.setFocus()
    qtbot.keyClick(page.browser.grid, Qt.Key.Key_Escape)
    assert page.details.isHidden()


def test_that_a_sound_is_played_by_the_system_and_what_is_none_is_told(
    opened, host, page, qtbot, handed_over
):
    file = opened.session.project.path / "owl.wav"
    file.write_bytes(b"RIFF and more")
    cells = PlayedSamples(COUNT).row(0).cells
    host.own[LookAtSample] = SampleDetails(index=0, cells=cells, files=(str(file),))
    page.browser.row_activated.emit(0)
    qtbot.waitUntil(page.details.play.isVisible)
    page.details.play.click()
    assert handed_over == [str(file)]
    file.write_bytes(b"#!/bin/sh")
    page.details.play.click()
    assert handed_over == [str(file)]
    assert any("owl.wav" in line.text for line in opened.notifications.lines)


def test_that_details_follow_the_current_sample(opened, host, page, qtbot):
    problem = Diagnostic(code="D052", params={"file": "a.png", "detail": "x"})
    cells = PlayedSamples(COUNT).row(0).cells
    host.own[LookAtSample] = lambda request: SampleDetails(
        index=request.index, cells=cells, problems=(problem,) if request.index == 5 else ()
    )
    page.browser.row_activated.emit(4)
    qtbot.waitUntil(page.details.isVisible)
    assert page.details.copy_path.isHidden()
    page.browser.select(5)
    qtbot.waitUntil(lambda: page.details.title.text() == "Sample 5")
    assert "a.png" in page.findChild(QLabel, "data.details.problem").text()


def test_that_samples_are_listed_anew_when_the_class_that_has_them_changes(
    opened, page, played, qtbot
):
    opened.bench.actions.trigger("action.data.new_dataset")
    opened.window.show_workspace("data")
    before = len(played.of(ListColumns))
    opened.services.analyst.ask_again()
    qtbot.waitUntil(lambda: len(played.of(ListColumns)) > before)
    before = len(played.of(ListColumns))
    session = opened.session
    text = session.graph.code["datasets.py"].replace("noise: float = 0.1", "noise: float = 0.2")
    graph = replace(session.graph, code={**session.graph.code, "datasets.py": text})
    session.change(graph, session.spec, "edit")
    qtbot.waitUntil(lambda: len(played.of(ListColumns)) > before)


def test_that_the_values_of_a_column_are_offered_in_the_words_of_its_cells():
    found = ColumnValues(values=("relabelled", "tagged"), counts=(2, 1))
    assert edit_title("relabelled") != "relabelled"
    titles = [text for _, text in present_values("edit", found)]
    assert titles == [f"{edit_title('relabelled')} (2)", f"{edit_title('tagged')} (1)"]
    parts = ColumnValues(values=("train",), counts=(3,))
    assert present_values("part", parts) == (("train", f"{split_title('train')} (3)"),)


def test_that_details_of_a_sample_name_its_boxes():
    picture = SamplePicture(
        field="image", kind="image", width=2, height=1, channels=1, pixels=b"ab",
        classes=("cat", "dog"), boxes=((0.0, 0.0, 0.5, 1.0),), labels=(1,),
    )  # fmt: skip
    found = SampleDetails(
        index=0, cells=(), values={"boxes": (0.0, 0.0, 5.5, 10.0), "labels": (1.0,)},
        shapes={"boxes": (1, 4), "labels": (1,)}, pictures=(picture,),
    )  # fmt: skip
    view = present_details(SampleColumns(samples=1, columns=()), found, "en")
    assert view.facts == (("dog", "0, 0 – 5.5, 10"),)
    overlay = view.pictures[0][1].overlay
    assert isinstance(overlay, BoxView)
    assert overlay.classes == ("cat", "dog")
    assert overlay.corners.tolist() == [[0, 0, 0.5, 1]]


def test_that_a_page_without_samples_offers_a_way_out(page, opened, host, qtbot, monkeypatch):
    session = opened.session
    source = Choice(type="image_folder", params={"path": "/gone"})
    data = replace(session.spec.data, source=source)
    host.own[ListColumns] = DiagnosticError.of("D050", field="data.source.path", folder="/gone")
    session.change(session.graph, replace(session.spec, data=data), "x")
    button = page.empty.button
    qtbot.waitUntil(lambda: "Locate" in button.text())
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/found")
    button.click()
    assert session.spec.data.source.params["path"] == "/found"
    host.own[ListColumns] = DiagnosticError.of("D051", field="data.source.path", folder="/found")
    qtbot.waitUntil(lambda: "New project" in button.text())
    button.click()
    question = opened.window.findChild(QDialog, "question.unsaved")
    question.findChild(QPushButton, "question.unsaved.discard").click()
    assert opened.window.findChild(QDialog, "dialog.data") is not None


def test_that_a_data_set_that_is_not_there_is_offered_to_be_downloaded(page, opened, host, qtbot):
    session = opened.session
    data = replace(session.spec.data, source=Choice(type="MNIST"))
    host.own[ListColumns] = DiagnosticError.of("D255", field="data.source.path")
    session.change(session.graph, replace(session.spec, data=data), "x")
    button = page.empty.button
    qtbot.waitUntil(lambda: "Download" in button.text())
    button.click()
    assert opened.window.findChild(QDialog, "dialog.download") is not None


HEAD = SampleHead(
    columns=SampleColumns(
        samples=2,
        columns=(
            SampleColumn(key="index", kind="number", is_cheap=False),
            SampleColumn(key="data.city", kind="text", name="city", is_cheap=False),
        ),
    ),
    rows=(SampleRow(index=0, cells=(0, "Rome")), SampleRow(index=1, cells=(1, "Oslo"))),
)


def answer_held(host, *kinds) -> None:
    """Answer the questions of some kinds that are held."""
    for request, future in [each for each in host.held if isinstance(each[0], kinds)]:
        host.answer(request, future)


def test_that_the_first_rows_are_there_before_all_are_read(page, host, opened, qtbot):
    host.own[PeekSamples] = HEAD
    host.held.clear()
    host.is_holding = True
    opened.services.editor.set("data.source", "iris")
    qtbot.waitUntil(lambda: any(isinstance(each, ListColumns) for each, _ in host.held))
    answer_held(host, PeekSamples)
    qtbot.waitUntil(lambda: page.browser.model.rowCount() == 2)
    assert page.browser.table.isVisible()
    assert page.count.text() == "First 2 rows; reading the whole table…"
    assert not page.sort.isEnabled()
    page.browser.select(1)
    page.browser.row_activated.emit(1)
    assert not page.details.isVisible()  # a row of the file need not be the sample of its number
    host.is_holding = False
    answer_held(host, ListColumns)
    qtbot.waitUntil(lambda: page.browser.model.rowCount() == COUNT)
    assert page.sort.isEnabled()
    assert page.selection == ()


def test_that_a_file_that_turns_out_to_be_broken_takes_its_first_rows_away(
    page, host, opened, qtbot
):
    host.own |= {PeekSamples: HEAD, ListColumns: DiagnosticError.of("D170", column="x")}
    opened.services.editor.set("data.source", "iris")
    qtbot.waitUntil(page.empty.isVisible)
    assert page.sort.isEnabled()


def test_that_samples_of_other_data_are_gone_at_once(opened, host, page, qtbot):
    page.browser.select(3)
    qtbot.waitUntil(lambda: page.selection == (3,))
    host.is_holding = True
    opened.services.editor.set("data.source", "iris")
    assert page.browser.model.rowCount() == 0
    assert page.selection == ()
    host.is_holding = False
    for request, future in host.held:
        host.answer(request, future)
    qtbot.waitUntil(lambda: page.browser.model.rowCount() == COUNT)
