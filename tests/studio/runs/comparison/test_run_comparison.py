"""Several runs compared in the window; the host is played by canned answers."""

import csv
import io
from typing import Literal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QFileDialog, QLabel, QPushButton

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import RunEnded
from engine.graph.edit.edits import Batch, RemoveNodes, SetParam, apply
from engine.project import Project
from engine.query.data.request import CompareData
from engine.query.distance.request import CompareWeights, Distance, DistanceReport, LayerDistance
from engine.runs.folder import RunFolder
from engine.runs.record.journal import RunJournal
from engine.spec.data_comparison import (
    DataComparison,
    DataDifference,
    DifferingSample,
    SampleDifference,
)
from engine.spec.data_version import DataVersion
from engine.spec.fields import set_text
from studio.runs.comparison import data_presenter
from studio.runs.comparison.page import RunComparisonPanel
from studio.runs.comparison.presenter import Aspect
from studio.runs.table.note_dialog import RunNoteDialog
from studio.runs.table.page import RunsWorkspace
from studio.view.table_text import csv_text, markdown_text
from tests.studio.runs.table.test_runs_page import saved_run
from widgets.canvas.viewer import Viewer
from widgets.tables.view_model import ColumnView, RowView, TableData

FAR = Distance(l2=3.0, relative=1.5, cosine=0.25)
REPORT = DistanceReport(
    layers=(
        LayerDistance(layer="hidden1", elements=4160, norm=2.0, others=(FAR,)),
        LayerDistance(layer="head", elements=330, norm=1.0, others=(None,)),
    ),
    whole=LayerDistance(layer="", elements=4490, norm=2.5, others=(FAR,)),
    files=("epoch-1.ckpt", "epoch-2.ckpt"),
    more=(("answer",),),
)
VERSIONS = (
    DataVersion(source="s", files="f", edits="none", split="p", transforms="t"),
    DataVersion(source="s", files="f", edits="some", split="p", transforms="t"),
)
DATA = DataComparison(
    versions=VERSIONS,
    others=(
        DataDifference(
            parts=("edits",),
            samples=SampleDifference(
                only_first=3,
                only_other=0,
                moved=1,
                relabelled=2,
                differing=6,
                samples=(
                    DifferingSample(name="cats/1.png", first="train", other="absent"),
                    DifferingSample(
                        name="7",
                        first="train",
                        other="test",
                        first_class="cat",
                        other_class="dog",
                    ),
                ),
            ),
        ),
    ),
)


@pytest.fixture
def host(host):
    host.own |= {CompareWeights: REPORT, CompareData: DATA}
    return host


def finish(
    folder: RunFolder, loss: float, reason: Literal["finished", "died"] = "finished"
) -> None:
    journal = RunJournal(folder.path)
    journal.end(RunEnded(reason=reason, step=1, epoch=1, metrics={"train.loss": loss}), 0)
    journal.close()


@pytest.fixture
def project_path(tmp_path):
    """Return a project with two runs of models and recipes that differ, and one without weights."""
    project = Project.create(tmp_path / "digits", "digits-mlp")
    finish(saved_run(project, "first"), 0.5)
    edits = (SetParam(id="hidden1", name="out_features", value=99), RemoveNodes(ids=("relu1",)))
    project.graph = apply(Batch(edits=edits), project.graph)
    project.spec = set_text(project.spec, "optimizer.lr", "0.5")
    finish(saved_run(project, "second"), 0.5)
    RunFolder.create(project.path, project.graph, project.spec, "empty")
    return project.path


@pytest.fixture
def panel(opened, qtbot) -> RunComparisonPanel:
    """Return the comparison of the two runs."""
    opened.window.show_workspace("runs")
    page = opened.window.findChild(RunsWorkspace)
    qtbot.waitUntil(lambda: bool(page.table.selected_ids()))
    assert page.checkpoints.isVisible()
    page.table.select_ids(["run-0001", "run-0002"])
    qtbot.waitUntil(page.comparison.isVisible)
    return page.comparison


def show(panel: RunComparisonPanel, aspect: Aspect, qtbot) -> dict[str, tuple]:
    """Click the tab of an aspect; return its rows by their first cell."""
    place = next(i for i in range(panel.tabs.count()) if panel.tabs.tabData(i) == aspect.value)
    center = panel.tabs.tabRect(place).center()
    QTest.mouseClick(panel.tabs, Qt.MouseButton.LeftButton, pos=center)
    table = panel.table(aspect)
    qtbot.waitUntil(lambda: table.isVisible() and bool(table.model.table.rows))
    return {row.cells[0]: row.cells[1:] for row in table.model.table.rows}


@pytest.mark.row("P20", "N18")
def test_that_two_runs_are_compared_in_results_settings_models_and_weights(panel, qtbot):
    results = show(panel, Aspect.RESULTS, qtbot)
    assert results["training loss"] == (0.5, 0.5, 0.0, 0.5, 0.0)  # difference, mean, deviation
    settings = show(panel, Aspect.SETTINGS, qtbot)
    assert [cells[1] for cells in settings.values()] == ["0.5"]
    models = show(panel, Aspect.MODEL, qtbot)
    assert models["hidden1"] == ("out_features: 64 → 99",)
    assert "relu1" in models
    weights = show(panel, Aspect.WEIGHTS, qtbot)
    assert weights["hidden1"] == (4160, 2.0, 3.0, 1.5, 0.25, "")
    assert weights["head"] == (330, 1.0, None, None, None, "missing or different shape")
    assert weights["answer"][-1] == "only in second"


def test_that_of_three_runs_and_more_mean_and_deviation_are_shown(panel, opened, qtbot):
    page = opened.window.findChild(RunsWorkspace)
    page.table.select_ids(["run-0001", "run-0002", "run-0003"])
    table = panel.table(Aspect.RESULTS)
    qtbot.waitUntil(lambda: "run-0003" in [column.key for column in table.model.table.columns])
    results = show(panel, Aspect.RESULTS, qtbot)
    assert results["training loss"] == (0.5, 0.5, None, 0.5, 0.0)
    assert results["Steps"] == (1, 1, 0, 1.0, 0.0)
    assert {len(cells) for cells in results.values()} == {5}


def test_that_mean_and_deviation_leave_out_a_run_that_died_and_say_so(panel, opened, qtbot):
    finish(saved_run(opened.session.project, "fold 1"), 0.9, "died")
    opened.services.runs.tell_runs_changed()
    page = opened.window.findChild(RunsWorkspace)
    qtbot.waitUntil(lambda: len(page.table.model.table.rows) == 4)
    page.table.select_ids(["run-0001", "run-0002", "run-0004"])
    table = panel.table(Aspect.RESULTS)
    qtbot.waitUntil(lambda: "run-0004" in [column.key for column in table.model.table.columns])
    results = show(panel, Aspect.RESULTS, qtbot)
    assert results["training loss"] == (0.5, 0.5, 0.9, 0.5, 0.0)
    note = panel.findChild(QLabel, "comparison.note").text()
    assert "fold 1 (" in note
    assert "first" not in note


@pytest.mark.row("P20")
def test_that_a_comparison_tells_the_notes_and_tags_of_the_runs(panel, qtbot):
    results = show(panel, Aspect.RESULTS, qtbot)
    assert not {"Notes", "Tags"} & set(results)
    page = panel.window().findChild(RunsWorkspace)
    page.table.select_ids(["run-0002"])
    qtbot.mouseClick(page.findChild(QPushButton, "runs.note"), Qt.MouseButton.LeftButton)
    dialog = panel.window().findChild(RunNoteDialog)
    dialog.tags.setText("wide, paper")
    dialog.note.setPlainText("twice as wide\nas before")
    save = dialog.findChild(QPushButton, "dialog.run_note.save")
    qtbot.mouseClick(save, Qt.MouseButton.LeftButton)
    page.table.select_ids(["run-0001", "run-0002"])
    qtbot.waitUntil(lambda: "Notes" in show(panel, Aspect.RESULTS, qtbot))
    results = show(panel, Aspect.RESULTS, qtbot)
    assert results["Tags"] == ("", "wide, paper", "", "", "")
    assert results["Notes"] == ("", "twice as wide as before", "", "", "")


def test_that_the_data_of_two_runs_tells_what_differs_and_in_how_many_samples(panel, qtbot):
    data = show(panel, Aspect.DATA, qtbot)
    assert data["Version of the data"] == tuple(version.short for version in VERSIONS)
    assert data["Contents of the files"] == ("f", "same")
    assert data["Edits of samples"] == ("none", "differs")
    assert data["Samples only in the first run"] == ("", 3)
    assert data["Samples with another class"] == ("", 2)
    assert data["Sample cats/1.png"] == ("training", "not used")
    assert data["Sample 7"] == ("training · cat", "test · dog")


def test_that_more_of_the_samples_that_differ_are_listed_on_demand(panel, host, qtbot):
    asked: list[CompareData] = []

    def answer(request):
        asked.append(request)
        return DATA

    host.own[CompareData] = answer
    show(panel, Aspect.DATA, qtbot)
    more = panel.findChild(QPushButton, "comparison.more")
    assert more.isVisibleTo(panel)
    assert more.text() == "More samples (2 of 6)"
    qtbot.mouseClick(more, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(asked) == 2)
    assert asked[1].count > asked[0].count
    show(panel, Aspect.RESULTS, qtbot)
    assert not more.isVisibleTo(panel)


def test_that_data_that_was_not_recorded_or_has_changed_says_so(panel, host, qtbot):
    changed = DataDifference(parts=("files",))
    old = DataDifference(parts=None)
    host.own[CompareData] = DataComparison(versions=(VERSIONS[0], None), others=(old,))
    data = show(panel, Aspect.DATA, qtbot)
    assert data["Contents of the files"] == ("f", "not recorded")
    assert "Samples only in the first run" not in data
    table = data_presenter.present_data(DataComparison(versions=VERSIONS, others=(changed,)), ())
    assert [row.cells[1:] for row in table.rows if row.id == "files"] == [("f", "differs")]


@pytest.mark.row("N18")
def test_that_a_row_of_the_models_leads_to_its_node_on_a_canvas(panel, opened, qtbot):
    show(panel, Aspect.MODEL, qtbot)
    table = panel.table(Aspect.MODEL)
    row = next(row for row in table.model.table.rows if row.cells[0] == "relu1")
    table.select_ids([row.id])
    QTest.mouseClick(panel.findChild(QPushButton, "comparison.canvas"), Qt.MouseButton.LeftButton)
    viewer = opened.window.findChild(Viewer, "dialog.models.canvas")
    qtbot.waitUntil(lambda: viewer.selected_nodes() == ("relu1",))
    chosen = opened.window.findChild(QComboBox, "dialog.models.before").currentText()
    assert chosen.endswith("first")
    opened.window.findChild(QPushButton, "dialog.models.close").click()


def test_that_runs_without_weights_or_with_damaged_ones_say_so(panel, opened, host, qtbot):
    params = {"file": "epoch-1.ckpt", "folder": "run-0001"}
    host.own[CompareWeights] = DiagnosticError(Diagnostic(code="K003", params=params))
    weights = panel.table(Aspect.WEIGHTS)
    place = list(Aspect).index(Aspect.WEIGHTS)
    panel.tabs.setCurrentIndex(place)
    qtbot.waitUntil(lambda: "epoch-1.ckpt" in weights.model.table.empty_text)
    opened.window.findChild(RunsWorkspace).table.select_ids(["run-0002", "run-0003"])
    qtbot.waitUntil(
        lambda: (
            "No weights to compare for runs without a checkpoint: empty"
            in weights.model.table.empty_text
        )
    )


@pytest.mark.row("P20")
def test_that_a_comparison_is_taken_away_whole_as_csv_and_markdown(panel, opened, tmp_path, qtbot):
    panel.save_requested.emit("csv")
    dialog = opened.window.findChild(QFileDialog, "dialog.save_comparison")
    file = tmp_path / "both.csv"
    dialog.fileSelected.emit(str(file))
    dialog.close()
    qtbot.waitUntil(file.exists)
    rows = list(csv.reader(io.StringIO(file.read_text(encoding="utf-8-sig"))))
    assert ["Weights", "hidden1", "4160", "2.0", "3.0", "1.5", "0.25", ""] in rows
    assert ["Settings", "Learning rate", "0.001", "0.5"] in [row[:4] for row in rows]
    assert len({len(row) for row in rows}) == 1  # else pandas does not read it
    panel.save_requested.emit("copy")
    qtbot.waitUntil(lambda: "## Weights" in QGuiApplication.clipboard().text())
    text = QGuiApplication.clipboard().text()
    assert text.startswith("# Comparison of first, second\n")
    assert "| hidden1 | out_features: 64 → 99 |" in text


@pytest.mark.row("P20")
def test_that_the_names_of_runs_break_no_table():
    columns = (ColumnView(key="a", title="wide|deep, 2\nlayers"), ColumnView(key="b", title="<b>"))
    table = TableData(columns=columns, rows=(RowView(id="1", cells=("a|b", 1.5)),))
    lines = markdown_text("a|b", {"Results": table}).decode().splitlines()
    assert lines[-3:] == [r"| wide\|deep, 2 layers | &lt;b> |", "| --- | --- |", r"| a\|b | 1.5 |"]
    empty = TableData(columns=columns[:1], empty_text="the same")
    rows = list(csv.reader(io.StringIO(csv_text({"A": table, "B": empty}).decode("utf-8-sig"))))
    assert rows[-2:] == [["B", "wide|deep, 2\nlayers", ""], ["B", "the same", ""]]


@pytest.mark.fault("S08")
@pytest.mark.parametrize(
    "name", ['=HYPERLINK("http://x")', "+cmd|' /C calc'!A0", "@SUM(1)", "-1+2"]
)
def test_that_the_name_of_a_run_is_no_formula_for_a_spreadsheet(name):
    columns = (ColumnView(key="a", title="Setting"), ColumnView(key="b", title=name))
    table = TableData(columns=columns, rows=(RowView(id="1", cells=(name, "-1.5")),))
    rows = list(csv.reader(io.StringIO(csv_text({"A": table}).decode("utf-8-sig"))))
    assert rows == [["A", "Setting", f"'{name}"], ["A", f"'{name}", "-1.5"]]
