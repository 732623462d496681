"""What a run does that goes back to its last checkpoint after a step that is not finite."""

import copy
import math
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from engine.api import check
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch, Trace
from engine.runs.record.state import CheckpointInfo, RunState, RunStatus
from engine.runtime import resume_run
from engine.spec.run import (
    Choice,
    ComputeSpec,
    DataSpec,
    LossTerm,
    PhaseRule,
    PhaseSpec,
    RunSpec,
)
from engine.spec.technique import AccumulationSpec
from engine.train.checkpoint import file as checkpoint_file
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.devices import run_settings
from engine.train.driver import Driver
from engine.train.loop import TrainingLoop
from engine.train.rollback import Rollback, counted, to_go_back_to
from engine.train.training import Training, build_training
from engine.train.worker import run_in_thread
from tests.engine.train.test_non_finite import spoil
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import PATIENCE_S, chain, curves, iris_spec, make_run, node, train, weights

pytestmark = [pytest.mark.fault("F11"), pytest.mark.usefixtures("quick_collections")]
SMALL = DataSpec(source=Choice(type="iris"), batch_size=15)  # 7 batches in an epoch
STEPS = 7
CODER = chain(
    node("Input", "features", field="features", shape=(4,)),
    node("Linear", "inner", out_features=8),
    node("Dropout", "drop", p=0.2),
    node("Linear", "outer", out_features=4),
    node("Output", "out"),
)


OUTER = PhaseSpec(
    match="outer",
    optimizer=Choice(type="SGD", params={"lr": 0.15, "momentum": 0.8}),
    scheduler=Choice(type="ExponentialLR", params={"gamma": 0.9}),
)


def squares(weight: float = 1.0) -> tuple[LossTerm, ...]:
    inputs = {"input": "model.out", "target": "data.features"}
    return (LossTerm(loss=Choice(type="MSELoss"), inputs=inputs, weight=weight),)


def coder_spec(rate: float = 0.2, weight: float = 1.0, **changes: object) -> RunSpec:
    """Return a run whose learning rate is some times too large."""
    values: dict[str, object] = {
        "data": SMALL,
        "losses": squares(weight),
        "epochs": 4,
        "optimizer": Choice(type="SGD", params={"lr": rate, "momentum": 0.9}),
        "non_finite": "roll_back",
    }
    return iris_spec(**values | changes)


def coder_run(project: Path, graph: Graph = CODER, **changes: Any) -> RunFolder:
    return RunFolder.create(project, graph, coder_spec(**changes))


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Return a run that went back and was not stopped."""
    run = coder_run(tmp_path_factory.mktemp("unbroken"))
    assert len(train(run).warnings) > 1
    return run


def codes(state: RunState) -> list[str]:
    return [problem.code for problem in state.warnings]


def plain(spec: RunSpec) -> tuple[nn.Module, int]:
    """Train as a script would; return the model and how often it went back."""
    data = build_training(CODER, spec, model := to_module(CODER).train())
    optimizer = torch.optim.SGD(model.parameters(), **spec.optimizer.params)
    if spec.phases:  # that train in every step
        own = ((model.inner, spec.optimizer), (model.outer, spec.phases[0].optimizer))
        groups = [{"params": part.parameters(), **each.params} for part, each in own]
        optimizer = torch.optim.SGD(groups)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    scaler = torch.amp.GradScaler("cpu", enabled=spec.compute.precision == "float16")
    parts = (model, optimizer, schedule, scaler)

    def state() -> list[Any]:
        return [*copy.deepcopy([part.state_dict() for part in parts]), torch.get_rng_state()]

    epoch, backs, last, saved = 0, 0, -1, {0: (0, state())}
    while epoch < spec.epochs:
        rest, is_finite = data.epoch_batches(epoch, 0), True
        while is_finite and (group := list(islice(rest, spec.accumulation.batches))):
            optimizer.zero_grad()
            samples = sum(len(batch["features"]) for batch in group)
            for batch in group:
                with torch.autocast("cpu", torch.float16, enabled=scaler.is_enabled()):
                    out = model(batch["features"])
                loss = nn.functional.mse_loss(out.float(), batch["features"])
                is_finite = is_finite and math.isfinite(loss.item())
                share = len(batch["features"]) / samples
                scaler.scale(loss if len(group) == 1 else loss * share).backward()
            if is_finite:
                scaler.step(optimizer)
                scaler.update()
        if is_finite:
            schedule.step()
            epoch += 1
            saved[epoch] = (backs, state())
            continue
        newest = max(saved)
        epoch = last = max(e for e in saved if e < newest) if newest == last > 0 else newest
        backs, (then, states) = backs + 1, saved[epoch]
        for part, values in zip(parts, copy.deepcopy(states), strict=False):
            part.load_state_dict(values)
        torch.set_rng_state(states[-1])
        for group in optimizer.param_groups:
            group["lr"] *= 0.5 ** (backs - then)
        saved = {e: s for e, s in saved.items() if e < epoch} | {epoch: (backs, state())}
    return model, backs


@pytest.mark.parametrize(
    ("rate", "changes"),
    [
        (0.2, {}),
        (0.2, {"compute": ComputeSpec(precision="float16")}),
        (0.1, {"accumulation": AccumulationSpec(batches=3)}),
        (0.2, {"phases": (OUTER,), "phase": PhaseRule(match="inner")}),
    ],
    ids=["plain", "half", "three batches", "phases"],
)
def test_that_a_run_recovers_as_a_plain_script_does(
    tmp_path: Path, rate: float, changes: dict[str, object]
) -> None:
    schedule = Choice(type="ExponentialLR", params={"gamma": 0.9})
    run = coder_run(tmp_path, rate=rate, scheduler=schedule, **changes)
    state = train(run)
    assert state.status is RunStatus.FINISHED, state.problem
    spec = run.document.spec
    with run_settings(spec):
        model, backs = plain(spec)
    assert set(codes(state)) <= {"R479", "R482"}
    assert len(state.warnings) == backs > 0
    expected = {name: value.numpy().tobytes() for name, value in model.state_dict().items()}
    assert weights(run) == expected
    assert all(map(math.isfinite, state.metrics.values()))


def test_that_a_learning_rate_of_a_million_is_halved_until_it_does(tmp_path: Path) -> None:
    run = coder_run(tmp_path, rate=1e6, weight=1e-7)
    state = train(run)
    assert state.status is RunStatus.FINISHED, state.problem
    assert state.warnings
    rates = np.frombuffer(curves(run)["lr"][1])
    assert rates[-1] == 1e6 * 0.5 ** len(state.warnings)
    losses = np.frombuffer(curves(run)["train.loss"][1])
    assert len(losses) == 4 * STEPS
    assert np.isfinite(losses).all()


def test_that_a_run_that_cannot_be_helped_ends_and_keeps_its_checkpoint(tmp_path: Path) -> None:
    run = coder_run(tmp_path, rate=1e6)
    state = train(run)
    assert state.problem is not None
    assert (state.status, state.problem.code) == (RunStatus.FAILED, "R480")
    assert state.problem.params["count"] == 5
    assert state.problem.node
    told = [problem for problem in state.warnings if problem.code in ("R479", "R482")]
    assert [problem.params["count"] for problem in told] == [1, 2, 3, 4, 5]
    kept = open_checkpoint(run, "last").model
    assert all(value.isfinite().all() for value in kept.values())


def test_that_bad_data_ends_the_run_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same batch would come again, however small the learning rate."""
    batches = Training.epoch_batches

    def spoilt(self: Training, epoch: int, start: int) -> Iterator[dict[str, Tensor]]:
        for number, batch in enumerate(batches(self, epoch, start), start):
            yield {"features": batch["features"] * (math.nan if (epoch, number) == (1, 2) else 1)}

    monkeypatch.setattr(Training, "epoch_batches", spoilt)
    state = train(coder_run(tmp_path, rate=0.001))
    assert state.problem is not None
    assert (state.problem.code, state.step, state.warnings) == ("R131", STEPS + 2, ())


@pytest.mark.parametrize("way", ["loss", "gradient"])
def test_that_a_loss_or_a_gradient_takes_the_run_back_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    spoil(monkeypatch, {STEPS + 2}, way)
    run = coder_run(tmp_path, rate=0.001)
    state = train(run)
    assert (state.status, state.step) == (RunStatus.FINISHED, 4 * STEPS)
    (told,) = state.warnings
    assert (told.params["step"], told.params["to"]) == (STEPS + 3, STEPS)
    assert (told.code, told.node) == (("R482", "inner") if way == "gradient" else ("R479", None))
    assert state.resumed_from.startswith(f"step-{STEPS:08}")


@pytest.mark.fault("F21")
@pytest.mark.parametrize("at", [5, 9, 16])
def test_that_a_run_that_was_stopped_goes_back_as_one_that_was_not(
    tmp_path: Path, unbroken: RunFolder, at: int
) -> None:
    """Neither the stop nor its checkpoint changes where the run goes back to."""
    broken = coder_run(tmp_path)
    stop_at(broken, at)
    state = train(broken, "latest")
    assert_same_run(broken, unbroken, read_state(unbroken).warnings)
    there = [path.name for path in broken.checkpoints.iterdir()]
    assert sorted(there) == sorted(info.file for info in state.checkpoints)


@pytest.mark.fault("F21")
@pytest.mark.parametrize("place", ["before", "after"])
def test_that_a_run_that_fails_while_it_goes_back_is_resumed_exactly(
    tmp_path: Path, unbroken: RunFolder, place: str
) -> None:
    """Before the halved rates are in a checkpoint, and right after."""
    broken = coder_run(tmp_path)
    train_to_failure = TrainingLoop.run

    def fail(loop: TrainingLoop, driver: Driver) -> None:
        rolling = counted(loop.training)
        if rolling is not None and rolling.count == 2:
            raise OSError("power")
        train_to_failure(loop, driver)

    with pytest.MonkeyPatch.context() as patch:
        if place == "before":
            patch.setattr(Rollback, "warning", raising := Mock(side_effect=OSError("power")))
        else:
            patch.setattr(TrainingLoop, "run", fail)
        assert train(broken).status is RunStatus.FAILED
        assert place == "after" or raising.called
    assert train(broken, "latest").status is RunStatus.FINISHED
    assert_same_run(broken, unbroken, read_state(unbroken).warnings)


def test_that_a_pause_asked_for_comes_after_a_roll_back_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch, {STEPS + 2})
    run = coder_run(tmp_path, rate=0.001)
    state = stop_at(run, STEPS + 5)
    assert [problem.params["to"] for problem in state.warnings] == [STEPS]


def info(step: int, *tags: str) -> CheckpointInfo:
    return CheckpointInfo(file=f"{step}-{'-'.join(tags)}", sha256="", step=step, epoch=0, tags=tags)


def test_which_checkpoint_a_run_goes_back_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = [info(0, "start"), info(7, "epoch"), info(9, "pause"), info(14, "knob")]
    recorded += [info(14, "start"), info(16, "stop"), info(17, "error")]
    damaged = set[str]()

    def load(path: Path, _: str) -> object:
        if path.name in damaged:
            raise DiagnosticError.of("K001")
        return path.name

    monkeypatch.setattr(checkpoint_file, "load_checkpoint", load)

    def target(before: int) -> str:
        cause = Diagnostic(code="R136")
        back = Rollback(step=18, loss=math.nan, count=2, before=before, cause=cause)
        return back.target(tmp_path, recorded)[0].file

    assert target(-1) == "14-start"
    assert target(14) == "7-epoch"  # it came to no newer one
    assert target(7) == "14-start"
    damaged.add("14-start")
    assert target(7) == "14-knob"
    damaged.update(("14-knob", "7-epoch", "0-start"))
    assert target(7) == "17-error"
    assert [each.file for each in to_go_back_to(recorded)] == ["7-epoch", "14-start"]


def test_that_several_processes_are_refused() -> None:
    found = {
        mode: [
            problem.code
            for problem in check(CODER, coder_spec(mode=mode)).problems
            if problem.field == "non_finite"
        ]
        for mode in ("process", "thread", "dp", "ddp", "fsdp")
    }
    assert found == {"process": [], "thread": [], "dp": [], "ddp": ["R481"], "fsdp": ["R481"]}


@pytest.mark.parametrize("mode", ["ddp", "fsdp"])
def test_that_a_run_does_not_go_on_in_several_processes(tmp_path: Path, mode: str) -> None:
    run = make_run(tmp_path, non_finite="roll_back", epochs=1)
    train(run)
    with pytest.raises(DiagnosticError) as caught:
        resume_run(tmp_path, run.id, mode=mode, length=2)
    assert [problem.code for problem in caught.value.problems] == ["R481"]


def test_that_a_run_whose_steps_are_traced_ends_as_if_it_had_no_rule(tmp_path: Path) -> None:
    run = coder_run(tmp_path)
    trace = Trace(file=str(tmp_path / "trace"), middle=2, last=28)
    launch = Launch(folder=str(run.path), trace=trace)
    assert run_in_thread(launch).join(PATIENCE_S)
    state = read_state(run)
    assert state.status is RunStatus.FAILED
    assert state.warnings == ()


def test_that_the_rates_of_all_phases_are_halved_and_told(tmp_path: Path) -> None:
    run = coder_run(tmp_path, phases=(OUTER,), phase=PhaseRule(match="inner"))
    state = train(run)
    assert state.warnings
    told = str(state.warnings[0].params["rate"])
    assert [float(one) for one in told.split(", ")] == pytest.approx([0.1, 0.075], rel=0.2)
    broken = coder_run(tmp_path, phases=(OUTER,), phase=PhaseRule(match="inner"))
    stop_at(broken, 9)
    train(broken, "latest")
    assert weights(broken) == weights(run)
