"""Map of the samples in the window; the host is played by canned answers."""

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.embedding.request import MapSamples
from engine.spec.run import Choice, DataSpec
from engine.spec.sample_map import MapColumn, MapPictures, MapStep, SampleMap
from studio.data.map.controller import MapController
from studio.data.map.layout import Layout
from studio.data.map.page import MapPage
from studio.data.map.presenter import (
    chosen,
    colorings,
    default_color,
    present_card,
    present_layout,
    present_samples,
    present_summary,
)
from studio.data.map.state import axes_of
from tests.named_parts import part, part_of_kind
from tests.studio.conftest import DIGITS as DESCRIBED
from tests.studio.inspect.conftest import put_together
from widgets.plots.point_card import PointCard
from widgets.tables.view_model import TableData

DIGITS = DataSpec(source=Choice(type="digits"))
LABELS = np.array([0, 0, 1, 1, 1], np.int32)
NEIGHBORS = np.array([[1, 2], [0, 2], [3, 4], [4, 2], [0, 1]], np.int32)
XY = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [3, 3]], np.float32)
MAP = SampleMap(
    data=DIGITS,
    indices=np.array([7, 3, 9, 11, 5], np.int64).tobytes(),
    parts=np.array([0, 0, 1, 1, 2], np.int8).tobytes(),
    xy=XY.tobytes(),
    shares=(0.5, 0.25),
    neighbors=NEIGHBORS.tobytes(),
    neighbor_count=2,
    total=80,
    features=4,
    width=4,
    classes=("cat", "dog"),
    labels=LABELS.tobytes(),
    columns=(MapColumn(name="size", values=np.arange(5, dtype=np.float32).tobytes()),),
)
PIXELS = np.arange(5, dtype=np.uint8).repeat(4)
DONE = MapStep(phase="neighbors", done=5, total=5, is_done=True, map=MAP)


@pytest.fixture
def layout():
    return Layout.of(MAP)


def test_that_points_are_colored_by_what_is_chosen(layout):
    assert dict(colorings(layout)).keys() == {"class", "part", "odd", "column size"}
    assert present_layout(layout, "class").classes.tolist() == LABELS.tolist()
    parts = present_layout(layout, "part")
    assert (parts.classes.tolist(), parts.labels) == (
        [0, 0, 1, 1, 2],
        ("Training", "Validation", "Test"),
    )
    size = present_layout(layout, "column size")
    assert (size.numbers.tolist(), size.span) == ([0, 1, 2, 3, 4], (0, 4))
    odd = present_layout(layout, "odd")
    assert (odd.numbers.tolist(), odd.span) == ([0.5, 0.5, 0, 0, 1], (0, 1))


def test_that_predictions_are_told_right_and_wrong():
    predicted = np.array([0, 1, 1, 2, 1], np.int32)
    layout = Layout.of(replace(MAP, predictions=predicted.tobytes(), checkpoint="a", step=8))
    right = present_layout(layout, "right")
    assert (right.classes.tolist(), right.labels) == ([0, 1, 0, 1, 0], ("Right", "Wrong"))
    assert present_layout(layout, "predicted").labels == ("cat", "dog", "2")
    assert chosen(layout, "wrong", ()).tolist() == [1, 3]
    assert present_card(layout, 3).title == "dog → 2 ✗"
    assert present_summary(layout).endswith("model of step 8")


def test_that_what_cannot_be_colored_by_gives_way_to_what_says_most(layout):
    assert default_color(layout, "odd") == "odd"
    assert default_color(layout, "right") == "class"
    unlabelled = Layout.of(replace(MAP, labels=b"", classes=()))
    assert default_color(unlabelled, "class") == "column size"
    assert default_color(Layout.of(replace(unlabelled.map, columns=())), "class") == "part"


def test_that_samples_are_selected_by_class_neighbors_and_the_rest(layout):
    assert chosen(layout, "class 1", ()).tolist() == [2, 3, 4]
    assert chosen(layout, "odd", ()).tolist() == [4]
    assert chosen(layout, "nearest", (4,)).tolist() == [0, 1, 4]
    assert chosen(layout, "invert", (0, 4)).tolist() == [1, 2, 3]
    assert chosen(layout, "none", (0, 4)).tolist() == []


def test_that_a_card_says_what_a_sample_is(layout):
    card = present_card(layout, 4)
    assert card.title == "dog"
    assert card.lines == ("Test, #5", "2 of 2 neighbors are of another class", "size: 4")


def test_that_samples_are_listed_as_rows_or_pictures(layout):
    rows = present_samples(layout, (4, 1))
    assert isinstance(rows, TableData)
    assert [row.cells for row in rows.rows] == [(5, "dog", 1.0, 4.0), (3, "cat", 0.5, 1.0)]
    pictures = MapPictures(shape=(5, 1, 2, 2), pixels=PIXELS.tobytes())
    images = present_samples(Layout.of(replace(MAP, pictures=pictures)), (4, 1))
    assert [(image.label, image.sublabel) for image in images] == [("dog", "#5"), ("cat", "#3")]
    assert images[0].pixels.tolist() == [[[4, 4], [4, 4]]]


def test_that_the_axes_of_tsne_have_no_names(layout):
    moved = layout.moved(XY[::-1].copy().tobytes())
    assert present_layout(layout, "class").x_label == "Component 1 (50.0% of the variance)"
    assert present_layout(moved, "class").x_label == ""
    assert present_layout(moved, "class").xy[0].tolist() == [3, 3]
    assert "variance" not in present_summary(moved)


def test_that_samples_lie_where_two_of_their_columns_say_and_gaps_are_told():
    width = np.array([2.0, np.nan, 4.0, 0.0, 6.0], np.float32)
    columns = (*MAP.columns, MapColumn(name="width", values=width.tobytes()))
    layout = Layout.of(replace(MAP, columns=columns))
    view = present_layout(layout, "class", ("width", "size"))
    assert np.array_equal(view.xy[:, 0], [2.0, np.nan, 4.0, 0.0, 6.0], equal_nan=True)
    assert present_summary(layout, ("width", "size")).startswith("4 of 80 samples · 1 without")
    assert view.xy[:, 1].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert (view.x_label, view.y_label) == ("width", "size")
    assert view.dates == (False, False)
    dated = (*MAP.columns, replace(columns[-1], is_date=True))
    moved = present_layout(Layout.of(replace(MAP, columns=dated)), "class", ("width", "size"))
    assert moved.dates == (True, False)
    assert axes_of(layout, ("gone", "size")) == ("size", "width")
    assert axes_of(layout, ("width", "width")) == ("width", "width")


def test_that_the_axes_reach_as_far_as_samples_that_are_not_drawn():
    loss = np.array([0.1, 0.2, 0.3, 0.4, 0.5], np.float32).tobytes()
    columns = (
        replace(MAP.columns[0], ends=(-10.0, 90.0)),
        MapColumn(name="run.loss", key="run.loss", values=loss, ends=(0.0, 7.0)),
    )
    layout = Layout.of(replace(MAP, columns=columns))
    view = present_layout(layout, "class", ("size", "run.loss"))
    assert (view.x_label, view.y_label) == ("size", "Loss")
    assert view.reach.tolist() == [[-10.0, 0.0], [90.0, 7.0]]
    assert dict(colorings(layout))["column run.loss"] == "Loss"
    assert default_color(Layout.of(replace(layout.map, classes=(), labels=b"")), "") == (
        "column size"
    )
    assert present_layout(layout, "class").reach is None


@pytest.fixture
def page(bench, qtbot, host):
    """Return the page with its controller and a map of five samples."""
    host.own |= {MapSamples: DONE}
    page = MapPage()
    put_together(page, qtbot)
    page.listed = []
    page.controller = MapController(bench, page, show_samples=page.listed.append)
    return page


def show(page, qtbot):
    page.show()
    qtbot.waitUntil(lambda: not page.map.isHidden() and bool(page.summary.text()))


def asked(host):
    return [request for request in host.requests if isinstance(request, MapSamples)]


def test_that_the_map_comes_when_the_page_is_looked_at(page, host, qtbot):
    assert not asked(host)
    show(page, qtbot)
    assert [(each.is_new, each.spec.method) for each in asked(host)] == [(True, "pca")]
    assert page.summary.text().startswith("5 of 80 samples")
    assert page.map.visible_points.tolist() == [0, 1, 2, 3, 4]


def test_that_another_choice_makes_another_map(page, host, qtbot):
    show(page, qtbot)
    page.chosen.emit("count", "500")
    page.chosen.emit("part", "test")
    qtbot.waitUntil(lambda: len(asked(host)) == 3)
    spec = asked(host)[-1].spec
    assert (spec.count, spec.parts) == (500, ("test",))


def test_that_two_columns_are_chosen_as_axes(page, qtbot):
    show(page, qtbot)
    assert not page.across.isVisible()
    page.method.setCurrentIndex(page.method.findData("columns"))
    page.method.activated.emit(page.method.currentIndex())
    qtbot.waitUntil(page.across.isVisible)
    assert page.across.currentData() == "size"
    qtbot.waitUntil(lambda: "variance" not in page.summary.text())


def listed(page) -> list[str]:
    """Return the positions of the samples that are listed."""
    return [row.id for row in page.table.model.table.rows]


def test_that_a_lasso_lists_samples_that_shift_and_alt_change(page, qtbot):
    show(page, qtbot)
    page.map.picked.emit(np.array([0, 1]), "replace")
    page.map.picked.emit(np.array([1, 4]), "add")
    page.map.picked.emit(np.array([0]), "remove")
    assert listed(page) == ["1", "4"]
    assert page.told.text() == "2 samples selected"
    assert page.table.isVisible()
    page.map.nearest_requested.emit(2)
    assert listed(page) == ["0", "1", "2", "4"]
    page.map.picked.emit(np.array([], np.int64), "replace")
    assert page.hint.isVisible()


def test_that_what_was_selected_stays_so_when_the_samples_are_laid_out_anew(page, host, qtbot):
    show(page, qtbot)
    page.map.picked.emit(np.array([1, 4]), "replace")
    order = np.array([4, 0, 1])
    other = replace(
        MAP,
        indices=np.array([5, 7, 3], np.int64).tobytes(),
        parts=bytes(3),
        xy=XY[order].tobytes(),
        labels=LABELS[order].tobytes(),
        neighbors=np.array([[1, 2], [0, 2], [0, 1]], np.int32).tobytes(),
        columns=(),
    )
    host.own |= {MapSamples: replace(DONE, map=other)}
    page.compute_requested.emit()
    qtbot.waitUntil(lambda: len(page.map.visible_points) == 3)
    assert listed(page) == ["0", "2"]  # where they are now


def test_that_tsne_shows_how_far_it_is_and_keeps_what_it_has_when_cancelled(page, host, qtbot):
    show(page, qtbot)
    host.own |= {MapSamples: replace(DONE, is_done=False)}
    host.is_holding = True
    page.chosen.emit("method", "tsne")
    host.answer(*host.held.pop())
    qtbot.waitUntil(lambda: len(host.held) == 1)
    moved = XY[::-1].copy()
    host.own |= {MapSamples: MapStep(phase="tsne", done=20, total=750, xy=moved.tobytes())}
    host.answer(*host.held.pop())
    qtbot.waitUntil(lambda: "iteration 20 of 750" in page.progress.bar.accessibleName())
    assert page.map.xy[0].tolist() == [3, 3]
    page.cancel_requested.emit()
    assert not page.progress.isVisible()
    host.answer(*host.held.pop())
    assert page.map.xy[0].tolist() == [3, 3]
    assert page.compute.isEnabled()


def test_that_the_map_is_marked_when_the_data_change_and_not_for_a_batch_size(page, bench, qtbot):
    show(page, qtbot)
    session = bench.session
    data = session.spec.data
    session.change(session.graph, replace(session.spec, data=replace(data, batch_size=7)), "x")
    assert not page.stale.isVisible()
    session.change(
        session.graph, replace(session.spec, data=replace(data, source=Choice(type="wine"))), "x"
    )
    assert page.stale.text() == "Out of date: the data have changed."
    page.compute_requested.emit()
    qtbot.waitUntil(lambda: not page.stale.isVisible())


def test_that_a_problem_is_told_with_a_way_to_try_again(page, host, qtbot):
    host.own |= {MapSamples: DiagnosticError(Diagnostic.of("D270", count=2))}
    page.show()
    qtbot.waitUntil(page.empty.isVisible)
    qtbot.waitUntil(lambda: "at least 3" in part(page, "map.empty.text").text())
    host.own |= {MapSamples: DONE}
    page.start_requested.emit()
    qtbot.waitUntil(page.map.isVisible)


def test_that_the_map_comes_by_itself_when_a_problem_of_the_data_is_solved(
    page, bench, host, qtbot
):
    host.own |= {MapSamples: DiagnosticError(Diagnostic.of("D050", folder="/gone"))}
    page.show()
    qtbot.waitUntil(lambda: "/gone" in part(page, "map.empty.text").text())
    host.own |= {MapSamples: DONE}
    bench.session.find(data=DESCRIBED)
    qtbot.waitUntil(page.map.isVisible)


def test_that_a_layer_needs_a_run(page, bench, qtbot):
    show(page, qtbot)
    page.chosen.emit("what", "layer")
    assert page.empty.isVisible()
    assert not page.compute.isEnabled()
    page.start_requested.emit()
    assert (bench.runs.started, bench.went_to) == (1, ["train"])


def test_that_pointing_at_a_sample_shows_its_card(page, qtbot):
    show(page, qtbot)
    page.map.go_to(4)
    card = part_of_kind(page.map, PointCard)
    assert card.isVisible()
    assert card.accessibleName().startswith("dog\nTest, #5")
    assert card.geometry().topLeft() != QPoint()
    page.map.go_to(-1)
    assert not card.isVisible()


def test_that_selected_samples_are_shown_on_their_page_unless_they_are_of_other_data(
    page, bench, qtbot
):
    show(page, qtbot)
    assert not page.show_samples.isEnabled()
    page.map.picked.emit(np.array([1, 4]), "replace")
    page.show_samples.click()
    assert page.listed == [(3, 5)]
    session, data = bench.session, bench.session.spec.data
    wine = replace(session.spec, data=replace(data, source=Choice(type="wine")))
    session.change(session.graph, wine, "x")
    assert not page.show_samples.isEnabled()
