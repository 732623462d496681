"""Texts that are the target of a table: captions of pictures, as tables and as COCO have them."""

import csv
import json
import shutil

import pytest
import torch
from PIL import Image

from engine.data.load.load import load_data
from engine.data.read.captions import read_captions
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError
from engine.graph.query import INPUT
from engine.model.analysis import analyse
from engine.query.ask import ask
from engine.query.data.request import BrowseSamples, ListColumns, ProposeData
from engine.query.results.request import PredictSequences
from engine.query.results.sequences import continued
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.spec.browse import SampleQuery
from engine.spec.proposal import Answers
from engine.spec.run import Choice
from engine.train.written_text import written_texts
from tests.exported_kinds import KINDS, proposed
from tests.tiny_run import train
from tests.user_data import captions

SAID = ("a picture of number {}", "this one shows a {}", "here we can see {} again")


def captioned(folder, pictures=12, **cells):
    """Write a table with three captions for each picture; ``cells`` are others of its rows."""
    (folder / "photos").mkdir()
    rows = []
    for number in range(pictures):
        Image.new("RGB", (8, 8), (20 * number, 0, 90)).save(folder / "photos" / f"{number}.png")
        rows += [{"image": f"{number}.png", "caption": text.format(number)} for text in SAID]
    rows = [row | {name: make(at) for name, make in cells.items()} for at, row in enumerate(rows)]
    with (folder / "captions.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return folder / "captions.csv"


def codes(error):
    return [problem.code for problem in error.value.problems]


def test_that_a_text_to_write_is_the_tokens_before_and_after_each_position(tmp_path):
    data = ask(ProposeData(path=str(captioned(tmp_path)))).spec.data
    loaded = load_data(data)
    previous, target = loaded.info.field("previous"), loaded.info.field("target")
    assert previous.words == target.classes
    assert target.padding == previous.padding == 0
    values = loaded.raw([4])
    before, after = values["previous"][0].tolist(), values["target"][0].tolist()
    assert before[0] == previous.start
    said = [target.classes[number] for number in after]
    assert said[:6] == ["this", "one", "shows", "a", said[4], "<end>"]
    assert before[1:6] == after[:5]
    assert set(after[6:]) == set(before[6:]) == {0}
    lengths = loaded.source.column("target length").tolist()
    assert lengths[3:6] == [5, 5, 6]


def test_that_the_vocabulary_is_that_of_the_training_part(tmp_path):
    path = captioned(
        tmp_path, caption=lambda at: f"words of the row{at // 3} row{at // 3} n{at} n{at}"
    )
    loaded = load_data(ask(ProposeData(path=str(path))).spec.data)
    of_training = {loaded.source.text("target", at) for at in loaded.indices["train"].tolist()}
    trained = {word for text in of_training for word in text.split()}
    known = {word for word in loaded.info.field("target").words if word[0] != "<"}
    assert known == trained
    assert trained < {word for at in range(36) for word in loaded.source.text("target", at).split()}


@pytest.mark.parametrize("make", [captioned, lambda folder: captions(folder)[0]])
def test_that_the_captions_of_a_picture_stay_in_one_part(tmp_path, make):
    loaded = load_data(ask(ProposeData(path=str(make(tmp_path)))).spec.data)
    shown = [
        {loaded.source.text("image", at) for at in part.tolist()}
        for part in loaded.indices.values()
    ]
    assert all(shown)
    assert sum(map(len, shown)) == len(set().union(*shown))


@pytest.mark.row("S131")
def test_that_the_files_of_coco_are_parts_and_name_pictures_of_their_folders(tmp_path):
    root, _ = captions(tmp_path)
    proposal = ask(ProposeData(path=str(root)))
    assert proposal.target == "caption"
    assert "image_folder" in proposal.sources
    loaded = load_data(proposal.spec.data)
    for at in loaded.indices["validation"].tolist():
        assert loaded.source.text("image", at).startswith("val2017/")
    others = [*loaded.indices["train"].tolist(), *loaded.indices["test"].tolist()]
    assert all(loaded.source.text("image", at).startswith("train2017/") for at in others)
    one = ask(ProposeData(path=str(root / "annotations" / "captions_val2017.json")))
    source = load_source(one.spec.data.source)
    assert source.samples == len(loaded.indices["validation"])
    assert source.file("image", 0) == root / "val2017" / source.text("image", 0).rpartition("/")[2]


def test_that_captions_without_their_pictures_are_left_out_and_told(tmp_path):
    root, _ = captions(tmp_path)
    every = load_source(ask(ProposeData(path=str(root))).spec.data.source).samples
    some = shutil.copytree(root, tmp_path / "some")
    next((some / "val2017").iterdir()).unlink()
    proposal = ask(ProposeData(path=str(some)))
    assert proposal.info.samples == every - 3
    assert [each.code for each in proposal.info.problems] == ["D045"]
    one = shutil.copytree(root, tmp_path / "one")
    shutil.rmtree(one / "val2017")  # as where somebody downloads one part
    proposal = ask(ProposeData(path=str(one)))
    assert proposal.info.samples == every / 2
    assert [column.name for column in proposal.table] == ["image", "caption"]
    none = shutil.copytree(one / "annotations", tmp_path / "none" / "annotations").parent
    Image.new("RGB", (4, 4)).save(none / "x.png")
    with pytest.raises(DiagnosticError) as caught:
        ask(ProposeData(path=str(none / "annotations" / "captions_train2017.json")))
    assert codes(caught) == ["D510"]


def test_that_a_picture_that_comes_later_is_found(tmp_path):
    root, _ = captions(tmp_path)
    picture = root / "val2017" / "0.png"
    picture.rename(tmp_path / "kept.png")
    before = read_captions(root)
    (tmp_path / "kept.png").rename(picture)
    missing = [
        list(table.column("image").cells()).count("") for table in (before, read_captions(root))
    ]
    assert missing == [3, 0]


@pytest.mark.parametrize(
    "damage", [lambda text: text[:-40], lambda text: text.replace(": 3,", ": {},")]
)
def test_that_damaged_captions_are_told(tmp_path, damage):
    _, file = captions(tmp_path)
    file.write_text(damage(file.read_text()))
    with pytest.raises(DiagnosticError) as caught:
        ask(ProposeData(path=str(file)))
    assert codes(caught) == ["D511"]


def test_that_boxes_beside_captions_come_first_and_captions_can_be_chosen(tmp_path):
    root, file = captions(tmp_path)
    boxed = {
        "images": json.loads(file.read_text())["images"],
        "annotations": [{"image_id": 0, "category_id": 1, "bbox": [1, 1, 9, 9]}],
        "categories": [{"id": 1, "name": "square"}],
    }
    (file.parent / "instances_val2017.json").write_text(json.dumps(boxed))
    proposal = ask(ProposeData(path=str(root)))
    assert proposal.spec.data.source.type == "detection_folder"
    assert "table" in proposal.sources
    chosen = ask(ProposeData(path=str(root), answers=Answers(source="table")))
    assert chosen.target == "caption"


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize(
    "cells",
    [
        {},
        {"weight": lambda at: str(at * 0.5), "place": lambda at: ("north", "south")[at % 2]},
        {"note": lambda at: f"somebody wrote these words {at}"},
    ],
    ids=["picture", "numbers", "text"],
)
def test_that_a_first_model_writes_from_whatever_stands_beside_the_text(tmp_path, cells, size):
    proposal = ask(ProposeData(path=str(captioned(tmp_path, **cells)), size=size))
    nodes = proposal.graph.nodes.values()
    read = {node.params["field"] for node in nodes if node.type == INPUT}
    assert read == {field.name for field in proposal.info.fields if field.role == "input"}
    analysis = analyse(proposal.graph)
    assert not analysis.problems
    (loss,) = proposal.spec.losses
    assert loss.loss == Choice(type="CrossEntropyLoss", params={"ignore_index": 0})


def test_that_numbers_alone_are_enough_and_a_target_is_text_only_where_somebody_says_so(tmp_path):
    path = captioned(tmp_path, image=str, length=lambda at: str(at % 7))
    params = {"path": str(path), "target": "caption", "inputs": "length"}
    classes = load_source(Choice(type="table", params=params))
    assert [info.name for info in classes.infos if info.role == "target"] == ["label"]
    source = load_source(Choice(type="table", params={**params, "kinds": "caption=text"}))
    assert [info.name for info in source.infos] == ["previous", "target", "features"]


def test_that_sentences_without_spaces_are_cut_into_characters(tmp_path):
    path = captioned(tmp_path, caption=lambda at: f"一只红色的小鸟停在第{at}根树枝上")
    proposal = ask(ProposeData(path=str(path)))
    assert proposal.target == "caption"
    assert proposal.spec.data.source.params["tokens"] == "characters"
    assert proposal.info.field("target").shape[0] > len("一只红色的小鸟停在第11根树枝上")


def test_that_rows_without_a_text_are_left_out(tmp_path):
    path = captioned(tmp_path, caption=lambda at: "" if at == 5 else f"the picture of row {at}")
    source = load_source(ask(ProposeData(path=str(path))).spec.data.source)
    assert source.samples == 35
    assert all(source.text("target", at) for at in range(35))


def test_that_a_sample_is_listed_with_its_text_as_the_target(tmp_path):
    data = ask(ProposeData(path=str(captioned(tmp_path)))).spec.data
    columns = ask(ListColumns(data=data)).columns
    at = next(at for at, each in enumerate(columns) if each.name == "caption")
    assert columns[at].role == "target"
    rows = ask(BrowseSamples(data=data, query=SampleQuery(), start=0, count=1)).rows
    assert rows[0].cells[at] == SAID[0].format(0)


def test_that_what_is_written_for_a_batch_is_what_is_written_for_each_sample(tmp_path):
    (tmp_path / "data").mkdir()
    run = RunFolder.create(tmp_path / "project", *proposed(KINDS["captions"], tmp_path / "data"))
    train(run)
    trained = open_trained(run, "last")
    with trained.in_use() as training:
        places = training.data.indices["test"].tolist()
        raw = training.data.raw(places)
        batch = {name: training.normalized(name, raw[name]) for name in training.input_fields}
        singly = []
        for row in range(len(places)):
            one = {name: each[row : row + 1] for name, each in batch.items()}
            info = training.data.info.field("previous")
            one["previous"] = torch.tensor([info.filled(())])
            outputs = training.model(*[one[name] for name in training.input_fields])
            singly.append(continued(training, one, outputs)[1])
        assert list(written_texts(training, batch)) == singly
    samples = ask(
        PredictSequences(run_folder=str(run.path), checkpoint="last", split="test", numbers=(0,))
    ).samples
    assert samples[0].written == singly[0]
    assert samples[0].picture_size == (3, 16, 16)
    assert len(samples[0].pixels) == 3 * 16 * 16
    assert samples[0].truth.removesuffix(" <end>") not in samples[0].text
