"""Edits while a run trains: with the switch on they reach it, an undo sends the value back."""

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QCheckBox

from engine.events import SetValue
from engine.graph.edit.edits import SetParam, apply
from engine.graph.model import Graph
from engine.graph.node_state.freezing import FreezeNodes
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.record.state import KnobMark, RunState, RunStatus
from engine.spec.fields import set_value
from engine.spec.live_edits import LiveEdit, edits_of_layers, edits_of_spec
from engine.spec.run import Choice, ParameterGroup, RunSpec
from studio.session.run_follower import RunUpdate
from studio.view.curve import present_marks
from tests.studio.played_run import follow
from tests.tiny_run import RANDOM_LAYERS, iris_graph, iris_spec
from widgets.forms.form import FormWidget


def edits(old: RunSpec, new: RunSpec, running: RunSpec | None = None) -> list[LiveEdit]:
    return list(edits_of_spec(old, new, running or old))


def test_that_settings_that_can_change_are_told_and_others_are_not() -> None:
    spec = iris_spec()
    assert edits(spec, set_value(spec, "optimizer.lr", 0.5)) == [("optimizer.lr", 0.5)]
    betas = set_value(spec, "optimizer.betas", (0.5, 0.9))
    assert edits(spec, betas) == [("optimizer.betas", (0.5, 0.9))]
    assert edits(spec, set_value(spec, "early_stopping.patience", 3)) == [
        ("early_stopping.patience", 3.0)
    ]
    assert edits(spec, set_value(spec, "data.batch_size", 8)) == []
    assert edits(spec, set_value(spec, "losses.0.weight", 2.0)) == [("losses.0.weight", 2.0)]
    assert edits(spec, set_value(spec, "losses.0.loss.weight", (1.0, 2.0, 1.0))) == []
    assert edits(spec, replace(spec, optimizer=Choice(type="SGD", params={"lr": 0.5}))) == []


def test_that_a_rate_for_another_optimizer_is_none_of_the_run() -> None:
    running = iris_spec()
    old = replace(running, optimizer=Choice(type="SGD", params={"lr": 0.1}))
    assert edits(old, set_value(old, "optimizer.lr", 0.5), running) == []


def test_that_the_group_of_other_parameters_is_none_of_the_run() -> None:
    running = iris_spec(groups=(ParameterGroup(match="head", params={"lr": 0.1}),))
    old = replace(running, groups=(ParameterGroup(match="hidden", params={"lr": 0.1}),))
    assert edits(old, set_value(old, "groups.0.lr", 0.5), running) == []
    changed = set_value(running, "groups.0.lr", 0.5)
    assert edits(running, changed) == [("groups.0.lr", 0.5)]


def layers(graph: Graph, edit: SetParam | FreezeNodes) -> list[LiveEdit]:
    return list(edits_of_layers(graph, apply(edit, graph)))


def test_that_dropout_and_freezing_are_told_by_the_name_of_the_layer() -> None:
    graph = iris_graph(*RANDOM_LAYERS)
    assert layers(graph, SetParam(id="drop", name="p", value=0.7)) == [("model.drop.p", 0.7)]
    assert layers(graph, FreezeNodes(ids=("head",))) == [("model.head.frozen", True)]
    assert layers(graph, SetParam(id="hidden", name="out_features", value=9)) == []


@pytest.mark.row("N08")
def test_that_the_mark_says_what_was_changed(qapp) -> None:
    marks = (
        KnobMark(step=1, name="optimizer.lr", value=0.01, before=0.1),
        KnobMark(step=2, name="model.drop.p", value=0.7, before=0.3),
        KnobMark(step=3, name="model.hidden.frozen", value=True, before=False, origin="replay"),
        KnobMark(step=4, name="epochs", value=9.0),
    )
    shown = present_marks(RunState(knobs=marks), iris_spec())
    assert [mark.text for mark in shown] == [
        "Learning rate: 0.1 → 0.01",
        "drop: dropout: 0.3 → 0.7",
        "hidden: frozen: false → true (repeated)",
        "Epochs = 9.0",
    ]


@pytest.mark.row("N08")
@pytest.mark.usefixtures("qapp")
def test_that_edits_reach_the_run_while_the_switch_is_on(opened, qtbot) -> None:
    session, bench = opened.session, opened.bench
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    opened.window.show_workspace("train")
    state = RunState(status=RunStatus.RUNNING, steps_per_epoch=4, epochs=9)
    follow(opened, folder).tell(RunUpdate(folder=folder, state=state, curves={}, starts=1))
    switch = opened.window.findChild(QCheckBox, "train.live.edits")
    qtbot.waitUntil(switch.isVisible)
    commands = CommandReader(folder.commands_path)
    before = session.spec
    opened.services.editor.set("optimizer.lr", "0.5")
    assert commands.poll() == [], "an edit is for the next run unless it is switched on"
    switch.click()
    form = opened.window.findChild(FormWidget, "train.form")
    qtbot.waitUntil(lambda: "applies now" in _texts(form))
    session.seal()
    opened.services.editor.set("optimizer.lr", "0.25")
    assert commands.poll() == [SetValue(name="optimizer.lr", value=0.25)]
    bench.actions.trigger("action.edit.undo")
    assert commands.poll() == [SetValue(name="optimizer.lr", value=0.5)]
    assert session.spec != before
    ended = replace(state, status=RunStatus.FINISHED)
    session.follow(RunUpdate(folder=folder, state=ended, curves={}, starts=1))
    qtbot.waitUntil(lambda: not switch.isVisible())
    assert not switch.isChecked(), "the next run is asked about anew"
    opened.services.editor.set("optimizer.lr", "0.125")
    assert commands.poll() == []


def _texts(form: FormWidget) -> str:
    from PySide6.QtWidgets import QLabel

    return " ".join(label.text() for label in form.findChildren(QLabel))
