"""A project of somebody else names a machine: the window asks before SSH is started."""

import os
from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton

from engine.runs.folder import RunFolder
from engine.runs.machine.known_machine import KnownMachines
from engine.runs.machine.remote import Remote, send_away
from engine.runs.search import SearchFolder, SearchState, SearchStatus, TrialRecord, TrialStatus
from engine.runtime import run as runtime_run
from engine.spec.search import SearchSpec, parse_dimension
from studio.runs.search import controller as search_controller
from studio.runs.search.page import SearchPage
from studio.window.dialog.question import Question

THEIRS = Remote(host="evil.example", user="root", python="/tmp/x", folder="/srv/x")


@pytest.fixture
def started(monkeypatch, tmp_path):
    """Return the workers that were started; there are none."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    process = SimpleNamespace(pid=os.getpid(), poll=lambda: 0, returncode=0)
    words: list[list[str]] = []
    monkeypatch.setattr(runtime_run, "start_worker", lambda w: words.append(w) or process)
    return words


@pytest.fixture
def foreign(opened):
    session = opened.session
    run = RunFolder.create(session.project.path, session.graph, session.spec)
    send_away(run, THEIRS)
    return run


def question(studio):
    return studio.window.findChild(Question, "question.machine")


@pytest.mark.row("P33")
def test_that_a_run_from_elsewhere_goes_on_only_after_the_user_has_agreed(
    opened, foreign, started, qtbot
):
    opened.services.runs.resume(foreign.id)
    asked = question(opened)
    text = asked.findChild(QLabel, "question.machine.text").text()
    shown = ("evil.example", "root", "/tmp/x", "/srv/x", foreign.id, str(foreign.project))
    assert [word for word in shown if word not in text] == []
    assert asked.findChild(QPushButton, "question.machine.cancel").isDefault()
    assert not asked.findChild(QPushButton, "question.machine.agree").isDefault()
    asked.findChild(QPushButton, "question.machine.agree").click()
    qtbot.waitUntil(lambda: len(started) == 1)
    qtbot.waitUntil(lambda: question(opened) is None)
    assert [one.shown for one in KnownMachines().machines] == [THEIRS.shown]


@pytest.mark.parametrize("how", ["cancel", "escape"])
def test_that_without_an_answer_nothing_is_started(opened, foreign, started, qtbot, how):
    opened.services.runs.resume(foreign.id)
    asked = question(opened)
    if how == "cancel":
        asked.findChild(QPushButton, "question.machine.cancel").click()
    else:
        asked.reject()
    qtbot.waitUntil(lambda: question(opened) is None)
    assert started == []
    assert KnownMachines().machines == ()


@pytest.mark.row("P33")
def test_that_a_search_from_elsewhere_goes_on_only_after_the_user_has_agreed(
    opened, foreign, started, qtbot, monkeypatch
):
    session = opened.session
    wanted = SearchSpec(space=(parse_dimension("optimizer.lr=0.001..0.1:log"),))
    folder = SearchFolder.create(session.project.path, session.graph, session.spec, wanted)
    trial = TrialRecord(number=0, status=TrialStatus.RUNNING, run=foreign.id)
    folder.write_state(SearchState(status=SearchStatus.STOPPED, total=3, trials=(trial,)))
    resumed = []

    def resume(search, **_):
        resumed.append(search.id)
        return SimpleNamespace(folder=search, is_alive=lambda: False)

    monkeypatch.setattr(search_controller, "resume_search", resume)
    opened.bench.actions.action("action.run.search").trigger()
    page = opened.window.findChild(SearchPage)
    choices = page.findChild(QComboBox, "search.choice")
    qtbot.waitUntil(lambda: choices.findData(folder.id) >= 0)
    page.chosen.emit(folder.id)
    page.verb_requested.emit("pause")
    asked = question(opened)
    assert asked is not None
    asked.reject()
    qtbot.waitUntil(lambda: question(opened) is None)
    assert resumed == []
    page.verb_requested.emit("pause")
    question(opened).findChild(QPushButton, "question.machine.agree").click()
    qtbot.waitUntil(lambda: resumed == [folder.id])
