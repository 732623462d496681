"""Preview, bars, points."""

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtGui import Qt as Gui

from tests.plot_parts import click_row, drawn, legend_of, surface_of
from widgets.common.theme import current_theme
from widgets.plots.bar_chart import BarChart, nice_ceiling, scale_parts
from widgets.plots.color_scale import ColorScale
from widgets.plots.legend import value_text
from widgets.plots.line_preview import LinePreview, end_texts
from widgets.plots.scatter_view import ScatterView
from widgets.plots.view_model import BarsView, PointsView, SeriesView


def colors(widget):
    image = widget.grab().toImage()
    return {
        image.pixelColor(x, y).name()
        for x in range(0, image.width(), 2)
        for y in range(0, image.height(), 2)
    }


def test_that_the_preview_shows_all_of_the_line(qtbot):
    preview = LinePreview()
    qtbot.addWidget(preview)
    preview.set_values(np.arange(100.0), np.linspace(0.1, 0.0, 100))
    box = surface_of(preview).box.viewRange()
    assert box[0] == pytest.approx([0, 99])
    assert box[1][0] < 0
    assert box[1][1] > 0.1
    preview.set_values(np.empty(0), np.empty(0))
    preview.grab()


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((0.0, 0.00099989), ["0", "0.001"]),
        ((0.00123, 0.1), ["0.00123", "0.1"]),
        ((0.09991, 0.1), ["0.0999", "0.1"]),
        ((0.1000001, 0.1000002), ["0.1", "0.1"]),
    ],
)
def test_that_the_heights_of_a_preview_are_written_short_but_near(values, texts):
    assert end_texts(values) == texts


def test_that_the_preview_jumps_where_a_value_jumps_and_tells_what_holds(qtbot):
    preview = LinePreview()
    qtbot.addWidget(preview)
    preview.set_values(np.array([1.0, 10.0, 20.0]), np.array([0.1, 0.01, 0.001]))
    (line,) = drawn(preview, pg.PlotDataItem)
    places, heights = line.curve.getData()
    assert places.tolist() == [1, 10, 20, 30]
    assert heights.tolist() == [0.1, 0.01, 0.001]
    assert line.curve.opts["stepMode"] == "center"
    surface_of(preview).pointer_moved.emit(19.0, 0.0)
    assert surface_of(preview).toolTip() == "10: 0.01"


def rates(*values: tuple[float, ...]) -> tuple[SeriesView, ...]:
    return tuple(
        SeriesView(
            name=f"lr.{number}",
            label=("Other parameters", "Group 1 (<b>layer4</b>)")[number],
            steps=np.arange(1.0, 1.0 + len(of_group)),
            values=np.array(of_group),
            color=number,
        )
        for number, of_group in enumerate(values)
    )


def test_that_several_lines_are_named_with_their_values_where_the_pointer_is(qtbot):
    preview = LinePreview()
    qtbot.addWidget(preview)
    preview.set_series(rates((0.1, 0.2, 0.3), (1.0, 2.0, 3.0)))
    legend = legend_of(preview)
    rows = [legend.topLevelItem(at) for at in range(legend.topLevelItemCount())]
    assert [row.text(0) for row in rows] == ["Other parameters", "Group 1 (<b>layer4</b>)"]
    assert [row.text(1) for row in rows] == ["0.3", "3"]
    low, high = surface_of(preview).box.viewRange()[1]
    assert low < 0.1
    assert high > 3.0
    surface_of(preview).pointer_moved.emit(2.4, 0.0)
    assert [row.text(1) for row in rows] == ["0.2", "2"]
    tip = surface_of(preview).toolTip()
    assert tip.splitlines() == ["2", "Other parameters: 0.2", "Group 1 (<b>layer4</b>): 2"]
    assert not Gui.mightBeRichText(tip)  # a text, whoever wrote it
    preview.set_series(rates((0.1, 0.2, 0.3, 0.4), (1.0, 2.0, 3.0, 4.0)))
    assert [row.text(1) for row in rows] == ["0.2", "2"]  # the pointer is where it was
    surface_of(preview).pointer_moved.emit(np.nan, np.nan)
    assert [row.text(1) for row in rows] == ["0.4", "4"]
    preview.set_values(np.arange(3.0), np.arange(3.0))
    assert legend.isHidden()  # one line needs no name


def tops(preview: LinePreview) -> list[float]:
    """Return the greatest height of each line that is shown."""
    return [line.curve.getData()[1].max() for line in drawn(preview, pg.PlotDataItem)]


def test_that_a_line_of_the_preview_can_be_hidden_and_the_others_fill_the_height(qtbot):
    preview = LinePreview()
    qtbot.addWidget(preview)
    preview.set_series(rates((0.1, 0.2), (1.0, 2.0)))
    preview.show()
    legend = legend_of(preview)
    click_row(legend, 1)
    assert tops(preview) == [0.2]
    assert surface_of(preview).box.viewRange()[1][1] < 0.3
    preview.set_series(rates((0.1, 0.2, 0.3), (1.0, 2.0, 3.0)))
    assert tops(preview) == [0.3]


def test_that_bars_are_as_tall_as_their_counts_and_are_read_aloud(qtbot):
    chart = BarChart("data.balance")
    qtbot.addWidget(chart)
    chart.resize(400, 240)
    chart.set_view(BarsView(labels=("a", "b"), values=((10, 20), (1, 2)), groups=("train", "test")))
    assert chart.accessibleDescription() == "a: train 10, test 1; b: train 20, test 2"
    seen = colors(chart)
    assert current_theme().series[0] in seen
    assert current_theme().series[1] in seen


@pytest.mark.parametrize("classes", [150, 1000, 100_000])
def test_that_bars_of_more_classes_than_pixels_are_seen(qtbot, classes):
    chart = BarChart("data.balance")
    qtbot.addWidget(chart)
    chart.resize(400, 240)
    labels = tuple(map(str, range(classes)))
    values = ((70,) * classes, (10,) * (classes - 1) + (99,), (15,) * classes)
    chart.set_view(BarsView(labels=labels, values=values))
    image = chart.grab().toImage()
    column = [image.pixelColor(200, y).name() for y in range(image.height())]
    train, validation, test = (column.count(color) for color in current_theme().series[:3])
    assert 0.6 < validation / (validation + test) < 0.75  # 10 of 15, in front of it
    assert train > 3 * test
    last = [image.pixelColor(388, y).name() for y in range(image.height())]
    assert last.count(current_theme().series[1]) > 4  # the one that has most of validation


def test_that_no_bars_show_a_word(qtbot):
    chart = BarChart("data.balance")
    qtbot.addWidget(chart)
    chart.set_view(BarsView(labels=(), values=(), empty_text="No labels."))
    chart.grab()
    chart.set_view(BarsView(labels=("a",), values=((0,),)))
    chart.grab()
    assert chart.accessibleDescription() == "a: 0"


@pytest.mark.parametrize(("value", "top"), [(1, 1), (93, 100), (201, 400), (0.3, 0.4), (5, 5)])
def test_that_the_scale_ends_at_a_round_number(value, top):
    assert nice_ceiling(value) == pytest.approx(top)


def test_that_a_class_can_be_hidden_and_counts_are_shown(qtbot):
    view = ScatterView("data.scatter")
    qtbot.addWidget(view)
    view.resize(500, 300)
    xy = np.random.default_rng(0).normal(size=(30, 2))
    view.set_view(PointsView(xy=xy, classes=np.arange(30) % 3, labels=("a", "b", "c")))
    view.show()
    legend = legend_of(view)
    assert [legend.topLevelItem(at).text(1) for at in range(3)] == ["10", "10", "10"]
    shapes = [item.opts["symbol"] for item in drawn(view, pg.ScatterPlotItem)]
    click_row(legend, 0)
    assert [item.opts["symbol"] for item in drawn(view, pg.ScatterPlotItem)] == shapes[1:]
    assert len(set(shapes)) == 3
    view.close()


def test_that_too_many_points_are_thinned_and_none_is_no_error(qtbot):
    view = ScatterView("data.scatter")
    qtbot.addWidget(view)
    xy = np.random.default_rng(0).normal(size=(100_000, 2))
    view.set_view(PointsView(xy=xy, classes=np.zeros(100_000, dtype=np.int64)))
    counts = [len(item.points()) for item in drawn(view, pg.ScatterPlotItem)]
    assert 10_000 < sum(counts) <= 20_000
    view.set_view(PointsView(xy=np.empty((0, 2)), classes=np.empty(0, dtype=np.int64)))
    view.grab()


@pytest.mark.parametrize("top", [1, 2, 4, 5, 8, 10, 20, 40, 50, 80, 100, 500, 1000])
def test_that_a_scale_of_counts_has_whole_numbers(top):
    assert top % scale_parts(top, is_whole=True) == 0
    assert scale_parts(top, is_whole=True) > 1 or top == 1
    assert scale_parts(top, is_whole=False) == 4


def test_that_numbers_at_the_ends_of_a_scale_of_colors_do_not_touch(qtbot):
    scale = ColorScale("map.scale")
    qtbot.addWidget(scale)
    span = (-2.33912e-04, 3.23344e05)
    scale.set_span(span)
    words = [scale.fontMetrics().horizontalAdvance(value_text(end)) for end in span]
    assert sum(words) + 20 < scale.sizeHint().width()


def test_that_a_legend_has_room_for_names_beside_long_values(qtbot):
    preview = LinePreview()
    qtbot.addWidget(preview)
    preview.set_series(rates((-1.234e-08, 2.3456e-08), (1.0e09, 4.402e09)))
    preview.resize(900, 200)
    preview.show()
    legend = legend_of(preview)
    legend.set_values([-1.234e-08, 4.402e09])
    legend.fit(900)
    qtbot.waitUntil(lambda: legend.columnWidth(0) >= legend.sizeHintForColumn(0))


def test_that_the_key_goes_below_a_title_that_leaves_it_no_room(qtbot):
    chart = BarChart("data.balance")
    qtbot.addWidget(chart)
    groups = ("Training", "Validation", "Test")
    title = "Samples by the price of a home"
    chart.set_view(BarsView(labels=("a",), values=((1,),) * 3, groups=groups, title=title))

    def key_top(width: int) -> int:
        chart.resize(width, 240)
        image = chart.grab().toImage()
        color = current_theme().series[0]
        return next(
            y
            for y in range(image.height())
            if any(image.pixelColor(x, y).name() == color for x in range(image.width()))
        )

    assert key_top(260) > key_top(900)


def test_that_the_last_label_of_bars_is_not_cut_at_the_edge(qtbot):
    chart = BarChart("data.balance")
    qtbot.addWidget(chart)
    labels = tuple(f"{each * 41_003:,}" for each in range(1, 17))
    chart.set_view(BarsView(labels=labels, values=((1,) * 16,)))
    for width in range(240, 320, 8):
        chart.resize(width, 240)
        image = chart.grab().toImage()
        edge = {image.pixelColor(image.width() - 1, y).name() for y in range(image.height())}
        assert edge == {current_theme().surface}


def test_that_the_numbers_of_many_samples_are_written_whole_beside_the_bars(qtbot):
    chart = BarChart("data.balance")
    qtbot.addWidget(chart)
    chart.resize(400, 200)

    def bars_left() -> int:
        image = chart.grab().toImage()
        color = current_theme().series[0]
        return next(
            x
            for x in range(image.width())
            if any(image.pixelColor(x, y).name() == color for y in range(image.height()))
        )

    chart.set_view(BarsView(labels=("a", "b"), values=((4.0, 8.0),)))
    narrow = bars_left()
    chart.set_view(BarsView(labels=("a", "b"), values=((700_000_000.0, 1_000_000.0),)))
    image = chart.grab().toImage()
    edge = {image.pixelColor(0, y).name() for y in range(image.height())}
    assert edge == {current_theme().surface}  # no number is cut there
    assert bars_left() > narrow
    assert chart.accessibleDescription() == "a: 700,000,000; b: 1,000,000"


def label_widths(chart):
    """Return how wide the labels below the bars are; those that touch are one."""
    image = chart.grab().toImage()
    ground = current_theme().surface
    inked = np.array(
        [
            [image.pixelColor(x, y).name() != ground for x in range(image.width())]
            for y in range(image.height())
        ]
    )
    bars_end = int(np.flatnonzero(inked.mean(axis=1) > 0.9)[-1])  # the line that they stand on
    spans: list[list[int]] = []
    for x in range(image.width()):
        if inked[bars_end + 2 :, x].any():
            if not spans or x - spans[-1][1] > 7:
                spans.append([x, x])
            spans[-1][1] = x
    widths = [end - start for start, end in spans]
    return [width for width in widths if width > 20]  # the zero of the scale is none


@pytest.mark.parametrize(("count", "width"), [(4, 900), (100, 880), (100, 640)])
def test_that_labels_of_bars_never_touch_each_other(qtbot, count, width):
    chart = BarChart("data.balance")
    qtbot.addWidget(chart)
    labels = tuple(f"{each:03}" + "m" * 50 for each in range(count))
    chart.set_view(BarsView(labels=labels, values=((1,) * count,)))
    chart.resize(width, 160)
    widths = label_widths(chart)
    assert len(widths) > 2
    assert max(widths) < 1.5 * min(widths)
