"""Metrics of different scales stand in charts of their own."""

from types import SimpleNamespace as Namespace
from typing import cast

import numpy as np
import pytest

from engine.runs.record.state import RunState
from studio.session.run_follower import RunUpdate
from studio.view.curve import present_metrics
from studio.view.metric_charts import MetricCharts
from studio.view.run import METRIC_KINDS, chart_title, kind_of
from tests.tiny_run import iris_spec
from widgets.plots.curve_chart import CurveChart
from widgets.plots.view_model import ChartView, SeriesView


def chart(kind: str, *values: float) -> ChartView:
    curve = SeriesView(
        name=f"validation.{kind}",
        label=kind,
        steps=np.arange(float(len(values))),
        values=np.array(values),
    )
    return ChartView(series=(curve,) if values else (), title=chart_title(kind))


def shown(charts: MetricCharts) -> list[str]:
    found = (each for each in charts.findChildren(CurveChart) if not each.isHidden())
    return [each.bar.title.text() for each in sorted(found, key=lambda each: each.x())]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("validation.mae", "error"),
        ("train.rmse", "error"),
        ("validation.mse", "squared_error"),
        ("validation.mape", "relative_error"),
        ("validation.perplexity", "perplexity"),
        ("validation.r2", "metric"),
        ("train.accuracy", "metric"),
        ("train.loss", "loss"),
        ("validation.position:mae", "error"),
        ("train.position:r2", "metric"),
    ],
)
def test_that_a_metric_belongs_to_the_chart_of_its_scale(qapp, name, kind):
    assert kind_of(name) == kind


def test_that_an_error_does_not_flatten_a_share_and_goes_with_its_run(qtbot):
    charts = MetricCharts("chart.metric")
    qtbot.addWidget(charts)
    charts.resize(900, 300)
    charts.show()
    added: list[str] = []
    charts.chart_added.connect(lambda _, kind: added.append(kind))
    empty = {kind: chart(kind) for kind in METRIC_KINDS}
    charts.set_views(empty)
    assert shown(charts) == ["Metrics"]
    charts.set_views(empty | {"metric": chart("metric", 0.2, 0.9), "error": chart("error", 90, 40)})
    qtbot.waitUntil(lambda: shown(charts) == ["Metrics", "Errors"])
    assert added == ["error"]
    assert charts.chart("error").has_series("validation.error")
    assert not charts.main.has_series("validation.error")
    charts.set_views(empty | {"error": chart("error", 90, 40)})
    assert shown(charts) == ["Errors"]
    charts.set_views(empty)
    assert shown(charts) == ["Metrics"]


def test_that_two_charts_stand_beside_each_other_in_half_of_a_small_window(qtbot):
    charts = MetricCharts("chart.metric")
    qtbot.addWidget(charts)
    views = {kind: chart(kind) for kind in METRIC_KINDS}
    charts.set_views(views | {"metric": chart("metric", 0.2), "error": chart("error", 90)})
    assert charts.minimumSizeHint().width() <= 700
    charts.resize(700, 300)
    charts.show()
    qtbot.waitUntil(charts.main.bar.smoothing.isHidden)
    charts.resize(1400, 300)
    qtbot.waitUntil(lambda: not charts.main.bar.smoothing.isHidden())


def update_of(state: RunState, curves: dict[str, tuple[np.ndarray, np.ndarray]]) -> RunUpdate:
    folder = Namespace(document=Namespace(spec=iris_spec()))
    return cast("RunUpdate", Namespace(state=state, curves=curves, folder=folder))


def test_that_a_chart_beside_another_is_called_like_its_only_metric(qapp):
    def curves(*names: str) -> RunUpdate:
        points = (np.arange(2), np.array([0.5, 0.6]))
        state = RunState(metrics={})
        return update_of(state, dict.fromkeys(names, points))

    alone = present_metrics(curves("train.r2", "validation.r2"))
    assert (alone["metric"].title, alone["metric"].series[0].label) == ("Metrics", "training r2")
    both = present_metrics(curves("train.r2", "validation.r2", "train.mae", "train.rmse"))
    assert (both["metric"].title, both["metric"].series[1].label) == ("r2", "validation")
    assert (both["error"].title, both["error"].series[1].label) == ("Errors", "training rmse")


def test_that_a_run_without_metrics_says_so_once_an_epoch_is_over(qapp):
    points = (np.arange(2), np.array([0.5, 0.6]))

    def empty_text(epoch: int, *names: str) -> str:
        state = RunState(epoch=epoch)
        curves = dict.fromkeys(names, points)
        return present_metrics(update_of(state, curves))["metric"].empty_text

    assert "first epoch" in empty_text(0, "train.loss")
    assert "no metrics" in empty_text(1, "train.loss", "validation.loss")
    assert "first epoch" in empty_text(1, "train.loss", "train.mae")
