"""The decision surface of a model that answers with numbers."""

import numpy as np
import pyqtgraph as pg
import pytest
from msgspec.structs import replace

from engine.query.data.request import DescribeData
from engine.runs.record.surface import SURFACES
from engine.spec.data import FieldInfo
from studio.inspect.surface.page import SurfacePage
from tests.plot_parts import drawn
from tests.studio.inspect.results.test_results import (
    PLANE,
    ResultHost,
    begin,
    front,
    surface,
)
from widgets.plots.ground import Ground


@pytest.fixture
def host() -> ResultHost:
    return ResultHost()


@pytest.mark.row("S226")
def test_that_points_of_numbers_look_like_the_surface_where_it_answers_them(opened, host, qtbot):
    host.is_plane = True
    target = FieldInfo(name="label", role="target", kind="scalar", shape=(1,), dtype="float32")
    host.own = {DescribeData: replace(PLANE, task="regression", fields=(PLANE.fields[0], target))}
    run = begin(opened, qtbot)
    right = np.asarray([[0, 0, 0.5], [0, 1, 0.5], [9, -9, 0.5]], "<f4")
    prices = replace(surface(3), outputs=1, is_classified=False, dtype="<f4")
    SURFACES.write(run.artefacts, 3, replace(prices, values=right.tobytes()))
    page = front(opened, "surface", SurfacePage)
    qtbot.waitUntil(lambda: page.step.text() == "Step 3: from 0 (blue) to 1 (red)")
    low, high = (
        point[0].brush().color()
        for point in np.split(drawn(page.plane, pg.ScatterPlotItem)[0].points(), 2)
    )
    assert low.blue() > low.red()
    assert high.red() > high.blue()
    shades = drawn(page.plane, Ground)[0].image
    assert shades[2, 0].tolist() == shades[1, 1].tolist()  # beyond the data is no redder
    assert not shades[:, 2, 3].any()
