"""Runs on a folder of pictures: the same bits with any number of workers, and after a resume."""

import os
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.data.source.image_folder import ImageFolderSource
from engine.diagnostics import sentence
from engine.events import Resume, RunEnded, Step, Stop
from engine.graph.model import Graph
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.moved_data import follow_data
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.spec.data_edits import DataEdits
from engine.spec.run import CheckpointSpec, Choice, DataSpec, LoaderSpec, LossTerm, SplitSpec
from engine.train.worker import run_in_thread
from tests.tiny_run import PATIENCE_S, chain, curves, make_run, node, train, wait_until, weights

pytestmark = pytest.mark.real  # workers are processes
CLASSES = {"dark": 60, "light": 120, "white 2": 190}


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of 48 small photographs of three classes, told apart by their shade."""
    folder = tmp_path_factory.mktemp("data") / "图片 set"
    chance = np.random.default_rng(0)
    for name, shade in CLASSES.items():
        (folder / name).mkdir(parents=True)
        for number in range(16):
            height, width = chance.integers(16, 48, 2)
            values = shade + chance.integers(-20, 20, (height, width, 3))
            ending = ("jpg", "png")[number % 2]
            picture = Image.fromarray(values.clip(0, 255).astype(np.uint8))
            picture.save(folder / name / f"{number}.{ending}")
    return folder


def small_cnn() -> Graph:
    return chain(
        node("Input", "image", field="image", shape=(3, 16, 16)),
        node("Conv2d", "conv", out_channels=4, kernel_size=3),
        node("ReLU", "act"),
        node("MaxPool2d", "pool", kernel_size=2),
        node("Flatten", "flat"),
        node("Dropout", "drop", p=0.2),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )


def run_of(project: Path, pictures: Path, workers: int, **changes: object) -> RunFolder:
    source = Choice(type="image_folder", params={"path": str(pictures), "size": 16})
    data = DataSpec(
        source=source,
        split=SplitSpec(train=0.75, validation=0.25, test=0.0),
        batch_size=8,
        loader=LoaderSpec(num_workers=workers),
    )
    inputs = {"input": "model.logits", "target": "data.label"}
    loss = LossTerm(loss=Choice(type="CrossEntropyLoss"), inputs=inputs)
    values: dict[str, object] = {"data": data, "losses": (loss,), "epochs": 4}
    return make_run(project, small_cnn(), **values | changes)


def end_of(run: RunFolder) -> RunEnded:
    with RunStore.open(run.path) as store:
        event = store.events()[-1].event
    assert isinstance(event, RunEnded)
    return event


@pytest.mark.row("P13")
def test_that_a_cnn_learns_a_folder_with_the_same_bits_for_any_number_of_workers(
    tmp_path: Path, pictures: Path
) -> None:
    state = train(run_of(tmp_path, pictures, 0, epochs=10))
    assert state.status is RunStatus.FINISHED
    assert state.metrics["validation.accuracy"] > 0.6
    runs = [run_of(tmp_path, pictures, workers, epochs=2) for workers in (0, 1, 2)]
    assert all(train(run).status is RunStatus.FINISHED for run in runs)
    for run in runs[1:]:
        assert curves(run) == curves(runs[0])
        assert weights(run) == weights(runs[0])


@pytest.mark.fault("F15")
def test_that_a_resume_in_mid_epoch_with_other_workers_changes_nothing(
    tmp_path: Path, pictures: Path
) -> None:
    unbroken = run_of(tmp_path, pictures, 0)
    train(unbroken)
    checkpoints = CheckpointSpec(every_steps=1, keep_last=100)
    run = run_of(tmp_path, pictures, 2, checkpoint=checkpoints)
    state = train(run)
    middle = next(info for info in state.checkpoints if info.step == 8)
    assert middle.step % state.steps_per_epoch, "it is in the middle of an epoch"
    train(run, resume=middle.file)
    assert weights(run) == weights(unbroken)
    assert curves(run)["train.loss"] == curves(unbroken)["train.loss"]


@pytest.mark.fault("F08")
@pytest.mark.parametrize("workers", [0, 2])
def test_that_a_folder_that_vanishes_ends_the_run_and_it_goes_on_when_it_is_back(
    tmp_path: Path, pictures: Path, workers: int
) -> None:
    folder = tmp_path / "set"
    shutil.copytree(pictures, folder)
    unbroken = run_of(tmp_path, folder, workers)
    train(unbroken)
    run = run_of(tmp_path, folder, workers)
    run.send(Step(count=5))
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait_until(run, lambda state: state.status is RunStatus.PAUSED)
    folder.rename(tmp_path / "moved")
    run.send(Resume())
    assert thread.join(PATIENCE_S)
    state = read_state(run)
    assert state.status is RunStatus.FAILED
    assert state.step >= 5
    problem = end_of(run).problem
    assert problem is not None
    assert problem.code == "D050"
    assert problem.params["folder"] == str(folder)
    (tmp_path / "moved").rename(folder)
    assert train(run, resume="latest").status is RunStatus.FINISHED
    assert weights(run) == weights(unbroken)


@pytest.mark.fault("F08")
def test_that_a_run_goes_on_where_its_data_was_located(tmp_path: Path, pictures: Path) -> None:
    folder, elsewhere = tmp_path / "set", tmp_path / "新 place"
    shutil.copytree(pictures, folder)
    data = run_of(tmp_path, folder, 0).document.spec.data
    excluded = DataEdits(source="image_folder:set").excluding(["dark/0.jpg"], is_excluded=True)
    data = replace(data, edits=excluded)
    unbroken = run_of(tmp_path, folder, 0, data=data)
    train(unbroken)
    run = run_of(tmp_path, folder, 0, data=data)
    run.send(Step(count=5))
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait_until(run, lambda state: state.status is RunStatus.PAUSED)
    run.send(Stop())
    assert thread.join(PATIENCE_S)
    located = run_of(tmp_path, elsewhere, 0).document.spec
    assert follow_data(run, located).document == run.document, "it is where it was"
    folder.rename(elsewhere)
    params = located.data.source.params | {"size": 8}
    smaller = replace(located.data, source=Choice(type="image_folder", params=params))
    assert follow_data(run, replace(located, data=smaller)).document == run.document
    follow_data(run, located)
    run = RunFolder.open(run.path)
    assert run.document.spec.data.source == located.data.source
    state = train(run, resume="latest")
    assert state.status is RunStatus.FINISHED, state.problem
    assert weights(run) == weights(unbroken)
    assert curves(run) == curves(unbroken)
    assert state.warnings == ()


@pytest.mark.fault("B12")
@pytest.mark.parametrize("workers", [0, 2])
def test_that_damaged_pictures_stop_a_run_with_a_name_or_are_replaced(
    tmp_path: Path, pictures: Path, workers: int
) -> None:
    folder = tmp_path / "set"
    shutil.copytree(pictures, folder)
    for name in CLASSES:
        (folder / name / "4.jpg").write_bytes((folder / name / "4.jpg").read_bytes()[:200])
    run = run_of(tmp_path, folder, workers)
    assert train(run).status is RunStatus.FAILED
    problem = end_of(run).problem
    assert problem is not None
    assert problem.code == "D052"
    assert str(problem.params["file"]).endswith("4.jpg")
    data = run.document.spec.data
    params = data.source.params | {"on_damaged": "replace"}
    kinder = replace(data, source=Choice(type="image_folder", params=params))
    runs = [run_of(tmp_path, folder, count, data=kinder) for count in (0, workers)]
    for run in runs:
        assert train(run).status is RunStatus.FINISHED
    assert weights(runs[0]) == weights(runs[1])


def test_that_reading_uses_no_random_number_of_the_run(tmp_path: Path, pictures: Path) -> None:
    from engine.data.load.load import load_data

    data = load_data(run_of(tmp_path, pictures, 0).document.spec.data)
    torch.manual_seed(5)
    data.tensors("validation")
    drawn = torch.rand(1)
    torch.manual_seed(5)
    assert torch.equal(drawn, torch.rand(1))


@pytest.mark.usefixtures("no_child_handler")
@pytest.mark.fault("F09", "F10")
@pytest.mark.parametrize("is_out_of_memory", [False, True], ids=["killed", "out of memory"])
def test_that_a_run_whose_worker_was_lost_is_told_and_goes_on_from_its_checkpoint(
    tmp_path: Path, pictures: Path, monkeypatch: pytest.MonkeyPatch, is_out_of_memory: bool
) -> None:
    """The system ends the largest process when memory is short; a limit lets an allocation fail."""
    unbroken = run_of(tmp_path, pictures, 0)
    train(unbroken)
    monkeypatch.setattr("torch.utils.data._utils.MP_STATUS_CHECK_INTERVAL", 1.0)  # for their end
    run = run_of(tmp_path, pictures, 2, checkpoint=CheckpointSpec(every_steps=1, keep_last=3))
    real_read = ImageFolderSource.read_file
    mine = os.getpid()

    def read(source: ImageFolderSource, index: int) -> torch.Tensor:
        if os.getpid() != mine and spoiled.is_file():
            if is_out_of_memory:
                raise MemoryError
            os.kill(os.getpid(), signal.SIGKILL)
        return real_read(source, index)

    spoiled = tmp_path / "spoiled"
    monkeypatch.setattr(ImageFolderSource, "read_file", read)
    run.send(Step(count=5))
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait_until(run, lambda state: state.status is RunStatus.PAUSED)
    spoiled.touch()
    run.send(Resume())
    assert thread.join(PATIENCE_S)
    assert read_state(run).status is RunStatus.FAILED
    problem = end_of(run).problem
    assert problem is not None
    for language in ("en", "zh_CN"):
        assert "Traceback" not in sentence(problem, language)
    assert problem.code == "D081"
    spoiled.unlink()
    assert train(run, resume="latest").status is RunStatus.FINISHED
    assert weights(run) == weights(unbroken)
