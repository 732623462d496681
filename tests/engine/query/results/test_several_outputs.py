"""A model with two outputs that the loss compares with the data: each is measured, examined and
predicted, with the numbers of scikit-learn.
"""

import csv
import json

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from engine.api import export
from engine.diagnostics import DiagnosticError
from engine.graph.model import Edge
from engine.query.ask import ask, write_predictions
from engine.query.data.request import BrowseSamples, ListColumns
from engine.query.evaluation.request import Evaluate
from engine.query.predicting.request import PredictFile
from engine.query.results.request import (
    DescribeModel,
    DrawSurface,
    Examine,
    Predict,
    PredictSamples,
)
from engine.query.trained import open_trained
from engine.spec.browse import CORRECT, LEARNED, LOSS, SampleQuery
from engine.spec.plane import Plane
from engine.spec.run import CheckpointSpec, Choice, LossTerm
from tests.tiny_run import CROSS_ENTROPY, iris_graph, make_run, node, train

reference = pytest.importorskip("sklearn.metrics")

AGAIN = LossTerm(
    loss=Choice(type="MSELoss"), inputs={"input": "model.again", "target": "data.features"}
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    graph = iris_graph()
    nodes = {
        **graph.nodes,
        "back": node("Linear", "back", out_features=4),
        "again": node("Output", "again"),
    }
    edges = (
        *graph.edges,
        Edge(source="act", source_port="output", target="back", target_port="input"),
        Edge(source="back", source_port="output", target="again", target_port="input"),
    )
    run = make_run(
        tmp_path_factory.mktemp("two"),
        replace(graph, nodes=nodes, edges=edges),
        losses=(CROSS_ENTROPY, AGAIN),
        metrics=("auto", "again:rmse"),
        checkpoint=CheckpointSpec(monitor="validation.again:mae"),
    )
    train(run)
    return run


def examined(run, output: str = ""):
    question = Examine(
        run_folder=str(run.path), checkpoint="last", split="test", seconds=60, output=output
    )
    return ask(question).report


def test_that_each_output_is_measured_as_scikit_learn_does(run):
    found = ask(Evaluate(run_folder=str(run.path), checkpoint="last", split="test"))
    labels, numbers = examined(run), examined(run, "again")
    true, predicted = (np.reshape(v, (-1, 4)) for v in (numbers.targets, numbers.predictions))
    expected = {
        "test.accuracy": reference.accuracy_score(labels.targets, labels.predictions),
        "test.again:mae": reference.mean_absolute_error(true, predicted),
        "test.again:rmse": reference.root_mean_squared_error(true.ravel(), predicted.ravel()),
        "test.again:r2": reference.r2_score(true, predicted),
        "test.loss": np.mean(labels.losses) + np.mean(numbers.losses),
    }
    assert {name: found.metrics[name] for name in expected} == pytest.approx(expected, rel=1e-5)
    each = [value for name, value in found.metrics.items() if name.startswith("test.again:mae.")]
    assert each == pytest.approx(np.abs(predicted - true).mean(0), rel=1e-5)
    assert len(found.metrics) == len(expected) + 8
    assert (labels.task, numbers.task) == ("classification", "regression")
    assert np.mean(numbers.losses) == pytest.approx(np.square(predicted - true).mean(), rel=1e-5)
    assert [each.name.partition(":")[0] for each in found.columns] == ["again"] * 4


def test_that_a_file_of_predictions_has_the_columns_of_each_output(run, tmp_path):
    file = tmp_path / "found.csv"
    write_predictions(
        PredictFile(run_folder=str(run.path), checkpoint="last", part="test", output=str(file))
    )
    with file.open(newline="", encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    labels, numbers = examined(run), examined(run, "again")
    assert [row["prediction"] for row in rows] == [labels.classes[at] for at in labels.predictions]
    for kind, values in (("prediction", numbers.predictions), ("truth", numbers.targets)):
        names = [name for name in rows[0] if name.startswith(f"again_{kind}_")]
        told = np.array([[float(row[name]) for name in names] for row in rows])
        assert told == pytest.approx(np.reshape(values, (-1, 4)), rel=1e-5)


def test_that_one_sample_has_the_answer_of_each_output(run):
    form = ask(DescribeModel(run_folder=str(run.path), checkpoint="last"))
    assert (form.judged, form.others["again"].task) == ("logits", "regression")
    place = examined(run).indices[0]
    form = ask(DescribeModel(run_folder=str(run.path), checkpoint="last", sample=place))
    values = {field.info.name: field.example for field in form.fields}
    answer = ask(Predict(run_folder=str(run.path), checkpoint="last", values=values))
    assert len(answer.values) == 3
    expected = examined(run, "again").predictions[:4]
    assert answer.others["again"].values == pytest.approx(expected, rel=1e-5)


def columns(run, output: str) -> dict[str, dict[int, float]]:
    """Return what each sample has in the columns that a run has for an output."""
    step = ask(PredictSamples(run_folder=str(run.path), checkpoint="last", output=output))
    while not step.key:
        step = ask(PredictSamples(run_folder=str(run.path), checkpoint="last", output=output))
    data = run.document.spec.data
    keys = [each.key for each in ask(ListColumns(data=data, predictions=step.key)).columns]
    rows = ask(BrowseSamples(data=data, predictions=step.key, query=SampleQuery(), count=1000)).rows
    return {key: {row.index: row.cells[at] for row in rows} for at, key in enumerate(keys)}


def test_that_samples_have_the_columns_of_the_output_that_is_chosen(run):
    labels, numbers = columns(run, ""), columns(run, "again")
    for found, report in ((labels, examined(run)), (numbers, examined(run, "again"))):
        losses = [found[LOSS][at] for at in report.indices]
        assert losses == pytest.approx(report.losses, rel=1e-5)
    assert {CORRECT, LEARNED} <= {*labels}
    assert not {CORRECT, LEARNED} & {*numbers}
    with pytest.raises(DiagnosticError):
        columns(run, "nothing")


def test_that_a_surface_is_of_the_output_that_is_chosen(run):
    drawn = [
        ask(DrawSurface(run_folder=str(run.path), plane=Plane(output=name)))
        for name in ("", "again")
    ]
    assert [(each.is_classified, each.outputs) for each in drawn] == [(True, 3), (False, 4)]
    assert drawn[1].plane.output == "again"


SCRIPT = """
import json
import sys

import torch

sys.path.insert(0, ".")
import model

trained = model.TrainableModel()
trained.load_state_dict(torch.load("model.pt"))
batches = torch.load("batches.pt")
print(json.dumps(trained.evaluate(batches)))
assert "again:mae" in trained.fit(batches, 1)[0]
"""


@pytest.mark.real
def test_that_the_exported_class_measures_each_output(run, tmp_path, plain_python):
    export(run.path, "python-class", tmp_path / "model.py", checkpoint="last")
    with open_trained(run, "last").in_use() as training:
        torch.save(list(training.part_batches("test")), tmp_path / "batches.pt")
    found = json.loads(plain_python.output(SCRIPT, folder=tmp_path))
    values = ask(Evaluate(run_folder=str(run.path), checkpoint="last", split="test")).metrics
    expected = {name: values[f"test.{name}"] for name in ("loss", "again:mae")}
    assert found == pytest.approx({**expected, "metric": values["test.accuracy"]}, rel=1e-5)
