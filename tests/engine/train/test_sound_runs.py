"""Runs on a folder of sounds: what they learn, the same bits with any number of workers, and after
a resume.
"""

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.data.load.load import describe_source, load_split
from engine.graph.model import Graph
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.spec.first_model import first_model
from engine.spec.proposal import ModelSize
from engine.spec.run import CheckpointSpec, Choice, DataSpec, LoaderSpec, SplitSpec
from engine.spec.transform_list import sound_transforms
from tests.sound_files import sound_folder
from tests.tiny_run import curves, make_run, train, weights

pytestmark = pytest.mark.real  # workers are processes


@pytest.fixture(scope="module")
def sounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of 36 tones of three classes, each longer than what is heard of it."""
    return sound_folder(tmp_path_factory.mktemp("data") / "声音 set", count=12, seconds=0.6)


def run_of(
    project: Path, sounds: Path, workers: int, size: ModelSize = "small", **changes: object
) -> RunFolder:
    """Return a run as it is proposed, on pieces of the sounds."""
    proposal = propose_data(ProposeData(path=str(sounds), size=size))
    assert proposal.graph is not None
    data = proposal.spec.data
    params = {**data.source.params, "seconds": 0.4, "mels": 24}
    data = replace(
        data,
        source=Choice(type=data.source.type, params=params),
        split=SplitSpec(train=0.75, validation=0.25, test=0.0),
        batch_size=9,
        loader=LoaderSpec(num_workers=workers),
    )
    values: dict[str, object] = {
        "data": data,
        "losses": proposal.spec.losses,
        "metrics": proposal.spec.metrics,
        "epochs": 3,
    }
    return make_run(project, _fitted(data, size), **values | changes)


def _fitted(data: DataSpec, size: ModelSize) -> Graph:
    graph = first_model(describe_source(data, *load_split(data)), size)
    assert graph is not None
    return graph


@pytest.mark.row("P13")
def test_that_the_proposal_learns_tones_with_the_same_bits_for_any_number_of_workers(
    tmp_path: Path, sounds: Path
) -> None:
    runs = [run_of(tmp_path, sounds, workers, epochs=6) for workers in (0, 1, 2)]
    states = [train(run) for run in runs]
    assert all(state.status is RunStatus.FINISHED for state in states)
    assert states[0].metrics["validation.accuracy"] > 0.8
    for run in runs[1:]:
        assert curves(run) == curves(runs[0])
        assert weights(run) == weights(runs[0])


@pytest.mark.fault("F15")
def test_that_a_resume_with_other_workers_and_random_changes_gives_the_same_bits(
    tmp_path: Path, sounds: Path
) -> None:
    data = run_of(tmp_path, sounds, 0).document.spec.data
    data = replace(data, transforms=sound_transforms((1, 24, 1)))
    unbroken = run_of(tmp_path, sounds, 0, data=data)
    train(unbroken)
    data = replace(data, loader=LoaderSpec(num_workers=2))
    run = run_of(
        tmp_path, sounds, 2, data=data, checkpoint=CheckpointSpec(every_steps=1, keep_last=100)
    )
    state = train(run)
    middle = next(info for info in state.checkpoints if info.step == 4)
    assert middle.step % state.steps_per_epoch, "it is in the middle of an epoch"
    train(run, resume=middle.file)
    assert weights(run) == weights(unbroken)
    assert curves(run)["train.loss"] == curves(unbroken)["train.loss"]
