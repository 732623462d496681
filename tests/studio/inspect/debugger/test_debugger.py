"""The page of the debugger and its signs on the canvas, with a run that is played."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from engine.diagnostics import Diagnostic, Severity
from engine.events import (
    Breakpoint,
    DebugContinue,
    DebugStep,
    DebugStopped,
    DebugValue,
    ReadTensor,
    RunStarted,
    SetBreakpoints,
    StateChanged,
    TensorRead,
    Warned,
    WriteTensor,
)
from engine.graph.model import Graph
from engine.project import Project
from engine.project.breakpoint_file import write_breakpoints
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.record.journal import RunJournal
from engine.runs.record.store import StoredEvent
from studio.inspect.debugger.page import DebuggerPage
from studio.inspect.debugger.presenter import breakpoint_of, stop_text
from studio.log.presenter import present_events
from tests.tiny_gan import gan_graph, gan_spec

VALUES = (
    DebugValue(key="x", kind="variable", shape=(2, 2), dtype="float32", mean=0.5, bad=1),
    DebugValue(key="loss[0]", kind="loss", shape=(), dtype="float32", mean=0.1),
)


def tell(run: RunFolder, *events) -> None:
    journal = RunJournal(run.path)
    for event in events:
        journal.append(event)
    journal.commit()
    journal.close()


class Stage:
    """The page in front and a run that the test plays."""

    def __init__(self, opened, page: DebuggerPage, run: RunFolder, qtbot) -> None:
        self.opened, self.page, self.run, self.qtbot = opened, page, run, qtbot
        self.commands = CommandReader(run.commands_path)
        self.canvas = opened.bench.model_page.canvas

    def asked(self) -> list:
        return self.commands.poll()

    def stand(self, place: str = "") -> None:
        stop = DebugStopped(
            step=4, phase="forward", reason="layer", place=place, line=7, values=VALUES
        )
        tell(self.run, StateChanged(state="paused", step=3), stop)
        self.qtbot.waitUntil(lambda: bool(self.page.where.text()))

    def press(self, button) -> None:
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.fixture
def stage(opened, qtbot, monkeypatch) -> Stage:
    monkeypatch.setattr("studio.run_control.controller.RunController.is_running", True)
    session = opened.session
    run = RunFolder.create(session.project.path, session.graph, session.spec, "live")
    tell(run, RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=3, parameters=5))
    opened.bench.actions.action("action.inspect.debugger").trigger()
    page = opened.window.findChild(DebuggerPage)
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: session.run is not None)
    return Stage(opened, page, run, qtbot)


def layer(graph: Graph) -> str:
    return next(node.id for node in graph.nodes.values() if node.type == "Linear")


@pytest.mark.row("N06")
def test_that_f9_sets_a_breakpoint_at_the_selected_node_and_takes_it_away(stage):
    opened = stage.opened
    place = layer(opened.session.graph)
    opened.window.show_workspace("model")
    stage.canvas.select((place,))
    action = opened.bench.actions.action("action.run.debug_breakpoint")
    assert action.shortcut().toString() == "F9"
    action.trigger()
    assert stage.canvas.look.stops == {place}
    point = Breakpoint(kind="layer", place=place)
    assert SetBreakpoints(breakpoints=(point,)) in stage.asked()
    assert stage.page.points.model.rowCount() == 1
    action.trigger()
    assert not stage.canvas.look.stops
    assert SetBreakpoints(breakpoints=()) in stage.asked()


@pytest.mark.row("N06")
def test_that_the_canvas_follows_a_run_into_a_block(stage, qtbot):
    session = stage.opened.session
    session.change(gan_graph(), gan_spec(), "take a GAN")
    stage.stand("generator/hidden")
    qtbot.waitUntil(lambda: session.path == ("generator",))
    qtbot.waitUntil(lambda: stage.canvas.selected_nodes() == ("hidden",))
    stage.stand("again/out")
    qtbot.waitUntil(lambda: session.path == ("again",))
    qtbot.waitUntil(lambda: stage.canvas.selected_nodes() == ("out",))


@pytest.mark.row("N06")
def test_that_a_breakpoint_is_marked_though_nobody_looked_at_inspect(built):
    place = layer(built.session.graph)
    canvas = built.bench.model_page.canvas
    canvas.select((place,))
    built.bench.actions.action("action.run.debug_breakpoint").trigger()
    assert canvas.look.stops == {place}


@pytest.mark.row("N06")
def test_that_where_the_run_stands_is_lit_and_its_tensors_are_shown_and_changed(stage, qtbot):
    place = layer(stage.opened.session.graph)
    assert stage.page.empty.isVisible()
    stage.stand(place)
    page = stage.page
    assert page.where.text() == f"Step 4, forward: before {place} (line 7)"
    assert stage.canvas.look.standing == {place}
    qtbot.waitUntil(lambda: stage.canvas.selected_nodes() == (place,))
    page.tensors.select_ids(["x"])
    assert ReadTensor(key="x") in stage.asked()
    tell(stage.run, TensorRead(step=4, key="x", start=0, values=(1.0, 2.5, "nan", -3.0)))
    qtbot.waitUntil(lambda: page.values.model.rowCount() == 4)
    rows = [row.cells for row in page.values.model.table.rows]
    assert rows[1:3] == [("[0, 1]", "2.5"), ("[1, 0]", "nan")]
    assert page.target.text() == "All of x ="
    page.values.select_ids(["2"])
    assert page.target.text() == "x[1, 0] ="
    qtbot.keyClicks(page.expression, "0.5")
    stage.press(page.set)
    assert WriteTensor(key="x", expression="0.5", at=2) in stage.asked()
    page.tensors.select_ids(["loss[0]"])
    assert not page.set.isEnabled()


def test_that_the_numbers_of_the_next_place_are_not_cut_off(stage, qtbot):
    stage.stand()
    table = stage.page.tensors.table
    qtbot.waitUntil(lambda: stage.page.tensors.model.rowCount() > 0)
    small = -0.000276123  # six digits of it are wider than 0.5
    values = (replace(VALUES[0], mean=small, std=small, minimum=small, maximum=small),)
    tell(stage.run, DebugStopped(step=5, phase="forward", reason="step", values=values))
    qtbot.waitUntil(lambda: "Step 5" in stage.page.where.text())
    widths = [table.columnWidth(column) for column in range(4, 8)]
    assert all(width >= table.sizeHintForColumn(4) for width in widths)


@pytest.mark.row("N06")
def test_that_the_values_of_a_large_tensor_are_shown_from_any_index_on(stage, qtbot):
    page = stage.page
    value = DebugValue(key="ids", kind="variable", shape=(3, 200), dtype="int64")
    stop = DebugStopped(step=4, phase="forward", reason="layer", values=(value,))
    tell(stage.run, StateChanged(state="paused", step=3), stop)
    qtbot.waitUntil(lambda: bool(page.where.text()))
    page.tensors.select_ids(["ids"])
    first = tuple(map(float, range(256)))
    tell(stage.run, TensorRead(step=4, key="ids", start=0, values=first))
    qtbot.waitUntil(lambda: page.values.model.rowCount() == 256)
    assert page.span.text() == "Values 1 to 256 of 600, from"
    page.first.setText("5")
    qtbot.keyClick(page.first, Qt.Key.Key_Return)
    assert "3×200" in page.wrong.text()
    page.first.setText("[-1, 40]")
    qtbot.keyClick(page.first, Qt.Key.Key_Return)
    assert stage.asked()[-1] == ReadTensor(key="ids", start=440)
    assert page.wrong.isHidden()
    tell(stage.run, TensorRead(step=4, key="ids", start=440, values=(123456.0, 0.1)))
    qtbot.waitUntil(lambda: page.values.model.rowCount() == 2)
    rows = [row.cells for row in page.values.model.table.rows]
    assert rows == [("[2, 40]", "123456"), ("[2, 41]", "0.1")]
    page.values.select_ids(["441"])
    page.expression.setText("7")
    stage.press(page.set)
    asked = WriteTensor(key="ids", expression="7", at=441), ReadTensor(key="ids", start=440)
    assert tuple(stage.asked()) == asked


@pytest.mark.row("N06")
def test_that_a_value_that_is_refused_is_told_at_its_field_and_in_no_notice(stage, qtbot):
    stage.stand()
    page, notifications = stage.page, stage.opened.notifications
    page.tensors.select_ids(["x"])
    problem = Diagnostic(
        code="A010",
        severity=Severity.WARNING,
        params={"expression": "x * foo", "reason": "foo is not known"},
    )
    tell(stage.run, Warned(problem=problem, step=2))  # of an earlier session: its record is read
    qtbot.waitUntil(lambda: any("foo is not known" in line.text for line in notifications.lines))
    assert page.wrong.isHidden()
    qtbot.keyClicks(page.expression, "x * foo")
    stage.press(page.set)
    tell(stage.run, Warned(problem=problem, step=3))
    qtbot.waitUntil(lambda: "foo is not known" in page.wrong.text())
    assert page.wrong.isVisible()
    said = [line.source for line in notifications.lines if "foo is not known" in line.text]
    assert set(said) <= {"run"}
    page.expression.setText("x * 2")
    stage.press(page.set)
    assert page.wrong.isHidden()


@pytest.mark.row("N06")
def test_that_a_breakpoint_at_a_function_that_is_not_there_is_told_at_its_field(stage, qtbot):
    page = stage.page
    choose(page, "function")
    params = {"step": 2, "function": "AddBackward", "functions": "AddBackward0"}
    problem = Diagnostic(code="A016", severity=Severity.WARNING, params=params)
    tell(stage.run, Warned(problem=problem, step=2))  # of a breakpoint that was there once
    stage.stand()
    assert page.problem.isHidden()
    qtbot.keyClicks(page.value, "AddBackward")
    stage.press(page.add)
    tell(stage.run, Warned(problem=problem, step=3))
    qtbot.waitUntil(lambda: "AddBackward0" in page.problem.text())
    assert page.points.model.rowCount() == 1


def test_that_the_log_tells_where_a_run_stands_in_words(opened):
    stops = {
        "forward": DebugStopped(
            step=4, phase="forward", reason="layer", place="n1", layer="conv1", line=7
        ),
        "loss": DebugStopped(step=4, phase="loss", reason="step"),
    }
    lines = present_events([StoredEvent(1, each) for each in stops.values()], "en")
    assert [line.text for line in lines] == [
        "Step 4, forward: before conv1 (line 7)",
        "Step 4: loss computed, backward pass next",
    ]


@pytest.mark.row("N06")
def test_that_the_buttons_step_and_go_on(stage, qtbot):
    stage.stand()
    for name in ("layer", "function", "optimizer", "batch", "epoch"):
        stage.press(stage.page.steps[name])
        assert DebugStep(over=name) in stage.asked()
    stage.press(stage.page.steps["continue"])
    assert DebugContinue() in stage.asked()
    tell(stage.run, StateChanged(state="running", step=3))
    qtbot.waitUntil(stage.page.empty.isVisible)
    assert not stage.canvas.look.standing


def test_that_breakpoints_are_added_switched_off_and_removed_on_the_page(stage, qtbot):
    page = stage.page
    page.kind.setCurrentIndex(page.kind.findData("loss"))
    qtbot.keyClicks(page.value, "much")
    stage.press(page.add)
    assert page.points.model.rowCount() == 0
    assert "much" in page.problem.text()
    page.value.clear()
    qtbot.keyClicks(page.value, "2.5")
    stage.press(page.add)
    assert page.problem.isHidden()
    assert page.points.model.table.rows[0].cells == (True, "Loss above 2.5")
    qtbot.keyClicks(page.value, "2.5")
    stage.press(page.add)
    assert page.points.model.rowCount() == 1
    page.points.row_activated.emit("0")
    assert page.points.model.table.rows[0].cells[0] is False
    page.points.delete_requested.emit(["0"])
    assert page.points.model.rowCount() == 0


@pytest.mark.parametrize(
    ("kind", "text", "fits"),
    [
        ("step", "10", True),
        ("step", "0", False),
        ("step", "1.5", False),
        ("step", "inf", False),
        ("loss", "nan", False),
        ("gradient", "1e3", True),
        ("function", "AddmmBackward0", True),
        ("function", "a b", False),
        ("condition", "loss > 3", True),
        ("condition", " ", False),
        ("not_finite", "", True),
        ("unknown", "1", False),
    ],
)
def test_that_only_a_value_that_fits_makes_a_breakpoint(kind: str, text: str, fits: bool) -> None:
    assert (breakpoint_of(kind, text) is not None) is fits


def choose(page: DebuggerPage, kind: str) -> None:
    page.kind.setCurrentIndex(page.kind.findData(kind))


@pytest.mark.row("N06")
def test_that_a_breakpoint_gets_a_condition_and_a_wrong_one_is_told_at_its_place(stage, qtbot):
    page = stage.page
    assert not page.condition.isEnabled()
    choose(page, "not_finite")
    stage.press(page.add)
    page.points.select_ids(["0"])
    qtbot.keyClicks(page.condition, "loss >")
    qtbot.keyClick(page.condition, Qt.Key.Key_Return)
    assert "loss >" in page.problem.text()
    assert page.problem.isVisible()
    qtbot.keyClicks(page.condition, " 3")
    qtbot.keyClick(page.condition, Qt.Key.Key_Return)
    assert page.problem.isHidden()
    point = Breakpoint(kind="not_finite", condition="loss > 3")
    assert stage.asked()[-1] == SetBreakpoints(breakpoints=(point,))
    assert str(page.points.model.table.rows[0].cells[1]).endswith(" if loss > 3")
    choose(page, "condition")
    qtbot.keyClicks(page.value, "weight > 3")
    stage.press(page.add)
    assert "weight" in page.problem.text()
    assert page.points.model.rowCount() == 1


@pytest.mark.row("N06")
def test_that_breakpoints_stay_with_the_project_and_are_set_when_it_is_opened_again(stage, qtbot):
    opened, page = stage.opened, stage.page
    path = opened.session.project.path
    choose(page, "condition")
    qtbot.keyClicks(page.value, "step == 7")
    stage.press(page.add)
    file = path / ".trellis" / "breakpoints.json"
    qtbot.waitUntil(file.exists)
    assert "step == 7" in file.read_text()
    assert "step == 7" not in (path / "project.json").read_text()
    kept = (Breakpoint(kind="layer", place=layer(opened.session.graph), is_on=False),)
    other = Project.create(path.parent / "other", "digits-mlp")
    write_breakpoints(other.state_folder, kept)
    opened.show(other.path)
    qtbot.waitUntil(lambda: opened.services.debugging.points == kept)
    assert page.points.model.table.rows[0].is_muted


def test_that_the_menu_of_the_list_switches_and_removes(stage, qtbot):
    page = stage.page
    choose(page, "not_finite")
    stage.press(page.add)
    for name, count in (("switch", 1), ("remove", 0)):
        page.points.menu_requested.emit(["0"], page.mapToGlobal(page.rect().center()))
        menu = page.findChild(QMenu, "debugger.points.menu")
        menu.findChild(QAction, f"debugger.points.{name}").trigger()
        assert page.points.model.rowCount() == count
        assert not any(point.is_on for point in stage.opened.services.debugging.points)
        menu.close()
        qtbot.waitUntil(lambda: page.findChild(QMenu, "debugger.points.menu") is None)


def test_that_each_phase_is_told_in_a_sentence() -> None:
    told = {
        phase: stop_text(
            DebugStopped(step=1, phase=phase, reason="step", function="AddmmBackward0"), Graph()
        )
        for phase in ("loss", "backward", "gradients", "updated")
    }
    assert told["backward"] == "Step 1, backward: before AddmmBackward0"
    leaf = DebugStopped(
        step=1, phase="backward", reason="step", layer="n1", parameter="n1.bias", function="Leaf"
    )
    assert stop_text(leaf, Graph()) == "Step 1, backward: before Leaf of n1.bias"
    bad = DebugValue(key="log", kind="variable", shape=(2,), dtype="float32", bad=1)
    stop = DebugStopped(step=1, phase="loss", reason="not_finite", values=(VALUES[1], bad))
    assert stop_text(stop, Graph()).endswith("next. log contains NaN or infinite values")
    assert len(set(told.values())) == 4
    for reason, words in (("gradient", "norm"), ("loss", "loss exceeds"), ("condition", "true")):
        large = DebugStopped(step=1, phase="gradients", reason=reason)
        assert stop_text(large, Graph()).startswith("Step 1: gradients computed")
        assert words in stop_text(large, Graph()).split(". ")[1]
