"""The Data workspace tells what is being read, and lets it be given up and begun again."""

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QWidget

from engine.diagnostics import Diagnostic
from engine.query.model.request import Check
from engine.spec.progress import FileProgress
from engine.spec.run import Choice
from studio.view.reading import present_reading
from widgets.plots.bar_chart import BarChart


def test_that_reading_is_told_and_can_be_given_up_and_begun_again(opened, host, qtbot):
    opened.window.show_workspace("data")
    qtbot.waitUntil(lambda: opened.window.findChild(QWidget, "data.reading.panel") is not None)
    panel = opened.window.findChild(QWidget, "data.reading.panel")
    assert not panel.isVisibleTo(opened.window)
    request = next(one for one in host.requests if isinstance(one, Check))
    host.on_reading(request, FileProgress(path="/photos/很多", done=60_000, unit="files"))
    qtbot.waitUntil(lambda: panel.isVisibleTo(opened.window))
    said = " ".join(label.text() for label in panel.findChildren(QLabel))
    assert "很多" in said
    assert "60,000" in said
    cancel = panel.findChild(QToolButton, "data.reading.cancel")
    qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    assert host.given_up == 1
    problem = Diagnostic(code="D073", field="data.source.path", params={"folder": "/photos/很多"})
    host.problems = (problem,)
    host.on_reading(request, None)
    opened.services.analyst.ask_again()
    again = opened.window.findChild(QPushButton, "data.fit.again")
    qtbot.waitUntil(lambda: again.isVisibleTo(opened.window))
    assert not panel.isVisibleTo(opened.window)
    host.problems = ()
    qtbot.mouseClick(again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not again.isVisibleTo(opened.window))


def test_that_no_chart_of_other_data_stays_when_reading_is_given_up(opened, host, qtbot):
    opened.window.show_workspace("data")
    qtbot.waitUntil(lambda: opened.window.findChild(BarChart, "data.balance") is not None)
    chart = opened.window.findChild(BarChart, "data.balance")
    qtbot.waitUntil(lambda: "training" in chart.accessibleDescription().lower())
    host.problems = (
        Diagnostic(code="D073", field="data.source.path", params={"folder": "/photos"}),
    )
    spec = opened.session.spec
    photos = Choice(type="image_folder", params={"path": "/photos"})
    data = msgspec.structs.replace(spec.data, source=photos)
    opened.session.change(
        opened.session.graph, msgspec.structs.replace(spec, data=data), "Choose photos"
    )
    qtbot.waitUntil(lambda: not chart.accessibleDescription())


def test_that_pictures_with_details_fit_a_small_screen(opened, qtbot):
    opened.window.show_workspace("data")
    qtbot.waitUntil(lambda: opened.window.findChild(QWidget, "data.details") is not None)
    opened.window.findChild(QWidget, "data.details").show()
    workspace = opened.window.findChild(QWidget, "page.data")
    qtbot.waitUntil(lambda: opened.window.findChild(QWidget, "data.details").isVisible())
    assert workspace.minimumSizeHint().width() <= 1250
    assert opened.window.minimumSizeHint().width() <= 1250


def test_that_what_is_told_of_the_reading_says_how_much_of_what():
    learn = FileProgress(path="/a/novel.txt", done=5, unit="characters", total=20, stage="learn")
    cut = FileProgress(path="/a/novel.txt", done=5, unit="characters", total=20, stage="cut")
    assert present_reading(learn).text != present_reading(cut).text
    for each in (learn, cut):
        assert "novel.txt" in present_reading(each).text
        assert present_reading(each).fraction == 0.25
    rows = FileProgress(path="/a/t.parquet", done=0, unit="rows")
    assert present_reading(rows).fraction < 0
    assert "0" not in present_reading(rows).text
    sizes = FileProgress(path="/a/x.npz", done=1 << 20, unit="bytes", total=4 << 20)
    assert "MB" in present_reading(sizes).text
    assert present_reading(FileProgress(path="/a", done=1, unit="files", total=9)).fraction > 0
