"""The exported training class rounds as its run did, to the last bit."""

from pathlib import Path

import msgspec
import pytest
import torch
from torch import nn

from engine.api import evaluate, export
from engine.export.job import build_job
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.spec.run import Choice
from engine.spec.technique import (
    AccumulationSpec,
    AveragingSpec,
    GradientNoiseSpec,
    QuantizationSpec,
    UnfreezingSpec,
)
from engine.train.loop import train_epoch
from engine.train.training import build_training
from tests.engine.export.test_teacher_text import imported
from tests.tiny_run import RANDOM_LAYERS, iris_graph, make_run, train

SGD = Choice(type="SGD", params={"lr": 0.1})
SMALL = Choice(type="LBFGS", params={"lr": 0.01, "max_iter": 3})
LATE = QuantizationSpec(bits=4, start=1, freeze=2, rate=0.3, skip="head, none.*")
CASES: dict[str, dict[str, object]] = {
    "plain": {"quantization": QuantizationSpec(bits=8)},
    "late": {"quantization": LATE, "unfreezing": UnfreezingSpec(schedule="head=2")},
    "weights only": {"quantization": QuantizationSpec(bits=5, activations=False)},
    "with others": {
        "quantization": QuantizationSpec(bits=8),
        "accumulation": AccumulationSpec(batches=2),
        "averaging": AveragingSpec(kind="ema", decay=0.7),
        "gradient_noise": GradientNoiseSpec(variance=0.01),
    },
    "LBFGS": {"quantization": QuantizationSpec(bits=8), "optimizer": SMALL},
}


def graph_of() -> Graph:
    return iris_graph(*RANDOM_LAYERS)


def run_of(folder: Path, name: str) -> RunFolder:
    changes = {"optimizer": SGD, "epochs": 3, **CASES[name]}
    run = make_run(folder, graph_of(), **changes)
    assert train(run).problem is None
    return run


@pytest.mark.parametrize("name", CASES)
def test_that_the_class_trains_and_evaluates_as_the_run(tmp_path: Path, name: str) -> None:
    run = run_of(tmp_path / "project", name)
    export(run.path, "python-class", tmp_path / "net.py", "last")
    module = imported(tmp_path / "net.py")
    spec, graph = run.document.spec, run.document.graph
    torch.manual_seed(0)
    training = build_training(graph, spec, to_module(graph))
    (batch,) = training.part_batches("validation")
    loaded: nn.Module = module.load_model()
    measured = evaluate(run.path, "last", split="validation").metrics["validation.loss"]
    assert loaded.evaluate([batch])["loss"] == pytest.approx(measured, 1e-6)

    model = module.TrainableModel()
    model.load_state_dict(training.model.state_dict())
    epochs = [list(training.epoch_batches(epoch, 0)) for epoch in range(3)]
    torch.manual_seed(1)
    for epoch in range(3):
        list(train_epoch(training, epoch, 0, training.new_meter()))

    class Batches:
        """Gives the batches of one epoch after another."""

        def __init__(self) -> None:
            self.read = iter(epochs)

        def __len__(self) -> int:
            return len(epochs[0])

        def __iter__(self):
            return iter(next(self.read))

    torch.manual_seed(1)
    model.fit(Batches(), 3)
    wanted = training.evaluated_model().state_dict()
    for key, value in wanted.items():
        assert torch.equal(model.state_dict()[key], value), key


def test_that_other_formats_have_the_exact_weights(tmp_path: Path) -> None:
    run = run_of(tmp_path / "project", "plain")
    job, _ = build_job(run.path, "last")
    export(run.path, "python", tmp_path / "net.py", "last")
    loaded: nn.Module = imported(tmp_path / "net.py").load_model()
    (inputs, *_) = job.random_batches()
    with torch.no_grad():
        exact, rounded = (each(*inputs) for each in (job.module, job.rounded_module()))
        assert torch.equal(loaded(*inputs), exact)
    assert not torch.equal(exact, rounded)
    plain = msgspec.structs.replace(run.document.spec, quantization=QuantizationSpec())
    assert plain != run.document.spec
