"""Samples that are only looked at: what is told of each does not grow with its size."""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from engine.data.preview import preview_at
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.run import Choice, DataSpec
from tests import sound_files

MOST_BYTES = 400_000  # of a sample; as numbers in a list, these samples take several million


def pictures(folder: Path, side: int) -> DataSpec:
    """Return data of square pictures, each half black and half white, in two folders."""
    values = np.zeros((side, side, 3), np.uint8)
    values[: side // 2] = 255
    for name in ("a", "b"):
        (folder / name).mkdir()
        for number in range(4):
            Image.fromarray(values).save(folder / name / f"{number}.png")
    params = {"path": str(folder), "size": (side, side)}
    return DataSpec(source=Choice(type="image_folder", params=params))


def test_that_large_pictures_are_told_small(tmp_path: Path) -> None:
    shown = preview_at(pictures(tmp_path, 600), range(8)).samples
    assert [sample.index for sample in shown] == list(range(8))
    for sample in shown:
        assert sample.values.keys() == {"label", "target"}
        assert len(msgspec.msgpack.encode(sample)) < MOST_BYTES
        picture = sample.pictures["image"]
        pixels = np.frombuffer(picture.content, picture.dtype).reshape(picture.shape)
        assert pixels.shape[0] == 3
        assert pixels.shape[1] == pixels.shape[2]
        assert pixels[:, 0].mean() == 1
        assert pixels[:, -1].mean() == 0


def test_that_small_pictures_are_told_whole(tmp_path: Path) -> None:
    (sample,) = preview_at(pictures(tmp_path, 20), [0]).samples
    assert sample.pictures == {}
    assert len(sample.values["image"]) == 3 * 20 * 20


@pytest.mark.parametrize("form", ["waveform", "log_mel"])
def test_that_long_sounds_are_told_as_pictures(tmp_path: Path, form: str) -> None:
    root = sound_files.sound_folder(tmp_path / "声音", 4, 3.0)
    data = propose_data(ProposeData(path=str(root))).spec.data
    params = {**data.source.params, "seconds": 3.0, "form": form}
    data = replace(data, source=replace(data.source, params=params))
    (sample,) = preview_at(data, [0]).samples
    picture = sample.pictures["sound"]
    assert (picture.shape[0], picture.dtype) == (3, "|u1")
    assert len(picture.content) == np.prod(picture.shape)
    assert len(msgspec.msgpack.encode(sample)) < MOST_BYTES


def test_that_of_wide_rows_the_first_numbers_are_told() -> None:
    params = {"samples": 20, "features": 10_000}
    data = DataSpec(source=Choice(type="random_regression", params=params))
    (sample,) = preview_at(data, [3]).samples
    assert 0 < len(sample.values["features"]) < 1000
