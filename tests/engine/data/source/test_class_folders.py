"""Folders of files whose classes are the innermost folders, one around them for each patient."""

from pathlib import Path

import torch
from msgspec.json import decode, encode
from PIL import Image

from engine.data.load.load import load_data
from engine.data.source.file_folder import FileFolderSource
from engine.data.source.image_index import IndexHead, build_index
from engine.data.source.registry import load_source
from engine.spec.run import Choice, DataSpec, SplitSpec
from tests.sound_files import TONES, tone, write


def draw(path: Path, shade: int = 7) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", (4, 4), shade).save(path)


def fill(root: Path, patients: tuple[str, ...], classes: tuple[str, ...] = ("ill", "well")) -> Path:
    for patient in patients:
        for name in classes:
            draw(root / patient / name / "1.png")
    return root


def source_of(root: Path, kind: str = "image_folder", **params: object) -> FileFolderSource:
    source = load_source(Choice(type=kind, params={"path": str(root), "size": 4} | params))
    assert isinstance(source, FileFolderSource)
    return source


def classes_of(source: FileFolderSource) -> tuple[str, ...]:
    return source.index.head.classes


def folders_of(source: FileFolderSource) -> list[str]:
    return [source.text("folder", at) for at in range(source.samples)]


def told(source: FileFolderSource) -> set[str]:
    return {problem.code for problem in source.check({})}


def test_that_each_setting_has_its_own_classes_and_the_outer_folders_stay_the_default(tmp_path):
    fill(tmp_path, ("p1", "p2", "p10"))
    for _ in range(2):  # from the files, and as they are kept
        assert classes_of(source_of(tmp_path)) == ("p1", "p2", "p10")
        assert classes_of(source_of(tmp_path, class_folders="outer")) == ("p1", "p2", "p10")
        inner = source_of(tmp_path, class_folders="inner")
        assert classes_of(inner) == ("ill", "well")
        assert folders_of(inner) == ["p1", "p1", "p2", "p2", "p10", "p10"]
        assert inner.column("label").tolist() == [0, 1] * 3
        assert folders_of(source_of(tmp_path)) == ["ill", "well"] * 3
    assert "D058" not in told(inner)  # folders of patients are no empty classes


def test_that_a_patient_called_as_a_class_keeps_its_files_together(tmp_path):
    source = source_of(fill(tmp_path, ("0", "1", "7"), ("0", "1")), class_folders="inner")
    assert folders_of(source) == ["0", "0", "1", "1", "7", "7"]
    assert source.column("label").tolist() == [0, 1] * 3
    changed = source.relabelled(torch.tensor([1, 0, 1, 0, 1, 0]))
    assert changed is not None
    assert folders_of(changed) == ["0", "0", "1", "1", "7", "7"]


def test_that_sets_and_a_folder_around_all_are_as_with_outer_folders(tmp_path):
    for part, patients in (("train", ("p1", "p2")), ("val", ("p3",)), ("test", ("p4",))):
        fill(tmp_path / "all" / part, patients)
    draw(tmp_path / "all" / "cover.png")
    source = source_of(tmp_path, class_folders="inner")
    assert classes_of(source) == ("ill", "well")
    parts = source.given_parts()
    assert parts is not None
    names = source.sample_names(range(8))
    assert {name.split("/")[1]: part for name, part in zip(names, parts.tolist(), strict=True)} == {
        "train": 0,
        "val": 1,
        "test": 2,
    }
    assert set(folders_of(source)) == {"p1", "p2", "p3", "p4"}
    alone = source_of(fill(tmp_path / "b" / "data", ("p1", "p2")).parent, class_folders="inner")
    assert classes_of(alone) == ("ill", "well")


def test_that_the_folder_in_which_a_file_lies_is_its_class_at_any_depth(tmp_path):
    draw(tmp_path / "a" / "x" / "cat" / "1.png")
    draw(tmp_path / "b" / "dog" / "1.png")
    draw(tmp_path / "cat" / "1.png")
    draw(tmp_path / "stray.png")
    (tmp_path / "b" / "cow").mkdir()
    source = source_of(tmp_path, class_folders="inner")
    assert classes_of(source) == ("cat", "dog")
    assert folders_of(source) == ["a/x", "b", ""]
    found = {problem.code: problem.params for problem in source.check({})}
    assert found["D058"]["names"] == "cow"
    assert source.samples == 3


def test_that_a_group_split_keeps_the_files_of_a_patient_in_one_set(tmp_path):
    fill(tmp_path, tuple(f"p{number}" for number in range(9)))
    params = {"path": str(tmp_path), "size": 4, "class_folders": "inner"}
    found = load_data(
        DataSpec(
            source=Choice(type="image_folder", params=params),
            split=SplitSpec(kind="group", column="folder"),
        )
    )
    patients = [
        {name.split("/")[0] for name in found.source.sample_names(indices.tolist())}
        for indices in found.indices.values()
    ]
    assert all(patients)
    assert sum(map(len, patients)) == 9


def test_that_a_table_of_labels_says_the_classes_in_place_of_folders(tmp_path):
    fill(tmp_path / "files", ("p1", "p2"))
    rows = [f"p{patient}/ill/1.png,i{patient}" for patient in (1, 2)]
    (tmp_path / "table.csv").write_text("\n".join(["file,label", *rows]))
    table = str(tmp_path / "table.csv")
    params = {"labels": table, "class_folders": "inner"}
    assert classes_of(source_of(tmp_path / "files", **params)) == ("i1", "i2")


def test_that_sounds_have_the_setting_too(tmp_path):
    for patient in ("s1", "s2", "s3"):
        for name, hertz in TONES.items():
            write(tmp_path / patient / name / "1.wav", tone(hertz))
    source = source_of(tmp_path, "sound_folder", class_folders="inner", seconds=0.25)
    assert classes_of(source) == ("high 2", "low", "middle")
    assert classes_of(source_of(tmp_path, "sound_folder", seconds=0.25)) == ("s1", "s2", "s3")


def test_that_indices_that_older_versions_kept_are_of_the_outer_folders(tmp_path):
    head = build_index(fill(tmp_path, ("p1", "p2"))).head
    document = decode(encode(head))
    del document["is_inner"]
    assert decode(encode(document), type=IndexHead) == head
    assert build_index(tmp_path, is_inner=True).head != head
