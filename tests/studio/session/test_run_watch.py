"""What the thread that follows a run says of a record that is out of order."""

import sqlite3
from contextlib import closing

import pytest

from engine.events import RunStarted, Warned
from engine.runs.record.journal import RunJournal
from studio.session.run_follower import RunWatch
from tests.tiny_run import make_run


@pytest.mark.fault("F27")
def test_that_points_that_were_doubled_are_told_once_beside_their_curve(tmp_path, qtbot):
    run = make_run(tmp_path)
    journal = RunJournal(run.path)
    journal.append(
        RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=10, parameters=3)
    )
    journal.extend("train.loss", [1, 2, 3], [3.0, 2.0, 1.0])
    journal.close()
    with closing(sqlite3.connect(run.path / "events.db")) as connection, connection:
        columns = "series, first, last, steps, points"
        connection.execute(f"INSERT INTO chunks ({columns}) SELECT {columns} FROM chunks")
    watch = RunWatch(run)
    watch.start()
    told = []

    def is_read() -> bool:
        update = watch.take()
        if update is None:
            return False
        told.extend(each.event for each in update.events if isinstance(each.event, Warned))
        return "train.loss" in update.curves

    qtbot.waitUntil(is_read)
    with closing(sqlite3.connect(run.path / "events.db")) as connection, connection:
        connection.execute(f"INSERT INTO chunks ({columns}) SELECT {columns} FROM chunks LIMIT 1")
    qtbot.waitUntil(is_read)
    watch.close()
    assert [event.problem.code for event in told] == ["D403"]
