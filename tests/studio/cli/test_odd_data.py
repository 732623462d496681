"""Data that is odd in its size, from the command line: one line that says what is wrong."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.data.source.registry import forget_sources


def classes(folder: Path, count: int, each: int = 1) -> Path:
    for number in range(count):
        inner = folder / f"类 {number}"
        inner.mkdir(parents=True)
        for picture in range(each):
            Image.new("RGB", (6, 6), (number % 256, picture, 0)).save(inner / f"{picture}.png")
    return folder


@pytest.mark.fault("B10", "B12")
def test_that_many_classes_are_counted_and_not_listed(run, tmp_path):
    forget_sources()
    done = run("new", tmp_path / "p", "--data", classes(tmp_path / "图 片", 300))
    assert done.code == 0
    assert "300" in done.err
    told = run("data", tmp_path / "p")
    (training,) = (line for line in told.out.splitlines() if line.startswith("train:"))
    assert "300 classes of 0 to 1 samples" in training
    assert max(map(len, told.out.splitlines())) < 200


@pytest.mark.fault("B10")
@pytest.mark.parametrize(
    "make",
    [
        lambda folder: classes(folder, 1),
        lambda folder: arrays(folder, np.ones((1, 4)), np.array([1])),
        lambda folder: arrays(folder, np.ones((30, 4)), np.ones(30, int)),
    ],
    ids=["one picture", "one row", "all alike"],
)
def test_that_too_little_to_learn_from_is_told_before_a_run(run, tmp_path, make):
    forget_sources()
    done = run("new", tmp_path / "p", "--data", make(tmp_path / "in"))
    assert done.err.startswith("trellis: ")
    assert "Traceback" not in done.err
    assert " main.py check " in done.out.splitlines()[-1]
    checked = run("check", tmp_path / "p")
    assert checked.code == 1
    assert "error" in checked.out


@pytest.mark.fault("B10")
def test_that_one_sample_of_each_class_is_trained_on_with_a_warning(run, tmp_path):
    forget_sources()
    done = run("new", tmp_path / "p", "--data", classes(tmp_path / "in", 2))
    assert "2 classes have only one sample" in done.err
    assert "train 2, validation 0, test 0" in done.out
    checked = run("check", tmp_path / "p")
    assert checked.code == 0
    assert "validation set is empty" in checked.out


def arrays(folder: Path, x: np.ndarray, y: np.ndarray) -> Path:
    folder.mkdir()
    np.savez(folder / "a.npz", x=x.astype(np.float32), y=y)
    return folder / "a.npz"
