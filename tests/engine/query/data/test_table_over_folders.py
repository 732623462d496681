"""Tables over folders of pictures that are no classes, as data sets are published."""

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.proposal import Answers, Proposal

ROWS = 36
CLASSES = ("mel", "nv", "bkl")


def picture(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (8, 8), (90, 20, 60)).save(file)


def table(file: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([head, *rows])
    return file


def lesions(folder: Path) -> Path:
    """Write pictures in two parts, and a table that names them without their endings."""
    for at in range(ROWS):
        picture(folder / f"HAM_images_part_{at % 2 + 1}" / f"ISIC_{at:05}.jpg")
    head = ("lesion_id", "image_id", "dx", "age", "sex", "localization")
    rows = [
        (f"HAM_{at // 2:05}", f"ISIC_{at:05}", CLASSES[at % 3], 30 + at, "mf"[at // 5 % 2], "back")
        for at in range(ROWS)
    ]
    return table(folder / "HAM_metadata.csv", head, rows)


def x_rays(folder: Path) -> Path:
    """Write pictures in folders of counted folders, and a table of findings."""
    for at in range(ROWS):
        picture(folder / f"images_{at % 3 + 1:03}" / "images" / f"{at:08}.png")
    head = ("Image Index", "Finding Labels", "Patient Age")
    rows = [(f"{at:08}.png", ("No Finding", "Effusion")[at // 3 % 2], 40) for at in range(ROWS)]
    return table(folder / "Data_Entry_2017.csv", head, rows)


def sorted_lesions(folder: Path) -> Path:
    """Write the same with the files of the first rows in one part, those of the last in another."""
    file = lesions(folder)
    for picture_file in sorted(folder.glob("HAM_images_part_*/*")):
        part = 1 if int(picture_file.stem[5:]) < ROWS - 4 else 2
        picture_file.rename(folder / f"HAM_images_part_{part}" / picture_file.name)
    return file


def sorted_x_rays(folder: Path) -> Path:
    """Write pictures in counted folders, the first ones in the first, and a table in another."""
    for at in range(ROWS):
        picture(folder / f"images_{at // 30 + 1:03}" / f"{at:08}.png")
    rows = [(f"{at:08}.png", ("No Finding", "Effusion")[at // 3 % 2], 40) for at in range(ROWS)]
    return table(folder / "meta" / "entries.csv", ("Image Index", "Finding Labels", "Age"), rows)


def lesions_with_meta(folder: Path) -> Path:
    """Write the pictures of lesions with their table in a folder beside them."""
    file = lesions(folder)
    (folder / "meta").mkdir()
    return file.rename(folder / "meta" / file.name)


def told(proposal: Proposal) -> list[str]:
    return [each.code for each in proposal.info.problems]


def classes(proposal: Proposal) -> set[str]:
    (field,) = [each for each in proposal.info.fields if each.name == "label"]
    return set(field.classes)


@pytest.mark.parametrize("is_folder", [True, False])
@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lesions, {*CLASSES}),
        (lesions_with_meta, {*CLASSES}),
        (x_rays, {"No Finding", "Effusion"}),
    ],
)
def test_that_the_table_over_counted_folders_has_the_labels(tmp_path, make, expected, is_folder):
    file = make(tmp_path / "set")
    proposal = propose_data(ProposeData(path=str(tmp_path / "set" if is_folder else file)))
    assert proposal.spec.data.source.type == "table"
    assert classes(proposal) == expected
    assert told(proposal).count("D712") == is_folder
    split, is_grouped = proposal.spec.data.split, make is not x_rays
    assert ((split.kind, split.column) == ("group", "lesion_id")) == is_grouped
    assert told(proposal).count("D726") == is_grouped
    data = load_data(proposal.spec.data)
    lesion_of = [data.source.text("lesion_id", at) for at in range(ROWS)] if is_grouped else []
    sets = [{lesion_of[int(at)] for at in index} for index in data.indices.values() if is_grouped]
    assert sum(map(len, sets)) == len({*lesion_of})
    (files,) = data.source.files
    assert sorted(files.path(at).stem for at in range(ROWS)) == sorted(
        {each.stem for each in tmp_path.rglob("*") if each.suffix in (".jpg", ".png")}
    )


@pytest.mark.parametrize(
    ("make", "way"),
    [
        (sorted_lesions, "table"),
        (sorted_lesions, "folder"),
        (sorted_lesions, "target"),
        (sorted_x_rays, "table"),
        (sorted_x_rays, "folder"),
        (sorted_x_rays, "target"),
    ],
)
def test_that_files_are_found_where_the_first_rows_are_of_one_folder(tmp_path, make, way):
    file = make(tmp_path / "set")
    folder = tmp_path / "set"
    target = "dx" if make is sorted_lesions else "Finding Labels"
    path = file if way == "table" else folder
    request = ProposeData(path=str(path), target=target if way == "target" else "")
    proposal = propose_data(request)
    (files,) = load_data(proposal.spec.data).source.files
    assert len({files.path(at) for at in range(ROWS)}) == ROWS
    assert all(files.path(at).is_file() for at in range(ROWS))


def test_that_the_first_folder_stays_where_the_missing_files_are_nowhere(tmp_path):
    for at in range(ROWS):
        picture(tmp_path / "small" / f"{at:04}_s.png")
        if at != ROWS - 1:
            picture(tmp_path / "photos" / f"{at:04}.png")
    rows = [(f"{at:04}.png", at % 7, "ab"[at % 2]) for at in range(ROWS)]
    file = table(tmp_path / "list.csv", ("photo", "weight", "label"), rows)
    with pytest.raises(DiagnosticError) as caught:
        propose_data(ProposeData(path=str(file)))
    (problem,) = caught.value.problems
    assert problem.code == "D316"
    assert (problem.params["count"], problem.params["folder"]) == (1, str(tmp_path / "photos"))


def test_that_another_column_of_such_a_table_can_be_chosen(tmp_path):
    folder = lesions(tmp_path / "set").parent
    assert classes(propose_data(ProposeData(path=str(folder), target="sex"))) == {"m", "f"}


def test_that_a_table_that_names_files_of_one_of_several_folders_has_the_labels(tmp_path):
    for at in range(ROWS):
        picture(tmp_path / "photos" / f"{at}.png")
        picture(tmp_path / "outlines" / f"{at}_o.png")
    rows = [(f"photos/{at}.png", at % 5, "ab"[at % 2]) for at in range(ROWS)]
    table(tmp_path / "parts.csv", ("photo", "weight", "label"), rows)
    proposal = propose_data(ProposeData(path=str(tmp_path)))
    assert classes(proposal) == {"a", "b"}


@pytest.mark.parametrize("label", ["number", "name"])
def test_that_counted_folders_of_which_a_column_says_the_same_stay_classes(tmp_path, label):
    for at in range(ROWS):
        picture(tmp_path / f"c{at % 3}" / f"{at}.png")
    head = ("img", "driver", "classname") if label == "name" else ("img", "class")
    rows = [
        (f"{at}.png", f"p{at % 7}", f"c{at % 3}") if label == "name" else (f"{at}.png", at % 3)
        for at in range(ROWS)
    ]
    table(tmp_path / "list.csv", head, rows)
    proposal = propose_data(ProposeData(path=str(tmp_path)))
    assert classes(proposal) == {"c0", "c1", "c2"}
    assert "D712" not in told(proposal)


def test_that_named_folders_stay_classes_and_so_do_those_that_the_user_says_are(tmp_path):
    for at in range(ROWS):
        picture(tmp_path / "named" / ("cat", "dog")[at % 2] / f"{at}.png")
    rows = [(f"{at}.png", CLASSES[at % 3]) for at in range(ROWS)]
    table(tmp_path / "named" / "list.csv", ("file", "mood"), rows)
    assert classes(propose_data(ProposeData(path=str(tmp_path / "named")))) == {"cat", "dog"}
    folder = lesions(tmp_path / "set").parent
    chosen = ProposeData(path=str(folder), answers=Answers(source="image_folder"))
    assert classes(propose_data(chosen)) == {"HAM_images_part_1", "HAM_images_part_2"}
