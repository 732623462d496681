"""Tallies of a part keep few numbers of each sample, however wide it is."""

import pytest
import torch

from engine.query.results import tally
from engine.query.results.request import ResultReport
from engine.query.results.tally import ClassTally, NumberTally

EMPTY = ResultReport(checkpoint="", split="test", step=0, task="classification", fields=())


def drawn(samples: int, classes: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return probabilities and targets, of which the classes 1 and 2 are the most frequent."""
    draw = torch.Generator().manual_seed(3)
    target = torch.randint(classes, (samples,), generator=draw)
    target[::3], target[1::3] = 1, 2
    scores = torch.randn(samples, classes, generator=draw)
    return (scores + 2 * torch.nn.functional.one_hot(target, classes)).softmax(dim=1), target


def told(chances: torch.Tensor, target: torch.Tensor) -> ResultReport:
    """Return the report of predictions that come ten at a time."""
    names = tuple(f"c{at}" for at in range(chances.shape[1]))
    counts = target.bincount(minlength=len(names)).tolist()
    found = ClassTally(len(target), names, counts)
    for rows in zip(chances.split(10), target.split(10), strict=True):
        found.add(*rows)
    return found.complete(EMPTY)


def test_that_only_the_most_frequent_classes_have_curves_where_memory_is_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chances, target = drawn(60, 6)
    whole = told(chances, target)
    monkeypatch.setattr(tally, "_MOST_CHANCES", 2 * 60)
    short = told(chances, target)
    assert [curve.name for curve in short.roc] == ["c1", "c2"]
    areas = {curve.name: curve.area for curve in whole.roc}
    assert all(curve.area == areas[curve.name] for curve in short.roc)
    assert "auroc" in whole.metrics
    assert "auroc" not in short.metrics
    assert (short.matrix, short.scores) == (whole.matrix, whole.scores)


def test_that_very_many_classes_are_scored_without_a_matrix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chances, target = drawn(90, 7)
    target[4] = 99  # what names no class is left out
    whole = told(chances, target)
    monkeypatch.setattr(tally, "MOST_MATRIX", 6)
    short = told(chances, target)
    assert short.matrix == ()
    assert short.scores == whole.scores
    assert short.metrics == whole.metrics


@pytest.mark.fault("B10")
def test_that_a_hundred_thousand_classes_are_scored() -> None:
    classes = 100_000
    names = tuple(map(str, range(classes)))
    found = ClassTally(20, names, [0] * classes)
    chances = torch.full((20, classes), 1e-6)
    chances[torch.arange(20), torch.arange(20)] = 0.9
    for rows in zip(chances.split(4), torch.arange(20).split(4), strict=True):
        found.add(*rows)
    report = found.complete(EMPTY)
    assert report.metrics["accuracy"] == 1
    assert len(report.scores) == classes
    assert report.matrix == ()
    assert len(report.roc) <= 1000


def test_that_few_numbers_are_told_of_wide_samples_and_all_are_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tally, "_MOST_TOLD", 80)
    draw = torch.Generator().manual_seed(1)
    target, predicted = torch.randn(2, 40, 30, generator=draw)
    numbers = NumberTally(40)
    for rows in zip(predicted.split(9), target.split(9), strict=True):
        numbers.add(*rows)
    report = numbers.complete(EMPTY)
    assert (report.width, report.outputs, len(report.targets)) == (30, 2, 80)
    assert report.metrics["mae"] == pytest.approx(float((predicted - target).abs().mean()))
    assert report.targets[:2] == pytest.approx(target[0, [0, 15]].tolist())
