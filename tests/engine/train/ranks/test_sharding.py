"""A run whose weights are dealt out to processes computes what one process does."""

import pickle
import shutil
import signal
from pathlib import Path

import pytest
import torch

from engine.api import evaluate
from engine.diagnostics import DiagnosticError
from engine.events import CaptureGraph, Pause, RanksCompared, SetValue, Step, Stop
from engine.export.load import read_weights
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.record.shard_folder import SUFFIX, checkpoint_sizes, remove_orphans
from engine.runs.record.state import RunStatus
from engine.runtime.job.child import start_worker
from engine.spec.run import CheckpointSpec, Choice, ClipSpec
from engine.train.checkpoint.file import load_checkpoint, load_weights
from tests.engine.train.ranks.test_world import (
    LONG,
    SGD,
    Ended,
    are_gone,
    curve,
    events,
    ranks,
    wait_for,
    weights,
)
from tests.tiny_run import PATIENCE_S, chain, make_run, node, train

EPOCHS = 3
WIDE = 14_000  # so that the first layer is gathered by itself
pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]


def sharded_run(project: Path, **changes: object) -> RunFolder:
    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "wide", out_features=WIDE),
        node("Tanh", "act"),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )
    return make_run(project, graph, mode="fsdp", **{"optimizer": SGD} | changes)


def begin(run: RunFolder, nproc: int = 2, max_restarts: int = 0, resume: str = ""):
    launch = Launch(
        folder=str(run.path), nproc=nproc, sharded=True, max_restarts=max_restarts, resume=resume
    )
    return start_worker(worker_arguments(launch, nice=False))


@pytest.fixture(scope="module")
def settings() -> dict[str, object]:
    """Return what puts every collective into a step: momentum is dealt out, the norm gathered."""
    return {
        "optimizer": Choice(type="SGD", params={"lr": 0.002, "momentum": 0.5}),
        "clip": ClipSpec(kind="norm", limit=0.5),
        "epochs": EPOCHS,
    }


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory, settings: dict[str, object]) -> Ended:
    run = sharded_run(tmp_path_factory.mktemp("whole"), **settings)
    return Ended(run, train(run))


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory, settings: dict[str, object]) -> Ended:
    run = sharded_run(tmp_path_factory.mktemp("sharded"), **settings)
    process = begin(run)
    assert process.wait(300) == 0, run.log_path.read_text()
    return Ended(run, read_state(run))


@pytest.fixture
def copied(two: Ended, tmp_path: Path) -> RunFolder:
    """Return a copy of the run of two processes, to damage or to go on with."""
    shutil.copytree(two.run.project, tmp_path / "copy")
    return RunFolder.open(tmp_path / "copy" / "runs" / two.run.id)


def newest(run: RunFolder) -> Path:
    return run.checkpoints / read_state(run).checkpoints[-1].file


def refusal(path: Path) -> str:
    with pytest.raises(DiagnosticError) as error:
        load_checkpoint(path)
    return error.value.problems[0].code


@pytest.mark.row("S286")
def test_that_processes_with_a_part_of_the_weights_compute_what_one_does(
    two: Ended, alone: Ended
) -> None:
    assert two.state.status is RunStatus.FINISHED
    torch.testing.assert_close(curve(two.run), curve(alone.run), rtol=1e-6, atol=1e-6)
    for name, value in weights(alone.run).items():
        torch.testing.assert_close(weights(two.run)[name], value, rtol=1e-6, atol=1e-6)
    assert two.state.metrics == pytest.approx(alone.state.metrics, rel=1e-5)
    assert two.state.warnings == ()


def test_that_dealt_out_weights_are_not_compared(two: Ended) -> None:
    told = events(two.run, RanksCompared)
    assert told
    assert all(each.is_sharded and len(each.ranks) == 2 for each in told)


def test_that_each_process_writes_its_part_of_a_checkpoint(two: Ended) -> None:
    path = newest(two.run)
    names = {part.name for part in path.with_suffix(SUFFIX).iterdir()}
    assert names == {".metadata", "__0_0.distcp", "__1_0.distcp"}
    whole = sum(value.nbytes for value in weights(two.run).values())
    assert path.stat().st_size < whole
    assert checkpoint_sizes(two.run.checkpoints)[path.name] > 2 * whole  # momentum too
    kept = {each.stem for each in two.run.checkpoints.glob("*.ckpt")}
    assert {each.stem for each in two.run.checkpoints.glob(f"*{SUFFIX}")} == kept
    assert str(two.run.path).encode() not in (path.with_suffix(SUFFIX) / ".metadata").read_bytes()


def test_that_a_checkpoint_in_parts_is_read_like_any_other(two: Ended) -> None:
    found = weights(two.run)
    _, read, _ = read_weights(newest(two.run))
    for each in (read, load_weights(newest(two.run))):
        assert each.keys() == found.keys()
        assert all(torch.equal(each[name], value) for name, value in found.items())
    measured = evaluate(two.run.path, "last", "validation").metrics
    known = two.state.metrics["validation.loss"]
    assert measured["validation.loss"] == pytest.approx(known, rel=1e-5)


def test_that_a_run_in_parts_goes_on_in_one_process_as_if_it_had_been_one(
    copied: RunFolder, tmp_path: Path, settings: dict[str, object]
) -> None:
    state = train(copied, resume="latest", length=EPOCHS + 1)
    assert state.status is RunStatus.FINISHED
    whole = sharded_run(tmp_path / "whole", **settings | {"epochs": EPOCHS + 1})
    train(whole)
    torch.testing.assert_close(curve(copied), curve(whole), rtol=1e-5, atol=1e-5)


def test_that_a_checkpoint_with_a_damaged_part_is_passed_over(copied: RunFolder) -> None:
    (newest(copied).with_suffix(SUFFIX) / "__1_0.distcp").unlink()
    assert refusal(newest(copied)) == "K016"
    before = read_state(copied).checkpoints[-2]
    state = train(copied, resume="latest")
    assert state.resumed_from == before.file
    assert [problem.code for problem in state.warnings] == ["K016"]


@pytest.mark.fault("B01")
def test_that_code_among_the_parts_is_not_run(copied: RunFolder, tmp_path: Path) -> None:
    class Hostile:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "ran",))

    path = newest(copied)
    content = torch.load(path, weights_only=True)
    metadata = path.with_suffix(SUFFIX) / ".metadata"
    metadata.write_bytes(pickle.dumps(Hostile()))
    content["shards"]["files"] = {}
    torch.save(content, path)
    assert refusal(path) == "K005"
    assert not (tmp_path / "ran").exists()


def test_that_parts_without_their_file_are_removed_at_the_next_start(copied: RunFolder) -> None:
    path = newest(copied)
    path.unlink()
    remove_orphans(copied.checkpoints)
    assert not path.with_suffix(SUFFIX).exists()
    assert list(copied.checkpoints.glob(f"*{SUFFIX}"))


@pytest.mark.nightly
@pytest.mark.fault("D01")
def test_that_a_sharded_run_obeys_as_one_and_survives_a_loss(tmp_path: Path) -> None:
    run = sharded_run(tmp_path, epochs=LONG, checkpoint=CheckpointSpec(every_steps=50))
    process = begin(run, max_restarts=1)
    wait_for(run, lambda state: state.step > 20)
    run.send(SetValue(name="optimizer.lr", value=0.01))
    run.send(Pause())
    paused = wait_for(run, lambda state: state.status is RunStatus.PAUSED).step
    run.send(Step(count=3))
    stepped = lambda state: state.status is RunStatus.PAUSED and state.step == paused + 3  # noqa: E731
    wait_for(run, stepped)
    assert load_checkpoint(newest(run)).position.step == paused + 3
    run.send(CaptureGraph())
    members = ranks(process)
    members[1].send_signal(signal.SIGKILL)
    wait_for(run, lambda state: any(each.code == "R204" for each in state.warnings))
    restarted = wait_for(run, lambda state: state.resumed_from and state.step > paused + 3)
    assert [each.code for each in restarted.warnings] == ["R204", "R173"]
    members |= {rank + 2: each for rank, each in ranks(process).items()}
    run.send(Stop())
    assert process.wait(PATIENCE_S) == 0, run.log_path.read_text()
    assert are_gone(members)
    assert read_state(run).status is RunStatus.STOPPED
    assert curve(run, "lr")[-1] == pytest.approx(0.01)
