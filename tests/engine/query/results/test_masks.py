"""Masks that a checkpoint predicts, beside what is counted by hand, and for a picture of one's
own.
"""

import numpy as np
import pytest
import torch
from PIL import Image

from engine.api import evaluate
from engine.query.ask import ask
from engine.query.results.masks import without_border
from engine.query.results.request import Examine, Predict, PredictMasks
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.spec.data import IGNORED
from engine.spec.run import Choice, DataSpec, LossTerm, SplitSpec
from tests.tiny_run import chain, make_run, node, train


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    """Return a short run on pictures with masks of three classes, a row of each without one."""
    root = tmp_path_factory.mktemp("project")
    random = np.random.default_rng(0)
    for name in ("images", "masks"):
        (root / "data" / name).mkdir(parents=True)
    for number in range(20):
        mask = random.integers(0, 3, (4, 3)).repeat(3, axis=0).repeat(3, axis=1)
        picture = mask * 100 + random.integers(0, 40, mask.shape)
        mask[2] = 255
        for name, values in (("images", picture), ("masks", mask)):
            Image.fromarray(values.astype(np.uint8)).save(root / "data" / name / f"{number}.png")
    params = {"path": str(root / "data"), "classes": 3, "size": None, "mode": "gray"}
    graph = chain(
        node("Input", "image", field="image", shape=(1, 12, 9)),
        node("Conv2d", "conv", out_channels=3, kernel_size=3, padding=1),
        node("Output", "scores"),
    )
    params["size"] = (12, 9)
    folder = make_run(
        root,
        graph,
        data=DataSpec(
            source=Choice(type="segmentation_folder", params=params),
            split=SplitSpec(train=0.5, validation=0.25, test=0.25),
            batch_size=4,
        ),
        losses=(
            LossTerm(
                loss=Choice(type="CrossEntropyLoss"),
                inputs={"input": "model.scores", "target": "data.mask"},
            ),
        ),
        epochs=2,
    )
    state = train(folder)
    assert state.problem is None
    return folder


def test_that_nothing_is_predicted_beside_a_padded_picture_and_all_within_it():
    truth = torch.full((6, 7), -1)
    truth[1:4, 2:5] = torch.tensor([[0, 1, 2], [-1, -1, -1], [2, -1, 0]])
    chosen = torch.full((6, 7), 2)
    shown = without_border(chosen, truth)
    assert (shown >= 0).nonzero().tolist() == [[row, at] for row in (1, 2, 3) for at in (2, 3, 4)]
    assert torch.equal(shown[1:4, 2:5], chosen[1:4, 2:5])
    assert torch.equal(without_border(chosen, torch.full((6, 7), -1)), chosen)


def test_that_the_report_counts_the_pixels_of_a_part(run):
    report = ask(Examine(run_folder=str(run.path), split="validation", seconds=60)).report
    training = open_trained(run, "best").training
    part = training.data.tensors("validation")
    with torch.no_grad():
        predicted = training.model.eval()(part["image"]).argmax(dim=1)
    mask = part["mask"]
    kept = mask != IGNORED
    assert kept.sum() == 5 * (12 * 9 - 9)
    for row in range(3):
        for column in range(3):
            count = int(((mask == row) & (predicted == column)).sum())
            assert report.matrix[row][column] == count
    for number, score in enumerate(report.scores):
        a, b = (mask == number), (predicted == number) & kept
        assert score.iou == pytest.approx(float((a & b).sum() / (a | b).sum()))
    measured = evaluate(run.path, "best", "validation").metrics
    for name in ("accuracy", "iou", "dice"):
        assert report.metrics[name] == pytest.approx(measured[f"validation.{name}"], abs=1e-6)
    assert len(report.ious) == len(report.losses) == len(report.indices) == 5
    assert report.targets == ()


def test_that_samples_come_with_true_and_predicted_masks(run):
    request = PredictMasks(
        run_folder=str(run.path), checkpoint="best", split="validation", numbers=(3, 0, 99)
    )
    samples = ask(request).samples
    assert [sample.number for sample in samples] == [3, 0]
    training = open_trained(run, "best").training
    part = training.data.tensors("validation")
    for sample in samples:
        assert sample.index == int(training.data.indices["validation"][sample.number])
        truth = np.frombuffer(sample.truth, np.int16).reshape(sample.size)
        expected = part["mask"][sample.number].numpy()
        assert (truth[expected != IGNORED] == expected[expected != IGNORED]).all()
        assert (truth[expected == IGNORED] < 0).all()
        image = part["image"][sample.number]
        pixels = np.frombuffer(sample.pixels, np.uint8).reshape(sample.picture_size)
        assert np.abs(pixels / 255 - image.numpy()).max() < 0.01
        found = training.model.eval()(image.unsqueeze(0)).argmax(dim=1)[0]
        chosen = np.frombuffer(sample.prediction, np.int16).reshape(sample.size)
        assert (chosen == found.numpy()).all()


def test_that_a_picture_of_ones_own_gets_a_mask(run):
    training = open_trained(run, "best").training
    image = training.data.tensors("test")["image"][0]
    values = {"image": tuple(image.flatten().tolist())}
    answer = ask(Predict(run_folder=str(run.path), checkpoint="best", values=values))
    mask = np.frombuffer(answer.mask, np.int16).reshape(answer.size)
    expected = training.model.eval()(image.unsqueeze(0)).argmax(dim=1)[0].numpy()
    assert (mask == expected).all()
    assert answer.values == pytest.approx([float((expected == each).mean()) for each in range(3)])
