"""Density of all samples on the Map page; the host is played by canned answers."""

import numpy as np
import pytest
from msgspec.structs import replace

from engine.query.density.request import CountSamples, DensitySpec
from engine.query.embedding.request import MapSamples
from engine.spec.density import COLUMNS, ROWS, Density, DensityStep
from engine.spec.sample_map import MapColumn
from studio.data.map.controller import MapController
from studio.data.map.density import present_density, window_of
from studio.data.map.layout import Layout
from studio.data.map.page import MapPage
from studio.data.map.presenter import present_layout
from tests.plot_parts import drawn, legend_of
from tests.studio.data.map.test_map import DONE, MAP
from tests.studio.inspect.conftest import bench, put_together
from widgets.plots.density_ground import DensityGround

__all__ = ["bench"]

COUNTS = np.zeros((2, ROWS, COLUMNS), np.uint32)
COUNTS[0, 3, 5], COUNTS[1, 3, 5], COUNTS[1, 9, 9] = 60, 15, 5
DENSITY = Density(
    counts=COUNTS.tobytes(),
    x=(-2.0, 10.0),
    y=(0.0, 4.0),
    reach_x=(-2.0, 10.0),
    reach_y=(0.0, 4.0),
    total=82,
    missing=2,
    names=("cat", "dog"),
)
COUNTED = DensityStep(done=82, total=82, is_done=True, density=DENSITY)


@pytest.fixture
def page(bench, qtbot, host):
    """Return the page with its controller, with five samples of 80 drawn."""
    host.own |= {MapSamples: DONE, CountSamples: COUNTED}
    page = MapPage()
    put_together(page, qtbot)
    page.controller = MapController(bench, page, show_samples=lambda _: None)
    page.show()
    qtbot.waitUntil(lambda: not page.map.isHidden() and bool(page.summary.text()))
    return page


def asked(host):
    return [request for request in host.requests if isinstance(request, CountSamples)]


def show_columns(page, qtbot):
    page.chosen.emit("method", "columns")
    qtbot.waitUntil(lambda: bool(drawn(page.map, DensityGround)))


def test_that_all_samples_are_counted_by_two_columns_in_the_colors_of_their_classes(
    page, host, qtbot
):
    assert not asked(host)
    assert not page.density.isVisible()
    show_columns(page, qtbot)
    assert page.density.isVisible()
    assert asked(host)[-1].spec == DensitySpec(x="size", y="size", groups="class")
    assert page.summary.text() == ("all 82 samples counted · 2 without a value in these columns")
    assert legend_of(page.map).topLevelItem(0).text(1) == "60"
    page.map.picked.emit(np.array([1, 4]), "replace")
    assert page.told.text() == "2 of 5 points drawn at random selected"
    assert page.map.scale.accessibleName() == "Samples per cell: 1 – 75"


def test_that_points_alone_are_shown_without_density_and_for_colors_that_only_they_have(
    page, host, qtbot
):
    show_columns(page, qtbot)
    before = len(asked(host))
    page.density.click()
    assert not drawn(page.map, DensityGround)
    assert page.summary.text().startswith("5 of 80 samples")
    page.density.click()
    qtbot.waitUntil(lambda: bool(drawn(page.map, DensityGround)))
    assert len(asked(host)) > before
    page.chosen.emit("color", "column size")
    assert not drawn(page.map, DensityGround)
    page.chosen.emit("color", "density")
    qtbot.waitUntil(lambda: bool(drawn(page.map, DensityGround)))
    assert asked(host)[-1].spec.groups == ""
    page.chosen.emit("method", "pca")
    assert page.color.currentData() != "density"
    qtbot.waitUntil(lambda: not drawn(page.map, DensityGround))


def test_that_what_is_seen_is_counted_in_finer_cells_and_only_once(page, host, qtbot):
    show_columns(page, qtbot)
    page.map.framed.emit(-3.0, 11.0, -1.0, 5.0)
    before = len(asked(host))
    page.map.framed.emit(1.0, 2.0, 1.0, 7.0)
    page.map.framed.emit(1.0, 2.0, 1.0, 7.0)
    assert [each.spec.window for each in asked(host)[before:]] == [(1.0, 2.0, 1.0, 4.0)]


def test_that_counting_says_how_far_it_is_and_leaves_the_points_when_cancelled(page, host, qtbot):
    host.own |= {CountSamples: DensityStep(done=20, total=80)}
    host.is_holding = True
    page.chosen.emit("method", "columns")
    host.answer(*host.held.pop())  # the map
    qtbot.waitUntil(lambda: bool(host.held))
    host.answer(*host.held.pop())
    qtbot.waitUntil(lambda: "Counting samples: 20 of 80" in page.progress.bar.accessibleName())
    page.cancel_requested.emit()
    assert not page.progress.isVisible()
    assert not page.density.isChecked()
    assert len(page.map.visible_points) == 5


def test_that_a_plane_seen_beyond_its_ends_is_counted_whole():
    assert window_of(DENSITY, (-2.5, 10.5, -0.1, 4.1)) is None
    assert window_of(None, (0.0, 1.0, 0.0, 1.0)) is None
    assert window_of(DENSITY, (-9.0, 3.0, 1.0, 9.0)) == (-2.0, 3.0, 1.0, 4.0)
    assert window_of(DENSITY, (20.0, 30.0, 1.0, 2.0)) == (20.0, 30.0, 1.0, 2.0)


def test_that_splits_without_points_are_left_out_of_the_picture():
    layout = Layout.of(replace(MAP, parts=np.array([0, 0, 2, 2, 2], np.int8).tobytes()))
    counts = np.zeros((3, ROWS, COLUMNS), np.uint32)
    counts[:, 0, 0] = (1, 2, 3)
    names = ("train", "validation", "test")
    density = replace(DENSITY, counts=counts.tobytes(), names=names)
    view = present_density(density, layout, DensitySpec(x="size", y="size", groups="part"))
    assert view.labels == present_layout(layout, "part").labels
    assert view.counts[:, 0, 0].tolist() == [1, 3]


def test_that_a_colored_number_has_the_ends_of_all_samples():
    size = replace(MAP.columns[0], ends=(-10.0, 90.0))
    other = MapColumn(name="other", values=np.arange(5, dtype=np.float32).tobytes())
    layout = Layout.of(replace(MAP, columns=(size, other)))
    assert present_layout(layout, "column size").span == (-10.0, 90.0)
    assert present_layout(layout, "column other").span == (0.0, 4.0)
