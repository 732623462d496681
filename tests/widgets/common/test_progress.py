"""Progress and empty places."""

from PySide6.QtCore import Qt

from widgets.common.empty_state import EmptyState
from widgets.common.progress import ProgressPanel, ProgressView, clock_text


def test_that_progress_shows_percent_and_time_left_and_can_be_cancelled(qtbot):
    panel = ProgressPanel("train.progress")
    qtbot.addWidget(panel)
    panel.show()
    panel.set_view(ProgressView(text="Epoch 3", fraction=0.37, left_s=95, can_cancel=True))
    assert panel.bar.value() == 370
    assert "37%" in panel.bar.accessibleDescription()
    assert "1:35" in panel.bar.accessibleDescription()
    with qtbot.waitSignal(panel.cancel_requested):
        qtbot.mouseClick(panel.cancel, Qt.MouseButton.LeftButton)
    panel.set_view(ProgressView(text="Starting"))
    assert panel.bar.maximum() == 0
    assert not panel.cancel.isVisible()


def test_that_durations_are_written_like_a_clock():
    assert [clock_text(s) for s in (7, 245, 7384)] == ["0:07", "4:05", "2:03:04"]


def test_that_an_empty_place_offers_what_to_do(qtbot):
    empty = EmptyState("data")
    qtbot.addWidget(empty)
    empty.resize(400, 300)
    empty.set_texts("No data yet", "Choose a set that comes with the program.", "Choose data")
    empty.show()
    with qtbot.waitSignal(empty.action_requested):
        qtbot.keyClick(empty.button, Qt.Key.Key_Space)
    empty.set_texts("Nothing")
    assert not empty.button.isVisible()
