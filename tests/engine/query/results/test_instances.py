"""Mask R-CNN on outlines of COCO: from data and first model to run, Results and Playground."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.api import evaluate
from engine.custom.trust import set_trust
from engine.data.load.load import describe_source, load_split
from engine.query.ask import ask
from engine.query.results.request import DescribeModel, Examine, Predict, PredictBoxes
from engine.runs.folder import RunFolder, runs_of
from engine.runs.process.launch import Launch
from engine.spec.defaults import default_losses, default_spec
from engine.spec.first_model import first_model
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.spec.series import monitored_series
from engine.train.worker import run_in_thread
from tests.once import made_once
from tests.tiny_run import PATIENCE_S, curves, make_run, read_state

_SIDE = 48


def drawn(root: Path, count: int = 40) -> Path:
    """Write pictures with a disk and a triangle each, and their outlines."""
    (root / "images").mkdir(parents=True)
    chance = np.random.default_rng(0)
    images, annotations = [], []
    rows, columns = np.indices((_SIDE, _SIDE)) + 0.5
    for number in range(count):
        picture = chance.integers(90, 110, (_SIDE, _SIDE, 3)).astype(np.uint8)
        images.append({"id": number, "file_name": f"{number}.png", "height": _SIDE, "width": _SIDE})
        for kind, half in ((0, 0), (1, _SIDE // 2)):
            radius = float(chance.integers(7, 11))
            x, y = half + 12.0, float(chance.integers(12, _SIDE - 12))
            turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
            corners = np.stack([x + radius * np.cos(turns), y + radius * np.sin(turns)], axis=1)
            inside = (columns - x) ** 2 + (rows - y) ** 2 < radius**2
            if kind:
                corners = np.array(
                    [[x - radius, y + radius], [x + radius, y + radius], [x, y - radius]]
                )
                inside = (rows < y + radius) & (rows - y + radius > 2 * abs(columns - x))
            picture[inside] = (230, 60, 40) if kind else (30, 60, 240)
            low, high = corners.min(axis=0), corners.max(axis=0)
            annotations.append(
                {
                    "image_id": number,
                    "category_id": kind,
                    "bbox": [*low.tolist(), *(high - low).tolist()],
                    "segmentation": [corners.reshape(-1).tolist()],
                }
            )
        Image.fromarray(picture).save(root / "images" / f"{number}.png")
    categories = [{"id": 0, "name": "disk"}, {"id": 1, "name": "triangle"}]
    document = {"images": images, "annotations": annotations, "categories": categories}
    (root / "instances.json").write_text(json.dumps(document))
    return root


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    """Return a run of a few epochs of the larger first model, trained once for all processes."""
    (run,) = runs_of(made_once(tmp_path_factory, "instances", train_on_outlines) / "project")
    set_trust(run.document.graph.code, trusted=True)
    return run


def train_on_outlines(place: Path) -> None:
    folder = drawn(place / "data")
    source = Choice(
        type="detection_folder", params={"path": str(folder), "masks": True, "size": (48, 48)}
    )
    data = DataSpec(
        source=source, split=SplitSpec(train=0.8, validation=0.2, test=0.0), batch_size=4
    )
    info = describe_source(data, *load_split(data))
    graph = first_model(info, "large")
    assert graph is not None
    names = monitored_series(default_spec(info, graph, data=data), info)
    assert {"validation.map", "validation.mask_map", "validation.mask_map_50"} <= set(names)
    set_trust(graph.code, trusted=True)
    made = make_run(
        place / "project",
        graph,
        data=data,
        losses=default_losses(info, graph),
        optimizer=Choice(type="Adam", params={"lr": 0.002}),
        epochs=4,
    )
    assert run_in_thread(Launch(folder=str(made.path), trusted=True)).join(PATIENCE_S)
    assert read_state(made).problem is None


def values_of(run: RunFolder, series: str) -> tuple[float, ...]:
    _, content = curves(run)[series]
    return struct.unpack(f"<{len(content) // 8}d", content)


@pytest.mark.real
@pytest.mark.timeout(900)
def test_that_masks_are_learnt_and_measured(run):
    losses = values_of(run, "train.loss.loss_mask")
    assert np.mean(losses[-5:]) < np.mean(losses[:5])
    found = values_of(run, "validation.mask_map")
    assert max(found[-3:]) > found[0] + 0.1
    told = evaluate(run.path, checkpoint="last", split="validation").metrics
    assert told["validation.mask_map"] == pytest.approx(found[-1], abs=1e-6)
    assert told["validation.mask_map"] <= told["validation.mask_map_50"]


@pytest.mark.real
@pytest.mark.timeout(900)
def test_that_results_and_playground_have_the_masks(run):
    report = ask(Examine(run_folder=str(run.path), split="validation", seconds=60)).report
    told = evaluate(run.path, split="validation").metrics
    assert report.metrics["mask_map"] == pytest.approx(told["validation.mask_map"])
    request = PredictBoxes(
        run_folder=str(run.path), checkpoint="best", split="train", numbers=tuple(range(8))
    )
    samples = ask(request).samples
    true = [np.frombuffer(each.true_shapes, np.uint8) for each in samples]
    assert all(len(each) == _SIDE**2 and set(each.tolist()) == {0, 1, 255} for each in true)
    found = [np.frombuffer(each.found_shapes, np.uint8) for each in samples]
    for sample, shapes in zip(samples, found, strict=True):
        assert set(shapes.tolist()) <= {*range(len(sample.found)), 255}
    assert any((shapes != 255).any() for shapes in found)

    inputs = ask(DescribeModel(run_folder=str(run.path), checkpoint="best"))
    assert [each.info.name for each in inputs.fields] == ["image"]
    values = {"image": inputs.fields[0].example}
    answer = ask(Predict(run_folder=str(run.path), checkpoint="best", values=values))
    assert answer.shape_size == (_SIDE, _SIDE)
    assert answer.shapes == samples[0].found_shapes
