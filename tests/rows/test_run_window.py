"""Rows of the capability table about a run, shown on the whole window."""

import csv
import io

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QProgressBar

from engine.events import RunStarted, StepDone
from engine.runs.folder import RunFolder
from engine.runs.process.run_lock import RunLock
from engine.runs.record.journal import RunJournal
from tests.tiny_run import curves, make_run, train
from widgets.plots.curve_chart import CurveChart


@pytest.fixture
def followed(opened, qtbot) -> RunFolder:
    """Return a real run that the window has followed to its end."""
    run = make_run(opened.session.project.path, epochs=5)
    train(run)
    opened.window.show_workspace("train")
    opened.services.runs.follow(run)
    chart = opened.window.findChild(CurveChart, "chart.loss")
    qtbot.waitUntil(lambda: chart.has_series("train.loss"))
    return run


def rows(chart: CurveChart) -> dict[str, list[tuple[int, float]]]:
    found: dict[str, list[tuple[int, float]]] = {}
    for row in csv.DictReader(io.StringIO(chart.csv_bytes().decode())):
        found.setdefault(row["series"], []).append((int(row["step"]), float(row["value"])))
    return found


@pytest.mark.row("P16", "S215", "S208", "S162", "S209")
def test_that_the_chart_shows_every_point_and_gives_it_away_as_csv_png_and_svg(
    opened, followed, qtbot
):
    chart = opened.window.findChild(CurveChart, "chart.loss")
    qtbot.waitUntil(lambda: len(rows(chart).get("train.loss", ())) == 20)
    found, told = rows(chart), curves(followed)
    assert {"train.loss", "validation.loss"} <= found.keys()
    for name, points in found.items():
        assert [step for step, _ in points] == told[name][0]
        assert np.array([value for _, value in points]).tobytes() == told[name][1]
    metric = opened.window.findChild(CurveChart, "chart.metric")
    assert {"train.accuracy", "validation.accuracy"} <= rows(metric).keys()
    chart.bar.smoothing.setValue(60)
    assert rows(chart) == found, "smoothing changes what is drawn, not what was measured"
    assert not QImage.fromData(chart.image_bytes("png")).isNull()
    assert b"<svg" in chart.image_bytes("svg")


@pytest.mark.row("S199", "S200", "P15")
def test_that_a_run_shows_its_progress_and_the_time_left(opened, qtbot):
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec)
    lease = RunLock(folder.path, 0)
    journal = RunJournal(folder.path)
    try:
        journal.append(
            RunStarted(pid=1, device="cpu", threads=1, epochs=10, steps_per_epoch=30, parameters=1)
        )
        journal.append(StepDone(step=75, epoch=2, steps_per_s=1.25, samples_per_s=40.0))
        journal.commit()
        opened.window.show_workspace("train")
        opened.services.runs.follow(folder)
        bar = opened.window.findChild(QProgressBar, "train.progress")
        qtbot.waitUntil(lambda: bar.value() == 250)
        assert bar.maximum() == 1000
        labels = opened.window.findChildren(QLabel)
        texts = " ".join(label.text() for label in labels if label.isVisible())
        assert "3 min" in texts, "225 steps at 1.25 a second"
        assert "step 75 of 300" in texts
    finally:
        opened.services.runs.unfollow()
        journal.close()
        lease.release()
