"""A column of the table of labels beside files says how much the loss of each counts."""

import csv

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.data.load.load import load_data
from engine.data.source.registry import forget_sources, load_source
from engine.diagnostics import DiagnosticError
from engine.model.module import to_module
from engine.spec.defaults import default_spec
from engine.spec.first_model import first_model
from engine.spec.run import Choice, DataSpec
from engine.spec.sample_weight import has_weights
from engine.train.training import build_training
from tests import sound_files

PICTURES = 24


def pictures(folder, weights=None, **params):
    """Write pictures with a table of labels and weights and return the choice of them."""
    forget_sources()
    chance = np.random.default_rng(1)
    (folder / "pictures").mkdir()
    if weights is None:
        weights = [str(at % 4 / 2) for at in range(PICTURES)]
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(("label", "file", "importance"))
        for at, weight in reversed([*enumerate(weights)]):
            table.writerow(("ab"[at % 2], f"{at:02}.png", weight))
            image = Image.fromarray(chance.integers(0, 255, (8, 8, 3)).astype(np.uint8))
            image.save(folder / "pictures" / f"{at:02}.png")
    given = {"path": str(folder / "pictures"), "labels": str(folder / "labels.csv"), "size": (8, 8)}
    return Choice(type="image_folder", params=given | {"weight": "importance"} | params)


def refused(source):
    with pytest.raises(DiagnosticError) as error:
        load_source(source)
    (problem,) = error.value.problems
    return problem


def test_that_weights_go_by_the_name_of_the_picture_and_divide_nothing(tmp_path):
    chosen = pictures(tmp_path)
    source, info = load_source(chosen), load_data(DataSpec(source=chosen)).info
    names = [source.text("image", at) for at in range(source.samples)]
    values = source.read(range(source.samples))["sample_weight"].tolist()
    assert dict(zip(names, values, strict=True)) == {
        f"{at:02}.png": at % 4 / 2 for at in range(PICTURES)
    }
    assert [column.name for column in info.file_columns] == ["importance"]
    assert "sample_weight" not in [column.name for column in info.columns]
    assert info.weight == "sample_weight"


WRONG = {
    "a word": ["x" if at == 5 else "1" for at in range(PICTURES)],
    "below zero": ["-1" if at == 5 else "1" for at in range(PICTURES)],
    "nothing": ["" if at == 5 else "1" for at in range(PICTURES)],
    "not finite": ["inf" if at == 5 else "1" for at in range(PICTURES)],
}


@pytest.mark.parametrize("name", WRONG)
def test_that_what_is_no_weight_is_told_with_its_row(name, tmp_path):
    problem = refused(pictures(tmp_path, WRONG[name]))
    assert (problem.code, problem.field) == ("D565", "data.source.weight")
    lines = (tmp_path / "labels.csv").read_text().splitlines()
    assert "05.png" in lines[problem.params["row"] - 1]
    assert problem.params["value"] == WRONG[name][5]


def test_that_a_column_that_is_not_there_is_told_with_those_that_are(tmp_path):
    problem = refused(pictures(tmp_path, weight="w"))
    assert problem.code == "D588"
    assert "importance" in problem.params["names"]


def test_that_class_folders_have_no_weights(tmp_path):
    for at in range(4):
        folder = tmp_path / "ab"[at % 2]
        folder.mkdir(exist_ok=True)
        Image.new("RGB", (8, 8), (at, 0, 0)).save(folder / f"{at}.png")
    forget_sources()
    params = {"path": str(tmp_path), "size": (8, 8), "weight": "importance"}
    assert refused(Choice(type="image_folder", params=params)).code == "D587"


def test_that_weights_of_zero_leave_nothing_to_learn(tmp_path):
    data = DataSpec(source=pictures(tmp_path, ["0"] * PICTURES))
    with pytest.raises(DiagnosticError) as error:
        load_data(data)
    assert [problem.code for problem in error.value.problems] == ["D566"]


def test_that_the_loss_of_a_step_is_weighed(tmp_path):
    data = DataSpec(source=pictures(tmp_path), batch_size=8)
    loaded = load_data(data)
    graph = first_model(loaded.info)
    assert graph is not None
    spec = default_spec(loaded.info, graph, data=data)
    training = build_training(graph, spec, to_module(graph))
    batch = dict(next(iter(training.epoch_batches(0, 0))))
    training.model.eval()
    outputs = training.model(*[batch[name] for name in training.input_fields])
    loss, _ = training.loss(outputs, batch)
    assert {*batch["sample_weight"].tolist()} != {1.0}
    each = torch.nn.functional.cross_entropy(outputs, batch["label"], reduction="none")
    assert torch.equal(loss, (each * batch["sample_weight"]).mean())


def test_that_sounds_have_weights_too(tmp_path):
    pytest.importorskip("soundfile")
    for at in range(8):
        sound_files.write(tmp_path / "s" / f"{at}.wav", sound_files.tone(300 + 40 * at))
    rows = "".join(f"{at}.wav,{'ab'[at % 2]},{at / 4}\n" for at in range(8))
    table = tmp_path / "labels.csv"
    table.write_text(f"file,label,importance\n{rows}")
    forget_sources()
    params = {"path": str(tmp_path / "s"), "labels": str(table), "weight": "importance"}
    chosen = Choice(type="sound_folder", params={**params, "rate": sound_files.RATE})
    source = load_source(chosen)
    assert source.read([3, 6])["sample_weight"].tolist() == [0.75, 1.5]
    data = DataSpec(source=chosen)
    assert has_weights(data)
    info = load_data(data).info
    assert [column.name for column in info.file_columns] == ["importance"]
    assert info.weight == "sample_weight"
    before = source.version(), source.keys([1])
    table.write_text(f"file,label,importance\n{rows}".replace("b,0.25", "b,9"))
    forget_sources()
    after = load_source(chosen)
    assert after.read([1])["sample_weight"].tolist() == [9]
    assert after.version() != before[0]
    assert after.keys([1]) != before[1]
    unweighed = replace(chosen, params={**chosen.params, "weight": ""})
    assert load_source(unweighed).version() != after.version()
