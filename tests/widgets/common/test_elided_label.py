from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from widgets.common.elided_label import ElidedLabel

LONG = "A sentence that is far longer than the bar in which it stands. " * 4


def test_that_a_long_text_widens_nothing_and_is_whole_in_the_tooltip(qtbot):
    bar = QWidget()
    qtbot.addWidget(bar)
    row = QHBoxLayout(bar)
    label = ElidedLabel(bar)
    row.addWidget(label, 1)
    row.addWidget(QPushButton("Do", bar))
    before = bar.minimumSizeHint().width()
    bar.resize(300, 40)
    bar.show()
    label.setText(LONG)
    assert bar.minimumSizeHint().width() == before
    assert label.shown_text().endswith("…")
    assert LONG in label.toolTip()
    label.setText("short")
    assert (label.shown_text(), label.toolTip()) == ("short", "")
