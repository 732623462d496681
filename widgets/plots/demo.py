"""Demo of curves, preview, bars and points: ``python -m widgets.plots.demo``."""

import sys

import numpy as np
from PySide6.QtWidgets import QGridLayout, QWidget

from widgets.common.demo_window import run_demo
from widgets.plots.bar_chart import BarChart
from widgets.plots.curve_chart import CurveChart
from widgets.plots.line_preview import LinePreview
from widgets.plots.parallel_chart import ParallelChart
from widgets.plots.scatter_view import ScatterView
from widgets.plots.view_model import (
    BarsView,
    ChartView,
    MarkView,
    ParallelAxis,
    ParallelLine,
    ParallelView,
    PointsView,
    SeriesView,
)

_STEPS = 3000


def _loss(size: int, level: float, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(0, 0.08, size)
    steps = np.arange(size)
    return level + 2.2 * np.exp(-steps / (size / 6)) * np.exp(noise) + np.abs(noise) * 0.4


def build_demo(language: str) -> QWidget:
    """Return one of each."""
    is_chinese = language == "zh_CN"
    empty = CurveChart("chart.metric")
    empty.set_view(ChartView(title="Accuracy", empty_text="Curves appear with the first step."))
    window = QWidget()
    grid = QGridLayout(window)
    grid.addWidget(_curves(is_chinese=is_chinese), 0, 0, 1, 3)
    for column, widget in enumerate((empty, _bars(), _points(is_chinese=is_chinese))):
        grid.addWidget(widget, 1, column)
    grid.addWidget(_preview(), 2, 0)
    grid.addWidget(_parallel(is_chinese=is_chinese), 2, 1, 1, 2)
    grid.setRowStretch(0, 3)
    grid.setRowStretch(1, 2)
    return window


def _parallel(*, is_chinese: bool) -> ParallelChart:
    names = ("学习率", "宽度", "损失") if is_chinese else ("learning rate", "width", "loss")
    rows = ((0.1, 0.2, 0.9), (0.5, 0.8, 0.3), (0.6, 0.7, 0.1), (0.9, None, 0.6))
    chart = ParallelChart("chart.parallel")
    chart.set_view(
        ParallelView(
            axes=tuple(ParallelAxis(label=name, ticks=((0, "0"), (1, "1"))) for name in names),
            lines=tuple(
                ParallelLine(id=str(number), places=row, share=1 - row[2], text=f"{number}")
                for number, row in enumerate(rows)
            ),
        )
    )
    return chart


def _curves(*, is_chinese: bool) -> CurveChart:
    steps = np.arange(1, _STEPS + 1, dtype=np.float64)
    every = steps[99::100]
    labels = ("训练集损失", "验证集损失") if is_chinese else ("train", "validation")
    series = (
        SeriesView(
            name="train.loss",
            label=labels[0],
            steps=steps,
            values=_loss(_STEPS, 0.1, 1),
            times=steps * 0.021,
            run="run-1",
        ),
        SeriesView(
            name="validation.loss",
            label=labels[1],
            steps=every,
            values=_loss(every.size, 0.22, 2),
            times=every * 0.021,
            color=1,
            dash="dash",
            run="run-1",
        ),
    )
    marks = (
        MarkView(step=1200, kind="knob", text="lr 0.001 → 0.0005"),
        MarkView(step=2400, kind="best", text="best"),
    )
    chart = CurveChart("chart.loss")
    title = "损失" if is_chinese else "Loss"
    chart.set_view(ChartView(series=series, marks=marks, steps_per_epoch=300, title=title))
    chart.bar.smoothing.setValue(45)
    return chart


def _bars() -> BarChart:
    bars = BarChart("data.balance")
    digits = tuple(str(digit) for digit in range(10))
    counts = np.random.default_rng(3).integers(90, 130, (2, 10))
    values = tuple(map(tuple, counts.tolist()))
    bars.set_view(BarsView(labels=digits, values=values, groups=("train", "test")))
    return bars


def _points(*, is_chinese: bool) -> ScatterView:
    turn = np.linspace(0, 3 * np.pi, 300)
    arms = [
        np.stack((np.cos(turn + shift) * turn, np.sin(turn + shift) * turn), axis=1)
        for shift in (0, 2.1, 4.2)
    ]
    points = ScatterView("data.scatter")
    points.set_view(
        PointsView(
            xy=np.concatenate(arms),
            classes=np.repeat(np.arange(3), 300),
            labels=("a", "b", "第三类" if is_chinese else "c"),
            x_label="x1",
            y_label="x2",
        )
    )
    return points


def _preview() -> LinePreview:
    preview = LinePreview()
    preview.set_values(np.arange(300.0), 0.01 * 0.5 * (1 + np.cos(np.arange(300) / 300 * np.pi)))
    return preview


if __name__ == "__main__":
    sys.exit(run_demo(build_demo, "Plots"))
