"""The class that trains itself follows the schedule and the precision of its run."""

import copy
import dataclasses
from ast import literal_eval
from pathlib import Path

import pytest
import torch
from msgspec.structs import replace

from engine.api import evaluate
from engine.diagnostics import DiagnosticError
from engine.export.job import ExportJob, build_job
from engine.export.training_file import write_training_class
from engine.project import Project
from engine.runs.folder import RunFolder
from engine.spec.run import (
    CheckpointSpec,
    Choice,
    ClipSpec,
    ComputeSpec,
    LoaderSpec,
    ParameterGroup,
    PhaseRule,
    PhaseSpec,
    RunSpec,
    ScheduleTerm,
)
from engine.spec.technique import (
    AccumulationSpec,
    AveragingSpec,
    EarlyStoppingSpec,
    GradientNoiseSpec,
    LayerRatesSpec,
    NoDecaySpec,
    PenaltySpec,
    UnfreezingSpec,
)
from engine.train.loop import epoch_samples, train_epoch
from engine.train.precision import model_in_precision
from engine.train.training import build_training
from tests.tiny_run import CROSS_ENTROPY, train

_GROUPS = (ParameterGroup(match="classifier", params={"lr": 0.1}),)
_MUON = PhaseSpec(
    parameters="matrices",
    optimizer=Choice(type="Muon", params={"lr": 0.03}),
    scheduler=Choice(type="OneCycleLR", params={"max_lr": 0.05}),
    scheduler_interval="step",
)
_BATCHES = 7  # of an epoch
CASES = {
    "steps_in_ratio": {
        "scheduler": Choice(type="OneCycleLR", params={"max_lr": 0.05}),
        "scheduler_interval": "step",
        "groups": _GROUPS,
        "compute": ComputeSpec(precision="bfloat16"),
    },
    "inferred_length": {"scheduler": Choice(type="CosineAnnealingLR")},
    "scaled_loss": {
        "scheduler": Choice(type="MultiStepLR", params={"milestones": (1, 3)}),
        "compute": ComputeSpec(precision="float16"),
        "clip": ClipSpec(kind="norm", limit=0.5),
    },
    "double": {
        "compute": ComputeSpec(precision="float64"),
        "losses": (
            replace(
                CROSS_ENTROPY,
                loss=Choice(type="CrossEntropyLoss", params={"weight": (0.5, 1.0, 2.0)}),
            ),
        ),
    },
    "penalty_and_noise": {
        "penalty": PenaltySpec(l1=0.01, l2=0.03),
        "gradient_noise": GradientNoiseSpec(variance=0.01),
        "clip": ClipSpec(kind="norm", limit=0.5),
    },
    "penalty_in_closure": {
        "optimizer": Choice(type="LBFGS", params={"line_search_fn": "strong_wolfe", "max_iter": 4}),
        "penalty": PenaltySpec(l2=0.03, weights_only=False),
    },
    "accumulation": {  # of batches that do not divide an epoch
        "accumulation": AccumulationSpec(batches=3),
        "scheduler": Choice(type="OneCycleLR", params={"max_lr": 0.05}),
        "scheduler_interval": "step",
        "penalty": PenaltySpec(l2=0.03),
        "gradient_noise": GradientNoiseSpec(variance=0.01),
        "clip": ClipSpec(kind="norm", limit=0.5),
    },
    "accumulation_scaled": {
        "accumulation": AccumulationSpec(batches=2),
        "compute": ComputeSpec(precision="float16"),
        "clip": ClipSpec(kind="norm", limit=0.5),
    },
    "accumulation_in_closure": {
        "accumulation": AccumulationSpec(batches=4),
        "optimizer": Choice(type="LBFGS", params={"line_search_fn": "strong_wolfe", "max_iter": 4}),
        "penalty": PenaltySpec(l2=0.03, weights_only=False),
    },
    "moving_average": {
        "averaging": AveragingSpec(kind="ema", decay=0.7, use_buffers=True),
        "scheduler": Choice(type="CosineAnnealingLR"),
    },
    "average_beside": {"averaging": AveragingSpec(kind="ema", decay=0.7, evaluate=False)},
    "averages_of_epochs": {
        "averaging": AveragingSpec(kind="swa", start=2, swa_lr=0.07, anneal_epochs=3),
        "scheduler": Choice(type="CosineAnnealingLR"),
        "groups": _GROUPS,
    },
    "averages_at_steps": {
        "averaging": AveragingSpec(kind="swa", start=1, swa_lr=0.05, anneal_epochs=0),
        "scheduler": Choice(type="OneCycleLR", params={"max_lr": 0.05}),
        "scheduler_interval": "step",
    },
    "averages_alone": {"averaging": AveragingSpec(kind="swa", start=1, use_buffers=True)},
    "no_decay": {
        "optimizer": Choice(type="AdamW", params={"weight_decay": 0.5}),
        "no_decay": NoDecaySpec(biases_and_norms=True),
    },
    "layer_rates": {
        "groups": _GROUPS,
        "no_decay": NoDecaySpec(biases_and_norms=True),
        "layer_rates": LayerRatesSpec(decay=0.5),
        "scheduler": Choice(type="OneCycleLR", params={"max_lr": 0.05}),
        "scheduler_interval": "step",
    },
    "series": {
        "scheduler": Choice(type="LinearLR", params={"start_factor": 0.25, "total_iters": 3}),
        "schedules": (
            ScheduleTerm(scheduler=Choice(type="CosineAnnealingLR"), start=3),
            ScheduleTerm(
                scheduler=Choice(type="LambdaLR", params={"lr_lambda": "sqrt(step / total)"}),
                start=8,
            ),
        ),
        "scheduler_interval": "step",
        "groups": _GROUPS,
    },
    "chained": {
        "scheduler": Choice(type="ExponentialLR", params={"gamma": 0.9}),
        "schedules": (ScheduleTerm(scheduler=Choice(type="StepLR", params={"step_size": 2})),),
        "schedule_order": "chained",
    },
    "warm_cosine": {
        "scheduler": Choice(type="WarmupCosine", params={"warmup": 0.3}),
        "scheduler_interval": "step",
    },
    "drawn": {
        "scheduler": Choice(
            type="DrawnCurve", params={"points": "0:0.1, 0.2:1, 1:0.01", "interpolation": "log"}
        ),
        "scheduler_interval": "step",
        "groups": _GROUPS,
    },
    "drawn_by_epoch": {"scheduler": Choice(type="DrawnCurve")},
    "warm_stable": {"scheduler": Choice(type="WarmupStableDecay", params={"warmup": 0.0})},
    "several_optimizers": {
        "optimizer": Choice(type="AdamW", params={"lr": 0.02}),
        "scheduler": Choice(type="CosineAnnealingLR"),
        "phases": (_MUON,),
        "accumulation": AccumulationSpec(batches=2),
        "averaging": AveragingSpec(kind="ema", decay=0.7),
        "compute": ComputeSpec(precision="float16"),
        "clip": ClipSpec(kind="norm", limit=0.5),
    },
    "turns": {
        "losses": (CROSS_ENTROPY, replace(CROSS_ENTROPY, weight=0.3)),
        "phase": PhaseRule(match="classifier", losses="2", steps=2, end=3),
        "scheduler": Choice(type="StepLR", params={"step_size": 1}),
        "phases": (replace(_MUON, losses="1", steps=1), PhaseSpec(start=2)),
        "gradient_noise": GradientNoiseSpec(variance=0.01),
        "penalty": PenaltySpec(l1=0.01),
    },
    "turns_of_steps": {
        "length": "steps",
        "steps": 4 * _BATCHES,
        "phase": PhaseRule(match="classifier", steps=2),
        "scheduler": Choice(type="DrawnCurve"),
        "scheduler_interval": "step",
        "phases": (
            replace(_MUON, steps=1),
            PhaseSpec(start=2, scheduler=Choice(type="DrawnCurve")),
        ),
    },
    "groups_in_phases": {
        "optimizer": Choice(type="AdamW", params={"lr": 0.02, "weight_decay": 0.3}),
        "groups": _GROUPS,
        "no_decay": NoDecaySpec(biases_and_norms=True),
        "layer_rates": LayerRatesSpec(decay=0.5),
        "scheduler": Choice(type="OneCycleLR", params={"max_lr": 0.05}),
        "scheduler_interval": "step",
        "phases": (replace(_MUON, match="hidden"),),
    },
    "unfreezing_in_turns": {
        "unfreezing": UnfreezingSpec(schedule="*.bias=3"),
        "phase": PhaseRule(match="classifier", steps=2),
        "phases": (PhaseSpec(steps=1, optimizer=Choice(type="SGD", params={"lr": 0.1})),),
        "penalty": PenaltySpec(l2=0.03, weights_only=False),
    },
    "groups_in_turns": {
        "groups": _GROUPS,
        "phase": PhaseRule(match="*.bias", steps=2),
        "scheduler": Choice(type="StepLR", params={"step_size": 1}),
        "phases": (replace(_MUON, steps=1),),
    },
    "plateau": {
        "scheduler": Choice(type="ReduceLROnPlateau", params={"patience": 0, "threshold": 0.2}),
        "checkpoint": CheckpointSpec(monitor="train.loss"),
    },
}
CODE = """
import inspect
import sys
import warnings

import torch

sys.path.insert(0, ".")
warnings.simplefilter("error")
for name in sys.argv[1:]:
    module = __import__(name)
    model = module.TrainableModel()
    model.load_state_dict(torch.load(f"{name}.pt"))
    losses, batch_result = [], model.batch_result

    def recorded(loss, outputs, batch):
        losses.append(loss.item())
        return batch_result(loss, outputs, batch)

    model.batch_result = recorded
    torch.manual_seed(1)
    batches = torch.load("batches.pt")
    is_by_steps = "steps" in inspect.signature(model.fit).parameters
    history = model.fit(batches, 4 * len(batches) if is_by_steps else 4)
    torch.save([losses, model.state_dict(), [one["loss"] for one in history]], f"{name}.found")
    model.fit(batches, len(batches) if is_by_steps else 1)
"""


def trained_here(job: ExportJob, folder: Path) -> list:
    """Return the loss of each step, the weights and the mean losses of the loop of a run."""
    training = build_training(job.graph, job.spec, copy.deepcopy(job.module).train())
    batches = list(training.epoch_batches(0, 0))
    torch.save(batches, folder / "batches.pt")
    torch.manual_seed(1)
    losses: list[float] = []
    means: list[float] = []
    for epoch in range(job.spec.epochs):
        found = list(train_epoch(training, epoch, 0, training.new_meter()))
        for technique in training.techniques.values():
            technique.epoch_trained(epoch + 1, epoch_samples(training, epoch))
        losses += [step.loss for step in found]
        samples = sum(step.samples for step in found)
        means.append(sum(step.loss * step.samples for step in found) / samples)
        training.phases.epoch_done(training.monitored({"train.loss": means[-1]}), epoch)
    return [losses, training.evaluated_model().state_dict(), means]


def with_spec(job: ExportJob, **changes: object) -> ExportJob:
    data = replace(job.spec.data, shuffle=False)
    spec: RunSpec = replace(job.spec, data=data, epochs=4, device="cpu", **changes)
    module = model_in_precision(copy.deepcopy(job.module), spec.compute)
    return dataclasses.replace(job, module=module, spec=spec, scalings=())


@pytest.mark.real
@pytest.mark.row("S099", "S008")
def test_that_schedule_and_precision_give_the_losses_of_the_run_to_the_last_bit(
    trained, tmp_path, plain_python
):
    job, _ = build_job(trained.folder.path, "best")
    expected = {}
    for name, changes in CASES.items():
        case = with_spec(job, **changes)
        write_training_class(case, tmp_path / f"{name}.py")
        expected[name] = trained_here(case, tmp_path)
    plain_python.output(CODE, *CASES, folder=tmp_path)
    for name, (losses, weights, means) in expected.items():
        found = torch.load(tmp_path / f"{name}.found")
        accumulated = CASES[name].get("accumulation", AccumulationSpec()).batches
        assert of_steps(found[0], tmp_path, accumulated) == losses, name
        assert found[2] == pytest.approx(means)
        assert all(torch.equal(found[1][key], value) for key, value in weights.items()), name


def of_steps(losses: list[float], folder: Path, accumulated: int) -> list[float]:
    """Return the loss of each step, given those of the batches of all epochs."""
    if accumulated == 1:
        return losses
    sizes = [len(batch["label"]) for batch in torch.load(folder / "batches.pt")]
    steps: list[float] = []
    for epoch in range(0, len(losses), len(sizes)):
        for start in range(0, len(sizes), accumulated):
            counts = sizes[start : start + accumulated]
            values = losses[epoch + start : epoch + start + len(counts)]
            weighted = [value * count for value, count in zip(values, counts, strict=True)]
            steps.append(sum(weighted) / sum(counts))
    return steps


def test_that_a_plateau_schedule_goes_by_the_validation_where_the_run_did(trained, tmp_path):
    job, _ = build_job(trained.folder.path, "best")
    plateau = Choice(type="ReduceLROnPlateau")
    for monitor, line in (
        ("validation.loss", 'scheduler.step(monitored["loss"])'),
        ("validation.accuracy", 'scheduler.step(monitored["metric"])'),
    ):
        case = with_spec(job, scheduler=plateau, checkpoint=CheckpointSpec(monitor=monitor))
        write_training_class(case, tmp_path / "net.py")
        text = (tmp_path / "net.py").read_text(encoding="utf-8")
        assert "def fit(self, batches, epochs=4, validation=None):" in text
        assert line in text
    case = with_spec(job, scheduler=plateau, checkpoint=CheckpointSpec(monitor="validation.f1"))
    with pytest.raises(DiagnosticError) as caught:
        write_training_class(case, tmp_path / "other.py")
    (problem,) = caught.value.problems
    assert (problem.code, problem.params["what"]) == ("X033", "validation.f1")


@pytest.mark.real
def test_that_the_class_stops_early_where_the_run_does(trained, tmp_path, plain_python):
    job, _ = build_job(trained.folder.path, "best")
    case = with_spec(
        job,
        optimizer=Choice(type="SGD", params={"lr": 1e-9}),
        checkpoint=CheckpointSpec(monitor="train.loss"),
        early_stopping=EarlyStoppingSpec(patience=2, min_delta=0.01),
    )
    write_training_class(case, tmp_path / "net.py")
    torch.save(
        list(build_training(case.graph, case.spec, case.module).epoch_batches(0, 0)),
        tmp_path / "batches.pt",
    )
    code = """
import sys
import torch
sys.path.insert(0, ".")
import net
model = net.TrainableModel()
torch.save(len(model.fit(torch.load("batches.pt"), epochs=50)), "epochs.pt")
"""
    plain_python.output(code, folder=tmp_path)
    assert torch.load(tmp_path / "epochs.pt") == 1 + 2


PAD_CODE = """
import sys
sys.path.insert(0, ".")
import torch
from net import TrainableModel

samples = [
    {"features": torch.ones(n), "label": torch.arange(n), "weight": float(n)} for n in (1, 3)
]
(batch,) = TrainableModel.data_loader(samples, training=False)
print({name: values.tolist() for name, values in batch.items()})
"""
LOADER_CODE = """
import sys
sys.path.insert(0, ".")
import torch
from net import TrainableModel


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return {"features": torch.full((4,), float(index)), "label": index % 3}


if __name__ == "__main__":
    loader = TrainableModel.data_loader(Rows())
    names = ("prefetch_factor", "timeout", "persistent_workers", "pin_memory", "drop_last")
    print([getattr(loader, name) for name in names])
    print(loader.multiprocessing_context.get_start_method(), loader.worker_init_fn.__name__)
    print([len(batch["label"]) for batch in loader])
    evaluated = TrainableModel.data_loader(Rows(), training=False)
    print([batch["label"].tolist() for batch in evaluated])
    TrainableModel().fit(loader)
"""


@pytest.mark.real
@pytest.mark.row("S136", "S099")
def test_that_the_exported_class_reads_batches_with_the_settings_of_the_run(
    trained, tmp_path, plain_python
):
    job, _ = build_job(trained.folder.path, "best")
    source = "def noisy_worker_init(worker):\n    assert worker in (0, 1)\n"
    graph = replace(job.graph, code={**job.graph.code, "workers.py": source})
    data = replace(
        job.spec.data,
        batch_size=4,
        drop_last=True,
        loader=LoaderSpec(
            num_workers=2,
            prefetch_factor=3,
            timeout_s=300.0,
            multiprocessing_context="fork",
            worker_init_fn="workers.noisy_worker_init",
        ),
    )
    spec = replace(job.spec, data=data, compute=ComputeSpec(pin_memory=True))
    case = dataclasses.replace(job, spec=spec, graph=graph, scalings=())
    write_training_class(case, tmp_path / "net.py")
    told = plain_python.output(LOADER_CODE, folder=tmp_path).splitlines()
    assert told[0] == f"[3, 300.0, True, {torch.cuda.is_available()}, True]"
    assert told[1] == "fork noisy_worker_init"
    assert told[2] == "[4, 4]"
    assert told[3] == "[[0, 1, 2, 0], [1, 2, 0, 1], [2, 0]]"
    data = replace(job.spec.data, collate="pad")
    case = dataclasses.replace(job, spec=replace(job.spec, data=data))
    write_training_class(case, tmp_path / "net.py")
    padded = {"features": [[1.0, 0.0, 0.0], [1.0] * 3], "label": [[0, -100, -100], [0, 1, 2]]}
    assert literal_eval(plain_python.output(PAD_CODE, folder=tmp_path)) == {
        **padded,
        "weight": [1.0, 3.0],
    }


@pytest.mark.real
def test_that_numbers_drawn_in_a_validation_change_nothing_of_the_training(tmp_path, plain_python):
    made = Project.create(tmp_path / "gan", "gan-moons")
    run = RunFolder.create(tmp_path / "gan", made.graph, replace(made.spec, epochs=3, device="cpu"))
    metrics = train(run).metrics
    loss, test = metrics["train.loss"], metrics["test.loss"]
    write_training_class(build_job(run.path, "last")[0], tmp_path / "net.py")
    code = "import sys, net; sys.argv = ['net.py', '--data', '.', '--epochs', '3']; net.train()"
    code = f"import sys; sys.path.insert(0, '.'); {code}"
    told = plain_python.output(code, folder=tmp_path)
    assert f"epoch 3: {{'loss': {loss}," in told
    assert f"test: {{'loss': {test}," in told
    assert evaluate(run.path, "last", "test").metrics["test.loss"] == test
