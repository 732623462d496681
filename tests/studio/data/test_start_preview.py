"""What the dialog for a project of one's own data says of samples and of the column to predict."""

import datetime as dt

import numpy as np
import pytest
from PySide6.QtWidgets import QDialog, QPushButton, QWidget

from engine.query.data.answer import preview_data
from engine.query.data.peek import peek_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import PeekData, PreviewData, ProposeData

pytestmark = pytest.mark.row("P13")


@pytest.fixture
def dialog(studio, host):
    host.own |= {ProposeData: propose_data, PeekData: peek_data}
    studio.show(None)
    studio.bench.actions.trigger("action.file.new_data")
    return studio.window.findChild(QDialog, "dialog.data")


@pytest.mark.parametrize("can_be_read", [True, False])
def test_that_nothing_to_show_is_said_only_when_the_samples_have_come(
    dialog, host, qtbot, tmp_path, can_be_read
):
    def proposed(request):
        host.is_holding = True
        return propose_data(request)

    host.own[ProposeData] = proposed
    if can_be_read:
        host.own[PreviewData] = preview_data
    np.savez(tmp_path / "a.npz", x=np.zeros((20, 8, 8), np.uint8), y=np.arange(20) % 2)
    dialog.set_path(str(tmp_path / "a.npz"))
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    assert [type(request) for request, _ in host.held] == [PreviewData]
    shown = dialog.preview.rows.model.table
    assert shown.empty_text.startswith("Looking at the data")
    host.answer(*host.held[0])
    if can_be_read:
        qtbot.waitUntil(lambda: dialog.preview.gallery.list.model().rowCount() > 0)
    else:
        qtbot.waitUntil(
            lambda: dialog.preview.rows.model.table.empty_text == "There is nothing to show."
        )


def test_that_a_series_says_which_column_is_predicted(dialog, qtbot, tmp_path):
    start = dt.datetime(2024, 3, 1, tzinfo=dt.UTC)
    rows = (
        f"{start + dt.timedelta(hours=hour):%Y-%m-%d %H:%M},{hour % 24},{hour % 7}"
        for hour in range(200)
    )
    (tmp_path / "load.csv").write_text("\n".join(["time,sun,load", *rows]))
    dialog.set_path(str(tmp_path / "load.csv"))
    qtbot.waitUntil(dialog.findChild(QPushButton, "dialog.data.create").isEnabled)
    step = dialog.steps.findChild(QWidget, "dialog.data.steps.target")
    assert step.accessibleDescription() == "numbers: load"
