"""Files of one name in several folders, which a table names by that alone."""

import csv
from pathlib import Path

import pytest
from PIL import Image

from engine.data.load.load import load_data
from engine.data.source.registry import load_source
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.proposal import Answers, Proposal
from engine.spec.run import Choice

COLORS = {"red": (250, 0, 0), "blue": (0, 0, 250)}


def written(root: Path, folders: tuple[str, str], *, has_site: bool = False) -> Path:
    """Write red pictures into one folder and blue ones of the same names into another, and a table
    that names them all.
    """
    rows = []
    for folder, color in zip(folders, COLORS, strict=True):
        (root / folder).mkdir(parents=True)
        for at in range(20):
            Image.new("RGB", (8, 8), COLORS[color]).save(root / folder / f"p{at}.png")
            rows.append((f"p{at}.png", *((folder,) if has_site else ()), color))
    file = root / "labels.csv"
    with file.open("w", newline="") as opened:
        head = ("file", *(("site",) if has_site else ()), "label")
        csv.writer(opened).writerows([head, *rows])
    return file


def codes(proposal: Proposal) -> list[str]:
    return [each.code for each in proposal.info.problems]


def test_that_it_is_told_which_folder_is_taken(tmp_path):
    path = str(written(tmp_path, ("left", "right")))
    found = propose_data(ProposeData(path=path))
    (problem,) = (each for each in found.info.problems if each.code == "D701")
    assert problem.params["folder"] == "left"
    assert problem.params["others"] == "right"
    params = {"folder": str(tmp_path / "right")}
    chosen = propose_data(ProposeData(path=path, answers=Answers(params=params)))
    assert "D701" not in codes(chosen)
    assert chosen.spec.data.source.params["folder"] == params["folder"]


def test_that_the_folder_called_as_the_table_is_taken(tmp_path):
    file = written(tmp_path, ("test", "train"))
    table = file.rename(tmp_path / "train_labels.csv")
    found = propose_data(ProposeData(path=str(table)))
    assert found.spec.data.source.params["folder"] == str(tmp_path / "train")
    assert "D701" not in codes(found)


def test_that_a_column_says_the_folder_of_each_file(tmp_path):
    found = propose_data(ProposeData(path=str(written(tmp_path, ("left", "right"), has_site=True))))
    assert "D701" not in codes(found)
    data = load_data(found.spec.data)
    read = data.raw(list(range(40)))["file"]
    is_red = read[:, 0].mean(dim=(1, 2)) > read[:, 2].mean(dim=(1, 2))
    assert is_red.tolist() == [True] * 20 + [False] * 20


@pytest.mark.parametrize("is_known", [True, False])
def test_that_a_label_of_several_files_is_told(tmp_path, is_known):
    file = written(tmp_path, ("left", "right"))
    if is_known:
        lines = file.read_text().splitlines()
        rows = [f"{'left' if at < 20 else 'right'}/{row}" for at, row in enumerate(lines[1:])]
        file.write_text("\n".join((lines[0], *rows)))
    params = {"path": str(tmp_path), "labels": str(file)}
    source = load_source(Choice(type="image_folder", params=params))
    problems = {each.code: each for each in source.check({})}
    assert ("D702" in problems) is not is_known
    if not is_known:
        assert problems["D702"].params["count"] == 20
