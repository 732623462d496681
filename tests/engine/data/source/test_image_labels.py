"""Lists of pictures with labels, as Caffe and many data sets have them."""

from pathlib import Path

import pytest
from PIL import Image

from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError
from engine.query.data.peek import peek_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import PeekData, ProposeData
from engine.query.data.source_choice import source_of
from engine.spec.proposal import Answers

NAMES = [f"{['train', 'test'][n % 2]}/cat {n}.png" for n in range(12)]


def pictures(folder: Path, names: list[str]) -> None:
    for at, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8), (at, at, at)).save(folder / name)


def written(path: Path, lines: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "line",
    ["{} {}", "{}\t{}", "{},{}", "./{};{}", '"{}", {}', "/{} {}", "{} | {}"],
)
def test_that_a_list_of_pictures_is_opened_with_its_labels(tmp_path, line):
    pictures(tmp_path, NAMES)
    lines = [line.format(name, at % 3) for at, name in enumerate(NAMES)]
    path = written(tmp_path / "list.txt", lines)
    proposal = propose_data(ProposeData(path=str(path)))
    source = proposal.spec.data.source
    assert source.type == "image_folder"
    loaded = load_source(source)
    shown = {loaded.text("image", at): int(loaded.column("label")[at]) for at in range(12)}
    assert shown == {name: at % 3 for at, name in enumerate(NAMES)}
    assert proposal.info.field("label").classes == ("0", "1", "2")
    assert proposal.sources[0] == "image_folder"
    assert "text" in proposal.sources
    peeked = peek_data(PeekData(path=str(path), count=3)).pictures
    assert [(each.name, each.label) for each in peeked] == [*zip(NAMES[:3], "012", strict=True)]
    assert all(each.picture is not None for each in peeked)
    again = ProposeData(path=str(path), answers=Answers(source="image_folder"))
    assert propose_data(again).spec.data.source == source


@pytest.mark.parametrize(
    ("at", "folder"), [("list.txt", "images"), ("lists/list.txt", ""), ("lists/list.txt", "images")]
)
def test_that_the_pictures_of_a_list_may_be_in_a_folder_near(tmp_path, at, folder):
    pictures(tmp_path / folder, ["a.png", "b.png", "c.png", "d.png"])
    path = written(tmp_path / at, ["image label", "a.png red dog", "b.png cat", "c.png cat"])
    source = source_of(path)
    assert source.params["path"] == str(tmp_path / folder) or source.params["path"] == str(tmp_path)
    loaded = load_source(source)
    assert loaded.samples == 3
    assert loaded.infos[1].classes == ("cat", "red dog")


def test_that_a_list_of_one_part_is_divided_itself(tmp_path):
    pictures(tmp_path, NAMES)
    trained = [name for name in NAMES if name.startswith("train")]
    path = written(tmp_path / "train.txt", [f"{name} {at % 2}" for at, name in enumerate(trained)])
    proposal = propose_data(ProposeData(path=str(path)))
    assert proposal.info.samples == len(trained)
    assert proposal.spec.data.split.kind != "given"
    assert proposal.info.part("validation").samples > 0


def test_that_a_few_lost_pictures_of_a_list_are_named(tmp_path):
    pictures(tmp_path, NAMES[1:])
    path = written(tmp_path / "list.txt", [f"{name} {at % 2}" for at, name in enumerate(NAMES)])
    problems = propose_data(ProposeData(path=str(path))).info.problems
    told = next(problem for problem in problems if problem.code == "D069")
    assert NAMES[0] in str(told.params["names"])


@pytest.mark.parametrize("name", ["lost.png", "../outside.png"])
def test_that_a_list_without_its_pictures_says_where_they_are_looked_for(tmp_path, name):
    pictures(tmp_path, ["outside.png"])
    path = written(tmp_path / "deep" / "deeper" / "list.txt", [f"{name} 0", f"{name} 1"])
    with pytest.raises(DiagnosticError) as caught:
        source_of(path)
    assert caught.value.problems[0].code == "D571"


@pytest.mark.parametrize(
    "lines",
    [
        ["He took a.png 3 times", "and gave it back"],
        ["a.png 10,20,30,40,1", "b.png 1,2,3,4,0"],
        ["a.png 1 0 1", "b.png 0 1 1"],
        ["a.png 1"],
    ],
    ids=["text", "boxes", "several labels", "one line"],
)
def test_that_other_texts_are_no_list(tmp_path, lines):
    pictures(tmp_path, ["a.png", "b.png"])
    assert source_of(written(tmp_path / "list.txt", lines)).type != "image_folder"
