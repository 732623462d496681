from PySide6.QtWidgets import QWidget

from widgets.common.throttle import SeenThrottle


def test_that_a_hidden_widget_is_painted_once_when_it_is_shown(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    calls: list[int] = []
    throttle = SeenThrottle(1, lambda: calls.append(1), widget)
    throttle.request()
    throttle.request()
    assert calls == []
    widget.show()
    assert calls == [1]
    throttle.request()
    qtbot.waitUntil(lambda: len(calls) == 2)
    widget.hide()
    widget.show()
    assert len(calls) == 2
