"""Samples that were chosen elsewhere, alone in Results; the host is played."""

import pytest
from PySide6.QtCore import Qt

from engine.query.data.request import FindParts, SampleParts
from studio.data.samples.controller import SamplesController
from studio.inspect.results.controller import ResultsController
from studio.inspect.results.page import ResultsPage
from tests.studio.inspect.results.test_results import ResultHost, begin, front, shown


@pytest.fixture
def host() -> ResultHost:
    return ResultHost()


@pytest.fixture
def results(opened, qtbot) -> ResultsPage:
    begin(opened, qtbot)
    page = front(opened, "results", ResultsPage)
    qtbot.waitUntil(page.matrix.isVisible)
    return page


def test_that_chosen_samples_are_listed_alone_in_the_part_that_has_most(
    results, opened, host, qtbot
):
    host.own[FindParts] = SampleParts(counts={"train": 2, "validation": 1, "test": 0})
    controller = opened.context[ResultsController]
    controller.show_samples((13, 11, 99))
    qtbot.waitUntil(lambda: results.part.currentData() == "train")
    told = "2 of 3 chosen samples, those in this split"
    qtbot.waitUntil(lambda: results.filter.text() == told)
    qtbot.waitUntil(lambda: shown(results) == ["1 → 0 ✗", "1"])
    qtbot.mouseClick(results.show_all, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(shown(results)) == 4)


def test_that_chosen_samples_in_no_part_are_told(results, opened, host, qtbot):
    host.own[FindParts] = SampleParts(counts={"train": 0, "validation": 0, "test": 0})
    opened.context[ResultsController].show_samples((99,))
    qtbot.waitUntil(lambda: any("split" in line.text for line in opened.notifications.lines))
    assert results.filter.text() == "0 of 1 chosen samples, those in this split"


def test_that_samples_are_found_again_on_the_page_of_the_data(results, opened, monkeypatch, qtbot):
    listed: list[tuple[int, ...]] = []
    monkeypatch.setattr(
        SamplesController, "list_only", lambda _self, indices: listed.append(tuple(indices))
    )
    qtbot.waitUntil(lambda: len(shown(results)) == 4)
    qtbot.mouseClick(results.in_data, Qt.MouseButton.LeftButton)
    assert listed.pop() == (11, 12, 13, 10)  # the highest loss first
    assert opened.window.workspace == "data"
    opened.window.show_page("inspect", "results")
    results.gallery.select(1)
    results.gallery.list.setFocus()
    qtbot.keyClick(results.gallery.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: listed == [(12,)])


def test_that_samples_of_other_data_are_not_sought_in_the_data(results, opened, monkeypatch, qtbot):
    monkeypatch.setattr(SamplesController, "list_only", lambda *_: pytest.fail("other data"))
    opened.services.editor.set("data.source", "iris")
    qtbot.mouseClick(results.in_data, Qt.MouseButton.LeftButton)
    assert any("other data" in line.text for line in opened.notifications.lines)
    assert opened.window.workspace == "inspect"
