"""The larger first model for boxes, a Faster R-CNN, from data to run, Results and Playground."""

import struct

import pytest
import torch

from engine.api import evaluate
from engine.custom.trust import set_trust
from engine.data.load.load import describe_source, load_split
from engine.query.ask import ask
from engine.query.results.request import DescribeModel, Examine, Predict, PredictBoxes
from engine.runs.folder import RunFolder
from engine.runs.process.launch import Launch
from engine.spec.defaults import default_losses
from engine.spec.first_model import first_model
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.train.worker import run_in_thread
from tests.tiny_run import PATIENCE_S, curves, make_run, read_state

PARAMS = {"target": "boxes", "samples": 60, "size": 32, "classes": 2, "noise": 0.02}
LOSSES = ["loss_classifier", "loss_box_reg", "loss_objectness", "loss_rpn_box_reg"]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    """Return a run of a few epochs on drawn shapes with boxes."""
    data = DataSpec(
        source=Choice(type="shapes", params=PARAMS),
        split=SplitSpec(train=0.8, validation=0.2, test=0.0),
        batch_size=4,
    )
    info = describe_source(data, *load_split(data))
    graph = first_model(info, "large")
    assert graph is not None
    set_trust(graph.code, trusted=True)
    folder = make_run(
        tmp_path_factory.mktemp("project"),
        graph,
        data=data,
        losses=default_losses(info, graph),
        optimizer=Choice(type="Adam", params={"lr": 0.002}),
        epochs=6,
    )
    launch = Launch(folder=str(folder.path), trusted=True)
    assert run_in_thread(launch).join(PATIENCE_S)
    assert read_state(folder).problem is None
    return folder


def values_of(run: RunFolder, series: str) -> tuple[float, ...]:
    _, content = curves(run)[series]
    return struct.unpack(f"<{len(content) // 8}d", content)


@pytest.mark.real
def test_that_the_map_rises_and_every_loss_has_a_curve_of_its_own(run):
    found = values_of(run, "validation.map")
    assert found[0] < 0.15
    assert max(found[-3:]) > found[0] + 0.15
    assert {f"train.loss.{name}" for name in LOSSES} <= set(curves(run))
    assert "train.map" not in curves(run)


@pytest.mark.real
def test_that_results_have_its_boxes_and_a_loss_for_each_sample(run):
    report = ask(Examine(run_folder=str(run.path), split="validation", seconds=60)).report
    told = evaluate(run.path, split="validation").metrics
    assert report.metrics["map"] == pytest.approx(told["validation.map"])
    assert sum(report.losses) / len(report.losses) == pytest.approx(told["validation.loss"])
    assert len(set(report.losses)) > 10
    request = PredictBoxes(
        run_folder=str(run.path), checkpoint="best", split="validation", numbers=tuple(range(8))
    )
    assert any(sample.found for sample in ask(request).samples)


@pytest.mark.real
def test_that_playground_asks_for_a_picture_alone_and_finds_what_results_find(run):
    inputs = ask(DescribeModel(run_folder=str(run.path), checkpoint="best"))
    assert [each.info.name for each in inputs.fields] == ["image"]
    request = PredictBoxes(run_folder=str(run.path), checkpoint="best", split="train", numbers=(0,))
    sample = ask(request).samples[0]
    answer = ask(
        Predict(
            run_folder=str(run.path), checkpoint="best", values={"image": inputs.fields[0].example}
        )
    )
    one = torch.tensor([each.corners for each in answer.boxes])
    other = torch.tensor([each.corners for each in sample.found])
    torch.testing.assert_close(one, other)
