"""Runs on a folder of videos: what they learn, the same bits with any number of workers, and after
a resume.
"""

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.spec.run import CheckpointSpec, LoaderSpec, SplitSpec
from engine.spec.transform import TransformSpec
from tests.tiny_run import curves, make_run, train, weights
from tests.video_files import video_folder

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("unconfined")]  # workers are processes


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of 36 videos of three classes, which differ in the way of a square alone."""
    return video_folder(tmp_path_factory.mktemp("data") / "视频 set", count=12)


def run_of(project: Path, videos: Path, workers: int, **changes: object) -> RunFolder:
    """Return a run as it is proposed."""
    proposal = propose_data(ProposeData(path=str(videos)))
    assert proposal.graph is not None
    data = replace(
        proposal.spec.data,
        split=SplitSpec(kind="stratified", train=0.75, validation=0.25, test=0.0),
        batch_size=9,
        loader=LoaderSpec(num_workers=workers),
    )
    values: dict[str, object] = {
        "data": data,
        "losses": proposal.spec.losses,
        "metrics": proposal.spec.metrics,
        "optimizer": proposal.spec.optimizer,
        "epochs": 3,
    }
    return make_run(project, proposal.graph, **values | changes)


@pytest.mark.row("S146")
def test_that_the_proposal_tells_left_from_right_with_the_same_bits_for_any_number_of_workers(
    tmp_path: Path, videos: Path
) -> None:
    state = train(run_of(tmp_path, videos, 0, epochs=8))
    assert state.status is RunStatus.FINISHED
    assert state.metrics["validation.accuracy"] > 0.8
    runs = [run_of(tmp_path, videos, workers, epochs=2) for workers in (0, 1, 2)]
    assert all(train(run).status is RunStatus.FINISHED for run in runs)
    for run in runs[1:]:
        assert curves(run) == curves(runs[0])
        assert weights(run) == weights(runs[0])


@pytest.mark.fault("F15")
def test_that_a_resume_with_other_workers_and_random_changes_gives_the_same_bits(
    tmp_path: Path, videos: Path
) -> None:
    data = run_of(tmp_path, videos, 0).document.spec.data
    data = replace(data, transforms=(TransformSpec(type="RandomCrop", params={"size": (28, 28)}),))
    unbroken = run_of(tmp_path, videos, 0, data=data)
    train(unbroken)
    data = replace(data, loader=LoaderSpec(num_workers=2))
    run = run_of(
        tmp_path, videos, 2, data=data, checkpoint=CheckpointSpec(every_steps=1, keep_last=100)
    )
    state = train(run)
    middle = next(info for info in state.checkpoints if info.step == 4)
    assert middle.step % state.steps_per_epoch, "it is in the middle of an epoch"
    train(run, resume=middle.file)
    assert weights(run) == weights(unbroken)
    assert curves(run)["train.loss"] == curves(unbroken)["train.loss"]
