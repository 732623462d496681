"""Columns that number folds, or say again what files are called: no inputs, as in ESC-50."""

from pathlib import Path

import numpy as np
import pytest

from engine.data.load.load import load_split
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.proposal import Answers, Proposal
from tests import sound_files

HEAD = "filename,fold,target,category,src_file,take"


def clips(folder: Path, head: str = HEAD) -> Path:
    """Write clips with a table in the manner of ESC-50: fold-source-take-class.wav."""
    (folder / "audio").mkdir()
    (folder / "meta").mkdir()
    rows: list[str] = []
    for number in range(40):
        fold, source, take = number % 5 + 1, 1000 + number // 2, "AB"[number % 2]
        label = number // 10
        name = f"{fold}-{source}-{take}-{label}.wav"
        sound_files.write(folder / "audio" / name, sound_files.tone(300, 0.1, seed=number))
        rows.append(f"{name},{fold},{label},{['dog', 'cat', 'rain', 'sea'][label]},{source},{take}")
    (folder / "meta" / "esc50.csv").write_text("\n".join([head, *rows]))
    return folder / "meta" / "esc50.csv"


def proposed(path: Path, **params: str) -> Proposal:
    return propose_data(ProposeData(path=str(path), answers=Answers(params=dict(params))))


def test_that_a_fold_is_the_split_and_pieces_of_names_are_no_inputs(tmp_path):
    found = proposed(clips(tmp_path))
    assert [info.name for info in found.info.fields if info.role == "input"] == ["filename"]
    target = found.info.target
    assert target is not None
    assert target.classes == ("cat", "dog", "rain", "sea")
    split = found.spec.data.split
    assert (split.kind, split.column) == ("group", "fold")
    told = {problem.code: problem.params for problem in found.info.problems}
    assert told["D673"]["column"] == "fold"
    assert told["D674"]["columns"] == "src_file, take"
    source, parts = load_split(found.spec.data)[:2]
    folds = [{source.text("fold", int(at)) for at in indices} for indices in parts.values()]
    assert sum(map(len, folds)) == len(set.union(*folds)) == 5


def test_that_other_names_and_what_the_user_says_stay_inputs(tmp_path):
    path = clips(tmp_path, HEAD.replace("fold", "floor").replace("take", "sex"))
    found = proposed(path)
    columns = {column.name: column.role for column in found.table}
    assert (columns["floor"], columns["sex"], columns["src_file"]) == ("input", "input", "ignored")
    assert found.spec.data.split.kind == "stratified"
    chosen = proposed(path, ignored="floor")
    columns = {column.name: column.role for column in chosen.table}
    assert (columns["floor"], columns["src_file"]) == ("ignored", "input")


@pytest.mark.parametrize(
    ("head", "cells"),
    [
        ("fold", [str(number) for number in range(60)]),  # each of its own
        ("fold", ["1"] * 60),
        ("fold", ["", *(str(number % 3) for number in range(59))]),
        ("folded", [str(number % 3) for number in range(60)]),
    ],
)
def test_that_what_numbers_no_folds_is_no_split(tmp_path, head, cells):
    chance = np.random.default_rng(0)
    rows = [f"{chance.normal():.3f},{cell},{at % 2}" for at, cell in enumerate(cells)]
    (tmp_path / "t.csv").write_text("\n".join([f"x,{head},label", *rows]))
    assert proposed(tmp_path / "t.csv").spec.data.split.kind == "stratified"


def with_cells(path: Path, column: str, cells: list[str]) -> Path:
    """Add a column to a table."""
    rows = path.read_text().split("\n")
    path.write_text(
        "\n".join(f"{row},{cell}" for row, cell in zip(rows, (column, *cells), strict=True))
    )
    return path


@pytest.mark.parametrize("is_folder", [True, False])
@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("family", [("pet", "pet", "weather", "water")[at // 10] for at in range(40)]),
        ("loud", [str(at < 20) for at in range(40)]),
        ("esc10", [str(at % 3 == 0) for at in range(40)]),
    ],
)
def test_that_what_tells_classes_or_a_smaller_set_is_no_input(tmp_path, column, cells, is_folder):
    path = with_cells(clips(tmp_path), column, cells)
    found = proposed(tmp_path if is_folder else path)
    assert [info.name for info in found.info.fields if info.role == "input"] == ["filename"]
    told = {problem.code: problem.params for problem in found.info.problems}
    assert is_folder or told["D748"]["columns"] == column


def test_that_what_differs_in_a_class_stays_an_input_and_so_does_what_is_chosen(tmp_path):
    path = with_cells(clips(tmp_path), "loud", [str(at % 3 == 0) for at in range(40)])
    found = proposed(path)
    assert "loud" in [name for info in found.info.fields for name in info.columns]
    path = with_cells(path, "esc10", [str(at < 20) for at in range(40)])
    chosen = proposed(path, inputs="filename, esc10")
    assert "esc10" in [name for info in chosen.info.fields for name in info.columns]
