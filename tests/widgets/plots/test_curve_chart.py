"""The curve chart by mouse and keyboard."""

import csv
import io

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QToolButton
from typing_extensions import override

from tests.plot_parts import drawn
from widgets.common.theme import DARK, LIGHT, apply_theme
from widgets.plots.chart_bar import smoothing_weight
from widgets.plots.curve_chart import CurveChart
from widgets.plots.legend import Legend
from widgets.plots.view_model import ChartView, MarkView, SeriesView

STEPS = np.arange(1.0, 101.0)


def series(name, scale=1.0, **values):
    return SeriesView(
        name=name, label=name, steps=STEPS, values=scale / STEPS, times=STEPS * 0.5, **values
    )


def test_that_a_strong_curve_lies_on_top_thicker_and_with_its_points(qtbot):
    widget = CurveChart("chart.loss")
    qtbot.addWidget(widget)
    few = SeriesView(
        name="validation.loss", label="v", steps=STEPS[:5], values=STEPS[:5], is_strong=True
    )
    widget.set_series((few, series("train.loss")))
    plain, strong = drawn(widget, pg.PlotCurveItem)
    assert strong.opts["pen"].width() > plain.opts["pen"].width()
    (points,) = drawn(widget, pg.ScatterPlotItem)
    assert len(points.points()) == 5
    widget.set_visible_series("validation.loss", is_visible=False)
    assert drawn(widget, pg.PlotCurveItem) == [plain]
    assert not drawn(widget, pg.ScatterPlotItem)


def test_that_a_single_point_is_seen_though_it_makes_no_line(qtbot):
    widget = CurveChart("chart.loss")
    qtbot.addWidget(widget)
    for count, is_seen in ((1, True), (2, False)):
        some = STEPS[:count]
        widget.set_series((SeriesView(name="train.loss", label="t", steps=some, values=some),))
        assert bool(drawn(widget, pg.ScatterPlotItem)) is is_seen


@pytest.fixture
def chart(qtbot):
    widget = CurveChart("chart.loss")
    widget.resize(900, 400)
    qtbot.addWidget(widget)
    marks = (MarkView(step=50.0, kind="knob", text="lr 0.1 → 0.01"),)
    widget.set_view(
        ChartView(
            series=(series("train.loss", run="run-1"), series("validation.loss", 2.0, color=1)),
            marks=marks,
            steps_per_epoch=10,
            title="Loss",
            empty_text="Nothing yet.",
        )
    )
    with qtbot.waitExposed(widget):
        widget.show()
    yield widget
    widget.close()


def x_range(chart):
    return chart.surface.box.viewRange()[0]


def place(chart, x, y=0.5):
    scene = chart.surface.box.mapViewToScene(QPointF(x, y))
    return chart.surface.mapFromScene(scene)


def legend_values(chart):
    return [chart.legend.topLevelItem(at).text(1) for at in range(2)]


def wheel(chart, x, modifiers=Qt.KeyboardModifier.NoModifier):
    at = QPointF(place(chart, x))
    view = chart.surface.viewport()
    event = QWheelEvent(
        at, view.mapToGlobal(at), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton,
        modifiers, Qt.ScrollPhase.NoScrollPhase, False,  # noqa: FBT003
    )  # fmt: skip
    QApplication.sendEvent(view, event)


@pytest.mark.row("S162")
def test_that_everything_is_in_view_at_first_and_follows_new_points(chart):
    assert x_range(chart) == pytest.approx([1, 100])
    chart.append("train.loss", np.array([150.0]), np.array([0.01]))
    chart.redraw()
    left, right = x_range(chart)
    assert left == pytest.approx(1)
    assert 150 < right < 190  # with room for what comes
    chart.append("train.loss", np.array([155.0]), np.array([0.02]))
    chart.redraw()
    assert x_range(chart) == [left, right]  # the axes rest
    chart.fit()
    assert x_range(chart) == pytest.approx([1, 155])


def test_that_a_height_beyond_what_is_shown_comes_into_view(chart):
    chart.append("train.loss", np.array([101.0]), np.array([50.0]))
    chart.redraw()
    low, high = chart.surface.box.viewRange()[1]
    assert low < 0.01
    assert high > 50


def test_that_the_wheel_zooms_around_the_pointer_and_a_double_click_goes_back(chart, qtbot):
    wheel(chart, 50)
    left, right = x_range(chart)
    assert 1 < left < 50 < right < 100
    chart.append("train.loss", np.array([500.0]), np.array([0.01]))
    chart.redraw()
    assert x_range(chart) == pytest.approx([left, right])
    qtbot.mouseDClick(chart.surface.viewport(), Qt.MouseButton.LeftButton, pos=place(chart, 50))
    assert x_range(chart) == pytest.approx([1, 500])


def test_that_ctrl_wheel_zooms_the_heights_only(chart):
    before = chart.surface.box.viewRange()
    wheel(chart, 50, Qt.KeyboardModifier.ControlModifier)
    after = chart.surface.box.viewRange()
    assert after[0] == pytest.approx(before[0])
    assert after[1][1] - after[1][0] < before[1][1] - before[1][0]


def test_that_a_dragged_rectangle_becomes_the_view(chart, qtbot):
    view = chart.surface.viewport()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=place(chart, 20, 1.5))
    for x in (30, 45, 60):
        qtbot.mouseMove(view, place(chart, x, 0.2))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=place(chart, 60, 0.2))
    left, right = x_range(chart)
    assert left == pytest.approx(20, abs=3)
    assert right == pytest.approx(60, abs=3)
    qtbot.mouseClick(chart.findChild(QToolButton, "chart.loss.fit"), Qt.MouseButton.LeftButton)
    assert x_range(chart) == pytest.approx([1, 100])


def test_that_following_moves_a_zoomed_view_with_the_newest_point(chart, qtbot):
    wheel(chart, 90)
    left, right = x_range(chart)
    button = chart.findChild(QToolButton, "chart.loss.follow")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    chart.append("train.loss", np.array([400.0]), np.array([0.01]))
    chart.redraw()
    assert x_range(chart) == pytest.approx([400 - (right - left), 400])


def test_that_the_crosshair_reads_every_curve_at_the_nearest_step(chart, qtbot):
    for x in (30, 50.2):  # the first one enters
        qtbot.mouseMove(chart.surface.viewport(), place(chart, x))
        qtbot.wait(30)
    qtbot.waitUntil(lambda: legend_values(chart) == ["0.02", "0.04"])
    assert "50" in chart.bar.readout.text()
    assert "lr 0.1 → 0.01" in chart.bar.readout.text()
    chart.surface.pointer_moved.emit(float("nan"), float("nan"))
    assert legend_values(chart) == ["0.01", "0.02"]
    assert chart.bar.readout.text() == ""


def test_that_arrow_keys_walk_along_the_points(chart, qtbot):
    chart.surface.setFocus()
    qtbot.keyClick(chart.surface, Qt.Key.Key_Left)
    assert "100" in chart.bar.readout.text()
    qtbot.keyClick(chart.surface, Qt.Key.Key_Left)
    assert "99" in chart.bar.readout.text()
    qtbot.keyClick(chart.surface, Qt.Key.Key_Plus)
    assert x_range(chart)[1] - x_range(chart)[0] < 99
    qtbot.keyClick(chart.surface, Qt.Key.Key_0)
    assert x_range(chart) == pytest.approx([1, 100])


def test_that_names_are_written_short_where_they_do_not_fit(qtbot):
    legend = Legend()
    qtbot.addWidget(legend)
    label = "training mean absolute error of center_x, position"
    legend.set_series([SeriesView(name="a", label=label, short="train mae")], set())
    texts = []
    for room in (4000, 300, 4000):
        legend.fit(room)
        texts.append(legend.topLevelItem(0).text(0))
    assert texts == [label, "train mae", label]
    assert label in legend.topLevelItem(0).data(0, Qt.ItemDataRole.AccessibleTextRole)


def test_that_a_click_or_the_space_bar_in_the_legend_hides_a_curve(chart, qtbot):
    legend = chart.legend
    row = legend.visualItemRect(legend.topLevelItem(1)).center()
    with qtbot.waitSignal(chart.visibility_changed) as caught:
        qtbot.mouseClick(legend.viewport(), Qt.MouseButton.LeftButton, pos=row)
    assert caught.args == ["validation.loss", False]
    assert legend_values(chart) == ["0.01", ""]
    high = chart.surface.box.viewRange()[1][1]
    assert high < 1.2
    with qtbot.waitSignal(chart.visibility_changed) as caught:
        qtbot.keyClick(legend, Qt.Key.Key_Space)
    assert caught.args == ["validation.loss", True]


def test_that_a_hidden_curve_stays_hidden_when_the_chart_is_shown_anew(chart):
    chart.set_visible_series("train.loss", False)  # noqa: FBT003
    chart.set_series([series("train.loss"), series("validation.loss")])
    assert legend_values(chart) == ["", "0.01"]


def test_that_smoothing_changes_the_readout_and_leaves_the_points(chart):
    chart.bar.smoothing.setValue(60)
    chart.redraw()
    assert float(legend_values(chart)[0]) > 0.01
    rows = list(csv.DictReader(io.StringIO(chart.csv_bytes().decode())))
    assert float(rows[99]["value"]) == 0.01


def test_that_smoothing_is_one_of_steps_not_of_points(chart):
    sparse = SeriesView(
        name="validation.loss", label="v", steps=STEPS[::50], values=np.array([4.0, 1.0])
    )
    chart.set_series([series("train.loss"), sparse])
    chart.bar.smoothing.setValue(40)
    chart.redraw()
    assert float(legend_values(chart)[1]) == pytest.approx(1.0, abs=0.2)


def test_that_the_slider_goes_from_nothing_to_very_much():
    assert smoothing_weight(0) == 0
    assert smoothing_weight(100) == pytest.approx(0.999)
    assert all(smoothing_weight(at) < smoothing_weight(at + 1) < 1 for at in range(100))


def test_that_a_logarithmic_axis_leaves_out_what_is_not_positive(chart, qtbot):
    chart.append("train.loss", np.array([101.0]), np.array([-1.0]))
    button = chart.findChild(QToolButton, "chart.loss.log")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    low, high = chart.surface.box.viewRange()[1]
    assert -2.3 < low < -2
    assert 0.3 < high < 0.6


@pytest.mark.parametrize(("index", "last"), [(0, 100.0), (1, 10.0), (2, 50.0)])
def test_that_the_axis_counts_steps_epochs_or_time(chart, index, last):
    chart.bar.axis.setCurrentIndex(index)
    chart.bar.axis.activated.emit(index)
    assert x_range(chart)[1] * chart.surface.x_scale == pytest.approx(last)
    chart.grab()


def test_that_the_csv_holds_every_point_of_every_curve_exactly(chart):
    chart.append("train.loss", np.array([101.0]), np.array([1 / 3]))
    chart.set_visible_series("validation.loss", False)  # noqa: FBT003
    rows = list(csv.DictReader(io.StringIO(chart.csv_bytes().decode())))
    assert len(rows) == 201
    assert rows[0] == {
        "run": "run-1", "series": "train.loss", "step": "1", "seconds": "0.5", "value": "1.0"
    }  # fmt: skip
    assert float(rows[100]["value"]) == 1 / 3
    assert rows[100]["seconds"] == ""


def test_that_pictures_are_real_files(chart):
    image = QImage.fromData(chart.image_bytes("png", 2.0))
    assert image.width() == 2 * chart.width()
    assert len({image.pixel(x, 200) for x in range(image.width())}) > 3
    svg = chart.image_bytes("svg")
    assert svg.startswith(b"<?xml")
    assert b"<svg" in svg
    with pytest.raises(ValueError, match="gif"):
        chart.image_bytes("gif")
    chart.copy_image()
    assert not QApplication.clipboard().pixmap().isNull()


def test_that_the_export_menu_asks_for_a_file(chart, qtbot):
    with qtbot.waitSignal(chart.export_requested) as caught:
        chart.findChild(QAction, "chart.loss.export.csv").trigger()
    assert caught.args == ["csv"]


def test_that_an_empty_chart_says_so_until_a_point_comes(qtbot):
    chart = CurveChart("chart.metric")
    qtbot.addWidget(chart)
    empty = SeriesView(name="a", label="a")
    chart.set_view(ChartView(series=(empty,), empty_text="Nothing yet."))
    chart.show()
    label = next(one for one in chart.findChildren(QLabel) if one.text() == "Nothing yet.")
    assert label.isVisible()
    chart.append("a", np.array([1.0]), np.array([2.0]))
    chart.redraw()
    assert not label.isVisible()
    chart.close()


def test_that_values_that_are_not_finite_neither_break_nor_stretch_the_chart(chart):
    bad = np.array([np.nan, np.inf, -np.inf, 0.5])
    chart.append("train.loss", np.arange(101.0, 105.0), bad)
    chart.bar.smoothing.setValue(50)
    chart.redraw()
    chart.grab()
    assert all(np.isfinite(chart.surface.box.viewRange()).ravel())


def test_that_appends_are_drawn_a_few_times_a_second(chart, qtbot):
    written: list[str] = []  # beside the name of the curve, each time that it is drawn
    chart.legend.itemChanged.connect(lambda row: written.append(row.text(1)))
    for step in range(101, 1101):
        chart.append("train.loss", np.array([float(step)]), np.array([float(step)]))
    qtbot.waitUntil(lambda: "1100" in written)
    assert len(written) <= 3


def test_that_the_chart_follows_the_theme(chart, qapp):
    apply_theme(qapp, DARK)
    try:
        assert chart.surface.backgroundBrush().color().name() == DARK.surface
    finally:
        apply_theme(qapp, LIGHT)


class PaintCount(QObject):
    """Counts how often a widget is painted."""

    count = 0

    @override
    def eventFilter(self, watched, event):
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_that_new_points_are_painted_once(chart, qtbot):
    qtbot.wait(500)  # all that the start asked for
    paints = PaintCount(chart)
    chart.surface.viewport().installEventFilter(paints)
    for name in ("train.loss", "validation.loss"):
        chart.append(name, np.array([STEPS[-1] + 1]), np.array([0.5]))
    qtbot.waitUntil(lambda: paints.count > 0)
    qtbot.wait(100)
    assert paints.count == 1
