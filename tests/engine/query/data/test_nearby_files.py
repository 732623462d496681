"""Files that a table names by paths of another computer, or that lie in folders below."""

import csv
from pathlib import Path

import pytest
from PIL import Image

from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData

COLORS = {"red": (250, 0, 0), "blue": (0, 0, 250)}


def picture(file: Path, color: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (8, 8), COLORS[color]).save(file)


def table(file: Path, head: tuple[str, ...], rows: list[tuple[object, ...]]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="") as opened:
        csv.writer(opened).writerows([head, *rows])
    return file


def told(proposal) -> list[str]:
    return [each.code for each in proposal.info.problems]


@pytest.mark.parametrize("start", ["/kaggle/input/set/", "C:\\data\\", "/home/me/train/"])
def test_that_paths_of_another_computer_are_found_by_their_ends(tmp_path, start):
    sign = "\\" if "\\" in start else "/"
    colors = [("red", "blue")[at % 2] for at in range(40)]
    for at, color in enumerate(colors):
        picture(tmp_path / "train" / f"{at}.png", color)
    inner = "" if start.endswith("train/") else f"train{sign}"
    rows = [(f"{start}{inner}{at}.png", color) for at, color in enumerate(colors)]
    proposal = propose_data(ProposeData(path=str(table(tmp_path / "t.csv", ("path", "y"), rows))))
    (field,) = [each for each in proposal.info.fields if each.role == "input"]
    assert field.kind == "image"
    assert told(proposal).count("D696") == 1
    data = load_data(proposal.spec.data)
    read = data.raw([1])
    assert read["path"].shape[1] == 3
    assert read["path"][0, 2].mean() > read["path"][0, 0].mean()  # blue


def test_that_names_of_files_in_folders_below_are_found(tmp_path):
    rows = []
    for at in range(40):
        color, fold = ("red", "blue")[at % 2], at % 4 + 1
        picture(tmp_path / "set" / "images" / f"fold{fold}" / f"{at}.png", color)
        rows.append((f"{at}.png", fold, color))
    head = ("slice_file_name", "fold", "class")
    file = table(tmp_path / "set" / "metadata" / "t.csv", head, rows)
    proposal = propose_data(ProposeData(path=str(file)))
    assert "image" in {each.kind for each in proposal.info.fields}
    assert told(proposal).count("D697") == 1
    assert len(load_data(proposal.spec.data).raw([0, 39])["slice_file_name"]) == 2


def test_that_the_folder_in_another_column_tells_files_of_one_name_apart(tmp_path):
    rows = []
    for at in range(40):
        color, fold = ("red", "blue")[at % 2], ("red", "blue")[at % 2]
        picture(tmp_path / "images" / f"set{fold}" / f"{at // 2}.png", color)
        rows.append((f"{at // 2}.png", fold, at % 2))
    proposal = propose_data(
        ProposeData(path=str(table(tmp_path / "t.csv", ("file", "set", "y"), rows)))
    )
    data = load_data(proposal.spec.data)
    assert told(proposal).count("D697") == 1
    red, blue = data.source.files[0].path(0), data.source.files[0].path(1)
    assert (red.parent.name, blue.parent.name) == ("setred", "setblue")


def test_that_files_that_are_not_there_are_no_texts_to_learn_from(tmp_path):
    rows = [(f"/kaggle/input/{at}.jpg", "ab"[at % 2]) for at in range(40)]
    with pytest.raises(DiagnosticError) as caught:
        propose_data(ProposeData(path=str(table(tmp_path / "t.csv", ("path", "y"), rows))))
    problem = caught.value.problems[0]
    assert (problem.code, problem.params["column"]) == ("D698", "path")
