"""Reference cycles are collected in Qt's thread, and what stays is left out."""

import gc
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject, QTimer

from studio import start
from studio.process import collector
from studio.process.collector import Collector


@pytest.fixture
def app(qapp) -> Iterator[QObject]:
    """Return what stands for an application without a collector; all is as before afterwards."""
    was_enabled = gc.isenabled()
    yield QObject()
    gc.unfreeze()
    (gc.enable if was_enabled else gc.disable)()


def test_that_the_collector_leaves_out_what_was_made_during_the_start(app):
    before = gc.get_freeze_count()
    gc.disable()
    collector.resume(app)
    assert gc.get_freeze_count() > before
    assert app.findChild(Collector) is not None
    frozen = gc.get_freeze_count()
    collector.resume(app)
    assert gc.get_freeze_count() == frozen, "one is at work already"


def test_that_resuming_a_collector_that_did_not_rest_leaves_it_as_it_is(app):
    gc.enable()
    before = gc.get_freeze_count()
    collector.resume(app)
    assert gc.isenabled()
    assert gc.get_freeze_count() == before
    assert app.findChild(Collector) is None


@pytest.mark.fault("U01")
def test_that_a_timer_in_a_cycle_is_deleted_in_the_thread_of_qt(app, qtbot):
    made_by_others: list[object] = []
    threads: list[threading.Thread] = []

    def make(count: int) -> None:
        made_by_others.extend([] for _ in range(count))

    def is_deleted_here() -> bool:
        make(100)  # as a program at work does: older objects are looked at now and then, too
        return threads == [threading.main_thread()]

    Collector(app)
    timer = QTimer()
    timer.itself = timer
    timer.start(1000)
    timer.destroyed.connect(lambda: threads.append(threading.current_thread()))
    del timer
    other = threading.Thread(target=make, args=(5 * gc.get_threshold()[0],))
    other.start()
    other.join()
    assert threads == []
    qtbot.waitUntil(is_deleted_here)


def test_that_the_collector_seldom_looks_at_everything(app, monkeypatch):
    looked: list[int] = []
    clock = [0.0]

    def look(generation: int) -> None:
        looked.append(generation)
        clock[0] += 1

    seconds = SimpleNamespace(monotonic=lambda: clock[0])
    monkeypatch.setattr("studio.process.collector.time", seconds)
    made = Collector(app)
    monkeypatch.setattr(gc, "get_count", lambda: (9, 9, 9))
    monkeypatch.setattr(gc, "get_threshold", lambda: (8, 8, 8))
    monkeypatch.setattr(gc, "collect", look)
    made.collect()
    made.collect()
    clock[0] += 1_000
    made.collect()
    monkeypatch.setattr(gc, "get_count", lambda: (9, 8, 8))
    made.collect()
    monkeypatch.setattr(gc, "get_count", lambda: (8, 8, 8))
    made.collect()
    assert looked == [2, 1, 2, 0]


def test_that_the_collector_rests_when_the_window_is_made(app, monkeypatch):
    gc.enable()
    seen: list[bool] = []
    monkeypatch.setattr("studio.app.app.main", lambda _project: seen.append(gc.isenabled()) or 0)
    assert start.start([]) == 0
    assert seen == [False]
