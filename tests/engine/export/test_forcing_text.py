"""The exported training class reads own tokens as its run did, to the last bit."""

import dataclasses
from pathlib import Path

import msgspec
import pytest
import torch

from engine.export.job import build_job
from engine.export.training_file import write_training_class
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.spec.run import Choice, ComputeSpec, DataSpec
from engine.spec.technique import AccumulationSpec, GradientNoiseSpec, TeacherForcingSpec
from engine.train.loop import train_epoch
from engine.train.precision import model_in_precision
from engine.train.training import build_training
from tests.engine.export.test_teacher_text import imported
from tests.engine.train.technique.test_teacher_forcing import TERM, text
from tests.tiny_run import make_run, train

__all__ = ["text"]  # the fixture

CASES: dict[str, dict[str, object]] = {
    "plain": {},
    "falling": {
        "teacher_forcing": TeacherForcingSpec(ratio=1.0, final_ratio=0.1, decay_steps=8),
        "gradient_noise": GradientNoiseSpec(variance=0.01),
    },
    "falling, several, mixed": {
        "teacher_forcing": TeacherForcingSpec(ratio=0.8, final_ratio=0.1, decay_steps=4),
        "accumulation": AccumulationSpec(batches=2),
        "compute": ComputeSpec(precision="bfloat16"),
    },
}


@pytest.fixture(scope="module")
def run(text: tuple[DataSpec, Graph], tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    root, (data, graph) = tmp_path_factory.mktemp("project"), text
    forcing = TeacherForcingSpec(ratio=0.3)
    folder = make_run(root, graph, data=data, losses=(TERM,), epochs=1, teacher_forcing=forcing)
    assert train(folder).problem is None
    return folder


@pytest.mark.parametrize("name", CASES)
def test_that_the_class_has_the_weights_of_the_run(
    run: RunFolder, tmp_path: Path, name: str
) -> None:
    changes = {"optimizer": Choice(type="SGD", params={"lr": 0.5}), **CASES[name]}
    spec = msgspec.structs.replace(run.document.spec, **changes)
    graph = run.document.graph
    torch.manual_seed(0)
    training = build_training(graph, spec, to_module(graph))
    job, _ = build_job(run.path, "best")
    job = dataclasses.replace(job, module=model_in_precision(job.module, spec.compute), spec=spec)
    write_training_class(job, tmp_path / "net.py")
    model = imported(tmp_path / "net.py").TrainableModel()
    model.load_state_dict(training.model.state_dict())
    batches = list(training.epoch_batches(0, 0))
    torch.manual_seed(1)
    list(train_epoch(training, 0, 0, training.new_meter()))
    torch.manual_seed(1)
    model.fit(batches, 1)
    for key, value in training.model.state_dict().items():
        assert torch.equal(model.state_dict()[key], value)
