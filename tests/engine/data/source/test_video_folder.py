"""Folders of videos: labels, parts, values, and the frames that training draws."""

import pickle
from pathlib import Path

import pytest
import torch

from engine.data.load.load import LoadedData, load_data
from engine.data.load.part import BatchIndex
from engine.data.source.registry import load_source
from engine.data.source.video_folder import VideoFolderSource
from engine.diagnostics import DiagnosticError
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.spec.transform import TransformSpec
from tests.video_files import moving, numbered, video_folder, write

PARAMS: dict[str, object] = {"frames": 4, "size": 16}


def source_of(path: Path, **params: object) -> VideoFolderSource:
    chosen = {"path": str(path), **PARAMS, **params}
    source = load_source(Choice(type="video_folder", params=chosen))
    assert isinstance(source, VideoFolderSource)
    return source


def data_of(path: Path, *transforms: TransformSpec, **params: object) -> LoadedData:
    source = Choice(type="video_folder", params={"path": str(path), **PARAMS, **params})
    split = SplitSpec(train=0.5, validation=0.5, test=0.0)
    return load_data(DataSpec(source=source, split=split, transforms=transforms))


def drawn(data: LoadedData, epoch: int, seed: int = 7) -> torch.Tensor:
    local = torch.arange(len(data.training))
    return data.training.batch(BatchIndex(seed, epoch, 0, local, local))["video"]


def refused(**params: object) -> str:
    with pytest.raises(DiagnosticError) as caught:
        load_source(Choice(type="video_folder", params={**PARAMS, **params}))
    return caught.value.problems[0].code


@pytest.mark.row("S146")
def test_that_class_folders_give_videos_labels_and_classes(tmp_path: Path) -> None:
    source = source_of(video_folder(tmp_path / "视频", 2))
    assert source.task == "classification"
    assert source.infos[1].classes == ("down 2", "left", "right")
    values = source.read([0, 5])
    assert values["label"].tolist() == [0, 2]
    assert tuple(values["video"].shape) == (2, 3, 4, 16, 16)
    assert source.infos[0].shape == (3, 4, 16, 16)
    assert source.check({}) == ()


def test_that_folders_of_parts_and_a_table_are_read(tmp_path: Path) -> None:
    for part in ("train", "val", "test"):
        write(tmp_path / "parts" / part / "left" / f"{part}.mp4", moving((0, -1)))
        write(tmp_path / "parts" / part / "right" / f"{part}.mp4", moving((0, 1)))
    parts = source_of(tmp_path / "parts").given_parts()
    assert parts is not None
    assert sorted(parts.tolist()) == [0, 0, 1, 1, 2, 2]
    folder = tmp_path / "table"
    for number in range(4):
        write(folder / f"{number}.avi", moving((0, 1)))
    rows = "".join(f"{number}.avi,{'up' if number % 2 else 'on'}\n" for number in range(4))
    (folder / "labels.csv").write_text(f"video,label\n{rows}", "utf-8")
    assert source_of(folder).infos[1].classes == ("on", "up")


def test_that_other_folders_say_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", "utf-8")
    assert refused(path=str(tmp_path)) == "D394"
    assert refused(path="") == "D075"
    folder = video_folder(tmp_path / "v", 1)
    assert refused(path=str(folder), frames=1024, size=4096) == "D395"


@pytest.mark.row("S146")
def test_that_training_draws_frames_by_seed_epoch_and_index_and_testing_the_middle(
    tmp_path: Path,
) -> None:
    for number in range(8):
        write(tmp_path / "v" / f"{number % 2}" / f"{number}.mp4", numbered())
    data = data_of(tmp_path / "v")
    first = drawn(data, 0)
    assert torch.equal(first, drawn(data_of(tmp_path / "v"), 0))
    assert not torch.equal(first, drawn(data, 1))
    assert not torch.equal(first, drawn(data, 0, seed=8))
    assert not torch.equal(first[0], first[1])  # another draw for each sample
    still = data_of(tmp_path / "v", sampling="middle")
    assert torch.equal(drawn(still, 0), drawn(still, 1))
    tested = data.parts["validation"].batch(BatchIndex(7, 0, 0, torch.arange(2), torch.arange(2)))[
        "video"
    ]
    again = data.parts["validation"].batch(BatchIndex(9, 3, 0, torch.arange(2), torch.arange(2)))[
        "video"
    ]
    assert torch.equal(tested, again)
    # Frames follow one another: each is of a segment of its own.
    brightness = first[:, 0].mean(dim=(-1, -2))
    assert bool((brightness.diff(dim=1) >= 0).all())


def test_that_a_transform_changes_all_frames_of_a_video_alike(tmp_path: Path) -> None:
    for number in range(8):
        write(tmp_path / "v" / f"{number % 2}" / f"{number}.mp4", moving((0, 1), seed=number))
    flip = TransformSpec(type="RandomHorizontalFlip", params={"p": 1.0})
    crop = TransformSpec(type="RandomCrop", params={"size": (12, 12)})
    plain = drawn(data_of(tmp_path / "v", sampling="middle"), 0)
    turned = drawn(data_of(tmp_path / "v", flip, sampling="middle"), 0)
    assert torch.equal(turned, plain.flip(-1))
    cut = data_of(tmp_path / "v", crop, sampling="middle")
    info = cut.info.field("video")
    assert info is not None
    assert info.shape == (3, 4, 12, 12)
    one = drawn(cut, 0)[0]
    windows = plain[0].unfold(2, 12, 1).unfold(3, 12, 1)  # (3, 4, 5, 5, 12, 12)
    same = (windows == one[:, :, None, None]).all(dim=(-1, -2)).all(dim=0).all(dim=0)
    assert bool(same.any())  # one window for all frames


def test_that_normalize_works_on_the_channels_of_a_video(tmp_path: Path) -> None:
    folder = video_folder(tmp_path / "v", 2)
    norm = TransformSpec(type="Normalize", params={"mean": (0.5, 0.4, 0.3), "std": (0.5, 1, 2)})
    plain = drawn(data_of(folder, sampling="middle"), 0)
    scaled = drawn(data_of(folder, norm, sampling="middle"), 0)
    mean, std = (torch.tensor(each).reshape(3, 1, 1, 1) for each in ((0.5, 0.4, 0.3), (0.5, 1, 2)))
    assert torch.allclose(scaled, (plain - mean) / std, atol=1e-6)


@pytest.mark.fault("F15")
def test_that_a_damaged_video_is_named_or_replaced(tmp_path: Path) -> None:
    folder = video_folder(tmp_path / "v", 2)
    bad = folder / "left" / "0.mp4"
    bad.write_bytes(bad.read_bytes()[:200])
    source = source_of(folder)
    with pytest.raises(DiagnosticError) as caught:
        source.read([2])
    assert caught.value.problems[0].code == "D391"
    assert str(bad) in str(caught.value.problems[0].params["file"])
    instead = source_of(folder, on_damaged="replace").read([2])
    assert torch.equal(instead["video"], source.read([3])["video"])


def test_that_a_source_goes_to_other_processes(tmp_path: Path) -> None:
    source = source_of(video_folder(tmp_path / "v", 1))
    other = pickle.loads(pickle.dumps(source))
    assert torch.equal(other.read([1])["video"], source.read([1])["video"])
