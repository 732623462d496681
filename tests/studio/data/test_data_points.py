"""Samples that are points of the plane, on the page of the data; the host is played."""

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QLabel

from engine.query.data.request import PreviewData
from engine.query.model.request import Check, CheckReport
from engine.spec.data import FieldInfo, PreviewInfo, SampleView
from studio.data.samples.page import SamplesPage
from tests.studio.conftest import DIGITS

POINT = FieldInfo(name="point", role="input", kind="point", shape=(2,), dtype="float32")
HEIGHT = FieldInfo(name="height", role="target", kind="vector", shape=(1,), dtype="float32")
HEIGHTS = replace(DIGITS, task="regression", fields=(POINT, HEIGHT))
SAMPLES = tuple(
    SampleView(index=at, values={"point": (at, 1.0), "height": (height,)})
    for at, height in enumerate((-2.5, 0.5, 7.25))
)


@pytest.fixture
def host(host):
    def checked(request: Check) -> CheckReport:
        return CheckReport(analysis=host.analysis(request.graph), data=HEIGHTS)

    host.own |= {Check: checked, PreviewData: PreviewInfo(split="train", samples=SAMPLES)}
    return host


def test_that_points_of_numbers_say_what_their_colours_mean(opened, qtbot):
    opened.window.show_workspace("data")
    page = opened.window.findChild(SamplesPage)
    qtbot.waitUntil(page.scatter.isVisible)
    colours = page.findChild(QLabel, "data.colours")
    assert colours.isVisible()
    assert colours.text() == "Target by color: -2.5 (blue) to 7.25 (red)"
