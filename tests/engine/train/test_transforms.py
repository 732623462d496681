"""Training with transforms: bit for bit the same with any number of workers and after a resume, and
with several processes what one computes.
"""

from pathlib import Path

import msgspec
import pytest
import torch

from engine.data.load.loader import BatchPlan
from engine.data.load.order import epoch_order
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.query.ask import ask
from engine.query.results.request import DescribeModel, Examine, Predict
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.record.state import RunStatus
from engine.runtime.job.child import start_worker
from engine.spec.run import CheckpointSpec, Choice, DataSpec, LoaderSpec, RunSpec
from engine.spec.transform import BatchTransformSpec, TransformSpec
from engine.train.checkpoint.file import load_checkpoint
from engine.train.part_evaluation import evaluate_part
from engine.train.training import Training, build_training
from tests.tiny_run import CROSS_ENTROPY, chain, curves, iris_spec, node, stop_amid, train

SOURCE = Choice(type="random", params={"shape": (3, 14, 14), "samples": 80, "classes": 3})
STRONG = (
    TransformSpec(type="RandomCrop", params={"size": 12, "padding": 2}),
    TransformSpec(type="RandomHorizontalFlip"),
    TransformSpec(
        type="ColorJitter",
        params={"brightness": 0.4, "contrast": 0.4, "saturation": 0.4, "hue": 0.1},
    ),
    TransformSpec(type="RandomOrder"),
    TransformSpec(type="RandAugment", level=1),
    TransformSpec(type="RandomVerticalFlip", level=1),
    TransformSpec(type="CenterCrop", params={"size": 12}),
    TransformSpec(type="Normalize", params={"mean": (0.5,), "std": (0.25,)}),
    TransformSpec(type="RandomErasing"),
)
BLENDED = (BatchTransformSpec(type="MixUp"), BatchTransformSpec(type="CutMix"))
DATA = DataSpec(source=SOURCE, batch_size=16, transforms=STRONG, batch_transforms=BLENDED)


def graph() -> Graph:
    return chain(
        node("Input", "image", field="image", shape=(3, 12, 12)),
        node("Conv2d", "conv", out_channels=4, kernel_size=3),
        node("ReLU", "act"),
        node("Flatten", "flat"),
        node("Dropout", "drop", p=0.2),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )


def spec(data: DataSpec = DATA, **changes: object) -> RunSpec:
    values: dict[str, object] = {"data": data, "losses": (CROSS_ENTROPY,), "epochs": 2}
    return iris_spec(**values | changes)


def make_run(folder: Path, data: DataSpec = DATA, **changes: object) -> RunFolder:
    return RunFolder.create(folder, graph(), spec(data, **changes))


def weights(run: RunFolder) -> dict[str, torch.Tensor]:
    info = read_state(run).checkpoints[-1]
    return load_checkpoint(run.checkpoints / info.file, info.sha256).model


def with_workers(count: int) -> DataSpec:
    return msgspec.structs.replace(DATA, loader=LoaderSpec(num_workers=count))


def built(data: DataSpec = DATA) -> Training:
    torch.manual_seed(0)
    return build_training(graph(), spec(data), to_module(graph()))


def measured(run: RunFolder) -> dict[str, tuple[list[int], bytes]]:
    names = ("train.loss", "train.accuracy", "validation.loss", "validation.accuracy")
    return {name: curve for name, curve in curves(run).items() if name in names}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    run = make_run(tmp_path_factory.mktemp("alone"))
    assert train(run).status is RunStatus.FINISHED
    return run


@pytest.mark.real
@pytest.mark.row("S143", "S190")
@pytest.mark.parametrize("workers", [1, 2])
def test_that_a_run_with_workers_is_bit_for_bit_one_without(alone, tmp_path, workers):
    run = make_run(tmp_path, with_workers(workers))
    assert train(run).status is RunStatus.FINISHED
    assert measured(run) == measured(alone)
    assert set(measured(run)) >= {"train.loss", "train.accuracy", "validation.loss"}
    for name, value in weights(alone).items():
        assert torch.equal(weights(run)[name], value)


@pytest.mark.parametrize("steps", [2, 5])
def test_that_a_resume_in_the_middle_of_an_epoch_is_exact(alone, tmp_path, steps):
    run = make_run(tmp_path, checkpoint=CheckpointSpec(every_steps=1))
    stop_amid(run, steps)
    assert train(run, resume="latest").status is RunStatus.FINISHED
    assert measured(run) == measured(alone)


@pytest.mark.parametrize("count", [2, 3])
def test_that_each_process_gets_its_rows_of_the_batches_of_one(count):
    training = built()
    part = training.data.training
    order = epoch_order(len(part), 3, 1, shuffle=True)
    plan = BatchPlan(order=order, size=16, seed=3, epoch=1)
    for index in plan:
        whole = part.batch(index)
        rows = torch.arange(len(index.positions)).tensor_split(count)
        shares = [part.batch(index._replace(local=each)) for each in rows]
        for name, values in whole.items():
            assert torch.equal(torch.cat([share[name] for share in shares]), values)


@pytest.mark.real
@pytest.mark.nightly  # their rows and their weights are each tested every time
@pytest.mark.timeout(600)
def test_that_two_processes_compute_what_one_does(tmp_path):
    sgd = Choice(type="SGD", params={"lr": 0.05})
    plain = chain(*(each for each in graph().nodes.values() if each.type != "Dropout"))
    one, two = (
        RunFolder.create(tmp_path / name, plain, spec(optimizer=sgd)) for name in ("one", "two")
    )
    train(one)
    process = start_worker(worker_arguments(Launch(folder=str(two.path), nproc=2), nice=False))
    assert process.wait(400) == 0, two.log_path.read_text()
    for name, value in weights(one).items():
        torch.testing.assert_close(weights(two)[name], value, rtol=1e-5, atol=1e-6)


def test_that_the_loop_leaves_no_trace_in_the_random_state_of_the_data():
    training = built()
    torch.manual_seed(8)
    state = torch.get_rng_state()
    for batch in training.epoch_batches(0, 0):
        assert batch["label"].shape[1] == 3
    assert evaluate_part(training, "validation")
    assert torch.equal(torch.get_rng_state(), state)


def test_that_validation_is_measured_without_random_transforms_and_blending():
    training = built()
    first, again = (evaluate_part(training, "validation") for _ in range(2))
    assert first == again
    calm = [each for each in STRONG if each.type in ("CenterCrop", "Normalize")]
    data = msgspec.structs.replace(DATA, transforms=tuple(calm), batch_transforms=())
    other = built(data)
    other.model.load_state_dict(training.model.state_dict())
    for part in ("train", "validation", "test"):
        assert evaluate_part(other, part) == evaluate_part(training, part)


def test_that_blended_labels_train_in_double_precision_too(tmp_path):
    from engine.spec.run import ComputeSpec

    run = make_run(tmp_path, epochs=1, compute=ComputeSpec(precision="float64"))
    assert train(run).status is RunStatus.FINISHED
    assert weights(run)["head.weight"].dtype == torch.float64


@pytest.mark.row("S143")
def test_that_a_checkpoint_is_asked_with_the_transforms_of_evaluation(alone):
    ask_once = Examine(run_folder=str(alone.path), checkpoint="last", split="train", seconds=60.0)
    report = ask(ask_once).report
    assert report is not None
    training = built()
    training.model.load_state_dict(weights(alone))
    expected = evaluate_part(training, "train")
    assert expected is not None
    assert report.metrics["accuracy"] == pytest.approx(expected["accuracy"])
    assert sum(report.losses) / len(report.losses) == pytest.approx(expected["loss"], rel=1e-5)


def test_that_what_is_typed_in_is_normalized_as_the_data_was(alone):
    folder = str(alone.path)
    described = ask(DescribeModel(run_folder=folder, checkpoint="last"))
    (field,) = described.fields
    assert field.info.shape == (3, 12, 12)
    values = {"image": field.example}
    answer = ask(Predict(run_folder=folder, checkpoint="last", values=values))
    training = built()
    training.model.load_state_dict(weights(alone))
    training.model.eval()
    with torch.no_grad():
        logits = training.model(training.data.tensors("train")["image"][:1])
    torch.testing.assert_close(torch.tensor(answer.values), logits.softmax(1)[0])


def test_that_an_export_brings_its_inputs_to_scale(alone):
    from engine.export.job import build_job

    job, _ = build_job(alone.path, "best")
    (scaling,) = job.scalings
    assert scaling is not None
    assert float(scaling.shift) == 0.5
    assert float(scaling.scale) == 0.25


@pytest.mark.row("S142")
def test_that_an_exported_file_prepares_an_image_as_evaluation_does(tmp_path):
    from engine.export.job import build_job
    from engine.export.python_file import source_text

    steps = (
        TransformSpec(type="RandomInvert"),
        TransformSpec(type="Resize", params={"size": (12, 12), "interpolation": "nearest"}),
        TransformSpec(type="ToDtype", params={"dtype": "float32", "scale": True}),
        next(each for each in STRONG if each.type == "Normalize"),
    )
    data = msgspec.structs.replace(DATA, transforms=steps, batch_transforms=())
    run = make_run(tmp_path, data, epochs=1)
    assert train(run).status is RunStatus.FINISHED
    job, _ = build_job(run.path, "last")
    text = source_text(job, "weights.pt")
    assert "Requires only PyTorch, torchvision." in text
    names = {"__file__": str(tmp_path / "model.py"), "__name__": "exported"}
    exec(compile(text, "model.py", "exec"), names)
    training = built(data)
    source = training.data.source
    index = int(training.data.indices["test"][0])
    image = source.read([index])["image"][0]
    prepared = names["scale"](names["prepare"](image))[0]
    assert type(prepared) is torch.Tensor
    torch.testing.assert_close(prepared, training.data.tensors("test")["image"][:1])
