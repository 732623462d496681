"""Averages of weights are those of a plain script, and are what is evaluated and taken away."""

import copy
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn

from engine.api import check, evaluate, export
from engine.diagnostics import DiagnosticError
from engine.model.module import to_module
from engine.query.ask import ask
from engine.query.rate.request import PreviewLr
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState, RunStatus
from engine.spec.length import RunLength
from engine.spec.run import Choice, RunSpec
from engine.spec.technique import AccumulationSpec, AveragingSpec
from engine.train.checkpoint.file import Position
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.driver import Driver
from engine.train.loop import TrainingLoop, epoch_samples, train_epoch
from engine.train.part_evaluation import evaluate_part
from engine.train.training import Training, build_training
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import RANDOM_LAYERS, iris_graph, iris_spec, make_run, train

SGD = Choice(type="SGD", params={"lr": 0.1, "momentum": 0.9})
EMA = AveragingSpec(kind="ema", decay=0.9)
BESIDE = AveragingSpec(kind="ema", decay=0.9, evaluate=False)
SWA = AveragingSpec(kind="swa", start=2, swa_lr=0.05, anneal_epochs=2)


def new_training(spec: RunSpec) -> Training:
    torch.manual_seed(0)
    graph = iris_graph(*RANDOM_LAYERS)
    return build_training(graph, spec, to_module(graph))


def plain(spec: RunSpec) -> tuple[nn.Module, float]:
    """Train as a script would that knows nothing of the program; return the average and its loss on
    the validation part.
    """
    batches = new_training(spec)
    model = copy.deepcopy(batches.model).train()
    average = AveragedModel(
        model, multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=spec.averaging.use_buffers
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    torch.manual_seed(1)
    for epoch in range(spec.epochs):
        for batch in batches.epoch_batches(epoch, 0):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(batch["features"]), batch["label"]).backward()
            optimizer.step()
            average.update_parameters(model)
    average.eval()
    (batch,) = batches.part_batches("validation")
    with torch.no_grad():
        loss = nn.functional.cross_entropy(average(batch["features"]), batch["label"])
    return average.module, loss.item()


@pytest.mark.row("P25")
@pytest.mark.parametrize("use_buffers", [False, True])
def test_that_the_average_is_that_of_a_plain_script(use_buffers: bool) -> None:
    averaging = AveragingSpec(kind="ema", decay=0.9, use_buffers=use_buffers)
    spec = iris_spec(optimizer=SGD, averaging=averaging)
    training = new_training(spec)
    torch.manual_seed(1)
    for epoch in range(spec.epochs):
        for _ in train_epoch(training, epoch, 0, training.new_meter()):
            pass
    average, loss = plain(spec)
    assert is_same(training.evaluated_model().state_dict(), average.state_dict())
    assert not is_same(training.model.state_dict(), average.state_dict())
    assert evaluate_part(training, "validation")["loss"] == loss


def plain_swa(spec: RunSpec) -> tuple[nn.Module, nn.Module, list[float]]:
    """Return the average, the weights and the rate of each epoch of a plain script."""
    batches = new_training(spec)
    model = copy.deepcopy(batches.model).train()
    average = AveragedModel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, spec.epochs)
    annealing = SWALR(optimizer, 0.05, anneal_epochs=2)
    rates: list[float] = []
    torch.manual_seed(1)
    for epoch in range(spec.epochs):
        rates.append(optimizer.param_groups[0]["lr"])
        for batch in batches.epoch_batches(epoch, 0):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(batch["features"]), batch["label"]).backward()
            optimizer.step()
        if epoch >= 2:
            average.update_parameters(model)
            update_bn((batch["features"] for batch in batches.epoch_batches(epoch, 0)), average)
            annealing.step()
        else:
            schedule.step()
    return average.module, model, rates


@pytest.mark.row("S193", "P25")
def test_that_the_mean_of_epochs_is_that_of_a_plain_script(tmp_path: Path) -> None:
    cosine = Choice(type="CosineAnnealingLR")
    spec = iris_spec(optimizer=SGD, averaging=SWA, epochs=6, scheduler=cosine)
    training = new_training(spec)
    loop = TrainingLoop(training, training.epoch_meter(), Position(), RunLength(spec.epochs))
    rates: list[float] = []

    class Rates(Driver):
        def epoch_started(self) -> None:
            rates.append(training.optimizer.param_groups[0]["lr"])

    torch.manual_seed(1)
    loop.run(Rates())
    average, model, expected = plain_swa(spec)
    assert rates == expected
    assert is_same(training.model.state_dict(), model.state_dict())
    assert is_same(training.evaluated_model().state_dict(), average.state_dict())
    preview = ask(PreviewLr(spec=spec, steps_per_epoch=4))
    assert preview.values[0][::4] == tuple(expected)


def is_same(left: dict[str, Tensor], right: dict[str, Tensor]) -> bool:
    return all(torch.equal(value, right[name]) for name, value in left.items())


def run_of(folder: Path, averaging: AveragingSpec, **changes: object) -> tuple[RunFolder, RunState]:
    run = make_run(folder, optimizer=SGD, averaging=averaging, **changes)
    return run, train(run)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[RunFolder, RunState]]:
    """Return runs that evaluate their average, that keep it beside, and that keep none."""
    project = tmp_path_factory.mktemp("averaged")
    return [run_of(project, averaging) for averaging in (EMA, BESIDE, AveragingSpec())]


def test_that_averaging_does_not_change_what_is_trained(three) -> None:
    (averaged, first), (beside, second), (alone, third) = three
    assert first.metrics["train.loss"] == third.metrics["train.loss"]
    assert second.metrics == third.metrics
    assert first.metrics["test.loss"] != third.metrics["test.loss"]
    raw = open_checkpoint(alone, "last").model
    assert is_same(open_checkpoint(averaged, "last:raw").model, raw)
    assert is_same(open_checkpoint(beside, "last").model, raw)
    average = open_checkpoint(averaged, "last").model
    assert is_same(open_checkpoint(beside, "last:averaged").model, average)
    assert is_same(open_checkpoint(alone, "last:raw").model, raw)
    with pytest.raises(DiagnosticError) as caught:
        open_checkpoint(alone, "last:averaged")
    assert [one.code for one in caught.value.problems] == ["R432"]
    with pytest.raises(DiagnosticError) as caught:
        open_checkpoint(averaged, "last:best")
    assert [one.code for one in caught.value.problems] == ["K013"]


def test_that_what_opens_a_checkpoint_takes_the_weights_that_are_asked_for(three, tmp_path) -> None:
    (averaged, first), _, (_, third) = three
    assert evaluate(averaged.path, "last").metrics["test.loss"] == first.metrics["test.loss"]
    found = evaluate(averaged.path, "last:raw").metrics
    assert found["test.loss"] == third.metrics["test.loss"]
    for wanted in ("last", "last:raw"):
        export(averaged.path, "state-dict", tmp_path / "weights.pt", wanted)
        weights = torch.load(tmp_path / "weights.pt")
        assert is_same(weights, open_checkpoint(averaged, wanted).model)


@pytest.mark.parametrize("averaging", [EMA, BESIDE, SWA], ids=["evaluated", "beside", "epochs"])
def test_that_a_stopped_run_ends_where_an_unbroken_one_does(
    tmp_path: Path, averaging: AveragingSpec
) -> None:
    changes = {
        "optimizer": SGD,
        "averaging": averaging,
        "accumulation": AccumulationSpec(batches=2),
        "epochs": 6,
    }
    unbroken, broken = (make_run(tmp_path, **changes) for _ in range(2))
    assert train(unbroken).status is RunStatus.FINISHED
    stop_at(broken, 9)  # of twelve: in the middle of the fifth epoch
    assert train(broken, "latest").status is RunStatus.FINISHED
    assert_same_run(broken, unbroken)
    for kind in ("raw", "averaged"):
        weights = (open_checkpoint(run, f"last:{kind}").model for run in (broken, unbroken))
        assert is_same(*weights)


def test_that_a_mode_without_whole_weights_refuses_it_at_its_field() -> None:
    problems = check(iris_graph(), iris_spec(averaging=EMA, mode="fsdp")).problems
    assert ("R219", "averaging.kind") in {(one.code, one.field) for one in problems}


def test_that_an_average_that_never_begins_is_told() -> None:
    problems = check(iris_graph(), iris_spec(averaging=SWA, epochs=2)).problems
    assert [(one.code, one.field) for one in problems] == [("R433", "averaging.start")]


def test_that_an_epoch_whose_validation_was_broken_off_counts_once() -> None:
    training = new_training(iris_spec(averaging=AveragingSpec(kind="swa", start=0)))
    (technique,) = training.techniques.values()
    for epoch in (1, 1, 2):
        technique.epoch_trained(epoch, epoch_samples(training, epoch))
    assert technique.state_dict()["updates"] == 2
