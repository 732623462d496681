"""The Map page beside the Samples page, in the whole window."""

import numpy as np
import pytest

from engine.query.embedding.request import MapSamples
from studio.data.map.page import MapPage
from studio.data.samples.page import SamplesPage
from tests.studio.data.map.test_map import DONE
from tests.studio.data.samples.played import PlayedSamples


@pytest.fixture
def host(host):
    host.own |= PlayedSamples(5000).answers() | {MapSamples: DONE}
    return host


def test_that_the_samples_of_a_lasso_are_listed_alone_on_the_samples_page(opened, qtbot):
    opened.window.show_workspace("data")
    samples = opened.window.findChild(SamplesPage)
    qtbot.waitUntil(lambda: samples.count.text() == "5,000 samples")
    opened.window.show_page("data", "map")
    page = opened.window.findChild(MapPage)
    qtbot.waitUntil(lambda: len(page.map.visible_points) == 5)
    page.map.picked.emit(np.array([1, 4]), "replace")
    qtbot.waitUntil(page.show_samples.isEnabled)
    page.show_samples.click()
    qtbot.waitUntil(samples.isVisible)
    qtbot.waitUntil(lambda: samples.count.text() == "2 of 5,000 samples")
    row = samples.browser.model.row
    qtbot.waitUntil(lambda: row(1) is not None)
    assert [row(at).id for at in (0, 1)] == [3, 5]
