"""A new project for data, from the command line: what was proposed is told."""

import numpy as np
import pytest
from PIL import Image

from engine.project import Project


@pytest.fixture
def table(tmp_path):
    rows = "".join(f"{at + 5},{at % 7},cm,,{'cat' if at % 3 else 'dog'}\n" for at in range(40))
    (tmp_path / "pets.csv").write_text(f"age,size,unit,note,species\n{rows}")
    return tmp_path / "pets.csv"


def pictures(folder, broken):
    for name in ("cats", "dogs"):
        (folder / name).mkdir(parents=True)
        for number in range(12):
            values = np.random.default_rng(number).integers(0, 256, (9, 9, 3), np.uint8)
            Image.fromarray(values).save(folder / name / f"{number}.png")
    if broken:
        content = (folder / broken).read_bytes()
        (folder / broken).write_bytes(content[: len(content) // 2])
    return folder


def test_that_the_path_comes_first_and_then_what_was_proposed(run, table, tmp_path):
    done = run("new", tmp_path / "my pets", "--data", table)
    first, *lines = done.out.splitlines()
    assert first == str(tmp_path / "my pets")
    project = Project.open(first)
    said = {line.split()[0]: line for line in lines}
    assert "40 samples" in said["source"]
    assert "age, size" in said["input"]
    assert "cat, dog" in said["target"]
    assert sum(line.split()[0] == "target" for line in lines) == 1  # not its copy as numbers, too
    assert "unit (category), note (empty)" in said["left"]
    assert project.spec.data.split.kind in said["split"]
    assert "--size large" in said["model"]
    assert project.spec.losses[0].loss.type in said["loss"]
    assert f"{project.spec.epochs} epochs" in said["training"]
    assert said["next"].endswith(f'main.py train "{first}"')
    assert "unit, note" in done.err


def test_that_a_quiet_command_prints_the_path_alone(run, table, tmp_path):
    done = run("new", tmp_path / "pets", "--data", table, "--quiet")
    assert done.out == f"{tmp_path / 'pets'}\n"


def test_that_a_document_says_the_same(run, table, tmp_path):
    told = run("new", tmp_path / "pets", "--data", table, "--json").json()
    project = Project.open(told["project"])
    assert told["target"] == "species"
    assert told["losses"] == [project.spec.losses[0].loss.type]
    assert sum(told["split"][part] for part in ("train", "validation", "test")) == 40
    assert told["parameters"] > 0
    assert [problem["code"] for problem in told["problems"]] == ["D581"]
    plain = run("new", tmp_path / "plain", "--template", "iris-mlp", "--json").json()
    assert plain["project"] == str(tmp_path / "plain")


def test_that_kinds_and_encoding_can_be_typed(run, tmp_path):
    rows = "".join(f"{at % 5},Köln,{at % 3},{at % 2}\n" for at in range(30))
    (tmp_path / "t.csv").write_bytes(f"stars,Stadt,floor,y\n{rows}".encode("cp1252"))
    done = run("new", tmp_path / "a", "--data", tmp_path / "t.csv")
    assert "--encoding" in done.err
    chosen = ("--kind", "stars=category", "--kind", "floor=ignored", "--encoding", "cp1252")
    done = run("new", tmp_path / "b", "--data", tmp_path / "t.csv", *chosen)
    assert "--encoding" not in done.err
    assert "floor (" in next(line for line in done.out.splitlines() if "left out" in line)
    categories = next(line for line in done.out.splitlines() if "categories" in line)
    assert "stars" in categories


@pytest.mark.parametrize(
    ("options", "typed"),
    [
        (("--kind", "stars=cat"), "--kind COLUMN=KIND"),
        (("--kind", "Stadt=number"), "--kind COLUMN=KIND"),
        (("--target", "nobody"), "--target COLUMN"),
        (("--encoding", "rot13"), "--encoding NAME"),
    ],
)
def test_that_a_refusal_says_what_can_be_typed(run, tmp_path, options, typed):
    rows = "".join(f"{at % 5},Ulm,{at % 2}\n" for at in range(30))
    (tmp_path / "t.csv").write_text(f"stars,Stadt,y\n{rows}")
    done = run("new", tmp_path / "a", "--data", tmp_path / "t.csv", *options)
    assert done.code != 0
    assert typed in done.err
    assert not (tmp_path / "a").exists()


def test_that_sentences_alone_can_be_read_as_a_text(run, tmp_path):
    (tmp_path / "t.csv").write_text(
        "said\n" + "".join(f"it was no {n} at all\n" for n in range(60))
    )
    done = run("new", tmp_path / "a", "--data", tmp_path / "t.csv")
    assert "--as text" in done.err
    assert run("new", tmp_path / "a", "--data", tmp_path / "t.csv", "--as", "text").code == 0


def test_that_kinds_of_columns_are_refused_where_there_are_none(run, tmp_path):
    folder = pictures(tmp_path / "pets", "")
    done = run("new", tmp_path / "a", "--data", folder, "--kind", "a=number")
    assert done.code == 2
    assert "image_folder" in done.err


@pytest.mark.fault("F09")
@pytest.mark.parametrize("broken", ["cats/7.png", "dogs/0.png"])
def test_that_a_picture_that_is_cut_off_is_named(run, tmp_path, broken):
    folder = pictures(tmp_path / "pets", broken)
    done = run("new", tmp_path / "project", "--data", folder)
    assert done.code == 0
    assert done.err.count(broken.rpartition("/")[2]) == 1
    checked = run("check", tmp_path / "project")
    assert checked.code == 1
    assert broken in checked.out
    codes = [
        problem["code"]
        for problem in run("check", tmp_path / "project", "--json").json()["problems"]
    ]
    assert codes.count("D052") == 1


def test_that_nothing_is_said_of_pictures_that_can_be_read(run, tmp_path):
    done = run("new", tmp_path / "project", "--data", pictures(tmp_path / "pets", ""))
    assert done.err == ""
    assert run("check", tmp_path / "project").code == 0


def test_that_a_target_without_columns_is_refused(run, tmp_path):
    folder = pictures(tmp_path / "pictures", broken="")
    done = run("new", tmp_path / "own", "--data", folder, "--target", "species")
    assert done.code == 2
    assert "names of the folders" in done.err
    assert "label" in done.err
    assert not (tmp_path / "own").exists()


def test_that_folders_of_patients_around_the_classes_are_told(run, tmp_path):
    for patient in ("10253", "8863", "9346", "12900"):
        for name in "01":
            (tmp_path / "scans" / patient / name).mkdir(parents=True)
            Image.new("RGB", (9, 9)).save(tmp_path / "scans" / patient / name / "x.png")
    done = run("new", tmp_path / "p", "--data", tmp_path / "scans")
    assert Project.open(tmp_path / "p").spec.data.split.column == "folder"
    assert "label (class, 2 classes): 0, 1" in done.out
    assert "data.source.class_folders=outer" in done.err
    assert "8863" in done.err
