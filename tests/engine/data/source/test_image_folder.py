"""Folders of pictures: their layouts, labels, faults and values."""

import os
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from engine.data.load.load import load_data
from engine.data.preview import describe, preview
from engine.data.read.natural import natural_key
from engine.data.source import image_cache
from engine.data.source.image_cache import load_index, read_index
from engine.data.source.image_folder import ImageFolderSource
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError, Severity, sentence
from engine.spec.run import Choice, DataSpec, SplitSpec

SHADES = {"cats": 40, "dogs": 120, "mice": 220}


def draw(path: Path, shade: int, size: tuple[int, int] = (12, 8), noise: int = 8) -> None:
    """Write a picture of about one shade, another one for each path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(list(path.name.encode()))
    values = np.full((size[1], size[0], 3), shade) + chance.integers(
        -noise, noise, (*size[::-1], 3)
    )
    picture = Image.fromarray(values.clip(0, 255).astype(np.uint8))
    picture.save(path)


def folder_of(root: Path, classes: dict[str, int] | None = None, count: int = 4) -> Path:
    """Return a folder with a class folder for each name."""
    for name, shade in (classes or SHADES).items():
        for number in range(count):
            ending = ("png", "jpg", "bmp", "webp")[number % 4]
            draw(root / name / f"{name}-{number}.{ending}", shade)
    return root


def source_of(path: Path, **params: object) -> ImageFolderSource:
    source = load_source(Choice(type="image_folder", params={"path": str(path), **params}))
    assert isinstance(source, ImageFolderSource)
    return source


def names_of(source: ImageFolderSource) -> list[str]:
    return [source.text("image", index) for index in range(source.samples)]


def codes(source: ImageFolderSource, **indices: torch.Tensor) -> dict[str, object]:
    return {problem.code: problem for problem in source.check(indices)}


def refused(**params: object) -> str:
    with pytest.raises(DiagnosticError) as caught:
        load_source(Choice(type="image_folder", params=params))
    return caught.value.problems[0].code


@pytest.mark.row("P13")
def test_that_class_folders_give_pictures_labels_and_classes(tmp_path):
    source = source_of(folder_of(tmp_path / "animals"), size=8)
    assert source.task == "classification"
    assert source.infos[1].classes == ("cats", "dogs", "mice")
    assert names_of(source)[0] == "cats/cats-0.png"
    assert source.column("label").tolist() == [0] * 4 + [1] * 4 + [2] * 4
    values = source.read([11, 0, 5])
    assert values["label"].tolist() == [2, 0, 1]
    assert values["image"].shape == (3, *source.infos[0].shape) == (3, 3, 8, 8)
    assert values["image"].dtype == torch.float32
    shades = values["image"].mean(dim=(1, 2, 3)) * 255
    assert torch.allclose(shades, torch.tensor([220.0, 40.0, 120.0]), atol=6)
    assert source.check({}) == ()


def test_that_two_classes_have_a_target_of_zero_and_one(tmp_path):
    source = source_of(folder_of(tmp_path / "a", {"no": 10, "yes": 200}), size=4, mode="gray")
    assert source.task == "binary"
    assert source.infos[0].shape == (1, 4, 4)
    assert source.read([0, 7])["target"].tolist() == [[0.0], [1.0]]
    assert source.column("target").shape == (8, 1)


def test_that_without_a_size_pictures_are_bytes_and_stacked_where_they_are_alike(tmp_path):
    folder = folder_of(tmp_path / "a")
    draw(folder / "cats" / "tall.png", 9, (5, 30))
    source = source_of(folder, size=None)
    assert source.infos[0].shape == (3, -1, -1)
    alike = source.read([0, 1])["image"]
    assert (alike.dtype, alike.shape) == (torch.uint8, (2, 3, 8, 12))
    tall = names_of(source).index("cats/tall.png")
    mixed = source.read([0, tall])["image"]
    assert [picture.shape for picture in mixed] == [(3, 8, 12), (3, 30, 5)]


@pytest.mark.parametrize("size", [None, 8])
def test_that_no_sample_gives_values_of_no_sample(tmp_path, size):
    values = source_of(folder_of(tmp_path / "a"), size=size).read([])
    assert values["image"].shape == (0, 3, size or 0, size or 0)
    assert values["label"].shape == (0,)


def test_that_sixteen_bits_and_bytes_come_in_one_batch(tmp_path):
    folder = folder_of(tmp_path / "a")
    Image.fromarray(np.full((8, 8), 65535, np.uint16)).save(folder / "cats" / "deep.png")
    at = (names := names_of(source_of(folder))).index("cats/deep.png")
    assert source_of(folder, size=4).read([at, 0])["image"][0].min() == 1
    whole = source_of(folder, size=None).read([at, names.index("cats/cats-0.png")])["image"]
    assert [picture.dtype for picture in whole] == [torch.uint8] * 2
    assert int(whole[0].min()) == 255


@pytest.mark.parametrize("fit", ["crop", "stretch", "pad"])
def test_that_pictures_of_all_proportions_get_one_size(tmp_path, fit):
    for number, size in enumerate([(4, 40), (40, 4), (1, 1), (500, 300), (7, 9)]):
        draw(tmp_path / "a" / "one" / f"{number}.png", 100, size, 1)
    folder_of(tmp_path / "a", {"two": 3})
    source = source_of(tmp_path / "a", size=(10, 6), fit=fit)
    assert source.read(range(source.samples))["image"].shape == (9, 3, 10, 6)


def test_that_classes_are_in_natural_order_and_it_is_told(tmp_path):
    names = ("10", "2", "1", "B", "a", "c1", "c10", "c9")
    source = source_of(folder_of(tmp_path / "a", dict.fromkeys(names, 9), count=1))
    assert source.infos[1].classes == ("1", "2", "10", "a", "B", "c1", "c9", "c10")
    assert "D065" in codes(source)
    assert min(["x" + "9" * 5000, "x1"], key=natural_key) == "x1"


@pytest.mark.parametrize("names", [("train", "val", "test"), ("Training", "valid", "testing")])
def test_that_folders_of_parts_say_where_each_picture_belongs(tmp_path, names):
    for part, name in enumerate(names):
        folder_of(tmp_path / "set" / name, count=3 - part)
    source = source_of(tmp_path / "set")
    assert source.infos[1].classes == ("cats", "dogs", "mice")
    parts = source.given_parts().tolist()
    assert [parts.count(part) for part in range(3)] == [9, 6, 3]
    for index, part in enumerate(parts):
        assert source.text("image", index).startswith(names[part])


def test_that_without_folders_of_parts_the_data_says_nothing_of_them(tmp_path):
    assert source_of(folder_of(tmp_path / "a")).given_parts() is None


def test_that_a_folder_that_is_alone_is_gone_through(tmp_path):
    folder_of(tmp_path / "outer" / "inner")
    draw(tmp_path / "outer" / "__MACOSX" / "x.png", 1)
    source = source_of(tmp_path / "outer")
    assert source.infos[1].classes == ("cats", "dogs", "mice")


def test_that_pictures_below_a_class_folder_belong_to_it(tmp_path):
    folder = folder_of(tmp_path / "a")
    draw(folder / "dogs" / "small" / "puppy.png", 7)
    source = source_of(folder)
    at = names_of(source).index("dogs/small/puppy.png")
    assert source.column("label")[at] == 1


def test_that_pictures_without_labels_are_inputs_alone(tmp_path):
    for number in range(3):
        draw(tmp_path / "a" / f"{number}.png", 50)
    source = source_of(tmp_path / "a", size=4)
    assert [info.name for info in source.infos] == ["image"]
    assert source.task == "regression"
    assert set(source.read([0, 2])) == {"image"}
    assert describe(spec_of(tmp_path / "a")).splits[0].class_counts == ()


TABLES = {
    "by name": "filename,label\n{0}.png,x\n{1}.png,y\n",
    "by path": "path;class\n./sub/{0}.png;x\nsub\\{1}.png;y\n",
    "by stem": "id\tbreed\n{0}\tx\n{1}\ty\n",
    "turned": "label,image\nx,{0}.png\ny,{1}.png\n",
    "no head": "{0}.png,x\n{1}.png,y\n",
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("where", ["inside", "beside", "chosen"])
def test_that_a_table_gives_the_labels_of_a_flat_folder(tmp_path, kind, where):
    folder = tmp_path / "图片 set"
    inner = folder / "sub" if kind == "by path" else folder
    for name in ("猫 1", "b"):
        draw(inner / f"{name}.png", 20)
    places = {"inside": folder / "l.csv", "beside": tmp_path / "labels.csv"}
    table = places.get(where, tmp_path / "else" / "my.csv")
    table.parent.mkdir(exist_ok=True)
    encoding = "utf-16" if where == "chosen" else "utf-8-sig"
    table.write_text(TABLES[kind].format("猫 1", "b"), encoding=encoding)
    if kind == "by path" and where != "chosen":
        return  # class folders come before a table that was not chosen
    source = source_of(folder, labels=str(table) if where == "chosen" else "")
    assert source.infos[1].classes == ("x", "y")
    labels = dict(zip(names_of(source), source.column("label").tolist(), strict=True))
    assert {name.rpartition("/")[2]: label for name, label in labels.items()} == {
        "猫 1.png": 0,
        "b.png": 1,
    }


@pytest.mark.parametrize("other", ["sizes.csv", "sample_submission.csv"])
def test_that_the_table_of_labels_is_found_among_others(tmp_path, other):
    for number in range(4):
        draw(tmp_path / "images" / f"{number}.png", number)
    rows = [f"images/{number}.png,{'ab'[number % 2]}" for number in range(4)]
    (tmp_path / "all.csv").write_text("\n".join(["filename,label", *rows]))
    (tmp_path / other).write_text("filename,width\nimages/0.png,12")
    source = source_of(tmp_path)
    assert source.infos[1].classes == ("a", "b")
    assert source.column("label").tolist() == [0, 1, 0, 1]


def test_that_pictures_and_rows_without_the_other_are_told(tmp_path):
    for name in "abc":
        draw(tmp_path / "s" / f"{name}.png", 20)
    (tmp_path / "s" / "labels.csv").write_text("file,label\na,2\nb,10\nz,3\n")
    source = source_of(tmp_path / "s")
    assert names_of(source) == ["a.png", "b.png"]
    assert source.infos[1].classes == ("2", "10")
    problems = codes(source)
    assert problems["D068"].params["names"] == "c.png"
    assert problems["D069"].params["names"] == "z"
    assert "D060" not in problems  # the table is read, not skipped


def test_that_a_table_of_labels_is_not_among_the_files_that_were_skipped(tmp_path):
    for name in "ab":
        draw(tmp_path / f"{name}.png", 20)
    (tmp_path / "labels.csv").write_text("file,label\na,2\nb,10\n")
    (tmp_path / "notes.txt").write_text("of no use")
    assert codes(source_of(tmp_path))["D060"].params == {"count": 1, "names": "notes.txt"}


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "D066"), (b"\0\1\2", "D066"), (b"one column\nx\n", "D066"), (b"file,label\nz,1", "D067"),
     (b"\xff\xfea", "D066"), (b'"' + b"x" * 200_000, "D066")],
)  # fmt: skip
def test_that_a_table_that_is_none_is_a_finding(tmp_path, content, code):
    draw(tmp_path / "s" / "a.png", 20)
    (tmp_path / "t.csv").write_bytes(content)
    assert refused(path=str(tmp_path / "s"), labels=str(tmp_path / "t.csv")) == code
    assert refused(path=str(tmp_path / "s"), labels=str(tmp_path / "none.csv")) == "D066"


@pytest.mark.fault("B12")
def test_that_odd_files_are_counted_and_not_read(tmp_path):
    folder = folder_of(tmp_path / "a")
    for name in (".DS_Store", "cats/Thumbs.db", "dogs/notes.txt", ".hidden.png"):
        (folder / name).write_bytes(b"x")
    (folder / "cats" / "nothing.jpg").touch()
    (folder / "empty").mkdir()
    draw(folder / "stray.png", 5)
    os.mkfifo(folder / "cats" / "pipe.png")
    source = source_of(folder)
    assert source.samples == 12
    problems = codes(source)
    assert (
        problems["D060"].params["count"] == 2
    )  # hidden files and those of the system are not told
    assert problems["D061"].params["names"] == "cats/nothing.jpg"
    assert problems["D058"].params["names"] == "empty"
    assert problems["D070"].params["names"] == "stray.png"
    assert all(problem.severity is not Severity.ERROR for problem in problems.values())


@pytest.mark.fault("B12")
def test_that_links_are_followed_out_of_the_folder_but_never_in_a_circle(tmp_path):
    folder = folder_of(tmp_path / "a" / "set")
    other = folder_of(tmp_path / "other", {"x": 9})
    (folder / "cats" / "again").symlink_to(folder)
    (folder / "up").symlink_to(tmp_path)
    (folder / "same").symlink_to(folder / "dogs")
    (folder / "birds").symlink_to(other / "x")
    (other / "x" / "back").symlink_to(other / "x")
    (folder / "dogs" / "one.png").symlink_to(other / "x" / "x-0.png")
    (folder / "dogs" / "broken.png").symlink_to(other / "nothing.png")
    source = source_of(folder)
    assert source.infos[1].classes == ("birds", "cats", "dogs", "mice")
    assert source.samples == 12 + 4 + 1
    assert codes(source)["D063"].params["count"] == 4


@pytest.mark.fault("B10", "B12")
def test_that_one_class_is_an_error_and_single_pictures_a_warning(tmp_path):
    one = source_of(folder_of(tmp_path / "one", {"cats": 4}))
    assert codes(one)["D057"].severity is Severity.ERROR
    with pytest.raises(DiagnosticError):
        load_data(spec_of(tmp_path / "one"))
    folder = folder_of(tmp_path / "three")
    draw(folder / "rare" / "a.png", 7)
    source = source_of(folder)
    problems = codes(source, train=torch.arange(4, 12))
    assert problems["D059"].params["names"] == "rare"
    assert problems["D071"].params["names"] == "cats, rare"
    assert all("2" in sentence(problems["D071"], language) for language in ("en", "zh_CN"))


@pytest.mark.fault("F08")
def test_that_a_folder_that_cannot_be_listed_is_a_finding(tmp_path):
    assert refused(path="") == "D075"
    assert refused(path=str(tmp_path / "gone")) == "D050"
    (tmp_path / "file").touch()
    assert refused(path=str(tmp_path / "file")) == "D072"
    assert refused(path="a\0b") == "D056"
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "a.txt").touch()
    assert refused(path=str(tmp_path / "empty")) == "D051"


def test_that_a_folder_without_permission_is_told(tmp_path, monkeypatch):
    folder = folder_of(tmp_path / "a")
    scan = os.scandir

    def guarded(path):
        if Path(path).name in locked:
            raise PermissionError(13, "denied", str(path))
        return scan(path)

    locked = {"dogs"}
    monkeypatch.setattr(os, "scandir", guarded)
    source = source_of(folder)
    assert source.infos[1].classes == ("cats", "mice")
    assert codes(source)["D062"].params["names"] == "dogs"
    locked = {"a"}
    assert refused(path=str(folder), mode="gray") == "D055"
    locked = set()
    assert load_index(folder).head.classes == ("cats", "dogs", "mice"), "tried again"


def damage(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


@pytest.mark.fault("B12")
def test_that_a_damaged_picture_stops_with_its_name(tmp_path):
    folder = folder_of(tmp_path / "图片 set")
    damage(folder / "cats" / "cats-1.jpg")
    with pytest.raises(DiagnosticError) as caught:
        source_of(folder).read([0, 1])
    problem = caught.value.problems[0]
    assert problem.code == "D052"
    assert problem.params["file"] == str(folder / "cats" / "cats-1.jpg")


@pytest.mark.fault("B12")
def test_that_a_damaged_picture_is_replaced_by_the_next_of_its_part_and_counted(tmp_path):
    folder = folder_of(tmp_path / "a")
    for number in (1, 2):
        damage(next((folder / "cats").glob(f"cats-{number}.*")))
    source = source_of(folder, size=8, on_damaged="replace").fitted(torch.tensor([1, 5, 9]))
    values = source.read([1, 2, 3])
    good = source.read([5, 3])
    assert torch.equal(values["image"], torch.stack([good["image"][at] for at in (0, 1, 1)]))
    assert values["label"].tolist() == [1, 0, 0]
    again = pickle.loads(pickle.dumps(source))
    for told in (source, again, source_of(folder, on_damaged="replace", size=6)):
        assert codes(told)["D064"].params["names"] == "cats/cats-1.jpg, cats/cats-2.bmp"
    draw(folder / "cats" / "cats-1.jpg", 40)
    assert codes(source)["D064"].params["count"] == 1


def test_that_a_set_of_damaged_pictures_ends(tmp_path):
    folder = folder_of(tmp_path / "a", count=1)
    for path in folder.rglob("*.png"):
        path.write_bytes(b"x")
    with pytest.raises(DiagnosticError) as caught:
        source_of(folder, on_damaged="replace").read([0])
    assert caught.value.problems[0].code == "D074"


@pytest.mark.fault("F08")
@pytest.mark.parametrize("on_damaged", ["stop", "replace"])
def test_that_a_picture_and_a_folder_that_vanish_are_told_apart(tmp_path, on_damaged):
    folder = folder_of(tmp_path / "a")
    source = source_of(folder, on_damaged=on_damaged)
    (folder / "cats" / "cats-0.png").unlink()
    with pytest.raises(DiagnosticError) as caught:
        source.read([0])
    assert caught.value.problems[0].code == "D054"
    folder.rename(tmp_path / "b")
    with pytest.raises(DiagnosticError) as caught:
        source.read([3])
    assert caught.value.problems[0].code == "D050"


def test_that_a_changed_folder_is_read_anew(tmp_path):
    folder = folder_of(tmp_path / "a")
    source = source_of(folder)
    assert source_of(folder) is source
    draw(folder / "dogs" / "new.png", 4)
    assert source_of(folder).samples == 13
    shutil.rmtree(folder / "mice")
    assert source_of(folder).infos[1].classes == ("cats", "dogs")


def test_that_keys_are_equal_where_pictures_and_labels_are(tmp_path):
    folder = folder_of(tmp_path / "a")
    shutil.copy(folder / "cats" / "cats-0.png", folder / "cats" / "twin.png")
    shutil.copy(folder / "cats" / "cats-0.png", folder / "dogs" / "twin.png")
    source = source_of(folder)
    keys = dict(zip(names_of(source), source.keys(range(source.samples)), strict=True))
    assert keys["cats/twin.png"] == keys["cats/cats-0.png"] != keys["dogs/twin.png"]
    assert len(set(keys.values())) == source.samples - 1
    draw(folder / "cats" / "twin.png", 77)
    anew = source_of(folder, mode="gray")
    assert anew.keys([names_of(anew).index("cats/twin.png")])[0] not in keys.values()


def test_that_an_index_comes_from_the_cache_with_all_that_it_says(tmp_path, monkeypatch):
    folder = folder_of(tmp_path / "a")
    (folder / "x.txt").touch()
    built = load_index(folder)

    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(image_cache, "build_index", fail)
    loaded = load_index(folder)
    assert loaded.head == built.head
    assert all(np.array_equal(loaded.arrays[name], built.arrays[name]) for name in built.arrays)
    assert isinstance(loaded.arrays["names"], np.memmap)


@pytest.mark.fault("B02")
def test_that_a_damaged_cache_is_never_used(tmp_path):
    folder = folder_of(tmp_path / "a")
    index = load_index(folder)
    content = index.file.read_bytes()
    for at in range(0, len(content), 7):
        changed = bytearray(content)
        changed[at] ^= 1 << at % 8
        index.file.write_bytes(bytes(changed))
        read = read_index(index.file)
        if read is not None and len(read) == len(index):  # a head that says something else
            assert all(
                np.array_equal(read.arrays[name], index.arrays[name]) for name in index.arrays
            )
    for length in range(0, len(content), 13):
        index.file.write_bytes(content[:length])
        assert read_index(index.file) is None
    assert len(load_index(folder)) == 12


def test_that_without_a_cache_everything_works(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "x"))
    (tmp_path / "file").touch()
    source = source_of(folder_of(tmp_path / "a"), on_damaged="replace", size=4)
    assert source.index.file is None
    damage(tmp_path / "a" / "cats" / "cats-0.png")
    source.read([0])
    assert "D064" in codes(source)
    assert len(source.keys([1, 2])) == 2


@pytest.mark.fault("B12")
def test_that_indexing_tells_how_far_it_is_and_can_be_stopped(tmp_path):
    folder = folder_of(tmp_path / "a", count=8)
    steps: list[int] = []
    load_index(folder, progress=steps.append)
    assert steps == sorted(steps)
    assert steps[-1] == 24 + 3
    draw(folder / "cats" / "new.png", 3)
    with pytest.raises(DiagnosticError) as caught:
        load_index(folder, stop=lambda: len(steps) > 0)
    assert caught.value.problems[0].code == "D073"


def spec_of(path: Path, **params: object) -> DataSpec:
    choice = Choice(type="image_folder", params={"path": str(path), "size": 8, **params})
    return DataSpec(source=choice, split=SplitSpec(train=0.5, validation=0.25, test=0.25))


@pytest.mark.row("P13")
def test_that_a_folder_is_described_split_and_shown(tmp_path):
    spec = spec_of(folder_of(tmp_path / "a"))
    info = describe(spec)
    assert info.samples == 12
    assert [split.samples for split in info.splits] == [6, 3, 3]
    assert sum(map(sum, (split.class_counts for split in info.splits))) == 12
    sample = preview(load_data(spec), "train", 0, 1).samples[0]
    assert len(sample.values["image"]) == 3 * 8 * 8
    assert sample.texts["image"].startswith("cats/")
