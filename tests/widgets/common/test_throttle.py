"""At most so often, the last time always."""

import time

from PySide6.QtCore import QObject

from widgets.common.throttle import Debounce, Frame, Throttle


def test_that_the_first_request_is_served_at_once_and_the_last_is_not_lost(qtbot):
    done = []
    owner = QObject()
    throttle = Throttle(30, lambda: done.append(1), owner)
    for _ in range(100):
        throttle.request()
    assert len(done) == 1
    qtbot.waitUntil(lambda: len(done) == 2)
    qtbot.wait(80)
    assert len(done) == 2


def test_that_a_debounced_action_waits_for_quiet_and_can_be_hurried(qtbot):
    done = []
    owner = QObject()
    debounce = Debounce(10_000, lambda: done.append(1), owner)
    debounce.request()
    debounce.request()
    assert not done
    debounce.flush()
    assert done == [1]
    debounce.request()
    debounce.cancel()
    debounce.flush()
    assert done == [1]


def test_that_a_frame_takes_what_one_event_asks_for_together_and_rests_before_the_next(qtbot):
    done = []
    owner = QObject()
    frame = Frame(60, lambda: done.append(time.monotonic()), owner)
    for _ in range(100):
        frame.request()
    assert not done  # the event that asks is not over
    qtbot.waitUntil(lambda: len(done) == 1)
    frame.request()
    frame.request()
    qtbot.waitUntil(lambda: len(done) == 2)
    assert done[1] - done[0] > 0.03
    qtbot.wait(100)
    assert len(done) == 2
    frame.request()
    frame.flush()
    assert len(done) == 3
