"""The log of the window: what the program says, what a run tells and prints."""

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from engine.events import EpochDone, RunEnded, RunStarted, WatchingChanged
from engine.runs.folder import RunFolder
from engine.runs.record.journal import RunJournal
from engine.runs.record.store import StoredEvent
from studio.log.presenter import present_events
from tests.named_parts import part


@pytest.fixture
def run(opened) -> RunFolder:
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    journal = RunJournal(folder.path)
    journal.append(
        RunStarted(
            pid=1, device="cpu", threads=3, epochs=2, steps_per_epoch=3, parameters=5,
            time=time.time(),
        )
    )  # fmt: skip
    journal.append(EpochDone(epoch=1, step=3, metrics={"validation.loss": 0.5}))
    journal.append(RunEnded(reason="stopped", step=3, epoch=1))
    journal.commit()
    journal.close()
    return folder


@pytest.mark.parametrize(
    ("is_on", "line"),
    [
        (True, "Monitoring limit set to 0.5% at step 9"),
        (False, "Statistics are off from step 9"),
    ],
)
def test_that_the_log_says_how_a_run_was_told_to_watch(is_on, line):
    told = WatchingChanged(step=9, statistics=is_on, every_steps=10, limit=0.005)
    assert [each.text for each in present_events([StoredEvent(1, told)], "en")] == [line]


def text(opened) -> str:
    return opened.bench.log.text.toPlainText()


@pytest.mark.row("S371")
def test_that_the_log_shows_what_a_run_tells_and_prints_as_it_comes(opened, run, qtbot):
    run.log_path.write_text("UserWarning: slow\n")
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: "UserWarning: slow" in text(opened))
    assert "Started: CPU, 3 threads" in text(opened)
    assert "Epoch 1: validation loss 0.5" in text(opened)
    assert "Ended at step 3: stopped" in text(opened)
    with run.log_path.open("a") as log:
        log.write("another line\n")
    qtbot.waitUntil(lambda: "another line" in text(opened))
    assert text(opened).count("UserWarning: slow") == 1


def test_that_another_run_takes_the_place_of_the_lines_of_the_first(opened, run, qtbot):
    session = opened.session
    run.log_path.write_text("from the first\n")
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: "from the first" in text(opened))
    opened.services.notifications.log("from the program")
    other = RunFolder.create(session.project.path, session.graph, session.spec, "second")
    other.log_path.write_text("from the second\n")
    opened.services.runs.follow(other)
    qtbot.waitUntil(lambda: "from the second" in text(opened))
    assert "from the first" not in text(opened)
    assert "from the program" in text(opened)


def test_that_lines_of_the_run_stay_over_a_change_of_language(opened, run, qtbot):
    run.log_path.write_text("printed\n")
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: "printed" in text(opened))
    opened.settings.change(language="zh_CN")
    opened.apply_language()
    assert text(opened).count("printed") == 1


def test_that_the_log_file_and_its_folder_open_where_there_is_a_run(
    opened, run, qtbot, handed_over
):
    buttons = [
        opened.bench.log.findChild(QToolButton, f"log.{name}") for name in ("open", "reveal")
    ]
    assert not any(button.isEnabled() for button in buttons)
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: all(button.isEnabled() for button in buttons))
    buttons[0].click()
    assert handed_over == [], "there is no file yet, and that is said"
    assert "no log file" in text(opened)
    run.log_path.write_text("x\n")
    for button in buttons:
        button.click()
    assert handed_over == [str(run.log_path), str(run.path)]


def test_that_one_can_look_at_the_run_alone(opened, run, qtbot):
    opened.services.notifications.log("from the program")
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: "Epoch 1" in text(opened))
    source = part(opened.window, "log.source")
    qtbot.keyClick(source, Qt.Key.Key_End)
    assert "from the program" not in text(opened)
    assert "Epoch 1" in text(opened)
