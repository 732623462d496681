"""The exported training class learns from the teacher of its run, to the last bit."""

import dataclasses
import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
import torch
from msgspec.structs import replace

from engine.data.load.fit import DataFit
from engine.diagnostics import DiagnosticError
from engine.export.job import build_job
from engine.export.training_file import write_training_class
from engine.graph.model import Edge, Graph
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.runs.teacher import NAME
from engine.spec.run import Choice, ClipSpec, ComputeSpec, LossTerm, PhaseRule, PhaseSpec, RunSpec
from engine.spec.technique import AccumulationSpec, AveragingSpec, DistillationSpec, PenaltySpec
from engine.train.loop import train_epoch
from engine.train.precision import model_in_precision
from engine.train.ranks.world import ALONE
from engine.train.teaching import build_run_training
from tests.tiny_run import CROSS_ENTROPY, make_run, node, train

CASES: dict[str, dict[str, object]] = {
    "plain": {},
    "double": {"compute": ComputeSpec(precision="float64"), "penalty": PenaltySpec(l2=0.01)},
    "mixed": {
        "compute": ComputeSpec(precision="bfloat16"),
        "accumulation": AccumulationSpec(batches=2),
        "clip": ClipSpec(kind="norm", limit=0.5),
    },
    "closure": {
        "optimizer": Choice(type="LBFGS", params={"max_iter": 3}),
        "averaging": AveragingSpec(kind="ema", decay=0.7),
    },
    "phases": {
        "phase": PhaseRule(match="hidden, to_logits, to_copy", losses="1, 2", steps=2),
        "phases": (
            PhaseSpec(
                match="to_flags",
                losses="3",
                steps=1,
                optimizer=Choice(type="Adam", params={"lr": 0.05}),
            ),
        ),
    },
}
LOSSES = (
    CROSS_ENTROPY,
    LossTerm(
        loss=Choice(type="MSELoss"), inputs={"input": "model.copy", "target": "data.features"}
    ),
    LossTerm(
        loss=Choice(type="BCEWithLogitsLoss"),
        inputs={"input": "model.flags", "target": "data.features"},
        weight=0.1,
    ),
)


def three_outputs(width: int, *, dropout: float = 0.0) -> Graph:
    """Return a model that gives classes, a copy of its input, and scores that are on or off."""
    nodes = (
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "hidden", out_features=width),
        node("GELU", "act"),
        node("Dropout", "drop", p=dropout),
        *(node("Linear", f"to_{name}", out_features=n) for name, n in HEADS.items()),
        *(node("Output", name) for name in HEADS),
    )
    pairs = [("features", "hidden"), ("hidden", "act"), ("act", "drop")]
    pairs += [pair for name in HEADS for pair in (("drop", f"to_{name}"), (f"to_{name}", name))]
    edges = [Edge(source=a, source_port="output", target=b, target_port="input") for a, b in pairs]
    return Graph(nodes={each.id: each for each in nodes}, edges=tuple(edges))


HEADS = {"logits": 3, "copy": 4, "flags": 4}


@pytest.fixture(scope="module")
def student(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Return a run that learnt from another one, whose folder is gone since."""
    project = tmp_path_factory.mktemp("distilled")
    assert train(make_run(project, three_outputs(16), epochs=1, losses=LOSSES)).checkpoints
    lesson = DistillationSpec(teacher="run-0001:last", temperature=3.0, weight=0.3)
    graph = three_outputs(6, dropout=0.3)
    run = make_run(project, graph, epochs=2, losses=LOSSES, distillation=lesson)
    shutil.rmtree(project / "runs" / "run-0001")
    state = train(run)
    assert state.status is RunStatus.FINISHED, state.problem
    return run


def imported(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", CASES)
def test_that_the_class_has_the_losses_of_the_run(
    student: RunFolder, tmp_path: Path, name: str
) -> None:
    changes = {"optimizer": Choice(type="SGD", params={"lr": 0.1}), **CASES[name]}
    spec: RunSpec = replace(student.document.spec, **changes)
    run = RunFolder(student.path, msgspec.structs.replace(student.document, spec=spec))
    torch.manual_seed(0)
    training, _ = build_run_training(run, to_module(run.document.graph), ALONE, DataFit())
    job, _ = build_job(student.path, "best")
    module = model_in_precision(job.module, spec.compute)
    job = dataclasses.replace(job, module=module, spec=spec, scalings=())
    written, _ = write_training_class(job, tmp_path / "net.py")
    assert {"net.py", "net.pt", "net_teacher.py", "net_teacher.pt"} <= {f.name for f in written}
    torch.manual_seed(5)  # what the class draws when it is made, it draws without a teacher
    model = imported(tmp_path / "net.py").TrainableModel()
    model.load_state_dict(training.model.state_dict())
    batches = list(training.epoch_batches(0, 0))
    torch.manual_seed(1)
    expected = list(train_epoch(training, 0, 0, training.new_meter()))
    torch.manual_seed(1)
    history = model.fit(batches, 1)
    own = model.averaged if spec.averaging.kind != "none" else model.state_dict()
    weights = training.evaluated_model().state_dict()
    assert all(torch.equal(own[key], value) for key, value in weights.items())
    samples = sum(step.samples for step in expected)
    mean = sum(float(step.loss) * step.samples for step in expected) / samples
    assert history[0]["loss"] == pytest.approx(mean)


def test_that_an_export_says_when_the_copy_of_the_teacher_is_gone(
    student: RunFolder, tmp_path: Path
) -> None:
    job, _ = build_job(student.path, "best")
    moved = dataclasses.replace(job, run=tmp_path)
    with pytest.raises(DiagnosticError) as caught:
        write_training_class(moved, tmp_path / "net.py")
    assert caught.value.problems[0].code == "R528"
    assert caught.value.problems[0].params["teacher"] == f"runs/{tmp_path.name}/{NAME}"
