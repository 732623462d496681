"""Folders of pictures with masks: pairs, classes of pixels, and a model that learns them."""

from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.data.load.load import load_data, load_split
from engine.data.source.registry import load_source
from engine.data.source.segmentation_folder import SegmentationFolderSource
from engine.diagnostics import DiagnosticError, sentence
from engine.runs.record.state import RunStatus
from engine.spec.data import IGNORED
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
    assert source.text("mask", 3) == source.text("image", 3).replace(
        ".jpg", f"{ending}.png"
    ).replace("images", "masks")
    assert len(set(source.keys(range(12)))) == 12


def test_that_without_a_size_masks_are_as_they_are_stored(tmp_path):
    source = source_of(folder_of(tmp_path / "s"), size=None)
    values = source.read([0, 1])
    assert values["image"].shape == (2, 3, 20, 24)
    stored = np.array(Image.open(tmp_path / "s" / "masks" / "图 0.png"))
    assert torch.equal(values["mask"][0], torch.from_numpy(stored).long())
    assert source.read([])["mask"].shape == (0, 0, 0)


def palette(folder: Path) -> None:
    """Give the first picture a mask with a palette: a row of 3, a row of 255, the rest 0."""
    values = np.zeros((20, 24), np.uint8)
    values[0], values[1] = 3, 255
    picture = Image.fromarray(values).convert("P")
    picture.putdata(values.flatten().tolist())
    picture.save(folder / "masks" / "图 0.png")


def test_that_the_index_of_a_palette_is_the_class_and_255_none(tmp_path):
    folder = folder_of(tmp_path / "s")
    palette(folder)
    mask = source_of(folder, size=None, classes=4).read([0])["mask"][0]
    assert mask[0].unique().tolist() == [3]
    assert mask[1].unique().tolist() == [IGNORED]
    assert mask[2:].unique().tolist() == [0]
    assert refused(folder, 0, size=None, classes=3) == "D078"
    kept = source_of(folder, size=None, classes=256, ignored="").read([0])["mask"][0]
    assert kept[1].unique().tolist() == [255]
    both = source_of(folder, size=None, classes=4, ignored="0, 255").read([0])["mask"][0]
    assert both.unique().tolist() == [IGNORED, 3]


def test_that_of_two_classes_255_is_the_second_unless_it_is_to_be_ignored(tmp_path):
    folder = folder_of(tmp_path / "s", 255)
    assert source_of(folder, size=None).read([0])["mask"].unique().tolist() == [0, 1]
    ignored = source_of(folder, size=None, ignored="255").read([0])["mask"]
    assert ignored.unique().tolist() == [IGNORED, 0]


def test_that_what_lies_beside_a_padded_picture_has_no_class(tmp_path):
    values = source_of(folder_of(tmp_path / "s"), size=24, fit="pad").read([0])
    assert (values["mask"] == IGNORED).any(dim=2).sum() == 4
    assert float(values["image"].sum(dim=1)[values["mask"] == IGNORED].max()) == 0.0


def test_that_colors_are_classes_with_names(tmp_path):
    folder = folder_of(tmp_path / "s")
    pixels = np.zeros((20, 24, 3), np.uint8)
    pixels[:5], pixels[5:6] = (255, 0, 0), (224, 224, 192)
    for number in range(12):
        Image.fromarray(pixels).save(folder / "masks" / f"图 {number}.png")
    chosen = {"size": None, "colors": "#000000, ff0000", "names": "ground, cat"}
    source = source_of(folder, ignored="#e0e0c0", **chosen)
    assert source.infos[1].classes == ("ground", "cat")
    mask = source.read([0])["mask"][0]
    assert mask[:5].unique().tolist() == [1]
    assert mask[5].unique().tolist() == [IGNORED]
    assert mask[6:].unique().tolist() == [0]
    assert refused(folder, 0, **chosen) == "D231"
    assert refused(folder, 0, size=None, classes=3) == "D230"
    assert refused(folder, colors="#000000 #000000") == "D232"
    assert refused(folder, colors="red") == "D232"
    assert refused(folder, ignored="#ff0000") == "D234"


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"names": "a, b, c"}, "D233"),
        ({"names": "a, b", "classes": 3}, "D233"),
        ({"names": "a, a"}, "D603"),
        ({"names": "1,"}, "D603"),  # the second has no name but its number, 1
        ({"names": "a,", "colors": "#000000 #ffffff #ff0000"}, "D233"),
    ],
)
def test_that_class_names_are_one_for_each_class_all_different(tmp_path, params, code):
    folder = folder_of(tmp_path / "s")
    with pytest.raises(DiagnosticError) as caught:
        source_of(folder, **params)
    problem = caught.value.problems[0]
    assert (problem.code, problem.field) == (code, "data.source.names")
    assert "data.source.names" in sentence(problem)
    assert "data.source.names" in sentence(problem, "zh_CN")
    assert source_of(folder, names="ground,").infos[1].classes == ("ground", "1")


LAYOUTS = [
    ("{part}/images/{n}.jpg", "{part}/masks/{n}.png"),
    ("images/{part}/{n}.jpg", "masks/{part}/{n}_mask.png"),
    ("{part}/{n}.jpg", "{part}annot/{n}.png"),
    ("data/{part}_images/{n}.jpg", "data/{part}_masks/{n}.png"),
    ("{part}/{n}.jpg", "{part}/{n}_mask.png"),
]


@pytest.mark.parametrize(("picture", "mask"), LAYOUTS)
def test_that_folders_of_parts_say_how_samples_are_divided(tmp_path, picture, mask):
    for part, count in (("train", 4), ("val", 2), ("test", 1)):
        for number in range(count):
            for pattern, value in ((picture, 99), (mask, number % 2)):
                file = tmp_path / pattern.format(part=part, n=number)
                file.parent.mkdir(parents=True, exist_ok=True)
                Image.new("L", (6, 4), value).save(file)
    source = source_of(tmp_path, size=None)
    assert source.samples == 7
    for index in range(7):
        number = int(source.text("image", index)[-5])
        assert source.read([index])["mask"].unique().tolist() == [number % 2]
        assert str(number) in source.text("mask", index)
    data = DataSpec(source=Choice(type="segmentation_folder", params={"path": str(tmp_path)}))
    _, parts = load_split(replace(data, split=SplitSpec(kind="given")))
    assert {part: len(rows) for part, rows in parts.items()} == {
        "train": 4,
        "validation": 2,
        "test": 1,
    }


@pytest.mark.parametrize(("picture", "mask"), LAYOUTS)
def test_that_an_empty_folder_of_a_set_is_told(tmp_path, picture, mask):
    for part in ("train", "val", "test"):
        for pattern in (picture, mask):
            file = tmp_path / pattern.format(part=part, n=0)
            file.parent.mkdir(parents=True, exist_ok=True)
            if part != "test":
                Image.new("L", (6, 4)).save(file)
    found = {problem.code: problem for problem in source_of(tmp_path, size=None).check({})}
    folder = picture.format(part="test", n=0).rpartition("/")[0].removesuffix("/images")
    assert found["D592"].params["names"] == folder
    Image.new("L", (6, 4)).save(tmp_path / picture.format(part="test", n=1))
    later = {problem.code for problem in source_of(tmp_path, size=None).check({})}
    assert "D592" not in later


def test_that_lists_of_pascal_voc_say_how_samples_are_divided(tmp_path):
    folder = folder_of(tmp_path / "s")
    (folder / "images").rename(folder / "JPEGImages")
    (folder / "masks").rename(folder / "SegmentationClass")
    lists = folder / "ImageSets" / "Segmentation"
    lists.mkdir(parents=True)
    names = [[f"图 {number}".replace(" ", "_") for number in group] for group in (range(8), [8, 9])]
    for file in [*(folder / "JPEGImages").iterdir(), *(folder / "SegmentationClass").iterdir()]:
        file.rename(file.with_name(file.name.replace(" ", "_")))
    for part, listed in zip(("train", "val"), names, strict=True):
        (lists / f"{part}.txt").write_text("\n".join(listed), encoding="utf-8")
    source = source_of(folder, size=None)
    parts = source.given_parts()
    assert parts is not None
    for index, part in enumerate(parts.tolist()):
        number = int(Path(source.text("image", index)).stem.split("_")[1])
        assert part == (0 if number < 8 else 1 if number < 10 else -1)


def test_that_pictures_without_masks_are_left_out_and_told(tmp_path):
    folder = folder_of(tmp_path / "s")
    (folder / "masks" / "图 4.png").unlink()
    (folder / "classes.txt").write_text("ground\ncat\n")  # known, so nothing to tell of
    source = source_of(folder)
    assert source.samples == 11
    (problem,) = source.check({})
    assert (problem.code, problem.params["names"]) == ("D076", "images/图 4.jpg")
    (folder / "images" / "图 5.jpg").unlink()
    problems = source_of(folder).check({})
    assert [problem.code for problem in problems] == ["D076", "D235"]
    assert problems[1].params["names"] == "masks/图 5.png"


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
