"""Exported training code says what is wrong with the data it is given, and the way out."""

import runpy
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.api import export
from engine.runs.folder import RunFolder
from engine.runs.process.launch import Launch
from engine.train.devices import run_settings
from engine.train.worker import run_in_thread
from tests.exported_kinds import KINDS, Kind, mixed_columns, proposed
from tests.tiny_run import PATIENCE_S, iris_spec

WITH_FILES = {
    "pictures": "photos",
    "pictures_of_a_table": "mixed",
    "texts_of_a_table": "t.csv",
    "words": "texts",
    "masks": "masks",
    "objects": "coco",
    "sounds": "声音",
}
"""Kinds of data that lie in files, and what the user has of them."""

ENDINGS = (".jpg", ".png", ".webp", ".wav", ".txt")
Program = Callable[..., str]


def exported(kind: Kind, place: Path) -> dict[str, Any]:
    """Train on data of a kind, written to ``data``, and return the exported training code."""
    (place / "data").mkdir()
    graph, spec = proposed(kind, place / "data")
    run = RunFolder.create(place / "project", graph, replace(spec, epochs=1))
    assert run_in_thread(Launch(folder=str(run.path))).join(PATIENCE_S)
    export(run.path, "python-class", place / "net.py", checkpoint="last")
    return runpy.run_path(str(place / "net.py"), run_name="net")


@pytest.fixture(autouse=True)
def settings_of_the_process() -> Iterator[None]:
    """Put back what the code of a run sets."""
    with run_settings(iris_spec()):
        yield


@pytest.fixture
def told(tmp_path, monkeypatch, capsys) -> Callable[[str], Program]:
    """Return what exports the training code of a kind of data, and runs it until it complains."""

    def make(name: str) -> Program:
        module = exported(KINDS[name], tmp_path)

        def complain(*options: str | Path) -> str:
            monkeypatch.setattr(sys, "argv", ["net.py", *map(str, options)])
            with pytest.raises(SystemExit) as ended:
                module["train"]()
            assert ended.value.code == 2
            return " ".join(capsys.readouterr().err.split())

        return complain

    return make


@pytest.mark.parametrize("name", WITH_FILES)
def test_that_files_that_are_not_there_are_told(told, tmp_path, name):
    complain = told(name)
    data = tmp_path / "data" / WITH_FILES[name]
    said = complain("--epochs", "1")
    assert "Say with --data PATH where the data are: the " in said
    assert f"There is no {tmp_path / 'nowhere'}" in complain("--data", tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "Say with --data where" in complain("--data", tmp_path / "empty")
    folder = data if data.is_dir() else data.parent
    if name == "texts_of_a_table":  # whose texts stand in the list
        return
    gone = next(each for each in sorted(folder.rglob("*")) if each.suffix in ENDINGS)
    gone.unlink()
    said = complain("--data", data)
    assert f"{folder} has no {gone.relative_to(folder).as_posix()}" in said
    assert "Say with --data where they are: the " in said


def test_that_the_folder_beside_the_one_that_is_meant_is_told(told, tmp_path):
    complain = told("pictures")
    photos = tmp_path / "data" / "photos"
    for wrong in (tmp_path / "data", photos / "cats"):
        assert f"another folder: --data {photos}" in complain("--data", wrong)
    shutil.rmtree(photos / "dogs")
    said = complain("--data", photos)
    assert "has no dogs/" in said
    assert "others of the" in said


def test_that_another_table_is_told(told, tmp_path):
    complain = told("table")
    table = tmp_path / "data" / "t.csv"
    text = table.read_text("utf-8")
    (tmp_path / "empty").mkdir()
    assert "Say with --data where it is: the table t.csv" in complain("--data", tmp_path / "empty")
    table.write_text(text.replace("height", "size"), "utf-8")
    assert "has no column height" in complain("--data", table)
    table.write_text("".join(text.splitlines(keepends=True)[:30]), "utf-8")
    assert "of the rows that are read" in complain("--data", table)
    table.write_bytes(b"\xff\xd8\xff\x00" * 99)
    assert "cannot be read as the table of the run" in complain("--data", table)


def test_that_options_that_cannot_be_are_told(told, tmp_path):
    complain = told("built_in")
    nowhere = tmp_path / "nowhere" / "trained.pt"
    assert "There is no folder" in complain("--epochs", "1", "--output", nowhere)
    assert "--batch-size 1 or more" in complain("--epochs", "1", "--batch-size", "0")


def test_that_the_name_of_a_table_need_not_be_plain(told, tmp_path, monkeypatch):
    name = 'a "b" {c}.csv'
    kind = Kind(make=lambda folder: mixed_columns(folder).rename(folder / name), target="price")
    monkeypatch.setitem(KINDS, "quoted", kind)
    assert f"the table {name}, or its folder" in told("quoted")("--data", tmp_path)


def named_elsewhere(folder: Path) -> Path:
    """Write a table that names its pictures, in a folder beside its own, as they were called on
    another computer.
    """
    (folder / "images").mkdir()
    (folder / "meta").mkdir()
    rows = ["path,size,label"]
    for at in range(40):
        Image.new("RGB", (8, 8), (6 * at, 0, 0)).save(folder / "images" / f"{at}.png")
        rows.append(f"/kaggle/input/images/{at}.png,{at % 7},{'ab'[at % 2]}")
    (folder / "meta" / "t.csv").write_text("\n".join(rows))
    return folder / "meta" / "t.csv"


def test_that_files_are_found_that_a_table_names_by_other_paths(tmp_path):
    module = exported(Kind(make=named_elsewhere), tmp_path)
    (tmp_path / "data").rename(tmp_path / "moved")
    samples = module["RunSamples"](tmp_path / "moved" / "meta" / "t.csv")
    found = {
        int(torch.as_tensor(samples.sample(at)["path"])[0].mean() * 255 + 0.5)
        for at in range(len(samples))
    }
    assert found <= {6 * at for at in range(40)}
    assert len(found) == len(samples)
