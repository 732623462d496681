"""Thumbnails: what they show, and how they are kept."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

from engine.data.read import thumbnail as module
from engine.data.read.cache import prune
from engine.data.read.thumbnail import Thumbnails, thumbnail
from engine.diagnostics import DiagnosticError


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "图片 a.jpg"
    Image.new("RGB", (400, 200), (250, 20, 20)).save(path, quality=95)
    return path


def test_that_a_thumbnail_shows_the_picture_in_the_middle_of_black(picture):
    pixels = np.frombuffer(Thumbnails(None).get(picture, 20), np.uint8).reshape(20, 20, 3)
    assert (pixels[:5] == 0).all()
    assert (pixels[15:] == 0).all()
    assert np.abs(pixels[5:15].astype(int) - (250, 20, 20)).max() < 8


def test_that_a_thumbnail_has_the_proportions_of_its_picture_and_no_more_pixels(picture, tmp_path):
    made = thumbnail(picture, 20)
    assert (made.width, made.height, len(made.pixels)) == (20, 10, 3 * 20 * 10)
    Image.new("RGB", (3, 2)).save(tmp_path / "tiny.png")
    tiny = Thumbnails(None).fitted(tmp_path / "tiny.png", 20)
    assert (tiny.width, tiny.height) == (3, 2)


def test_that_a_thumbnail_is_made_once_until_its_picture_changes(picture, tmp_path, monkeypatch):
    thumbnails = Thumbnails(tmp_path / "cache")
    (tmp_path / "cache").mkdir()
    made: list[object] = []
    monkeypatch.setattr(module, "thumbnail", lambda *of: made.append(of) or thumbnail(*of))
    first = thumbnails.get(picture, 16)
    assert Thumbnails(tmp_path / "cache").get(picture, 16) == first
    assert len(made) == 1
    thumbnails.get(picture, 8)
    Image.new("RGB", (40, 40), (0, 200, 0)).save(picture)
    assert thumbnails.get(picture, 16) != first
    assert len(made) == 3


@pytest.mark.fault("B02")
def test_that_a_damaged_cache_is_made_anew(picture, tmp_path):
    (tmp_path / "cache").mkdir()
    thumbnails = Thumbnails(tmp_path / "cache")
    pixels = thumbnails.get(picture, 16)
    (file,) = (tmp_path / "cache").iterdir()
    for content in (b"", pixels[:-1], pixels + b"x"):
        file.write_bytes(content)
        assert thumbnails.get(picture, 16) == pixels


def test_that_many_threads_may_ask(picture, tmp_path):
    (tmp_path / "cache").mkdir()
    thumbnails = Thumbnails(tmp_path / "cache")
    with ThreadPoolExecutor(8) as pool:
        sides = [8, 9, 10, 11] * 20
        results = list(pool.map(lambda side: thumbnails.get(picture, side), sides))
    assert [len(pixels) for pixels in results] == [3 * side * side for side in sides]


def test_that_the_cache_stays_within_its_limit(tmp_path):
    for number in range(10):
        path = tmp_path / f"{number}.rgb"
        path.write_bytes(bytes(100))
        os.utime(path, (number, number))
    prune(tmp_path, 350)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["7.rgb", "8.rgb", "9.rgb"]


def test_that_without_a_cache_thumbnails_are_made_each_time(picture, tmp_path):
    gone = Thumbnails(tmp_path / "missing" / "cache")
    assert gone.get(picture, 8) == Thumbnails(None).get(picture, 8) == gone.get(picture, 8)


def test_that_no_thumbnail_is_a_finding(tmp_path):
    (tmp_path / "a.png").write_bytes(b"x")
    thumbnails = Thumbnails(None)
    for name, code in (("a.png", "D052"), ("b.png", "D054"), ("a\0", "D056")):
        with pytest.raises(DiagnosticError) as caught:
            thumbnails.get(tmp_path / name, 8)
        assert caught.value.problems[0].code == code
    for side in (0, 2000):
        with pytest.raises(ValueError, match="side"):
            thumbnails.get(tmp_path / "a.png", side)
