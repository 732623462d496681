"""Folders of pictures with masks: pairs, classes of pixels, and a model that learns them."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from engine.data.load.load import load_data
from engine.data.source.registry import load_source
from engine.data.source.segmentation_folder import SegmentationFolderSource
from engine.diagnostics import DiagnosticError
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, DataSpec, LoaderSpec, LossTerm, SplitSpec
from tests.tiny_run import chain, curves, make_run, node, train


def folder_of(root: Path, value: int = 1, ending: str = "", count: int = 12) -> Path:
    """Return pictures of a bright square on dark ground, with masks of it."""
    chance = np.random.default_rng(0)
    (root / "images").mkdir(parents=True)
    (root / "masks").mkdir()
    for number in range(count):
        top, left = chance.integers(0, 10, 2)
        mask = np.zeros((20, 24), np.uint8)
        mask[top : top + 8, left : left + 8] = value
        picture = np.where(mask[..., None] > 0, 220, 30) + chance.integers(0, 20, (20, 24, 3))
        Image.fromarray(picture.astype(np.uint8)).save(root / "images" / f"图 {number}.jpg")
        Image.fromarray(mask).save(root / "masks" / f"图 {number}{ending}.png")
    return root


def source_of(path: Path, **params: object) -> SegmentationFolderSource:
    source = load_source(Choice(type="segmentation_folder", params={"path": str(path), **params}))
    assert isinstance(source, SegmentationFolderSource)
    return source


def refused(path: Path, index: int | None = None, **params: object) -> str:
    with pytest.raises(DiagnosticError) as caught:
        source_of(path, **params).read([] if index is None else [index])
    return caught.value.problems[0].code


@pytest.mark.parametrize("value", [1, 255])
@pytest.mark.parametrize("ending", ["", "_mask"])
def test_that_pictures_and_masks_of_equal_names_belong_together(tmp_path, value, ending):
    source = source_of(folder_of(tmp_path / "s", value, ending), size=(10, 12), fit="stretch")
    assert source.samples == 12
    assert [info.shape for info in source.infos] == [(3, 10, 12), (10, 12)]
    values = source.read([3, 5])
    assert values["mask"].dtype == torch.int64
    assert values["mask"].unique().tolist() == [0, 1]
    bright = values["image"].mean(dim=1) > 0.5
    assert float((bright == (values["mask"] == 1)).float().mean()) > 0.9
    assert source.text("mask", 3) == source.text("image", 3).replace(".jpg", f"{ending}.png")
    assert len(set(source.keys(range(12)))) == 12


def test_that_without_a_size_masks_are_as_they_are_stored(tmp_path):
    source = source_of(folder_of(tmp_path / "s"), size=None)
    values = source.read([0, 1])
    assert values["image"].shape == (2, 3, 20, 24)
    stored = np.array(Image.open(tmp_path / "s" / "masks" / "图 0.png"))
    assert torch.equal(values["mask"][0], torch.from_numpy(stored).long())
    assert source.read([])["mask"].shape == (0, 0, 0)


def test_that_the_index_of_a_palette_is_the_class_and_255_none(tmp_path):
    folder = folder_of(tmp_path / "s")
    values = np.zeros((20, 24), np.uint8)
    values[0], values[1] = 3, 255
    picture = Image.fromarray(values).convert("P")
    picture.putdata(values.flatten().tolist())
    picture.save(folder / "masks" / "图 0.png")
    mask = source_of(folder, size=None, classes=4).read([0])["mask"][0]
    assert mask[0].unique().tolist() == [3]
    assert int(mask[1:].max()) == 0
    assert refused(folder, 0, size=None, classes=3) == "D078"


def test_that_pictures_without_masks_are_left_out_and_told(tmp_path):
    folder = folder_of(tmp_path / "s")
    (folder / "masks" / "图 4.png").unlink()
    source = source_of(folder)
    assert source.samples == 11
    (problem,) = source.check({})
    assert (problem.code, problem.params["names"]) == ("D076", "图 4.jpg")


@pytest.mark.fault("B12")
def test_that_what_does_not_fit_together_is_a_finding(tmp_path):
    folder = folder_of(tmp_path / "s")
    Image.new("L", (5, 5)).save(folder / "masks" / "图 0.png")
    (folder / "masks" / "图 1.png").write_bytes(b"x")
    assert refused(folder, 0) == "D077"
    assert refused(folder, 1) == "D052"
    assert refused(folder / "images") == "D079"
    assert refused(tmp_path / "none") == "D050"
    assert refused(folder, masks=str(tmp_path / "none")) == "D050"


@pytest.mark.real  # workers are processes
@pytest.mark.row("P13")
def test_that_a_model_learns_masks_with_the_same_bits_for_any_number_of_workers(tmp_path):
    folder = folder_of(tmp_path / "s", 255, count=32)
    graph = chain(
        node("Input", "image", field="image", shape=(3, 16, 16)),
        node("Conv2d", "conv", out_channels=8, kernel_size=3, padding=1),
        node("ReLU", "act"),
        node("Conv2d", "head", out_channels=2, kernel_size=1),
        node("Output", "logits"),
    )
    inputs = {"input": "model.logits", "target": "data.mask"}
    source = Choice(type="segmentation_folder", params={"path": str(folder), "size": 16})
    runs = []
    for workers in (0, 2):
        data = DataSpec(
            source=source,
            split=SplitSpec(train=0.75, validation=0.25, test=0.0),
            batch_size=8,
            loader=LoaderSpec(num_workers=workers),
        )
        loss = LossTerm(loss=Choice(type="CrossEntropyLoss"), inputs=inputs)
        run = make_run(tmp_path, graph, data=data, losses=(loss,), epochs=8)
        state = train(run)
        assert state.status is RunStatus.FINISHED, state.problem
        assert state.metrics["validation.accuracy"] > 0.9
        runs.append(run)
    assert curves(runs[0]) == curves(runs[1])
    assert load_data(data).info.fields[1].classes == ("0", "1")
