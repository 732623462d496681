"""At most so often, the last time always."""

from PySide6.QtCore import QObject

from widgets.common.throttle import Debounce, Throttle


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
