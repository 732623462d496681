"""The page of layers: what a run recorded of them, in the window."""

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel

from engine.events import RunEnded, RunStarted, SetWatching, StepDone, WatchingChanged
from engine.graph.model import Graph
from engine.graph.module_name import module_names
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.record.journal import RunJournal
from engine.runs.record.statistic import BINS, Kind, Sample, Statistic, StatisticHistory
from engine.runs.record.store import RunStore
from studio.inspect.layers import last_run
from studio.inspect.layers.page import LayersPage
from studio.inspect.layers.presenter import LayersView, layer_bars, present_facts, present_layers
from widgets.tables.trend import Trend
from widgets.tables.view_model import ColumnView, RowView, TableData


def names(graph: Graph) -> list[str]:
    return [node.name for node in graph.nodes.values() if node.type == "Linear"]


def sample(layers: list[str], step: int, **changes: float) -> Sample:
    """Return statistics whose norms tell the step; ``changes`` are of the first layer."""
    keys = []
    for name in layers:
        keys += [(Kind.ACTIVATION, name)]
        keys += [(kind, f"{name}.weight") for kind in (Kind.WEIGHT, Kind.GRADIENT, Kind.UPDATE)]
    numbers = np.zeros((len(keys), len(Statistic)), np.float32)
    numbers[:, Statistic.MAXIMUM] = 1
    numbers[:, Statistic.NORM] = step
    for row, (kind, _) in enumerate(keys):
        numbers[row, Statistic.DEAD] = 0.0 if kind is Kind.ACTIVATION else math.nan
        numbers[row, Statistic.NORM] *= 0.001 if kind is Kind.UPDATE else 1.0
    for name, value in changes.items():
        numbers[0, Statistic[name]] = value
    counts = np.full((len(keys), BINS), 65_535 // BINS, np.uint16)
    return Sample(tuple(keys), numbers, counts)


def record(run: RunFolder, *events, steps=(1, 5, 9)) -> None:
    journal = RunJournal(run.path)
    for step in steps:
        journal.extend_statistics(step, sample(names(run.document.graph), step))
    for event in events:
        journal.append(event)
    journal.commit()
    journal.close()


def started() -> RunStarted:
    return RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=3, parameters=5)


@pytest.fixture
def run(opened) -> RunFolder:
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    record(folder, started(), RunEnded(reason="stopped", step=9, epoch=1))
    return folder


@pytest.fixture
def page(opened, qtbot) -> LayersPage:
    opened.bench.actions.action("action.inspect.layers").trigger()
    return opened.window.findChild(LayersPage)


@pytest.fixture
def filled(page, opened, run, qtbot) -> LayersPage:
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: bool(page.layers.model.table.rows))
    qtbot.waitUntil(lambda: len(page.history.view.steps) > 0)
    return page


def row(page: LayersPage, name: str) -> tuple:
    return next(each.cells for each in page.layers.model.table.rows if each.id == name)


def test_that_without_statistics_the_page_offers_to_train(page):
    assert page.empty.isVisible()
    assert page.empty.button.text() == "Train"


@pytest.mark.row("P17")
def test_that_every_layer_is_listed_in_the_order_of_the_model(filled, run):
    graph = run.document.graph
    assert [each.id for each in filled.layers.model.table.rows] == names(graph)
    cells = row(filled, names(graph)[0])
    assert isinstance(cells[1], Trend)
    assert cells[1].value == 9
    [line] = cells[1].lines
    assert [(point.x(), point.y()) for point in line] == [(0, 1), (0.5, 0.5), (1, 0)]
    assert cells[3].value == pytest.approx(0.001)
    assert filled.step.text() == "Step 9"


@pytest.mark.row("P17")
def test_that_the_timeline_goes_back_to_an_earlier_step(filled, run, qtbot):
    filled.timeline.setFocus()
    qtbot.keyClick(filled.timeline, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: filled.step.text() == "Step 1")
    assert row(filled, names(run.document.graph)[0])[1].value == 1
    qtbot.waitUntil(lambda: filled.history.view.at == 0)
    assert "norm\u00a01" in filled.facts.text()


def test_that_a_click_into_the_picture_goes_to_its_step(filled, qtbot):
    filled.look.setCurrentIndex(filled.look.findData("heat"))
    qtbot.mouseClick(filled.history, Qt.MouseButton.LeftButton, pos=QPoint(75, 60))
    qtbot.waitUntil(lambda: filled.step.text() == "Step 1")


def test_that_a_layer_and_what_of_it_is_looked_at_can_be_chosen(filled, run, qtbot):
    second = names(run.document.graph)[1]
    filled.layers.select_ids([second])
    qtbot.waitUntil(lambda: filled.history.view.title.startswith(second))
    assert filled.history.view.title == f"{second} · Activation"
    filled.what.setCurrentIndex(filled.what.findData("gradient weight"))
    filled.what.activated.emit(filled.what.currentIndex())
    qtbot.waitUntil(lambda: "gradient" in filled.history.view.title)
    first = names(run.document.graph)[0]
    filled.layers.select_ids([first])
    wanted = f"{first} · weight: gradient"
    qtbot.waitUntil(lambda: filled.history.view.title == wanted)


def test_that_an_update_is_told_beside_its_weight(run):
    history = StatisticHistory()
    with RunStore.open(run.path) as store:
        history.update(store)
    weight = f"{names(run.document.graph)[0]}.weight"
    assert dict(present_facts(history, (Kind.UPDATE, weight), 5))["update / weight"] == "0.001"
    assert "update / weight" not in dict(present_facts(history, (Kind.WEIGHT, weight), 5))


@pytest.mark.row("N23")
def test_that_a_run_shows_what_watching_costs_and_takes_another_limit(
    page, opened, qtbot, monkeypatch
):
    session = opened.session
    live = RunFolder.create(session.project.path, session.graph, session.spec, "live")
    progress = StepDone(step=9, epoch=1, steps_per_s=5, watching=0.021, is_throttled=True)
    record(live, started(), progress)
    monkeypatch.setattr("studio.run_control.controller.RunController.is_running", True)
    opened.services.runs.follow(live)
    qtbot.waitUntil(lambda: "2.1%" in page.cost.text())
    assert "less often" in page.cost.text()
    qtbot.waitUntil(page.limit.isVisible)
    watch = live.document.spec.watch
    assert page.limit.value() == pytest.approx(100 * watch.limit)
    page.limit.setValue(1.0)
    qtbot.mouseClick(page.watching, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    told = CommandReader(live.commands_path).poll()
    wanted = {"every_steps": watch.every_steps, "limit": 0.01}
    assert SetWatching(statistics=True, **wanted) in told
    assert told[-1] == SetWatching(statistics=False, **wanted)


@pytest.mark.row("N23")
def test_that_a_window_that_opens_while_a_run_goes_on_shows_the_limit_that_it_was_told(
    page, opened, qtbot, monkeypatch
):
    session = opened.session
    live = RunFolder.create(session.project.path, session.graph, session.spec, "live")
    told = WatchingChanged(step=9, statistics=True, every_steps=10, limit=0.01)
    record(live, started(), told, StepDone(step=9, epoch=1, steps_per_s=5))
    monkeypatch.setattr("studio.run_control.controller.RunController.is_running", True)
    opened.services.runs.follow(live)
    qtbot.waitUntil(lambda: page.limit.value() == 1.0)
    page.limit.setValue(2.0)
    progress = StepDone(step=10, epoch=1, steps_per_s=5, watching=0.011)
    record(live, progress, steps=())  # the run has not read it yet
    qtbot.waitUntil(lambda: "1.1%" in page.cost.text())
    assert page.limit.value() == 2.0
    mine = WatchingChanged(step=10, statistics=True, every_steps=10, limit=0.02)
    other = WatchingChanged(step=11, statistics=True, every_steps=10, limit=0.05)
    record(live, mine, other, steps=())
    qtbot.waitUntil(lambda: page.limit.value() == 5.0)


@pytest.mark.row("P17")
def test_that_figures_stand_at_the_nodes_of_the_canvas_live(page, opened, qtbot, monkeypatch):
    session = opened.session
    live = RunFolder.create(session.project.path, session.graph, session.spec, "live")
    record(live, started(), StepDone(step=9, epoch=1, steps_per_s=5))
    monkeypatch.setattr("studio.run_control.controller.RunController.is_running", True)
    opened.services.runs.follow(live)
    canvas = opened.bench.model_page.canvas
    qtbot.waitUntil(page.measure.isVisible)
    assert not canvas.look.bars
    page.measure.setCurrentIndex(page.measure.findData("gradient"))
    linear = {node.id for node in session.graph.nodes.values() if node.type == "Linear"}
    told = (1.0, "gradient norm 9")
    qtbot.waitUntil(lambda: canvas.look.bars == dict.fromkeys(linear, told))
    opened.window.show_workspace("model")
    assert not page.isVisible()
    record(live, StepDone(step=20, epoch=1, steps_per_s=5), steps=(20,))
    told = (1.0, "gradient norm 20")
    qtbot.waitUntil(lambda: canvas.look.bars == dict.fromkeys(linear, told))
    page.measure.setCurrentIndex(0)
    assert not canvas.look.bars


@pytest.mark.row("P17")
def test_that_blocks_and_layers_of_layers_have_the_norm_of_all_and_the_largest_of_other_figures():
    columns = tuple(ColumnView(key=key, title=key) for key in ("layer", "gradient", "dead"))
    rows = (
        RowView(id="use.0.fc", cells=("use.0.fc", Trend(3.0), 0.5)),
        RowView(id="use.1.fc", cells=("use.1.fc", Trend(4.0), 0.25)),
        RowView(id="act", cells=("act", None, 0.1)),
        RowView(id="head.first", cells=("head.first", Trend(1.5), None)),
        RowView(id="head.second", cells=("head.second", Trend(2.0), None)),
        RowView(id="elsewhere", cells=("elsewhere", Trend(99.0), 1.0)),
    )
    view = LayersView(table=TableData(columns=columns, rows=rows))
    flat = {"use/fc": "use.0.fc", "use[1]/fc": "use.1.fc", "act": "act", "head": "head"}
    gradients = layer_bars(view, flat, "gradient", ())
    assert gradients == {"use": (1.0, "gradient norm 5"), "head": (0.5, "gradient norm 2.5")}
    assert layer_bars(view, flat, "gradient", ("use",)) == {"fc": (1.0, "gradient norm 5")}
    dead = layer_bars(view, flat, "dead", ())
    assert dead == {"use": (0.5, "dead units 50.00%"), "act": (0.1, "dead units 10.00%")}
    inner = {"use/fc": "use.0.fc", "other/act": "act"}
    assert layer_bars(view, inner, "dead", ("other",)) == {"act": (0.1, "dead units 10.00%")}


@pytest.mark.row("P17")
def test_that_the_inspector_tells_what_the_last_run_recorded_of_the_layer(opened, run, qtbot):
    opened.window.show_workspace("model")
    opened.services.runs.follow(run)
    node = next(each for each in opened.session.graph.nodes.values() if each.type == "Linear")
    opened.bench.model_page.canvas.select((node.id,))
    label = opened.bench.inspector.findChild(QLabel, "inspector.last")
    qtbot.waitUntil(lambda: "step 9" in label.text())
    assert "gradient norm 9" in label.text()
    opened.bench.model_page.canvas.select(())
    assert not label.isVisible()


@pytest.mark.row("P17")
def test_that_a_run_that_has_recorded_nothing_yet_is_no_failure(opened, qtbot, monkeypatch):
    told, looks, find = [], [], last_run.find_statistics
    monkeypatch.setattr(
        last_run, "find_statistics", lambda *asked: looks.append(asked) or find(*asked)
    )
    monkeypatch.setattr(opened.services.notifications, "report", told.append)
    session = opened.session
    node = next(each for each in session.graph.nodes.values() if each.type == "Linear")
    opened.bench.model_page.canvas.select((node.id,))
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "early")
    opened.services.runs.follow(folder)
    qtbot.waitUntil(lambda: bool(looks))
    record(folder, started(), RunEnded(reason="stopped", step=9, epoch=1))
    label = opened.bench.inspector.findChild(QLabel, "inspector.last")
    qtbot.waitUntil(lambda: "step 9" in label.text())
    assert told == []


@pytest.mark.parametrize(
    ("change", "mark"),
    [
        ({"DEAD": 0.6}, "dead"),
        ({"BROKEN": 0.1}, "NaN"),
        ({}, ""),
    ],
)
def test_that_what_should_be_looked_into_is_marked(run, change, mark):
    layers = names(run.document.graph)
    journal = RunJournal(run.path)
    journal.extend_statistics(10, sample(layers, 1, **change))
    journal.close()
    history = StatisticHistory()
    with RunStore.open(run.path) as store:
        history.update(store)
    first = present_layers(history, module_names(run.document.graph), 10).table.rows[0]
    assert (first.icon == "warning") == bool(mark)
    assert mark in first.tooltip


@pytest.mark.row("S171")
def test_that_a_layer_that_only_some_steps_train_has_its_update_beside_its_weight(run):
    """In the steps of another phase a weight has no gradient and no update."""
    layers = names(run.document.graph)
    journal = RunJournal(run.path)
    for step in (10, 11, 12, 13):
        numbers = sample(layers, step)
        kept = [
            row
            for row, (kind, name) in enumerate(numbers.keys)
            if step % 2 == 0
            or not name.startswith(layers[0])
            or kind not in (Kind.GRADIENT, Kind.UPDATE)
        ]
        keys = tuple(numbers.keys[row] for row in kept)
        found = Sample(keys, numbers.numbers[kept], numbers.counts[kept])
        journal.extend_statistics(step, found)
    journal.close()
    history = StatisticHistory()
    with RunStore.open(run.path) as store:
        history.update(store)
    table = present_layers(history, module_names(run.document.graph), 13).table
    at = next(index for index, each in enumerate(table.columns) if each.key == "ratio")
    first = next(each for each in table.rows if each.id == layers[0])
    assert first.cells[at].value == pytest.approx(0.001)
