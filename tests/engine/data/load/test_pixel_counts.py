"""Pixels of each class in the masks of each part."""

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from engine.data.load.load import load_split
from engine.data.load.pixel_counts import count_pixels, known_pixels
from engine.data.source.mixed_table import MixedTableSource
from engine.query.reading.answer import tell_pixels
from engine.query.reading.request import CountPixels, PixelsCounted, ReadingProgress
from engine.spec.run import Choice, DataSpec
from engine.spec.statistics import PixelCounts
from tests.engine.data.source.test_segmentation_folder import folder_of
from tests.mask_table import scans, spec_of


def by_hand(masks, indices, classes):
    return {
        part: tuple(int((masks[index.numpy()] == at).sum()) for at in range(classes))
        for part, index in indices.items()
    }


def stored(paths):
    return np.stack([np.array(Image.open(path)) for path in paths])


def test_that_pixels_are_those_of_the_files_for_a_table_and_for_a_folder(tmp_path):
    table = scans(tmp_path / "table")
    source, indices = load_split(spec_of(table))
    masks = stored([tmp_path / "table" / "m" / f"{at}.png" for at in range(source.samples)])
    counted = {each.part: each.classes for each in count_pixels(source, indices)}
    assert counted == by_hand(masks, indices, 3)
    folder = folder_of(tmp_path / "folder", value=255)
    params = {"path": str(folder), "size": (20, 24)}
    source, indices = load_split(DataSpec(source=Choice(type="segmentation_folder", params=params)))
    masks = stored([source.file("mask", at) for at in range(source.samples)]) > 0
    counted = {each.part: each.classes for each in count_pixels(source, indices)}
    assert counted == by_hand(masks, indices, 2)


def test_that_pixels_of_no_class_are_counted_apart(tmp_path):
    source, indices = load_split(spec_of(scans(tmp_path), size=24, fit="pad"))
    for part in count_pixels(source, indices):
        assert part.without_class == len(indices[part.part]) * 8 * 24
        assert sum(part.classes) == len(indices[part.part]) * 16 * 24


def test_that_masks_are_read_once_and_without_their_pictures(tmp_path, monkeypatch):
    source, indices = load_split(spec_of(scans(tmp_path)))
    assert known_pixels(source, indices) is None
    monkeypatch.setattr(MixedTableSource, "read", None)  # which decodes pictures, too
    counted = count_pixels(source, indices)
    monkeypatch.setattr(MixedTableSource, "read_field", None)
    assert known_pixels(source, indices) == counted
    assert count_pixels(source, indices) == counted


def test_that_the_process_tells_how_far_it_is_and_nothing_without_masks(tmp_path):
    told = []
    tell_pixels(CountPixels(data=spec_of(scans(tmp_path))), told.append)
    assert isinstance(told[-1], PixelsCounted)
    assert [each.part for each in told[-1].parts] == ["train", "validation", "test"]
    last = [each for each in told if isinstance(each, ReadingProgress)][-1]
    assert (last.done, last.count) == (24, 24)
    tell_pixels(CountPixels(data=DataSpec(source=Choice(type="iris"))), told.append)
    assert told[-1] == PixelsCounted(parts=())


@pytest.mark.parametrize("target", ["mask", "boxes"])
def test_that_shapes_have_pixels_where_masks_are_predicted(target):
    params = {"target": target, "samples": 40}
    source, indices = load_split(DataSpec(source=Choice(type="shapes", params=params)))
    counted = count_pixels(source, indices)
    assert bool(counted) == (target == "mask")
    assert all(isinstance(each, PixelCounts) and sum(each.classes) for each in counted)


def test_that_another_split_is_counted_anew(tmp_path):
    spec = spec_of(scans(tmp_path))
    first = count_pixels(*load_split(spec))
    second = count_pixels(*load_split(replace(spec, split=replace(spec.split, seed=5))))
    assert {each.part: sum(each.classes) for each in first} == {
        each.part: sum(each.classes) for each in second
    }
    assert first != second
