"""Tables that say what the files of a folder are: found near it, with labels, several, numbers."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
from PIL import Image

from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.proposal import Answers, Proposal

LABELS = ("circle", "square", "triangle")


def proposed(path: Path, target: str = "") -> Proposal:
    return propose_data(ProposeData(path=str(path), target=target))


def pictures(folder: Path, count: int = 24) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for at in range(count):
        values = np.full((20, 20, 3), at * 9, np.uint8)
        values[at % 20] = 255
        Image.fromarray(values).save(folder / f"p{at}.png")


def sounds(folder: Path, count: int = 24) -> None:
    folder.mkdir(parents=True)
    for at in range(count):
        wave = np.sin(np.arange(800) * (0.05 + at % 3 / 4))
        soundfile.write(folder / f"s{at}.wav", wave, 8000)


def esc(root: Path) -> Path:
    """Write sounds and their table as ESC-50 has them."""
    sounds(root / "audio")
    (root / "meta").mkdir()
    rows = [f"s{at}.wav,{at % 5 + 1},{at % 3},{'abc'[at % 3]}x" for at in range(24)]
    (root / "meta" / "esc50.csv").write_text("\n".join(["filename,fold,target,category", *rows]))
    return root


@pytest.mark.parametrize("inner", ["", "audio"])
def test_that_the_table_of_labels_beside_a_folder_of_sounds_is_found(tmp_path, inner):
    root = esc(tmp_path)
    found = proposed(root / inner)
    source, split = found.spec.data.source, found.spec.data.split
    assert (source.type, source.params["path"]) == ("table", f"{root}/meta/esc50.csv")
    assert found.info.target.classes == ("ax", "bx", "cx")
    assert (split.kind, split.column) == ("group", "fold")  # as its publisher has it
    assert "D673" in {each.code for each in found.info.problems}


def test_that_a_table_of_labels_alone_stays_one_of_a_folder(tmp_path):
    sounds(tmp_path / "audio")
    rows = [f"s{at}.wav,{'abc'[at % 3]}x" for at in range(24)]
    (tmp_path / "labels.csv").write_text("\n".join(["filename,category", *rows]))
    assert proposed(tmp_path / "audio").spec.data.source.type == "sound_folder"


@pytest.mark.parametrize("inner", ["", "images"])
def test_that_a_column_of_the_table_of_a_folder_may_be_tags(tmp_path, inner):
    pictures(tmp_path / "images")
    words = ("red blue", "red", "blue", "green red")
    rows = [f"p{at}.png,{words[at % 4]}" for at in range(24)]
    (tmp_path / "labels.csv").write_text("\n".join(["file,label", *rows]))
    answers = Answers(params={"kinds": "label=tags"})
    found = propose_data(ProposeData(path=str(tmp_path / inner), answers=answers))
    assert found.spec.data.source.type == "table"
    assert found.info.target.kind == "vector"
    assert found.info.target.columns == ("blue", "green", "red")


def test_that_the_sets_that_a_table_names_are_those_of_a_folder(tmp_path):
    pictures(tmp_path / "images")
    sets = ("train", "train", "val", "test")
    rows = [f"p{at}.png,{'ab'[at % 2]}x,{sets[at // 2 % 4]}" for at in range(24)]
    (tmp_path / "labels.csv").write_text("\n".join(["file,label,split", *rows]))
    split = proposed(tmp_path / "images").spec.data.split
    assert (split.kind, split.column) == ("column", "split")


def test_that_a_table_finds_sounds_in_the_folder_beside_its_own(tmp_path):
    found = proposed(esc(tmp_path) / "meta" / "esc50.csv")
    assert found.spec.data.source.params["folder"] == str(tmp_path / "audio")
    assert "sound" in {field.kind for field in found.info.fields}
    assert (found.target, found.spec.data.source.params["ignored"]) == ("category", "target")


def test_that_sounds_without_a_table_are_told_what_to_do(tmp_path):
    sounds(tmp_path / "audio")
    problems = {p.code: p for p in proposed(tmp_path / "audio").info.problems}
    assert problems["D652"].field == "data.source.labels"


def kaggle(root: Path) -> Path:
    """Write pictures, and a table that names them without their endings."""
    pictures(root / "train")
    rows = [f"p{at},{'ab'[at % 2]}x,{at * 2.5}" for at in range(24)]
    (root / "labels.csv").write_text("\n".join(["id,breed,age_months", *rows]))
    return root


def test_that_another_column_of_the_table_of_labels_can_be_predicted(tmp_path):
    root = kaggle(tmp_path)
    assert proposed(root).info.target.classes == ("ax", "bx")
    found = proposed(root, "age_months")
    source = found.spec.data.source
    assert (source.type, source.params["target"]) == ("table", "age_months")
    assert [(f.name, f.kind) for f in found.info.fields] == [("id", "image"), ("target", "scalar")]
    assert found.spec.losses[0].loss.type == "MSELoss"
    data = load_data(found.spec.data)
    row = data.source.read([3])
    assert row["target"].tolist() == [[7.5]]


def test_that_a_column_that_the_table_has_not_is_told_with_those_that_it_has(tmp_path):
    with pytest.raises(DiagnosticError) as caught:
        proposed(kaggle(tmp_path), "age")
    (problem,) = caught.value.problems
    assert (problem.code, problem.params["columns"]) == ("D653", "id, breed, age_months")


def test_that_a_chosen_table_finds_pictures_named_without_endings(tmp_path):
    found = proposed(kaggle(tmp_path) / "labels.csv", "age_months")
    assert found.info.field("id").kind == "image"


@pytest.mark.parametrize("place", ["", "images"])
def test_that_pictures_with_several_labels_each_are_proposed_so(tmp_path, place):
    pictures(tmp_path / "images")
    rows = [f"images/p{at}.png,{at % 2},{at // 2 % 2},{at // 4 % 2}" for at in range(24)]
    (tmp_path / "onehot.csv").write_text("\n".join(["file," + ",".join(LABELS), *rows]))
    found = proposed(tmp_path / place)
    target = found.info.field("target")
    assert (target.columns, found.info.field("file").kind) == (LABELS, "image")
    assert found.spec.losses[0].loss.type == "BCEWithLogitsLoss"
    row = load_data(found.spec.data).source.read([5])
    assert row["target"].tolist() == [[1, 0, 1]]


def test_that_folders_of_classes_stay_so_beside_a_table(tmp_path):
    for name in ("cat", "dog"):
        pictures(tmp_path / name)
    rows = [f"p{at}.png,x{at % 3}" for at in range(24)]
    (tmp_path / "labels.csv").write_text("\n".join(["file,label", *rows]))
    assert proposed(tmp_path).info.target.classes == ("cat", "dog")


def urban(root: Path) -> Path:
    """Write sounds in folders and their table as UrbanSound8K has them."""
    sounds(root / "audio" / "all")
    rows = []
    for at in range(24):
        fold = root / "audio" / f"fold{at % 3 + 1}"
        fold.mkdir(exist_ok=True)
        (root / "audio" / "all" / f"s{at}.wav").rename(fold / f"s{at}.wav")
        rows.append(f"s{at}.wav,{at},0.0,{at % 3 + 1},{at % 2},{('dog', 'siren')[at % 2]}")
    (root / "audio" / "all").rmdir()
    (root / "metadata").mkdir()
    head = "slice_file_name,fsID,start,fold,classID,class"
    (root / "metadata" / "UrbanSound8K.csv").write_text("\n".join([head, *rows]))
    return root


@pytest.mark.parametrize("target", ["", "class"])
def test_that_a_table_is_known_by_the_files_that_it_names(tmp_path, target):
    found = proposed(urban(tmp_path), target)
    assert found.info.target.classes == ("dog", "siren")


def test_that_another_column_of_files_in_several_folders_can_be_predicted(tmp_path):
    found = proposed(urban(tmp_path), "fold")
    assert (found.target, found.spec.data.source.type) == ("fold", "table")


def test_that_names_that_stand_for_several_files_are_told(tmp_path):
    pictures(tmp_path / "left")
    pictures(tmp_path / "right")
    for at in range(2, 24):  # the first two are in both
        (tmp_path / ("left", "right")[at % 2] / f"p{at}.png").unlink()
    rows = [f"p{at}.png,{'ab'[at % 2]},{at}" for at in range(24)]
    (tmp_path / "labels.csv").write_text("\n".join(["image,label,weight", *rows]))
    with pytest.raises(DiagnosticError) as caught:
        proposed(tmp_path, "weight")
    (problem,) = caught.value.problems
    assert (problem.code, problem.params["column"]) == ("D690", "weight")


@pytest.mark.parametrize(
    ("head", "row", "target", "loss"),
    [
        ("image_id,dx", "p{at},{word}", "dx", "CrossEntropyLoss"),
        ("datei,gramm", "p{at}.png,{number}", "gramm", "MSELoss"),
        ("image,label", "p{at}.png,{number}", "label", "MSELoss"),
        ("Nr,Form,Datei,Art", "{at},rund,p{at}.png,{word}", "Art", "CrossEntropyLoss"),
        ("image_id,Smiling,Male", "p{at}.png,{sign},-1", "Smiling,Male", "BCEWithLogitsLoss"),
        ("image,x1,y1", "p{at}.png,{number},{at}.25", "x1,y1", "MSELoss"),
    ],
    ids=["words", "numbers", "called_labels", "behind", "signs", "points"],
)
def test_that_a_folder_with_a_table_of_other_columns_is_read_by_it(
    tmp_path, head, row, target, loss
):
    pictures(tmp_path / "images")
    rows = [
        row.format(at=at, word="abc"[at % 3], number=at % 7 + at / 64, sign=2 * (at % 2) - 1)
        for at in range(24)
    ]
    rows[1] = rows[1].replace(",-1", ",1") if "Smiling" in head else rows[1]
    (tmp_path / "table.csv").write_text("\n".join([head, *rows]))
    found = proposed(tmp_path)
    predicted = found.spec.data.source.params["target"]
    assert (predicted, found.spec.losses[0].loss.type) == (target, loss)
    assert "image" in {field.kind for field in found.info.fields}
