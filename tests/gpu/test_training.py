"""Training on a GPU: the same promises as on the CPU, and the switches that only a GPU has."""

from pathlib import Path

import pytest
import torch

from engine.api import evaluate
from engine.data.load.load import load_data
from engine.diagnostics import sentence
from engine.events import FreeCache, Step, Stop
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.runtime.run import start_run
from engine.runtime.telemetry import Telemetry
from engine.spec.run import Choice, ComputeSpec, DataSpec, LoaderSpec, ProcessSpec
from engine.train import training as training_module
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.worker import run_in_thread
from tests.tiny_run import (
    PATIENCE_S,
    RANDOM_LAYERS,
    chain,
    curves,
    iris_graph,
    iris_spec,
    make_run,
    node,
    train,
    wait_until,
    weights,
)

PICTURES = DataSpec(source=Choice(type="digits"), batch_size=64)
GIB = 1 << 30


def picture_graph():
    """Return a small convolutional classifier of the digits."""
    return chain(
        node("Input", "image", field="image", shape=(1, 8, 8)),
        node("Conv2d", "conv", out_channels=16, kernel_size=3, padding=1),
        node("BatchNorm2d", "norm"),
        node("ReLU", "act"),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=10),
        node("Output", "logits"),
    )


def finished(run: RunFolder) -> RunFolder:
    """Train to the end, which has to be a good one."""
    state = train(run)
    reason = None if state.problem is None else f"{sentence(state.problem)} {state.problem.detail}"
    assert state.status is RunStatus.FINISHED, reason
    return run


def stopped_at(run: RunFolder, step: int) -> None:
    """Train that many steps and stop there."""
    run.send(Step(count=step))
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait_until(run, lambda state: state.status is RunStatus.PAUSED)
    run.send(Stop())
    assert thread.join(PATIENCE_S)
    assert read_state(run).step == step


def last_loss(run: RunFolder) -> float:
    with RunStore.open(run.path) as store:
        return float(store.scalars("train.loss").values[-1])


def test_that_a_resumed_run_is_that_which_was_never_stopped(tmp_path: Path) -> None:
    whole = finished(make_run(tmp_path / "whole", device="cuda", deterministic=True))
    broken = make_run(tmp_path / "broken", device="cuda", deterministic=True)
    stopped_at(broken, 6)
    train(broken, resume="latest")
    assert curves(broken) == curves(whole)
    assert weights(broken) == weights(whole)


def test_that_a_checkpoint_of_a_gpu_computes_the_same_on_the_cpu(tmp_path: Path) -> None:
    run = finished(make_run(tmp_path, device="cuda"))
    model = to_module(run.document.graph)
    model.load_state_dict(open_checkpoint(run, "last").model)
    part = load_data(run.document.spec.data).tensors("test")
    with torch.no_grad():
        guess = model.eval()(part["features"]).argmax(1)
    share = float((guess == part["label"]).double().mean())
    assert read_state(run).metrics["test.accuracy"] == pytest.approx(share)
    assert evaluate(run.path, "last", "test").metrics["test.accuracy"] == pytest.approx(share)


@pytest.mark.parametrize("precision", ["float16", "bfloat16", "float64"])
def test_that_other_precisions_learn_what_float32_learns(tmp_path: Path, precision: str) -> None:
    losses = []
    for each in ("float32", precision):
        run = make_run(
            tmp_path / each,
            picture_graph(),
            data=PICTURES,
            device="cuda",
            epochs=4,
            compute=ComputeSpec(precision=each),
        )
        losses.append(last_loss(finished(run)))
    assert losses[1] == pytest.approx(losses[0], rel=0.3, abs=0.1)


def test_that_the_scaler_of_float16_is_resumed(tmp_path: Path) -> None:
    half = ComputeSpec(precision="float16")
    whole = finished(make_run(tmp_path / "a", device="cuda", deterministic=True, compute=half))
    broken = make_run(tmp_path / "b", device="cuda", deterministic=True, compute=half)
    stopped_at(broken, 5)
    train(broken, resume="latest")
    assert curves(broken) == curves(whole)


@pytest.mark.parametrize("workers", [0, 2])
def test_that_data_that_is_copied_batch_by_batch_gives_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    resident = finished(make_run(tmp_path / "a", device="cuda", deterministic=True))
    monkeypatch.setattr(training_module, "_RESIDENT_BYTES", 0)
    data = DataSpec(source=Choice(type="iris"), loader=LoaderSpec(num_workers=workers))
    copied = make_run(
        tmp_path / "b",
        device="cuda",
        deterministic=True,
        data=data,
        compute=ComputeSpec(pin_memory=True),
    )
    assert curves(finished(copied)) == curves(resident)


@pytest.mark.parametrize(
    "compute",
    [
        ComputeSpec(channels_last=True),
        ComputeSpec(tf32=True),
        ComputeSpec(cudnn_benchmark=True),
        ComputeSpec(compile=True),
    ],
    ids=["channels_last", "tf32", "cudnn_benchmark", "compile"],
)
def test_that_switches_for_speed_change_only_the_last_digits(
    tmp_path: Path, compute: ComputeSpec
) -> None:
    runs = [
        finished(
            make_run(
                tmp_path / name,
                picture_graph(),
                data=PICTURES,
                device="cuda",
                epochs=1,
                compute=each,
            )
        )
        for name, each in (("plain", ComputeSpec()), ("switched", compute))
    ]
    first, second = map(last_loss, runs)
    assert second == pytest.approx(first, rel=0.1, abs=0.05)


@pytest.mark.parametrize("kind", ["AdamW", "SGD", "Adam"])
def test_that_fused_optimizers_learn_the_same(tmp_path: Path, kind: str) -> None:
    losses = []
    for fused in (None, True):
        params = {"lr": 0.01} | ({"fused": True} if fused else {})
        choice = Choice(type=kind, params=params)
        run = make_run(tmp_path / f"{fused}", device="cuda", optimizer=choice)
        losses.append(last_loss(finished(run)))
    assert losses[1] == pytest.approx(losses[0], rel=1e-3)


def test_that_a_model_too_large_for_its_share_of_the_gpu_is_told_with_a_way_out(
    tmp_path: Path,
) -> None:
    share = 0.2 * GIB / torch.cuda.get_device_properties(0).total_memory
    wide = iris_graph(node("Linear", "wide", out_features=1_000_000))
    run = make_run(tmp_path, wide, device="cuda", compute=ComputeSpec(memory_limit=share))
    state = train(run)
    torch.cuda.set_per_process_memory_fraction(1.0)
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert state.problem.code == "R138"
    assert sentence(state.problem)


def test_that_the_cache_is_given_back_while_a_run_goes_on(tmp_path: Path) -> None:
    run = make_run(tmp_path, device="cuda")
    run.send(FreeCache())
    finished(run)


def test_that_telemetry_tells_of_the_gpu() -> None:
    load = Telemetry().read()
    assert load.problem is None
    assert load.gpus
    assert load.gpus[0].memory_bytes > GIB
    assert load.gpus[0].used_bytes > 0
    assert load.gpus[0].name


@pytest.mark.parametrize("mode", ["process", "ddp", "fsdp"])
def test_that_a_process_of_its_own_trains_on_the_gpu(tmp_path: Path, mode: str) -> None:
    spec = iris_spec(device="cuda", mode=mode, nproc=1, processes=ProcessSpec(timeout_s=60))
    handle = start_run(tmp_path, iris_graph(*RANDOM_LAYERS), spec)
    assert handle.wait(PATIENCE_S)
    state = read_state(handle.folder)
    reason = None if state.problem is None else f"{sentence(state.problem)} {state.problem.detail}"
    assert state.status is RunStatus.FINISHED, reason
    assert state.step == 12
