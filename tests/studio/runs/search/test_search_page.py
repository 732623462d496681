"""The Search page by hand: what is tried, starting, following, taking what was found."""

from types import SimpleNamespace

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QSpinBox

from engine.events import Pause, Stop
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.search import (
    SearchFolder,
    SearchState,
    SearchStatus,
    TrialRecord,
    TrialStatus,
)
from engine.spec.data import SplitInfo
from engine.spec.fields import get_value, set_value
from engine.spec.search import SearchSpec, parse_dimension
from studio.runs.search import controller
from studio.runs.search.page import SearchPage
from studio.runs.search.presenter import present_search
from tests.studio.conftest import DIGITS

LR = parse_dimension("optimizer.lr=1e-4..1e-1:log")


def button(page, verb: str) -> QPushButton:
    return page.findChild(QPushButton, f"search.{verb}")


def made_search(session, status=SearchStatus.RUNNING) -> SearchFolder:
    """Return a search of the project with a finished, a pruned and a failed trial."""
    wanted = SearchSpec(space=(LR,), trials=3)
    folder = SearchFolder.create(session.project.path, session.graph, session.spec, wanted)
    spec = set_value(session.spec, "optimizer.lr", 0.05)
    run = RunFolder.create(session.project.path, session.graph, spec, "search-0001 #1")
    trials = (
        TrialRecord(
            number=0,
            status=TrialStatus.FINISHED,
            settings={"optimizer.lr": 0.05},
            value=0.25,
            epoch=3,
            run=run.id,
        ),
        TrialRecord(
            number=1,
            status=TrialStatus.PRUNED,
            settings={"optimizer.lr": 0.0001},
            value=0.9,
            epoch=1,
            run=run.id,
        ),
    )
    folder.write_state(
        SearchState(status=status, total=3, trials=trials, importance={"optimizer.lr": 1.0})
    )
    return folder


@pytest.fixture
def page(opened) -> SearchPage:
    opened.bench.actions.action("action.run.search").trigger()
    found = opened.window.findChild(SearchPage)
    assert found.isVisible()
    return found


@pytest.fixture
def shown(page, opened, qtbot) -> SearchPage:
    """Return the page with a search that goes on, found when the project is read again."""
    made_search(opened.session)
    controller_of(page).refresh()
    qtbot.waitUntil(lambda: len(page.trials.model.table.rows) == 2)
    return page


def controller_of(page) -> controller.SearchController:
    return page.findChild(controller.SearchController)


def space(page) -> list[str]:
    return [row.cells[1] for row in page.space.model.table.rows]


def add(page, qtbot, name: str, values: str) -> None:
    page.findChild(QComboBox, "search.setting").setCurrentText(name)
    line = page.findChild(QLineEdit, "search.values")
    line.clear()
    qtbot.keyClicks(line, values)
    qtbot.mouseClick(page.findChild(QPushButton, "search.add"), Qt.MouseButton.LeftButton)


@pytest.mark.row("P21")
def test_that_settings_are_added_and_taken_out_by_hand_and_mistakes_are_told_there(page, qtbot):
    assert space(page) == ["0.0001..0.1:log"]
    add(page, qtbot, "optimizer", "Adam, SGD")
    qtbot.waitUntil(lambda: space(page) == ["0.0001..0.1:log", "Adam, SGD"])
    add(page, qtbot, "optimizer.lr", "3..1")
    problem = page.findChild(QLabel, "search.problem")
    qtbot.waitUntil(lambda: "smaller" in problem.text())
    add(page, qtbot, "optimizer.lr", "1..3")
    qtbot.waitUntil(lambda: "1..3" in space(page))
    assert not problem.isVisible()
    page.space.select_ids(["optimizer"])
    qtbot.keyClick(page.space.table, Qt.Key.Key_Delete)
    assert space(page) == ["1..3"]
    page.space.select_ids(["optimizer.lr"])
    qtbot.keyClick(page.space.table, Qt.Key.Key_Delete)
    assert not button(page, "start").isEnabled()


@pytest.mark.row("P21")
def test_that_start_hands_over_what_the_form_says_and_shows_the_search(
    page, opened, qtbot, monkeypatch
):
    asked = []

    def start(project, graph, spec, wanted, **choices):
        asked.append((wanted, choices["trusted"]))
        folder = SearchFolder.create(project, graph, spec, wanted)
        folder.write_state(SearchState(status=SearchStatus.FINISHED, total=7))
        return SimpleNamespace(folder=folder, is_alive=lambda: False)

    monkeypatch.setattr(controller, "start_search", start)
    page.findChild(QSpinBox, "search.trials_wanted").setValue(7)
    page.findChild(QComboBox, "search.mode").setCurrentIndex(1)
    qtbot.mouseClick(button(page, "start"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "finished" in page.progress.text())
    wanted, is_trusted = asked[0]
    assert (wanted.space, wanted.trials, wanted.mode, wanted.method) == ((LR,), 7, "max", "tpe")
    assert is_trusted
    assert not button(page, "start").isVisible()


@pytest.mark.row("P21")
def test_that_only_what_a_run_measures_can_be_looked_for(page, opened, qtbot):
    monitor = page.findChild(QComboBox, "search.monitor")
    qtbot.waitUntil(lambda: monitor.findData("validation.accuracy") >= 0)
    empty = SplitInfo(name="validation", samples=0)
    opened.session.find(data=msgspec.structs.replace(DIGITS, splits=(*DIGITS.splits, empty)))
    qtbot.waitUntil(lambda: monitor.findData("validation.loss") < 0)
    assert page.search().monitor == "train.loss"


@pytest.mark.row("P21")
def test_that_a_grid_shows_its_own_number_of_trials_and_gives_back_the_wanted_one(page, qtbot):
    trials = page.findChild(QSpinBox, "search.trials_wanted")
    method = page.findChild(QComboBox, "search.method")
    trials.setValue(7)
    add(page, qtbot, "optimizer", "Adam, SGD")
    qtbot.waitUntil(lambda: len(space(page)) == 2)
    method.setCurrentIndex(method.findData("grid"))
    qtbot.waitUntil(lambda: trials.value() == 6)
    assert not trials.isEnabled()
    page.space.select_ids(["optimizer"])
    qtbot.keyClick(page.space.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: trials.value() == 3)
    method.setCurrentIndex(method.findData("tpe"))
    qtbot.waitUntil(lambda: trials.value() == 7)
    assert trials.isEnabled()


def test_that_a_search_that_goes_on_is_found_with_its_best_trial_and_importance(shown):
    assert "1 of" not in shown.progress.text()
    assert "2 of 3 trials" in shown.progress.text()
    assert "0.25 (trial 1)" in shown.progress.text()
    icons = {row.id: row.icon for row in shown.trials.model.table.rows}
    assert icons == {"0": "star", "1": ""}
    assert "Learning rate: 100" in shown.importance.accessibleDescription()


def test_that_a_search_that_was_begun_elsewhere_is_found_when_the_page_is_looked_at(
    page, opened, qtbot
):
    opened.window.show_workspace("model")
    made_search(opened.session)
    opened.window.show_workspace("runs")
    qtbot.waitUntil(lambda: len(page.trials.model.table.rows) == 2)


def test_that_a_line_of_the_parallel_coordinates_leads_to_its_trial(shown, qtbot):
    chart = shown.parallel_chart
    line = next(one for one in chart.view.lines if one.id == "0")
    a, b = chart.line_points(line)
    middle = QPoint(round((a.x() + b.x()) / 2), round((a.y() + b.y()) / 2))
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=middle)
    assert shown.trials.selected_ids() == ["0"]


@pytest.mark.parametrize(
    ("status", "word"), [(SearchStatus.PAUSED, "paused"), (SearchStatus.STOPPED, "stopped")]
)
def test_that_a_trial_without_an_end_stands_as_its_search(shown, opened, status, word):
    folder = SearchFolder.open(opened.session.project.path / "searches" / "search-0001")
    running, settings = TrialStatus.RUNNING, {"optimizer.lr": 0.01}
    trial = TrialRecord(number=2, status=running, settings=settings, run="run-0001")
    state = SearchState(status=status, total=3, trials=(trial,))
    table = present_search(folder, state, "en").trials
    assert table.rows[0].cells[1] == word


def test_that_pause_and_stop_are_handed_to_the_search(shown, opened, qtbot):
    folder = SearchFolder.open(opened.session.project.path / "searches" / "search-0001")
    for verb in ("pause", "stop"):
        qtbot.mouseClick(button(shown, verb), Qt.MouseButton.LeftButton)
    assert CommandReader(folder.commands_path).poll() == [Pause(), Stop()]


def test_that_a_stopped_search_goes_on_by_the_same_button(shown, opened, qtbot, monkeypatch):
    folder = SearchFolder.open(opened.session.project.path / "searches" / "search-0001")
    asked = []

    def resume(search, **choices):
        asked.append(search.id)
        return SimpleNamespace(folder=search, is_alive=lambda: True)

    monkeypatch.setattr(controller, "resume_search", resume)
    folder.write_state(SearchState(status=SearchStatus.STOPPED, total=3))
    qtbot.waitUntil(lambda: button(shown, "pause").text() == "Continue")
    assert not button(shown, "stop").isEnabled()
    qtbot.mouseClick(button(shown, "pause"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: asked == ["search-0001"])
    qtbot.wait(1)  # it is read once as it was before its process has told anything
    folder.write_state(SearchState(status=SearchStatus.RUNNING, total=3))
    qtbot.waitUntil(lambda: button(shown, "pause").text() == "Pause")


def test_that_the_settings_of_a_trial_come_onto_the_canvas_and_undo_takes_them_back(
    shown, opened, qtbot
):
    before = opened.session.spec
    assert not button(shown, "take").isEnabled()
    shown.trials.select_ids(["0"])
    qtbot.mouseClick(button(shown, "take"), Qt.MouseButton.LeftButton)
    assert get_value(opened.session.spec, "optimizer.lr") == 0.05
    opened.session.undo()
    assert opened.session.spec == before


def test_that_the_run_of_a_trial_is_shown_in_train(shown, opened, qtbot):
    shown.trials.select_ids(["0"])
    qtbot.mouseClick(button(shown, "show"), Qt.MouseButton.LeftButton)
    assert opened.window.workspace == "train"


@pytest.mark.row("P21")
def test_that_a_finished_search_goes_on_with_more_trials(shown, opened, qtbot, monkeypatch):
    folder = SearchFolder.open(opened.session.project.path / "searches" / "search-0001")
    asked = []

    def resume(search, *, trials, trusted):
        asked.append((search.id, trials))
        return SimpleNamespace(folder=search, is_alive=lambda: False)

    monkeypatch.setattr(controller, "resume_search", resume)
    wanted = shown.findChild(QSpinBox, "search.trials_wanted")
    assert not wanted.isEnabled()
    folder.write_state(SearchState(status=SearchStatus.FINISHED, total=3))
    qtbot.waitUntil(wanted.isEnabled)
    assert not button(shown, "pause").isEnabled()
    wanted.setValue(7)
    qtbot.mouseClick(button(shown, "pause"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: asked == [("search-0001", 7)])
