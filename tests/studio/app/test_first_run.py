"""What somebody meets who starts the program for the first time."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from engine.diagnostics import Diagnostic
from engine.project import Project
from engine.query.model.request import Analyse, Check
from studio.help.tour import Tour, stops
from tests.named_parts import part, part_of_kind


@pytest.fixture
def begun(monkeypatch) -> list:
    """Return the starts of runs, which begin nothing here."""
    from studio.run_control.controller import RunController

    starts: list = []
    monkeypatch.setattr(RunController, "begin", lambda _self, work: starts.append(work))
    return starts


@pytest.fixture(autouse=True)
def documents(monkeypatch, tmp_path: Path) -> Path:
    """Put new projects into a folder of the test."""
    from studio.project import project

    monkeypatch.setattr(project, "projects_folder", lambda: tmp_path / "documents")
    return tmp_path / "documents"


def answer_all(host) -> None:
    host.is_holding = False
    while host.held:
        host.answer(*host.held.pop(0))


def test_that_a_start_before_the_check_is_done_is_remembered_and_said(
    studio, host, project_path, begun, qtbot
):
    host.is_holding = True
    studio.show(project_path)
    studio.start_background()
    studio.bench.update_actions()
    action = studio.bench.actions.action("action.run.start")
    assert action.isEnabled()
    action.trigger()
    assert studio.services.runs.is_waiting
    title = studio.window.findChild(QLabel, "train.run")
    qtbot.waitUntil(lambda: title.text() == "Waiting")
    assert not begun
    qtbot.waitUntil(lambda: any(isinstance(r, Check) for r, _ in host.held))
    answer_all(host)
    qtbot.waitUntil(lambda: len(begun) == 1)
    assert not studio.services.runs.is_waiting


def test_that_stop_takes_a_remembered_start_back(studio, host, project_path, begun, qtbot):
    host.is_holding = True
    studio.show(project_path)
    studio.start_background()
    studio.services.runs.start()
    qtbot.waitUntil(lambda: studio.bench.actions.action("action.run.stop").isEnabled())
    studio.bench.actions.action("action.run.stop").trigger()
    qtbot.waitUntil(lambda: any(isinstance(r, Check) for r, _ in host.held))
    answer_all(host)
    qtbot.waitUntil(lambda: studio.session.findings.is_checked)
    qtbot.wait(20)
    assert begun == []


def test_that_a_remembered_start_with_errors_says_them(studio, host, project_path, begun, qtbot):
    host.problems = (Diagnostic(code="G004", field="optimizer.lr", params={"name": "x"}),)
    host.is_holding = True
    studio.show(project_path)
    studio.start_background()
    studio.services.runs.start()
    qtbot.waitUntil(lambda: any(isinstance(r, Check) for r, _ in host.held))
    answer_all(host)
    qtbot.waitUntil(lambda: not studio.services.runs.is_waiting)
    assert begun == []
    assert any("did not start" in line.text for line in studio.notifications.lines)


def test_that_a_start_from_any_page_says_why_it_cannot_be(studio, host, project_path, begun, qtbot):
    host.problems = (Diagnostic(code="G004", field="optimizer.lr", params={"name": "x"}),)
    studio.show(project_path)
    studio.start_background()
    qtbot.waitUntil(lambda: studio.session.findings.is_checked)
    studio.services.runs.start()
    assert begun == []
    assert any("did not start" in line.text for line in studio.notifications.lines)


def test_that_the_spare_worker_starts_only_after_the_first_check(
    studio, host, project_path, monkeypatch, qtbot
):
    prepared = []
    monkeypatch.setattr(type(studio.services.runs), "warm_up", lambda _: prepared.append(1))
    host.is_holding = True
    studio.show(project_path)
    studio.start_background()
    qtbot.waitUntil(lambda: any(isinstance(r, Check) for r, _ in host.held))
    for held in [held for held in host.held if not isinstance(held[0], Check | Analyse)]:
        host.held.remove(held)
        host.answer(*held)
    qtbot.waitUntil(lambda: studio.services.machine.capabilities is not None)
    assert prepared == []
    answer_all(host)
    qtbot.waitUntil(lambda: len(prepared) == 1)
    studio.session.analysis_changed.emit()
    assert len(prepared) == 1


def test_that_the_tour_shows_every_stop_whole_and_beside_what_it_is_about(studio, qtbot):
    studio.window.resize(1280, 720)
    studio.show(None)
    studio.window.findChild(QAbstractButton, "welcome.tour").click()
    qtbot.waitUntil(lambda: studio.window.findChild(Tour) is not None)
    tour = part_of_kind(studio.window, Tour)
    text, card = part(tour, "tour.text"), part(tour, "tour.card")
    for number, stop in enumerate(stops(), 1):
        assert part(tour, "tour.count").text() == f"{number} / {len(stops())}"
        assert text.height() >= text.heightForWidth(text.width()), stop.target
        assert tour.rect().contains(card.geometry())
        targets = studio.window.findChildren(QWidget, stop.target)
        target = next(widget for widget in targets if widget.isVisible())
        seen = QRect(target.mapTo(studio.window, QPoint(0, 0)), target.size())
        if seen.width() < tour.width() // 2:
            assert not seen.intersects(card.geometry())
        part(tour, "tour.next").click()
    assert not tour.isVisible()


def test_that_a_screen_smaller_than_the_usual_window_is_filled(studio):
    assert studio.window.screen().availableSize().width() < 1440
    studio.window.resize(1440, 900)
    studio.window.fit_to_screen()
    studio.show(None)
    assert studio.window.isMaximized()


def test_that_the_tour_without_a_project_opens_an_example(studio, documents, qtbot):
    studio.show(None)
    studio.window.findChild(QAbstractButton, "welcome.tour").click()
    assert Project.open(documents / "digits-cnn").graph.nodes
    assert studio.window.workspace == "model"
    qtbot.waitUntil(lambda: studio.window.findChild(Tour) is not None)
    part_of_kind(studio.window, Tour).leave()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_that_every_workspace_fits_a_small_screen(opened, qtbot, language):
    opened.settings.change(language=language)
    opened.apply_language()
    opened.window.resize(1180, 700)
    for name in ("model", "data", "train", "runs", "export", "model"):
        opened.window.show_workspace(name)
        qtbot.wait(20)
        hint = opened.window.minimumSizeHint()
        assert hint.width() <= 1180, name
        assert hint.height() <= 680, name
        assert opened.window.width() == 1180, name


def test_that_runs_without_a_run_invite_to_the_first(opened, begun, qtbot):
    opened.window.show_workspace("runs")
    button = opened.window.findChild(QAbstractButton, "runs.empty.action")
    qtbot.waitUntil(button.isVisible)
    button.click()
    assert opened.window.workspace == "train"
    assert len(begun) == 1


def test_that_undo_can_be_given_right_after_a_change(opened):
    undo = opened.bench.actions.action("action.edit.undo")
    for text in ("7", "8", "9"):
        opened.services.editor.set("epochs", text)
        opened.session.seal()
        assert undo.isEnabled()
        undo.trigger()
        assert not undo.isEnabled()
