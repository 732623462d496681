"""Samples that are points of the plane, on the page of the data; the host is played."""

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QLabel

from engine.query.data.request import BrowseSamples, ListColumns
from engine.query.model.request import Check, CheckReport
from engine.spec.browse import SampleColumn, SampleColumns, SampleRow, SampleWindow
from engine.spec.data import FieldInfo
from studio.data.samples.page import SamplesPage
from tests.studio.conftest import DIGITS

POINT = FieldInfo(name="point", role="input", kind="point", shape=(2,), dtype="float32")
HEIGHT = FieldInfo(name="height", role="target", kind="vector", shape=(1,), dtype="float32")
HEIGHTS = replace(DIGITS, task="regression", fields=(POINT, HEIGHT))
COLUMNS = (
    SampleColumn(key="index", kind="number"),
    SampleColumn(key="data.point.0", kind="number", name="x", role="input"),
    SampleColumn(key="data.point.1", kind="number", name="y", role="input"),
    SampleColumn(key="data.height", kind="number", name="height", role="target"),
)
ROWS = tuple(
    SampleRow(index=at, cells=(at, float(at), 1.0, height))
    for at, height in enumerate((-2.5, 0.5, 7.25))
)


@pytest.fixture
def host(host):
    def checked(request: Check) -> CheckReport:
        return CheckReport(analysis=host.analysis(request.graph), data=HEIGHTS)

    host.own |= {
        Check: checked,
        ListColumns: SampleColumns(samples=3, columns=COLUMNS),
        BrowseSamples: SampleWindow(total=3, start=0, rows=ROWS),
    }
    return host


def test_that_points_of_numbers_say_what_their_colours_mean(opened, qtbot):
    opened.window.show_workspace("data")
    page = opened.window.findChild(SamplesPage)
    assert isinstance(page, SamplesPage)
    qtbot.waitUntil(page.scatter.isVisible)
    colours = page.findChild(QLabel, "data.colours")
    qtbot.waitUntil(colours.isVisible)
    assert colours.text() == "Target by color: -2.5 (blue) to 7.25 (red)"
    page.forms.setCurrentIndex(1)
    qtbot.waitUntil(page.browser.table.isVisible)
    assert page.browser.model.row(2).cells == (2, 2.0, 1.0, 7.25)
