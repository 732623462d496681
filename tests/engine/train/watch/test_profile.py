"""A run profiles its steps: times and operations of each node, operators, a trace."""

import json
from types import SimpleNamespace

import pytest

from engine.events import ProfileSteps
from engine.inspect.node_path import NodePaths
from engine.model.module import to_module
from engine.model.source import generate_whole
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState
from engine.train.loop import train_epoch
from engine.train.report import Clock
from engine.train.training import build_training
from engine.train.watch.profile_watcher import ProfileWatcher
from tests.tiny_run import RANDOM_LAYERS, curves, iris_graph, iris_spec, make_run, node, train

MIDDLE = (*RANDOM_LAYERS, node("tanh", "squash"))  # an operator is no module


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, RunState]:
    run = make_run(tmp_path_factory.mktemp("profiled"), iris_graph(*MIDDLE))
    run.send(ProfileSteps(count=1))
    return run, train(run)


@pytest.mark.row("N13", "P23", "S293")
def test_that_each_node_has_its_times_and_operations(
    profiled: tuple[RunFolder, RunState],
) -> None:
    run, state = profiled
    assert state.profile is not None
    assert state.profile.step == ProfileSteps(count=1).steps  # warmed up, timed, counted, traced
    report = state.profile.report
    rows = {row.place: row for row in report.rows}
    assert {"hidden", "act", "norm", "drop", "head"} <= set(rows)
    assert all(row.forward_s > 0 for place, row in rows.items() if place)
    assert rows["hidden"].backward_s > 0
    batch = run.document.spec.data.batch_size
    assert rows["hidden"].flops == 2 * batch * 4 * 8
    assert report.forward_flops == 2 * batch * (4 * 8 + 8 * 3)
    assert report.backward_flops > report.forward_flops
    assert sum(row.forward_s for row in report.rows) == pytest.approx(report.forward_s)
    assert sum(row.backward_s for row in report.rows) == pytest.approx(report.backward_s)
    assert min(report.optimizer_s, report.between_s, report.forward_s) > 0


@pytest.mark.row("S293", "P23")
def test_that_operators_and_a_trace_are_kept(profiled: tuple[RunFolder, RunState]) -> None:
    run, state = profiled
    assert state.profile is not None
    names = {row.name for row in state.profile.report.operators}
    assert "aten::addmm" in names
    trace = json.loads((run.artefacts / state.profile.file).read_bytes())
    assert {event.get("name") for event in trace["traceEvents"]} >= {"aten::addmm"}
    assert [path.suffix for path in (run.artefacts / "profile").iterdir()] == [".json"]


@pytest.mark.row("N13")
def test_that_profiling_changes_no_number(profiled: tuple[RunFolder, RunState], tmp_path) -> None:
    plain = make_run(tmp_path, iris_graph(*MIDDLE))
    train(plain)
    assert curves(profiled[0]) == curves(plain)


def test_that_time_in_which_the_run_waits_is_not_that_of_a_step(tmp_path) -> None:
    graph = iris_graph()
    training = build_training(graph, iris_spec(), to_module(graph))
    told = []
    reporter = SimpleNamespace(clock=Clock(), append=told.append)  # a clock that stands
    node_paths = NodePaths(graph, generate_whole(graph).lines)
    watcher = ProfileWatcher(training.probe, node_paths, reporter, tmp_path)
    watcher.handle(1)
    for step, _ in enumerate(train_epoch(training, 0, 0, training.new_meter()), 1):
        watcher.step_done(step)
    report = told[0].report
    assert (report.forward_s, report.backward_s, report.between_s) == (0, 0, 0)
