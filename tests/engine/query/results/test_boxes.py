"""Boxes that a checkpoint finds, in the report of a part, sample by sample, and in a picture of
one's own.
"""

import msgspec
import pytest
import torch

from engine.api import evaluate
from engine.custom.trust import set_trust
from engine.data.load.load import describe_source, load_split
from engine.query.ask import ask
from engine.query.results.request import DescribeModel, Examine, Predict, PredictBoxes
from engine.query.results.sample_predictions import SamplePredictions
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.runs.process.launch import Launch
from engine.spec.browse import LOSS
from engine.spec.defaults import default_losses
from engine.spec.first_model import first_model
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.train.part_evaluation import evaluate_part
from engine.train.training import build_training
from engine.train.worker import run_in_thread
from tests.tiny_run import PATIENCE_S, make_run, read_state

PARAMS = {"target": "boxes", "samples": 60, "size": 32, "classes": 2, "noise": 0.02}


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    """Return a short run on drawn shapes with boxes."""
    data = DataSpec(
        source=Choice(type="shapes", params=PARAMS),
        split=SplitSpec(train=0.6, validation=0.2, test=0.2),
        batch_size=6,
    )
    info = describe_source(data, *load_split(data))
    graph = first_model(info)
    set_trust(graph.code, trusted=True)
    folder = make_run(
        tmp_path_factory.mktemp("project"),
        graph,
        data=data,
        losses=default_losses(info, graph),
        optimizer=Choice(type="Adam", params={"lr": 0.004}),
        epochs=15,
    )
    launch = Launch(folder=str(folder.path), trusted=True)
    assert run_in_thread(launch).join(PATIENCE_S)
    assert read_state(folder).problem is None
    return folder


def test_that_the_report_has_the_map_of_the_run_and_of_each_class(run):
    report = ask(Examine(run_folder=str(run.path), split="test", seconds=60)).report
    told = evaluate(run.path, split="test").metrics
    assert report.metrics["map"] == pytest.approx(told["test.map"])
    assert 0 < report.metrics["map"] < report.metrics["map_50"]
    wholes = [score.average_precision for score in report.scores]
    assert sum(wholes) / 2 == pytest.approx(report.metrics["map"])
    halves = [curve.area for curve in report.precision_recall]
    assert halves == [score.average_precision_50 for score in report.scores]
    assert report.classes == ("circle", "square")
    assert sum(report.box_counts) == sum(score.support for score in report.scores)
    mean = sum(report.losses) / len(report.losses)
    assert len(report.losses) == len(report.box_counts) == 12
    assert all(loss > 0 for loss in report.losses)
    assert mean == pytest.approx(told["test.loss"], rel=0.5)  # each has its own number of points


def test_that_samples_have_true_boxes_and_what_was_found_the_likeliest_first(run):
    asked = PredictBoxes(
        run_folder=str(run.path), checkpoint="best", split="test", numbers=(3, 0, 99)
    )
    samples = ask(asked).samples
    assert [sample.number for sample in samples] == [3, 0]
    training = open_trained(run, "best").training
    source = training.data.source
    for sample in samples:
        true = source.boxes().boxes_of(sample.index)
        corners = torch.tensor([box.corners for box in sample.truth])
        torch.testing.assert_close(corners * 32, true)
        scores = [box.score for box in sample.found]
        assert scores == sorted(scores, reverse=True)
        hits = [box.hit for box in sample.found if box.hit >= 0]
        assert len(hits) == len(set(hits))
        for box in sample.found:
            assert box.hit < 0 or sample.truth[box.hit].label == box.label
        assert len(sample.pixels) == 3 * 32 * 32
    assert any(box.hit >= 0 for sample in samples for box in sample.found)


def test_that_a_picture_of_ones_own_is_answered_with_boxes(run):
    inputs = ask(DescribeModel(run_folder=str(run.path)))
    assert inputs.finds_boxes
    assert [field.info.name for field in inputs.fields] == ["image"]
    asked = PredictBoxes(run_folder=str(run.path), checkpoint="best", split="test", numbers=(0,))
    sample = ask(asked).samples[0]
    training = open_trained(run, "best").training
    pixels = training.data.source.read([sample.index])["image"][0]
    answer = ask(
        Predict(
            run_folder=str(run.path),
            checkpoint="best",
            values={"image": tuple(pixels.flatten().tolist())},
        )
    )
    assert answer.values == ()
    assert [box.label for box in answer.boxes] == [box.label for box in sample.found]
    for box, other in zip(answer.boxes, sample.found, strict=True):
        assert box.score == pytest.approx(other.score, abs=1e-4)
        assert box.corners == pytest.approx(other.corners, abs=1e-3)


@pytest.mark.parametrize("size", [1, 5])
def test_that_the_size_of_batches_does_not_change_the_map(run, size):
    document = run.document
    usual = open_trained(run, "best").training
    data = msgspec.structs.replace(document.spec.data, batch_size=size)
    spec = msgspec.structs.replace(document.spec, data=data)
    other = build_training(document.graph, spec, usual.model)
    one, two = evaluate_part(usual, "test"), evaluate_part(other, "test")
    assert one["map"] == pytest.approx(two["map"], abs=1e-6)


def test_that_every_sample_has_its_loss_as_a_column(run):
    steps = SamplePredictions(open_trained(run, "best"))
    assert steps.advance(60)
    arrays = steps.result().arrays
    assert set(arrays) == {LOSS}
    assert (arrays[LOSS] > 0).all()
