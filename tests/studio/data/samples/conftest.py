"""The Samples page with its first rows; a test plays the host."""

import pytest

from studio.data.samples.page import SamplesPage


@pytest.fixture
def page(opened, qtbot) -> SamplesPage:
    opened.window.show_workspace("data")
    page = opened.window.findChild(SamplesPage)
    qtbot.waitUntil(lambda: page.browser.model.row(0) is not None)
    return page
