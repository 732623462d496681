"""What a checkpoint says about every sample, as columns of the samples."""

import math
from collections import OrderedDict

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from engine.data.browse import predicted
from engine.diagnostics import DiagnosticError
from engine.query.ask import ask
from engine.query.data.request import BrowseSamples, ListColumns, ListValues
from engine.query.results import answer
from engine.query.results.request import Examine, PredictSamples
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.spec.browse import (
    CONFIDENCE,
    CORRECT,
    LEARNED,
    LOSS,
    PART,
    PREDICTION,
    Condition,
    SampleQuery,
    prediction_key,
)
from engine.spec.data_path import data_key
from engine.spec.run import Choice, DataSpec, LossTerm, SplitSpec
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.learned import NEVER, learned_steps
from tests.tiny_run import chain, iris_spec, make_run, node, train


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return a cache of the test's own, and forget what other tests predicted."""
    monkeypatch.setattr(predicted, "cache_folder", lambda _name: tmp_path)
    monkeypatch.setattr(predicted, "_kept", OrderedDict())
    monkeypatch.setattr(answer, "_predicting", {})
    return tmp_path


def predict(run: RunFolder) -> str:
    step = ask(PredictSamples(run_folder=str(run.path), seconds=60))
    assert step.done == step.total
    return step.key


def cells(run, key, *columns, **query):
    """Return cells of the samples that a query lists, one tuple a sample, after their indices."""
    data = run.document.spec.data
    keys = [each.key for each in ask(ListColumns(data=data, predictions=key)).columns]
    window = ask(BrowseSamples(data=data, predictions=key, query=SampleQuery(**query), count=1000))
    places = [keys.index(column) for column in columns]
    return [(row.index, *(row.cells[at] for at in places)) for row in window.rows]


def test_that_every_sample_has_what_results_say_about_it(run):
    key = predict(run)
    found = {at: rest for at, *rest in cells(run, key, LOSS, PREDICTION, CONFIDENCE, CORRECT)}
    for split in ("train", "validation", "test"):
        report = ask(Examine(run_folder=str(run.path), split=split, seconds=60)).report
        for at, index in enumerate(report.indices):
            loss, name, chance, truth = found.pop(index)
            assert loss == pytest.approx(report.losses[at])
            assert name == report.classes[int(report.predictions[at])]
            assert chance == pytest.approx(report.chances[at])
            assert truth == ("yes" if report.predictions[at] == report.targets[at] else "no")
    assert not found


def test_that_the_worst_samples_come_first_and_the_wrong_ones_alone(run):
    key = predict(run)
    losses = [loss for _, loss in cells(run, key, LOSS, sort=LOSS, is_descending=True)]
    assert losses == sorted(losses, reverse=True)
    wrong = Condition(column=CORRECT, kind="is", values=("no",))
    listed = cells(run, key, CORRECT, conditions=(wrong,))
    values = ask(ListValues(data=run.document.spec.data, column=CORRECT, predictions=key))
    counts = dict(zip(values.values, values.counts, strict=True))
    assert listed
    assert len(listed) == counts["no"]
    assert {truth for _, truth in listed} == {"no"}


def test_that_training_samples_say_when_they_were_learnt_the_hardest_first(run):
    key = predict(run)
    listed = cells(run, key, PART, LEARNED, sort=LEARNED, is_descending=True)
    steps = [step for _, part, step in listed if part == "train"]
    assert steps == sorted(steps, reverse=True)
    assert steps[-1] >= 1
    assert {step for _, part, step in listed if part != "train"} == {None}
    learned = learned_steps(open_checkpoint(run, "best").learned)
    assert [step == math.inf for step in steps].count(True) == int((learned == NEVER).sum())
    assert [part for _, part, _ in listed[: len(steps)]] == ["train"] * len(steps)


def test_that_predictions_go_on_from_question_to_question(run):
    request = PredictSamples(run_folder=str(run.path), seconds=0)
    first = ask(request)
    assert (first.done, first.key) == (32, "")
    following = replace(request, checkpoint=first.checkpoint, sha256=first.sha256)
    assert ask(following).done == 64


def test_that_what_was_predicted_once_is_there_at_once(run, monkeypatch):
    key = predict(run)
    before = cells(run, key, LOSS, PREDICTION)
    monkeypatch.setattr(predicted, "_kept", OrderedDict())
    step = ask(PredictSamples(run_folder=str(run.path), seconds=0))
    assert step.key == key
    assert cells(run, key, LOSS, PREDICTION) == before


def test_that_a_damaged_file_is_predicted_again(run, folder, monkeypatch):
    key = predict(run)
    (folder / key).write_bytes(b"\x81\xa1" + bytes(100))
    monkeypatch.setattr(predicted, "_kept", OrderedDict())
    assert not ask(PredictSamples(run_folder=str(run.path), seconds=0)).key
    with pytest.raises(DiagnosticError) as caught:
        ask(ListColumns(data=run.document.spec.data, predictions=key))
    assert caught.value.problems[0].code == "D280"


def test_that_of_too_many_samples_only_their_number_is_told(run):
    request = PredictSamples(run_folder=str(run.path), seconds=0)
    for _ in range(2):
        step = ask(replace(request, most=149))
        assert (step.done, step.total, step.key) == (0, 150, "")
        ask(request)  # what goes on is not hurried by who asks for few


def test_that_samples_in_no_part_have_no_prediction(tmp_path):
    graph = chain(
        node("Input", "x", field="x", shape=(1,)),
        node("Linear", "head", out_features=1),
        node("Output", "y"),
    )
    term = LossTerm(
        loss=Choice(type="MSELoss"), inputs={"input": "model.y", "target": "data.target"}
    )
    spec = iris_spec(data=DataSpec(source=Choice(type="sin")), losses=(term,), epochs=1)
    edits = spec.data.edits.of(data_key(spec.data.source)).excluding(["3"], is_excluded=True)
    spec = replace(spec, data=replace(spec.data, edits=edits))
    run = RunFolder.create(tmp_path, graph, spec, "sin")
    train(run)
    key = predict(run)
    listed = ask(ListColumns(data=spec.data, predictions=key)).columns
    assert LEARNED not in [each.key for each in listed]  # a number is never quite right
    found = cells(run, key, LOSS, PREDICTION)
    assert found[3][1:] == (None, None)
    errors = [each[1] for each in found if each[0] != 3]
    assert np.isfinite(errors).all()
    keys = [each.key for each in ask(ListColumns(data=spec.data)).columns]
    assert LOSS not in keys


def run_of_pictures(tmp_path) -> RunFolder:
    """Return a run on twelve small pictures of two classes."""
    for name, shade in (("dark", 40), ("light", 200)):
        (tmp_path / "set" / name).mkdir(parents=True)
        for number in range(6):
            picture = Image.fromarray(np.full((8, 8, 3), shade + number, np.uint8))
            picture.save(tmp_path / "set" / name / f"{number}.png")
    nodes = (
        node("Input", "image", field="image", shape=(3, 8, 8)),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=2),
        node("Output", "logits"),
    )
    source = Choice(type="image_folder", params={"path": str(tmp_path / "set"), "size": 8})
    split = SplitSpec(train=0.5, validation=0.5, test=0.0)
    inputs = {"input": "model.logits", "target": "data.label"}
    loss = LossTerm(loss=Choice(type="CrossEntropyLoss"), inputs=inputs)
    data = DataSpec(source=source, split=split, batch_size=4)
    run = make_run(tmp_path / "p", chain(*nodes), data=data, losses=(loss,), epochs=1)
    train(run)
    return run


def test_that_a_damaged_picture_is_left_out_and_told_and_the_others_predicted(tmp_path):
    run = run_of_pictures(tmp_path)
    cut = tmp_path / "set" / "light" / "2.png"
    cut.write_bytes(cut.read_bytes()[:40])
    for _ in range(2):  # computed, then kept
        step = ask(PredictSamples(run_folder=str(run.path), seconds=60))
        assert step.done == step.total == 12
        assert step.unread == 1
        assert step.reason is not None
        assert "2.png" in str(step.reason.params)
    losses = [loss for _, loss in cells(run, step.key, LOSS)]
    assert sum(loss is None or math.isnan(loss) for loss in losses) == 1
    for path in (tmp_path / "set").rglob("*.png"):
        path.write_bytes(b"no picture")
    with pytest.raises(DiagnosticError, match="damaged"):
        ask(PredictSamples(run_folder=str(run.path), seconds=60))


def test_that_each_of_several_numbers_has_a_column_of_predictions(tmp_path):
    table = tmp_path / "rooms.csv"
    rows = (f"{n % 7},{n % 5},{n % 7 * 1000},{n % 5 / 10}\n" for n in range(40))
    table.write_text("wide,high,price,share\n" + "".join(rows))
    params = {"path": str(table), "target": "price, share"}
    graph = chain(
        node("Input", "features", field="features", shape=(2,)),
        node("Linear", "head", out_features=2),
        node("Output", "numbers"),
    )
    inputs = {"input": "model.numbers", "target": "data.target"}
    run = make_run(
        tmp_path / "project",
        graph,
        data=DataSpec(source=Choice(type="table", params=params)),
        losses=(LossTerm(loss=Choice(type="MSELoss"), inputs=inputs),),
        epochs=1,
    )
    train(run)
    key = predict(run)
    names = ("price", "share")
    found = cells(run, key, *map(prediction_key, names))
    with open_trained(run, "last").in_use() as training:
        for part in ("train", "validation", "test"):
            values = training.data.tensors(part)["features"]
            told = training.model.eval()(training.normalized("features", values)).tolist()
            for index, row in zip(training.data.indices[part].tolist(), told, strict=True):
                assert found[index] == (index, *map(pytest.approx, row))
    listed = ask(ListColumns(data=run.document.spec.data, predictions=key)).columns
    of_run = [each.key for each in listed if each.key.startswith("run.")]
    assert of_run[:3] == [LOSS, *map(prediction_key, names)]
    assert [each.name for each in listed if each.key in of_run[1:3]] == [*names]
