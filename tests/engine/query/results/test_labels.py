"""Several labels of a sample, each a column of yes and no: what is proposed, learned, told."""

from pathlib import Path

import numpy as np
import pytest

from engine.query.ask import ask
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.query.results.request import DescribeModel, Examine, Predict
from engine.spec.proposal import Proposal
from tests.tiny_run import make_run, train

LABELS = ("circle", "square", "triangle")


def written(folder: Path) -> Path:
    chance = np.random.default_rng(3)
    numbers = chance.normal(size=(240, 3))
    rows = [
        ",".join([*(f"{number:.4f}" for number in row), *(str(int(number > 0)) for number in row)])
        for row in numbers
    ]
    path = folder / "shapes.csv"
    path.write_text("\n".join(["a,b,c," + ",".join(LABELS), *rows]))
    return path


def proposed(folder: Path, target: str = ",".join(LABELS)) -> Proposal:
    return propose_data(ProposeData(path=str(written(folder)), target=target))


def test_that_columns_of_yes_and_no_predicted_together_are_labels(tmp_path):
    found = proposed(tmp_path)
    target = found.info.field("target")
    assert (found.info.task, target.shape, target.columns) == ("binary", (3,), LABELS)
    (term,) = found.spec.losses
    assert (term.loss.type, term.inputs["target"]) == ("BCEWithLogitsLoss", "data.target")
    assert found.spec.metrics == ("auto", "f1")


def test_that_a_number_among_them_makes_them_numbers(tmp_path):
    found = proposed(tmp_path, "circle,square,c")
    assert (found.info.task, found.spec.losses[0].loss.type) == ("regression", "MSELoss")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    found = proposed(folder)
    run = make_run(
        folder / "project",
        found.graph,
        data=found.spec.data,
        losses=found.spec.losses,
        metrics=found.spec.metrics,
        optimizer=found.spec.optimizer,
        epochs=12,
    )
    train(run)
    return run


def test_that_results_count_each_label(run):
    step = ask(Examine(run_folder=str(run.path), split="test", seconds=60))
    report = step.report
    assert report is not None
    assert (report.outputs, len(report.predictions)) == (3, 3 * len(report.indices))
    assert tuple(score.name for score in report.scores) == LABELS
    assert tuple(curve.name for curve in report.roc) == LABELS
    assert all(0 <= chance <= 1 for chance in report.predictions)
    pairs = zip(report.predictions, report.targets, strict=True)
    right = np.mean([(chance > 0.5) == (true > 0.5) for chance, true in pairs])
    assert report.metrics["accuracy"] == pytest.approx(right)
    assert report.metrics["accuracy"] > 0.85
    assert report.scores[0].support == sum(report.targets[::3])


def test_that_the_playground_has_the_probability_of_each_label(run):
    inputs = ask(DescribeModel(run_folder=str(run.path)))
    assert (inputs.has_labels, inputs.answers) == (True, LABELS)
    cells = {"a": "2.5", "b": "-2.5", "c": "2.5"}
    answer = ask(Predict(run_folder=str(run.path), checkpoint="best", values={}, cells=cells))
    assert [chance > 0.5 for chance in answer.values] == [True, False, True]
    assert sum(answer.values) != pytest.approx(1)
