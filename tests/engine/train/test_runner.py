import math
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from engine.api import evaluate
from engine.diagnostics import sentence
from engine.events import (
    EpochDone,
    FreeCache,
    Pause,
    Resume,
    RunEnded,
    RunEvent,
    SetValue,
    StateChanged,
    Step,
    Stop,
)
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import RunStore
from engine.spec.run import CheckpointSpec, Choice, ClipSpec, DataSpec, SplitSpec
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.worker import run_in_thread
from tests.tiny_run import (
    CROSS_ENTROPY,
    PATIENCE_S,
    RANDOM_LAYERS,
    chain,
    curves,
    iris_graph,
    make_run,
    node,
    train,
    weights,
)

LONG = 100_000


def events_of(run: RunFolder) -> list[RunEvent]:
    with RunStore.open(run.path) as store:
        return [stored.event for stored in store.events()]


def wait(run: RunFolder, is_so: Callable[[RunState], bool]) -> RunState:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so(state := read_state(run)):
        assert time.monotonic() < deadline, state
        time.sleep(0.01)
    return state


def status_is(status: RunStatus) -> Callable[[RunState], bool]:
    return lambda state: state.status is status


def test_that_a_run_tells_its_story_in_order(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    state = train(run)
    kinds = [type(event).__name__ for event in events_of(run)]
    assert kinds[0] == "RunStarted"
    assert kinds[-1] == "RunEnded"
    assert kinds.count("EpochDone") == 3
    assert (state.status, state.step, state.epoch) == (RunStatus.FINISHED, 12, 3)
    assert {"train.loss", "train.accuracy", "validation.loss", "validation.accuracy"} <= (
        state.metrics.keys()
    )
    told = curves(run)
    assert told["train.loss"][0] == list(range(1, 13))
    assert told["validation.loss"][0] == [4, 8, 12]
    assert told["test.accuracy"][0] == [12]


def test_that_the_told_test_metrics_are_those_of_the_last_checkpoint(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    state = train(run)
    measured = evaluate(run.path, "last", "test").metrics
    assert measured == {name: state.metrics[name] for name in measured}
    assert measured.keys() == {"test.loss", "test.accuracy"}


def test_that_accuracy_is_the_share_of_samples_that_are_right(tmp_path: Path) -> None:
    from engine.data.load.load import load_data
    from engine.model.module import to_module

    run = make_run(tmp_path)
    state = train(run)
    model = to_module(run.document.graph)
    model.load_state_dict(open_checkpoint(run, "last").model)
    part = load_data(run.document.spec.data).tensors("test")
    guess = model.eval()(part["features"]).argmax(1)
    share = float((guess == part["label"]).double().mean())
    assert state.metrics["test.accuracy"] == pytest.approx(share)


def test_that_commands_move_the_run_through_legal_states(tmp_path: Path) -> None:
    run = make_run(tmp_path, epochs=LONG)
    thread = run_in_thread(Launch(folder=str(run.path)))
    run.send(Pause())
    paused = wait(run, status_is(RunStatus.PAUSED))
    time.sleep(0.1)
    assert read_state(run).step == paused.step, "a paused run stands still"
    run.send(Step(count=3))
    wait(run, lambda state: state.status is RunStatus.PAUSED and state.step == paused.step + 3)
    run.send(Resume())
    wait(run, lambda state: state.step > paused.step + 20)
    run.send(Stop())
    assert thread.join(PATIENCE_S)
    events = events_of(run)
    states = [event.state for event in events if isinstance(event, StateChanged)]
    assert states == ["paused", "running"] * 2
    assert sum(isinstance(event, RunEnded) for event in events) == 1
    assert read_state(run).status is RunStatus.STOPPED


def test_that_stopping_a_paused_run_emits_exactly_one_run_ended(tmp_path: Path) -> None:
    run = make_run(tmp_path, epochs=LONG)
    run.send(Pause())
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait(run, status_is(RunStatus.PAUSED))
    run.send(Stop())
    assert thread.join(PATIENCE_S)
    events = events_of(run)
    assert isinstance(events[-1], RunEnded)
    assert sum(isinstance(event, RunEnded) for event in events) == 1


@pytest.mark.fault("F14")
def test_that_twenty_stops_at_random_moments_end_the_run(tmp_path: Path) -> None:
    stop_again_and_again(tmp_path, 20)


@pytest.mark.nightly
@pytest.mark.fault("F14")
@pytest.mark.timeout(900)
def test_that_two_hundred_stops_end_the_run(tmp_path: Path) -> None:
    stop_again_and_again(tmp_path, 200)


def stop_again_and_again(tmp_path: Path, stops: int) -> None:
    chance = random.Random(stops)
    run = make_run(tmp_path, epochs=LONG, checkpoint=CheckpointSpec(every_steps=5))
    resume = ""
    for number in range(stops):
        before = read_state(run).step
        thread = run_in_thread(Launch(folder=str(run.path), resume=resume))
        if number % 3 == 2:  # the others may come before its first step
            wait(run, lambda state, before=before: state.step > before)
        time.sleep(chance.uniform(0, 0.12))
        if number % 2:
            run.send(Stop())
        else:
            thread.stop()
        assert thread.join(PATIENCE_S)
        assert not run.is_alive()
        resume = "latest"
    events = events_of(run)
    assert sum(isinstance(event, RunEnded) for event in events) == stops
    assert all(event.reason == "stopped" for event in events if isinstance(event, RunEnded))
    steps = curves(run)["train.loss"][0]
    assert steps == list(range(1, len(steps) + 1)), "no step twice, none left out"


@pytest.mark.fault("F15")
def test_that_fifty_pauses_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.train.runner._POLL_S", 0.002)
    unbroken = make_run(tmp_path, epochs=20)
    train(unbroken)
    run = make_run(tmp_path, epochs=20)
    run.send(Pause())
    thread = run_in_thread(Launch(folder=str(run.path)))
    for step in range(50):
        wait(run, lambda state, n=step: state.status is RunStatus.PAUSED and state.step == n)
        run.send(Step(count=1))
    wait(run, lambda state: state.status is RunStatus.PAUSED and state.step == 50)
    run.send(Resume())
    assert thread.join(PATIENCE_S)
    assert curves(run) == curves(unbroken)
    assert weights(run) == weights(unbroken)


@pytest.mark.row("S223")
def test_that_the_learning_rate_changes_at_once_and_is_kept(tmp_path: Path) -> None:
    run = make_run(tmp_path, epochs=LONG)
    run.send(Step(count=6))
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait(run, lambda state: state.status is RunStatus.PAUSED and state.step == 6)
    run.send(SetValue(name="optimizer.lr", value=0.125))
    state = wait(run, lambda state: bool(state.knobs))
    assert (state.knobs[0].step, state.knobs[0].value) == (6, 0.125)
    run.send(Step(count=1))
    wait(run, lambda state: state.step == 7 and state.status is RunStatus.PAUSED)
    with RunStore.open(run.path) as store:
        rates = store.scalars("lr")
    assert (rates.steps[-1], rates.values[-1]) == (7, 0.125)
    thread.stop()
    assert thread.join(PATIENCE_S)
    groups = open_checkpoint(run, "last").optimizer["param_groups"]
    assert groups[0]["lr"] == 0.125


def test_that_a_run_can_be_made_longer_while_it_goes_on(tmp_path: Path) -> None:
    run = make_run(tmp_path, epochs=2)
    run.send(Step(count=2))
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait(run, status_is(RunStatus.PAUSED))
    run.send(SetValue(name="epochs", value=4))
    run.send(Resume())
    assert thread.join(PATIENCE_S)
    state = read_state(run)
    assert (state.epochs, state.epoch, state.step) == (4, 4, 16)


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("optimizer.lr", -1, "C004"),
        ("optimizer.lr", 0, "C004"),
        ("epochs", 0.5, "R130"),
        ("epochs", 0, "R130"),
        ("seed", 3, "R472"),
    ],
)
def test_that_a_senseless_value_is_told_and_changes_nothing(
    tmp_path: Path, name: str, value: float, code: str
) -> None:
    unbroken = make_run(tmp_path)
    train(unbroken)
    run = make_run(tmp_path)
    run.send(SetValue(name=name, value=value))
    state = train(run)
    assert [problem.code for problem in state.warnings] == [code]
    assert curves(run) == curves(unbroken)


@pytest.mark.row("S371", "S187", "S246")
def test_that_every_nth_checkpoint_the_last_and_the_best_are_kept(tmp_path: Path) -> None:
    policy = CheckpointSpec(every_steps=3, keep_last=3)
    run = make_run(tmp_path, epochs=10, checkpoint=policy)
    state = train(run)
    files = {path.name for path in run.checkpoints.iterdir()}
    assert files == {info.file for info in state.checkpoints}
    assert [info.step for info in state.checkpoints][-1] == 40
    assert state.best is not None
    losses = [
        event.metrics["validation.loss"] for event in events_of(run) if isinstance(event, EpochDone)
    ]
    assert state.best.metrics["validation.loss"] == min(losses)
    assert len(files) <= 4
    for info in state.checkpoints:
        assert open_checkpoint(run, info.file).position.step == info.step


def test_that_gradients_are_clipped_and_their_norm_told(tmp_path: Path) -> None:
    run = make_run(tmp_path, clip=ClipSpec(kind="norm", limit=1e-9), metrics=())
    train(run)
    assert curves(run)["train.grad_norm"][0] == list(range(1, 13))
    assert "train.accuracy" not in curves(run)


@pytest.mark.fault("F11")
@pytest.mark.parametrize(
    "optimizer", [Choice(type="SGD", params={"lr": 1e30}), Choice(type="LBFGS")], ids=str
)
def test_that_a_loss_that_is_not_finite_stops_the_run_with_the_step(
    tmp_path: Path, optimizer: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    if optimizer.type == "LBFGS":
        spoil_forward(monkeypatch, torch.nn.ReLU, call=60)
    run = make_run(tmp_path, iris_graph(*RANDOM_LAYERS[1:]), epochs=50, optimizer=optimizer)
    state = train(run)
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert state.problem.code in ("R132", "R133", "R134")
    assert state.problem.params["step"] == state.step + 1
    assert state.last is not None
    for info in state.checkpoints:
        weights = open_checkpoint(run, info.file).model.values()
        assert all(torch.isfinite(value).all() for value in weights)


@pytest.mark.fault("F11")
def test_that_weights_that_are_not_finite_after_a_finite_loss_are_told_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoil(optimizer: torch.optim.SGD, closure: object = None) -> None:
        optimizer.param_groups[0]["params"][-1].data.fill_(math.inf)

    monkeypatch.setattr(torch.optim.SGD, "step", spoil)
    data = DataSpec(source=Choice(type="iris"), batch_size=1000)
    state = train(make_run(tmp_path, data=data, epochs=1, optimizer=Choice(type="SGD")))
    assert state.problem is not None
    assert (state.problem.code, state.problem.node) == ("R215", "head")
    assert state.problem.params == {"step": 1, "weight": "head.bias"}
    assert "first “head.bias”" in sentence(state.problem)


def spoil_forward(monkeypatch: pytest.MonkeyPatch, layer: type, call: int) -> None:
    """Make the output of a kind of layer NaN from its n-th call on."""
    forward, calls = layer.forward, iter(range(1, 1 << 30))

    def spoiled(self: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
        if x.is_meta:  # shapes are found out before the run
            return forward(self, x)
        return forward(self, x) * (math.nan if next(calls) >= call else 1.0)

    monkeypatch.setattr(layer, "forward", spoiled)


@pytest.mark.fault("F11")
def test_that_the_first_layer_with_a_bad_output_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil_forward(monkeypatch, torch.nn.ReLU, call=3)
    run = make_run(tmp_path)
    state = train(run)
    assert state.problem is not None
    assert (state.problem.code, state.problem.node) == ("R133", "act")
    assert (state.problem.params["step"], state.step) == (3, 2)
    monkeypatch.undo()
    assert train(run, "latest").status is RunStatus.FINISHED


@pytest.mark.fault("F11")
def test_that_an_operation_is_named_that_gives_the_first_bad_value(tmp_path: Path) -> None:
    state = train(make_run(tmp_path, iris_graph(node("neg", "minus"), node("log", "curve"))))
    assert state.problem is not None
    assert (state.problem.code, state.problem.node) == ("R133", "curve")


@pytest.mark.fault("F12")
def test_that_an_error_in_a_layer_names_its_node_and_keeps_what_was_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward, calls = torch.nn.ReLU.forward, iter(range(1, 1 << 30))

    def failing(self: torch.nn.ReLU, x: torch.Tensor) -> torch.Tensor:
        if not x.is_meta and next(calls) == 10:
            raise RuntimeError("the layer broke")
        return forward(self, x)

    monkeypatch.setattr(torch.nn.ReLU, "forward", failing)
    run = make_run(tmp_path, iris_graph())
    state = train(run)
    assert state.problem is not None
    assert (state.status, state.problem.code) == (RunStatus.FAILED, "R137")
    assert (state.problem.node, state.problem.detail) == ("act", "the layer broke")
    assert "the layer broke" in run.log_path.read_text()
    assert state.last is not None
    assert (state.last.tags, state.last.step) == (("error",), state.step)
    assert train(run, "latest").status is RunStatus.FINISHED


def test_that_too_many_classes_end_the_run_in_words(tmp_path: Path) -> None:
    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "head", out_features=2),
        node("Output", "logits"),
    )
    state = train(make_run(tmp_path, graph))
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert "out of bounds" in state.problem.detail


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"device": "cuda:7"}, "R111"),
        ({"device": "toaster"}, "R112"),
        ({"losses": ()}, "R113"),
        ({"losses": (CROSS_ENTROPY.__class__(loss=Choice(type="os.system")),)}, "R110"),
        ({"optimizer": Choice(type="Muon")}, "R116"),
        ({"optimizer": Choice(type="Adam", params={"lr": -1.0})}, "R117"),
        ({"optimizer": Choice(type="__import__")}, "R110"),
        ({"scheduler": Choice(type="OneCycleLR", params={"max_lr": 1, "pct_start": 7})}, "R118"),
        ({"metrics": ("r2",)}, "R119"),
        (
            {"data": DataSpec(source=Choice(type="iris"), batch_size=200, drop_last=True)},
            "R122",
        ),
    ],
)
def test_that_what_cannot_be_built_is_told(
    tmp_path: Path, changes: dict[str, object], code: str
) -> None:
    state = train(make_run(tmp_path, **changes))
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert state.problem.code == code


def test_that_a_model_without_parameters_is_told(tmp_path: Path) -> None:
    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("ReLU", "act"),
        node("Output", "logits"),
    )
    state = train(make_run(tmp_path, graph))
    assert state.problem is not None
    assert state.problem.code == "R115"


def test_that_a_graph_with_a_mistake_is_told_at_its_node(tmp_path: Path) -> None:
    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "head", in_features=5, out_features=3),
        node("Output", "logits"),
    )
    state = train(make_run(tmp_path, graph))
    assert state.status is RunStatus.FAILED
    assert state.problem is not None


def test_that_a_run_without_validation_and_test_goes_by_its_training_loss(tmp_path: Path) -> None:
    data = DataSpec(
        source=Choice(type="iris"), split=SplitSpec(train=1.0, validation=0.0, test=0.0)
    )
    state = train(make_run(tmp_path, data=data))
    assert state.status is RunStatus.FINISHED, state.problem
    assert state.best is not None
    assert not any(name.startswith(("validation", "test")) for name in state.metrics)


def test_that_a_run_in_a_thread_leaves_the_process_as_it_was(tmp_path: Path) -> None:
    torch.manual_seed(77)
    before = torch.get_rng_state()
    threads, deterministic = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    train(make_run(tmp_path))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == threads
    assert torch.are_deterministic_algorithms_enabled() == deterministic


@pytest.mark.row("S253")
def test_that_a_run_gives_memory_of_gpus_back_and_tells_how_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserved = [8 << 20]
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda _: reserved[0])
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: reserved.__setitem__(0, 3 << 20))
    run = make_run(tmp_path, epochs=1)
    run.send(FreeCache())
    told = train(run).warnings
    assert [(each.code, each.severity, each.params["freed"]) for each in told] == [
        ("R214", "hint", 5)
    ]
