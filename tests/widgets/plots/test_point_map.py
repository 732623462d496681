"""A map of points: what is pointed at, enclosed and walked to."""

import itertools
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.plot_parts import click_row, drawn, legend_of, place, surface_of
from widgets.plots.density_ground import DensityGround, density_pixels
from widgets.plots.lasso import points_inside
from widgets.plots.map_surface import combination
from widgets.plots.point_map import PointMap
from widgets.plots.symbol import class_symbol
from widgets.plots.view_model import DensityView, PointsView

XY = np.array([[0.0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 2]])
VIEW = PointsView(
    xy=XY, classes=np.array([0, 0, 1, 1, 0, 1]), labels=("a", "b"), x_label="x", y_label="y"
)


@pytest.fixture
def shown(qtbot):
    pg.setConfigOption("mouseRateLimit", 0)  # people are slower than tests
    shown = PointMap("map")
    qtbot.addWidget(shown)
    shown.resize(600, 450)
    shown.set_view(VIEW)
    shown.show()
    qtbot.waitExposed(shown)
    yield shown
    pg.setConfigOption("mouseRateLimit", 100)


def draw(shown: PointMap, corners, keys=Qt.KeyboardModifier.NoModifier) -> None:
    """Draw a line with the left button."""
    viewport = surface_of(shown).viewport()
    places = [place(shown, *corner) for corner in corners]
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, keys, places[0])
    for start, end in itertools.pairwise(places):
        for part in range(1, 6):
            QTest.mouseMove(viewport, start + (end - start) * part / 5)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, keys, places[-1])


def test_that_a_lasso_encloses_what_lies_inside_its_line():
    hook = np.array([[0.0, 0], [4, 0], [4, 4], [3, 4], [3, 1], [0, 1]])
    points = np.array([[0.5, 0.5], [3.5, 3], [1, 3], [5, 0.5], [3.5, 0.5], [-1, 0.5]])
    assert points_inside(hook, points).tolist() == [True, True, False, False, True, False]
    assert points_inside(hook[::-1], points).tolist() == points_inside(hook, points).tolist()


def test_that_a_lasso_is_as_good_as_a_circle_and_needs_three_corners():
    angles = np.linspace(0, 2 * np.pi, 3000, endpoint=False)
    circle = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    points = np.random.default_rng(0).uniform(-1.5, 1.5, (2000, 2))
    radii = np.hypot(*points.T)
    clear = abs(radii - 1) > 1e-3
    assert (points_inside(circle, points) == (radii < 1))[clear].all()
    assert not points_inside(circle[:2], points).any()


def test_that_a_line_drawn_with_the_mouse_picks_points(shown, qtbot):
    with qtbot.waitSignal(shown.picked) as picked:
        draw(shown, [(-0.4, -0.1), (1.5, -0.1), (1.5, 0.5), (-0.4, 0.5)])
    positions, how = picked.args
    assert (positions.tolist(), how) == ([0, 1], "replace")


def test_that_what_is_hidden_is_not_picked(shown, qtbot):
    click_row(legend_of(shown), 0)
    with qtbot.waitSignal(shown.picked) as picked:
        draw(shown, [(-0.4, -0.1), (2.4, -0.1), (2.4, 2.1), (-0.4, 2.1)])
    assert picked.args[0].tolist() == [2, 3, 5]


def test_that_keys_say_how_a_selection_changes():
    key = Qt.KeyboardModifier
    assert combination(key.NoModifier) == "replace"
    assert combination(key.ShiftModifier) == "add"
    assert combination(key.AltModifier) == combination(key.ControlModifier) == "remove"


def test_that_the_point_near_the_pointer_is_meant_and_a_click_opens_it(shown, qtbot):
    seen = []
    shown.pointed.connect(seen.append)
    for x, y in ((1.01, 0.01), (1.5, 0.5)):
        QTest.mouseMove(surface_of(shown).viewport(), place(shown, x, y))
    assert seen == [1, -1]
    with qtbot.waitSignal(shown.opened) as opened:
        QTest.mouseClick(
            surface_of(shown).viewport(), Qt.MouseButton.LeftButton, pos=place(shown, 2, 2)
        )
    assert opened.args == [5]


def test_that_arrows_go_from_point_to_point_and_space_selects(shown, qtbot):
    shown.go_to(0)
    surface = surface_of(shown)
    for key, wanted in (
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_Up, 4),
        (Qt.Key.Key_Left, 3),
        (Qt.Key.Key_Down, 0),
        (Qt.Key.Key_Left, 0),
    ):
        QTest.keyClick(surface, key)
        assert shown.focused == wanted
    with qtbot.waitSignal(shown.picked) as picked:
        QTest.keyClick(surface, Qt.Key.Key_Space)
    assert (picked.args[0].tolist(), picked.args[1]) == ([0], "add")
    shown.set_selection(np.array([0]))
    with qtbot.waitSignal(shown.picked) as picked:
        QTest.keyClick(surface, Qt.Key.Key_Space)
    assert picked.args[1] == "remove"
    with qtbot.waitSignal(shown.nearest_requested):
        QTest.keyClick(surface, Qt.Key.Key_N)
    with qtbot.waitSignal(shown.picked) as picked:
        QTest.keyClick(surface, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert picked.args[0].tolist() == [0, 1, 2, 3, 4, 5]


def test_that_shift_and_arrows_move_the_map_and_zero_shows_all_of_it(shown):
    before = surface_of(shown).box.viewRange()
    QTest.keyClick(surface_of(shown), Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(surface_of(shown), Qt.Key.Key_Plus)
    moved = surface_of(shown).box.viewRange()
    assert moved[0][0] > before[0][0]
    assert moved[1][1] - moved[1][0] < before[1][1] - before[1][0]
    QTest.keyClick(surface_of(shown), Qt.Key.Key_0)
    assert np.asarray(surface_of(shown).box.viewRange()) == pytest.approx(np.asarray(before))


def test_that_numbers_have_a_scale_of_colors_and_classes_a_legend(shown):
    assert not shown.scale.isVisible()
    numbers = np.array([0.0, 1, 2, 3, np.nan, 5])
    shown.set_view(PointsView(xy=XY, classes=VIEW.classes, numbers=numbers, span=(0.0, 5.0)))
    assert shown.scale.isVisible()
    assert not legend_of(shown).isVisible()
    assert shown.visible_points.tolist() == [0, 1, 2, 3, 5]


def test_that_the_legend_shows_short_names_whole(shown):
    legend = legend_of(shown)
    legend.doItemsLayout()
    for column in (0, 1):
        assert legend.columnWidth(column) >= legend.sizeHintForColumn(column)


def test_that_no_two_of_many_classes_look_alike():
    from widgets.common.theme import current_theme

    theme = current_theme()
    looks = {(theme.series_color(at), class_symbol(at)) for at in range(40)}
    assert len(looks) == 40


def points(shown: PointMap) -> list[list[float]]:
    """Return the places of all points that are drawn."""
    items = drawn(shown, pg.ScatterPlotItem)
    return [place for item in items for place in np.transpose(item.getData()).tolist()]


def dense(few, many):
    """Return a density of two classes: of the first ``few`` in one cell, of the second ``many`` in
    another and as many as of the first in that cell too.
    """
    counts = np.zeros((2, 2, 3), np.int64)
    counts[0, 0, 0], counts[1, 0, 0], counts[1, 1, 2] = few, few, many
    return DensityView(
        counts=counts,
        x=(-10.0, 20.0),
        y=(0.0, 40.0),
        reach=np.array([[-10.0, 0.0], [20.0, 40.0]]),
        title="Samples",
        labels=("a", "b"),
    )


def test_that_cells_are_the_stronger_the_more_samples_they_have_and_mix_their_colors(qapp):
    view = dense(1, 100)
    pixels = density_pixels(view, np.array([True, True]))
    assert (pixels[..., 3] > 0).tolist() == [[True, False, False], [False, False, True]]
    assert 0 < pixels[0, 0, 3] < pixels[1, 2, 3] == 255
    alone = [density_pixels(view, np.arange(2) == group)[0, 0, :3] for group in range(2)]
    assert pixels[0, 0, :3] == pytest.approx(np.mean(alone, axis=0), abs=1)
    plain = replace(view, counts=view.counts.sum(axis=0, keepdims=True), labels=())
    heat = density_pixels(plain, np.array([True]))
    assert (heat[..., 3] == 255).sum() == 2
    assert heat[0, 0].tolist() != heat[1, 2].tolist()


def test_that_a_density_is_shown_whole_and_points_only_where_few_samples_are(shown):
    shown.set_density(dense(3, 100_000))
    across, up = surface_of(shown).box.viewRange()
    assert (across[0] <= -10, across[1] >= 20, up[0] <= 0, up[1] >= 40) == (True,) * 4
    assert not points(shown)
    assert legend_of(shown).topLevelItem(1).text(1) == "100,003"
    assert shown.scale.accessibleName() == "Samples: 1 – 1e+05"
    click_row(legend_of(shown), 1)
    assert points(shown)
    shown.set_density(None)
    assert not drawn(shown, DensityGround)
    assert shown.scale.isHidden()


def test_that_what_is_seen_is_told_once_it_has_been_chosen(shown, qtbot):
    with qtbot.waitSignal(shown.framed, timeout=30_000) as framed:
        QTest.keyClick(surface_of(shown), Qt.Key.Key_Plus)
    (left, right), (low, high) = surface_of(shown).box.viewRange()
    assert framed.args == pytest.approx([left, right, low, high])
