"""Columns of a table that name sounds and videos, and the row of a file that cannot be read."""

import csv
from pathlib import Path

import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.data.load.load import load_data
from engine.data.load.part import BatchIndex
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError, sentence
from engine.query.ask import ask
from engine.query.data.request import LookAtSample, ProposeData, TakePictures
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, DataSpec, LoaderSpec, SplitSpec
from tests import sound_files, video_files
from tests.tiny_run import make_run, train

PARAMS: dict[str, object] = {
    "kinds": "call=sound, clip=video",
    "rate": sound_files.RATE,
    "seconds": 0.25,
    "frames": 4,
    "size": 16,
}


def events(folder: Path, rows: int = 24) -> Path:
    """Write a table of events, each with a sound, a video and a number."""
    ways = [video_files.WAYS["left"], video_files.WAYS["right"]]
    lines = [("call", "clip", "age", "kind")]
    for row in range(rows):
        wave = sound_files.tone((300.0, 2400.0)[row % 2], 0.6, seed=row)
        sound_files.write(folder / "sounds" / f"{row}.wav", wave)
        video_files.write(
            folder / "clips" / f"{row}.mp4", video_files.moving(ways[row % 2], seed=row)
        )
        lines.append((f"sounds/{row}.wav", f"clips/{row}.mp4", str(row * 3), "ab"[row % 2]))
    path = folder / "events.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(lines)
    return path


def spec_of(path: Path, **params: object) -> DataSpec:
    chosen = {"path": str(path), **PARAMS, **params}
    split = SplitSpec(train=0.5, validation=0.5, test=0.0)
    return DataSpec(source=Choice(type="table", params=chosen), split=split)


def test_that_sounds_and_videos_are_fields_beside_numbers(tmp_path: Path) -> None:
    spec = spec_of(events(tmp_path))
    source = load_source(spec.source)
    kinds = {info.name: (info.kind, info.shape) for info in source.infos}
    assert kinds["clip"] == ("video", (3, 4, 16, 16))
    assert kinds["call"] == ("sound", (1, 64, 1 + sound_files.RATE // 4 // 256))
    values = source.read([3, 0])
    assert tuple(values["clip"].shape) == (2, 3, 4, 16, 16)
    assert values["features"].tolist() == [[9.0], [0.0]]
    clip = source.value_of_file("clip", tmp_path / "clips" / "3.mp4")
    assert clip is not None
    assert torch.equal(clip, values["clip"][0])


def test_that_pieces_and_frames_are_drawn_in_training_alone(tmp_path: Path) -> None:
    data = load_data(spec_of(events(tmp_path, 8)))
    local = torch.arange(4)

    def drawn(part: str, epoch: int) -> dict[str, torch.Tensor]:
        chosen = data.training if part == "train" else data.parts["validation"]
        return dict(chosen.batch(BatchIndex(7, epoch, 0, local, local)))

    for name in ("call", "clip"):
        assert torch.equal(drawn("train", 0)[name], drawn("train", 0)[name])
        assert not torch.equal(drawn("train", 0)[name], drawn("train", 1)[name])
        assert torch.equal(drawn("validation", 0)[name], drawn("validation", 1)[name])


@pytest.mark.parametrize("size", ["small", "large"])
def test_that_such_a_table_is_proposed_and_trained_at_once(tmp_path: Path, size: str) -> None:
    proposal = ask(ProposeData(path=str(events(tmp_path / "data")), size=size))
    params = proposal.spec.data.source.params
    assert params["kinds"] == "call=sound, clip=video"
    assert (params["rate"], params["seconds"]) == (sound_files.RATE, 0.6)
    assert (params["frames"], params["size"]) == (8, 32)
    assert proposal.graph is not None
    fields = {node.params.get("field") for node in proposal.graph.nodes.values()}
    assert {"call", "clip", "features"} <= fields
    data = replace(proposal.spec.data, loader=LoaderSpec())
    run = make_run(
        tmp_path,
        proposal.graph,
        data=data,
        losses=proposal.spec.losses,
        metrics=proposal.spec.metrics,
        epochs=1,
    )
    assert train(run).status is RunStatus.FINISHED


def test_that_samples_show_both(tmp_path: Path) -> None:
    spec = spec_of(events(tmp_path, 4))
    (sample,) = ask(TakePictures(data=spec, indices=(1,), side=64)).samples
    assert [picture.field for picture in sample.pictures] == ["call", "clip"]
    assert sample.pictures[1].width == video_files.SIDE  # a still
    details = ask(LookAtSample(data=spec, index=1, side=200))
    assert details.files == (
        str(tmp_path / "sounds" / "1.wav"),
        str(tmp_path / "clips" / "1.mp4"),
    )
    assert details.pictures[1].width > video_files.SIDE  # its frames


@pytest.mark.fault("F15")
@pytest.mark.parametrize("kind", ["photo=image", "photo=array", "photo=sound", "photo=video"])
def test_that_a_damaged_file_is_named_with_its_row_and_column(tmp_path: Path, kind: str) -> None:
    ending = {"image": "png", "array": "npy", "sound": "wav", "video": "mp4"}[kind[6:]]
    lines = ["photo,age,sold"]
    for row in range(6):
        (tmp_path / f"{row}.{ending}").write_bytes(b"damaged")
        if row != 3:
            write(tmp_path / f"{row}.{ending}", row)
        lines.append(f"{row}.{ending},{row},{row % 2}")
    path = tmp_path / "homes.csv"
    path.write_text("\n".join(lines), "utf-8")
    source = load_source(spec_of(path, kinds=kind).source)
    source.read([0, 2, 4])
    with pytest.raises(DiagnosticError) as caught:
        source.read([2, 3])
    told = caught.value.problems[0]
    assert f"3.{ending}" in sentence(told)
    assert "row 5" in sentence(told)  # of the file, whose first row has the names
    assert "photo" in sentence(told)
    assert "第 5 行" in sentence(told, "zh_CN")


def write(path: Path, number: int) -> None:
    match path.suffix:
        case ".png":
            Image.new("RGB", (20, 20), (number, 90, 9)).save(path)
        case ".npy":
            import numpy as np

            np.save(path, np.full(5, number, np.float32))
        case ".wav":
            sound_files.write(path, sound_files.tone(300))
        case _:
            video_files.write(path, video_files.numbered())
