"""One run with all that could part two of them: photographs of many sizes, random transforms,
blended batches, samples of like size in a batch. It is the same to the bit with any number of
workers and over a resume in the middle of an epoch; several processes see the same samples.
"""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from engine.events import Step
from engine.graph.model import Graph
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.record.state import RunStatus
from engine.runtime.job.child import Child, start_worker
from engine.spec.run import CheckpointSpec, Choice, DataSpec, LoaderSpec, RunSpec
from engine.spec.transform import BatchTransformSpec, TransformSpec
from engine.train.checkpoint.lookup import open_checkpoint
from tests.tiny_run import (
    CROSS_ENTROPY,
    PATIENCE_S,
    chain,
    curves,
    in_mid_epoch,
    iris_spec,
    node,
    stop_amid,
    stop_paused,
    stopped_state,
    train,
    weights,
)

pytestmark = [pytest.mark.real, pytest.mark.row("S143", "S190", "S296"), pytest.mark.timeout(900)]

AUGMENTED = (
    TransformSpec(type="RandomResizedCrop", params={"size": 12, "scale": (0.3, 1.0)}),
    TransformSpec(type="RandomApply", params={"p": 0.8}),
    TransformSpec(type="RandomHorizontalFlip", level=1),
    TransformSpec(type="RandomChoice", params={"p": (3.0, 1.0)}, level=1),
    TransformSpec(type="ColorJitter", params={"brightness": 0.4, "hue": 0.1}, level=2),
    TransformSpec(type="RandomOrder", level=2),
    TransformSpec(type="RandomInvert", level=3),
    TransformSpec(type="RandAugment", level=3),
    TransformSpec(type="Resize", params={"size": (12, 12)}),
    TransformSpec(type="Normalize", params={"mean": (0.5,), "std": (0.25,)}),
    TransformSpec(type="RandomErasing"),
)
BLENDED = (BatchTransformSpec(type="MixUp"), BatchTransformSpec(type="CutMix"))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table of pictures of many sizes, with their widths and weights."""
    folder = tmp_path_factory.mktemp("photographs")
    random = np.random.default_rng(4)
    rows = ["photo,label,width,importance"]
    for number in range(60):
        width, height = (int(each) for each in random.integers(14, 40, 2))
        pixels = random.integers(0, 256, (height, width, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{number}.png")
        rows.append(f"{number}.png,{'abc'[number % 3]},{width},{number % 5 / 2}")
    (folder / "photographs.csv").write_text("\n".join(rows) + "\n")
    return folder / "photographs.csv"


def graph(*, is_random: bool) -> Graph:
    """Return a small network, with Dropout and batch norm where it computes in one process."""
    random = (node("BatchNorm2d", "norm"), node("Dropout", "drop", p=0.2)) if is_random else ()
    return chain(
        node("Input", "photo", field="photo", shape=(3, 12, 12)),
        node("Conv2d", "conv", out_channels=4, kernel_size=3),
        *random,
        node("ReLU", "act"),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )


def spec(table: Path, workers: int = 0) -> RunSpec:
    kinds = {"kinds": "photo=image", "ignored": "width", "size": 20}
    kinds["weight"] = "importance"
    params = {"path": str(table), "target": "label", **kinds}
    source = Choice(type="table", params=params)
    data = DataSpec(
        source=source,
        batch_size=8,
        transforms=AUGMENTED,
        batch_transforms=BLENDED,
        sampler="bucketed",
        sampler_column="width",
        loader=LoaderSpec(num_workers=workers),
    )
    return iris_spec(
        data=data,
        losses=(CROSS_ENTROPY,),
        optimizer=Choice(type="SGD", params={"lr": 0.05}),
        epochs=2,
        checkpoint=CheckpointSpec(every_steps=1),
    )


def make(folder: Path, table: Path, workers: int = 0, *, is_random: bool = True) -> RunFolder:
    return RunFolder.create(folder, graph(is_random=is_random), spec(table, workers))


def measured(run: RunFolder) -> dict[str, tuple[list[int], bytes]]:
    named = curves(run).items()
    parts = ("train.", "validation.")
    return {name: curve for name, curve in named if name.startswith(parts)}


def begin(run: RunFolder, steps: int, ranks: int = 1) -> None:
    """Train for a number of steps and stop, in the middle of an epoch."""
    if ranks == 1:
        stop_amid(run, steps)
        return
    run.send(Step(count=steps))
    process = start(run, ranks)
    stop_paused(run)
    assert process.wait(PATIENCE_S) == 0, run.log_path.read_text()
    in_mid_epoch(stopped_state(run, steps))


def go_on(run: RunFolder, ranks: int = 1, resume: str = "latest") -> None:
    if ranks == 1:
        train(run, resume=resume)
        return
    process = start(run, ranks, resume)
    assert process.wait(PATIENCE_S) == 0, run.log_path.read_text()


def start(run: RunFolder, ranks: int, resume: str = "") -> Child:
    launch = Launch(folder=str(run.path), resume=resume, nproc=ranks)
    return start_worker(worker_arguments(launch, nice=False))


@pytest.fixture(scope="module")
def alone(table: Path, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    run = make(tmp_path_factory.mktemp("alone"), table)
    assert train(run).status is RunStatus.FINISHED, read_state(run)
    return run


@pytest.mark.parametrize(("workers", "steps"), [(1, 0), (2, 0), (0, 2), (2, 2), (1, 8)])
def test_that_a_run_is_the_same_with_any_workers_and_over_a_resume(
    table, alone, tmp_path, workers, steps
):
    """``steps``: after how many the run is stopped; 0 for a run in one go."""
    run = make(tmp_path, table, workers)
    if steps:
        begin(run, steps)
    go_on(run, resume="latest" if steps else "")
    assert read_state(run).status is RunStatus.FINISHED
    assert measured(run) == measured(alone)
    assert weights(run) == weights(alone)


def test_that_two_processes_see_the_same_samples_and_go_on_with_the_same_bits(table, tmp_path):
    one, two, resumed = (
        make(tmp_path / name, table, workers, is_random=False)
        for name, workers in (("one", 0), ("two", 1), ("resumed", 2))
    )
    assert train(one).status is RunStatus.FINISHED
    go_on(two, ranks=2, resume="")
    begin(resumed, 2, ranks=2)
    go_on(resumed, ranks=2)
    assert measured(resumed) == measured(two)
    assert weights(resumed) == weights(two)
    # Two processes add up the same gradients in another order: all but the last bits are those of
    # one, which no other order of the samples, and no other random numbers, would give.
    state = {name: open_checkpoint(run, "last").model for name, run in (("1", one), ("2", two))}
    for name, value in state["1"].items():
        torch.testing.assert_close(state["2"][name], value, rtol=1e-5, atol=1e-6)
