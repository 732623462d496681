"""What a checkpoint predicts, sample by sample, beside a plain script."""

import shutil

import pytest
import torch
from msgspec.structs import replace

from engine.api import evaluate
from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError
from engine.graph.draft import Draft
from engine.query.ask import ask
from engine.query.data.proposal import propose_data
from engine.query.data.request import BrowseSamples, ListColumns, ProposeData
from engine.query.results.request import (
    DescribeModel,
    Examine,
    LookUp,
    Predict,
    PredictSamples,
)
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.spec.browse import LOSS, SampleQuery
from engine.spec.run import Choice, DataSpec, LossTerm
from engine.spec.vocabulary import Vocabulary
from tests.tiny_run import chain, iris_spec, make_run, node, train


def examine(run: RunFolder, **wanted):
    step = ask(Examine(run_folder=str(run.path), seconds=60, **wanted))
    assert step.done == step.total
    return step.report


@pytest.mark.row("P18", "S318")
def test_that_predictions_are_those_of_the_model_in_eval_mode(run):
    report = examine(run, checkpoint="last", split="test")
    data = load_data(run.document.spec.data)
    model = open_trained(run, "last").training.model.eval()
    with torch.no_grad():
        logits = model(data.tensors("test")["features"])
    losses = torch.nn.functional.cross_entropy(
        logits, data.tensors("test")["label"], reduction="none"
    )
    assert report.predictions == tuple(logits.argmax(dim=1).tolist())
    assert report.chances == pytest.approx(logits.softmax(dim=1).amax(dim=1).tolist())
    assert report.losses == pytest.approx(losses.tolist(), abs=1e-6)
    assert report.indices == tuple(data.indices["test"].tolist())
    assert sum(map(sum, report.matrix)) == len(report.indices)
    measured = evaluate(run.path, "last", "test").metrics
    assert report.metrics["accuracy"] == pytest.approx(measured["test.accuracy"])
    assert [curve.name for curve in report.roc] == ["setosa", "versicolor", "virginica", ""]


def test_that_an_examination_tells_how_far_it_is_and_goes_on(run):
    request = Examine(run_folder=str(run.path), split="train", seconds=0)
    first = ask(request)
    assert (first.done, first.report) == (32, None)
    assert ask(request).done == 64


def test_that_what_was_begun_goes_on_though_the_run_has_replaced_the_checkpoint(run, tmp_path):
    copy = RunFolder.open(shutil.copytree(run.path, tmp_path / "run"))
    request = Examine(run_folder=str(copy.path), checkpoint="last", split="train", seconds=0)
    first = ask(request)
    (copy.checkpoints / first.checkpoint).unlink()
    request = replace(request, checkpoint=first.checkpoint, sha256=first.sha256)
    assert ask(request).done == 64


@pytest.mark.row("P19", "S046")
def test_that_a_row_of_ones_own_is_normalised_as_in_training(run):
    report = examine(run, checkpoint="last", split="test")
    preview = ask(LookUp(data=run.document.spec.data, places=(report.indices[3], -1, 10**6)))
    assert [sample.index for sample in preview.samples] == [report.indices[3]]
    values = {"features": preview.samples[0].values["features"]}
    found = ask(Predict(run_folder=str(run.path), checkpoint="last", values=values))
    assert max(found.values) == pytest.approx(report.chances[3])
    assert found.values.index(max(found.values)) == report.predictions[3]


def test_that_a_model_tells_what_it_reads(run):
    found = ask(DescribeModel(run_folder=str(run.path)))
    assert [field.info.name for field in found.fields] == ["features"]
    assert len(found.fields[0].example) == 4
    assert found.fields[0].low < found.fields[0].high
    assert found.classes == ("setosa", "versicolor", "virginica")


def test_that_a_row_of_the_wrong_length_is_told(run):
    wrong = Predict(run_folder=str(run.path), checkpoint="last", values={"features": (1.0,)})
    with pytest.raises(DiagnosticError) as caught:
        ask(wrong)
    assert caught.value.problems[0].code == "V002"


@pytest.mark.row("S222")
def test_that_numbers_are_told_with_their_inputs_and_errors(tmp_path):
    graph = chain(
        node("Input", "x", field="x", shape=(1,)),
        node("Linear", "head", out_features=1),
        node("Output", "y"),
    )
    term = LossTerm(
        loss=Choice(type="MSELoss"), inputs={"input": "model.y", "target": "data.target"}
    )
    spec = iris_spec(data=DataSpec(source=Choice(type="sin")), losses=(term,), epochs=1)
    run = RunFolder.create(tmp_path, graph, spec, "sin")
    train(run)
    report = examine(run, split="validation")
    assert report.task == "regression"
    assert len(report.points) == len(report.targets) == len(report.predictions)
    squares = [(a - b) ** 2 for a, b in zip(report.targets, report.predictions, strict=True)]
    assert report.losses == pytest.approx(squares, rel=1e-4, abs=1e-7)
    assert report.metrics["rmse"] == pytest.approx((sum(squares) / len(squares)) ** 0.5)


def test_that_a_prediction_from_several_columns_is_not_drawn_over_one_of_them(tmp_path):
    path = tmp_path / "homes.csv"
    rows = [f"{at % 9 + 0.5},{'abc'[at % 3]},{at % 9 * 2.25 + at % 3}" for at in range(60)]
    path.write_text("\n".join(["size,town,price", *rows]))
    proposal = propose_data(ProposeData(path=str(path), target="price"))
    spec = replace(proposal.spec, epochs=1, device="cpu")
    run = RunFolder.create(tmp_path, proposal.graph, spec, "homes")
    train(run)
    report = examine(run, split="validation")
    assert report.task == "regression"
    assert report.points == ()


@pytest.mark.row("P18")
def test_that_of_very_many_numbers_an_even_choice_is_told_and_all_are_measured(tmp_path):
    graph = chain(
        node("Input", "features", field="features", shape=(2,)),
        node("Linear", "head", out_features=150),
        node("Output", "y"),
    )
    term = LossTerm(
        loss=Choice(type="MSELoss"), inputs={"input": "model.y", "target": "data.target"}
    )
    source = Choice(type="random_regression", params={"samples": 20, "features": 2, "outputs": 150})
    spec = iris_spec(data=DataSpec(source=source), losses=(term,), epochs=1)
    run = RunFolder.create(tmp_path, graph, spec, "wide")
    train(run)
    report = examine(run, split="train")
    assert (report.width, report.outputs) == (150, 50)
    assert len(report.targets) == len(report.predictions) == 50 * len(report.indices)
    mean = sum(report.losses) / len(report.losses)
    assert report.metrics["rmse"] == pytest.approx(mean**0.5, rel=1e-4)


def test_that_what_cannot_be_compared_is_told(tmp_path):
    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )
    term = LossTerm(
        loss=Choice(type="MSELoss"), inputs={"input": "model.logits", "target": "model.logits"}
    )
    run = RunFolder.create(tmp_path, graph, iris_spec(losses=(term,), epochs=1), "none")
    train(run)
    for _ in range(2):
        with pytest.raises(DiagnosticError) as caught:
            examine(run)
        assert caught.value.problems[0].code == "V001"


@pytest.mark.row("P19")
def test_that_a_sentence_with_numbers_that_no_sample_has_is_read_too(tmp_path):
    graph = chain(
        node("Input", "sentence", field="sentence", shape=(3,), dtype="int64"),
        node("Embedding", "embedding", num_embeddings=200, embedding_dim=4),
        node("mean", "mean", dim=(1,)),
        node("Linear", "head", out_features=4),
        node("Output", "logits"),
    )
    data = DataSpec(source=Choice(type="sentences", params={"samples": 60, "length": 3}))
    folder = make_run(tmp_path, graph=graph, data=data, epochs=1)
    train(folder)
    (field,) = ask(DescribeModel(run_folder=str(folder.path))).fields
    vocabulary = Vocabulary(field.info.words)
    assert field.example == vocabulary.encode(field.text, 3)
    assert (field.low, field.high) == (0, len(vocabulary.words) - 1)
    numbers = vocabulary.encode("whales sing", 3)
    assert numbers[2] not in load_data(data).source.fields[0].values  # no sample is so short
    asked = Predict(run_folder=str(folder.path), checkpoint="last", values={"sentence": numbers})
    assert sum(ask(asked).values) == pytest.approx(1)
    wrong = (len(vocabulary.words), *numbers[1:])
    with pytest.raises(DiagnosticError) as caught:
        ask(replace(asked, values={"sentence": wrong}))
    assert caught.value.problems[0].code == "V003"


def test_that_a_chosen_sample_is_the_example(run):
    data = load_data(run.document.spec.data, is_normalized=False)
    for index in (5, 149):
        found = ask(DescribeModel(run_folder=str(run.path), sample=index))
        assert found.fields[0].example == pytest.approx(
            data.source.read([index])["features"][0].tolist()
        )
    without = ask(DescribeModel(run_folder=str(run.path)))
    assert ask(DescribeModel(run_folder=str(run.path), sample=150)) == without


def test_that_the_two_classes_of_a_table_are_named_whatever_loss_is_taken(tmp_path):
    path = tmp_path / "people.csv"
    rows = [f"{age},{'no' if age < 40 else 'yes'}" for age in range(20, 60)]
    path.write_text("\n".join(("age,buys", *rows)), encoding="utf-8")
    graph = chain(
        node("Input", "features", field="features", shape=(1,)),
        node("Linear", "head", out_features=1),
        node("Output", "logits"),
    )
    loss = LossTerm(
        loss=Choice(type="BCEWithLogitsLoss"),
        inputs={"input": "model.logits", "target": "data.target"},
    )
    data = DataSpec(source=Choice(type="table", params={"path": str(path), "target": "buys"}))
    run = RunFolder.create(tmp_path, graph, iris_spec(data=data, losses=(loss,), epochs=1), "bce")
    train(run)
    assert examine(run, split="test").classes == ("no", "yes")
    inputs = ask(DescribeModel(run_folder=str(run.path)))
    assert inputs.classes == ("no", "yes")
    found = ask(
        Predict(run_folder=str(run.path), checkpoint="last", values={}, cells={"age": "33"})
    )
    assert len(found.values) == 2


def test_that_a_model_that_draws_noise_has_the_results_of_its_evaluation(tmp_path):
    draft = (
        Draft().put("features", "Input", field="features", shape=(4,)).put("noise", "randn_like")
    )
    draft.put("moved", "add", after={"input": "features", "other": "noise"})
    draft.put("hidden", "Linear", out_features=8).put("act", "ReLU")
    graph = draft.put("head", "Linear", out_features=3).put("logits", "Output").model()
    run = make_run(tmp_path, graph, data=DataSpec(source=Choice(type="iris"), batch_size=4))
    train(run)
    question = Examine(run_folder=str(run.path), checkpoint="last", split="test", seconds=0)
    step = ask(question)
    while step.report is None:  # batch after batch, and others draw between them
        torch.rand(1)
        step = ask(question)
    found = evaluate(run.path, checkpoint="last", split="test").metrics
    losses, report = step.report.losses, step.report
    assert sum(losses) / len(losses) == pytest.approx(found["test.loss"], rel=1e-5)
    right = [a == b for a, b in zip(report.predictions, report.targets, strict=True)]
    assert sum(right) / len(right) == pytest.approx(found["test.accuracy"])
    samples = ask(PredictSamples(run_folder=str(run.path), checkpoint="last", seconds=60))
    data = run.document.spec.data
    listed = ask(BrowseSamples(data=data, predictions=samples.key, query=SampleQuery(), count=200))
    keys = [each.key for each in ask(ListColumns(data=data, predictions=samples.key)).columns]
    costs = {row.index: row.cells[keys.index(LOSS)] for row in listed.rows}
    assert [costs[at] for at in report.indices] == pytest.approx(losses, rel=1e-5)
