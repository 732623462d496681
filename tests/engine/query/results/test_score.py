"""Scores of predictions, each beside scikit-learn's."""

import pytest
import torch

from engine.query.results.score import (
    ClassCounts,
    ErrorSums,
    class_scores,
    confusion,
    mean_curve,
    precision_recall_curve,
    roc_curve,
)


def errors(target: torch.Tensor, predicted: torch.Tensor, size: int = 7) -> dict[str, float]:
    """Return the errors of numbers that come a few samples at a time."""
    sums = ErrorSums()
    for rows in zip(target.split(size), predicted.split(size), strict=True):
        sums.add(*rows)
    return sums.metrics()


@pytest.fixture
def metrics():
    """Return scikit-learn's measures, which take long to load."""
    from sklearn import metrics

    return metrics


@pytest.fixture
def predictions() -> tuple[torch.Tensor, torch.Tensor]:
    """Return 200 targets of 4 classes and probabilities with ties."""
    draw = torch.Generator().manual_seed(5)
    target = torch.randint(4, (200,), generator=draw)
    scores = torch.randn(200, 4, generator=draw) + 1.5 * torch.eye(4)[target]
    return target, (scores.softmax(dim=1) * 50).round() / 50


@pytest.mark.row("P18", "S212")
def test_that_the_confusion_matrix_and_its_scores_are_those_of_scikit_learn(predictions, metrics):
    target, chance = predictions
    found = confusion(target, chance.argmax(dim=1), 4)
    assert (found.numpy() == metrics.confusion_matrix(target, chance.argmax(dim=1))).all()
    expected = metrics.precision_recall_fscore_support(target, chance.argmax(dim=1))
    for index, score in enumerate(class_scores(ClassCounts.of(found), ("a", "b", "c", "d"))):
        told = (score.precision, score.recall, score.f1, score.support)
        assert told == pytest.approx([float(values[index]) for values in expected])


def test_that_a_class_that_never_occurs_has_no_share():
    matrix = confusion(torch.tensor([0]), torch.tensor([0]), 2)
    scores = class_scores(ClassCounts.of(matrix), ("a", "b"))
    assert (scores[1].precision, scores[1].recall, scores[1].f1) == (None, None, None)


@pytest.mark.row("P18")
def test_that_areas_are_those_of_scikit_learn(predictions, metrics):
    target, chance = predictions
    for index in range(4):
        roc = roc_curve("", chance[:, index], target == index)
        recall = precision_recall_curve("", chance[:, index], target == index)
        area = metrics.roc_auc_score(target == index, chance[:, index])
        precision = metrics.average_precision_score(target == index, chance[:, index])
        assert roc.area == pytest.approx(float(area))
        assert recall.area == pytest.approx(float(precision))
        assert (roc.x[0], roc.y[0], roc.x[-1], roc.y[-1]) == (0, 0, 1, 1)


def test_that_a_curve_of_one_kind_alone_is_left_out():
    chance = torch.tensor([0.1, 0.9])
    assert roc_curve("", chance, torch.tensor([True, True])) is None
    assert precision_recall_curve("", chance, torch.tensor([False, False])) is None


def test_that_long_curves_keep_their_ends_and_their_area():
    chance = torch.linspace(0, 1, 5000)
    curve = roc_curve("", chance, torch.rand(5000, generator=torch.manual_seed(1)) < chance)
    assert 50 < len(curve.x) < 1_000
    assert (curve.x[-1], curve.y[-1]) == (1, 1)
    assert mean_curve("", (curve, curve)).y[50] == pytest.approx(
        float(torch.tensor(curve.y)[torch.searchsorted(torch.tensor(curve.x), 0.5)]), abs=0.02
    )


def test_that_errors_of_numbers_are_those_of_scikit_learn(metrics):
    target = torch.tensor([[1.0], [2.0], [4.0]])
    predicted = torch.tensor([[1.5], [2.0], [3.0]])
    found = errors(target, predicted)
    assert found["mae"] == pytest.approx(metrics.mean_absolute_error(target, predicted))
    assert found["rmse"] == pytest.approx(metrics.root_mean_squared_error(target, predicted))
    assert found["r2"] == pytest.approx(metrics.r2_score(target, predicted))
    assert "r2" not in errors(target[:1], predicted[:1])


def test_that_r2_of_several_outputs_is_that_of_torchmetrics_and_scikit_learn(metrics):
    from torchmetrics.functional.regression import r2_score

    draw = torch.Generator().manual_seed(2)
    target = torch.randn(40, 3, generator=draw) * torch.tensor([1.0, 20.0, 0.0]) + 1.0
    predicted = target + torch.tensor([0.3, 4.0, 0.1]) * torch.randn(40, 3, generator=draw)
    found = errors(target, predicted)["r2"]
    assert found == pytest.approx(metrics.r2_score(target, predicted))
    assert found == pytest.approx(float(r2_score(predicted, target)))
    assert errors(target[:, 2:], target[:, 2:])["r2"] == 1
