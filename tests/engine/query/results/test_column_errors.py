"""Errors of each of several numbers, beside those of NumPy."""

import numpy as np
import pytest
import torch

from engine.query.ask import ask
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.query.evaluation.request import Evaluate
from engine.query.results.request import Examine
from engine.query.results.score import ErrorSums
from tests.tiny_run import make_run, train

NAMES = ("price", "rooms")


@pytest.fixture
def run(tmp_path):
    draw = np.random.default_rng(4)
    area = draw.uniform(30, 200, 120)
    price = area * 4000 + draw.normal(0, 2e4, 120)
    rooms = area / 28 + draw.normal(0, 0.4, 120)
    lines = [f"{a:.1f},{p:.0f},{r:.2f}" for a, p, r in zip(area, price, rooms, strict=True)]
    path = tmp_path / "homes.csv"
    path.write_text("\n".join(("area,price,rooms", *lines)))
    found = propose_data(ProposeData(path=str(path), target=",".join(NAMES)))
    run = make_run(
        tmp_path / "project",
        found.graph,
        data=found.spec.data,
        losses=found.spec.losses,
        optimizer=found.spec.optimizer,
        epochs=3,
    )
    train(run)
    return run


def test_that_results_and_evaluation_tell_the_errors_of_each_number(run):
    report = ask(Examine(run_folder=str(run.path), split="test", seconds=60)).report
    assert report is not None
    assert tuple(each.name for each in report.columns) == NAMES
    target, predicted = (
        np.reshape(values, (-1, 2)) for values in (report.targets, report.predictions)
    )
    for at, told in enumerate(report.columns):
        residual, true = predicted[:, at] - target[:, at], target[:, at]
        assert told.mae == pytest.approx(np.abs(residual).mean())
        assert told.rmse == pytest.approx(np.sqrt(np.square(residual).mean()))
        assert told.r2 == pytest.approx(1 - np.square(residual).mean() / true.var())
        assert (told.mean, told.deviation) == pytest.approx((true.mean(), true.std()))
    found = ask(Evaluate(run_folder=str(run.path), split="test"))
    for told, beside in zip(found.columns, report.columns, strict=True):
        assert (told.mae, told.rmse, told.r2) == pytest.approx((beside.mae, beside.rmse, beside.r2))


def test_that_r2_of_numbers_in_small_units_is_their_own():
    target = torch.tensor([[1e-6], [2e-6], [4e-6]], dtype=torch.float64)
    sums = ErrorSums()
    sums.add(target, target.flip(0))
    expected = 1 - float((target - target.flip(0)).square().sum() / target.var(unbiased=False) / 3)
    assert sums.metrics()["r2"] == pytest.approx(expected)
    assert sums.columns(("a",))[0].r2 == pytest.approx(expected)


def test_that_r2_of_a_number_that_never_changes_is_1_where_it_is_hit_and_else_0():
    target = torch.full((3, 2), 0.1)
    sums = ErrorSums()
    sums.add(target, target + torch.tensor([0.0, 1.0]))
    assert [each.r2 for each in sums.columns(("hit", "missed"))] == [1.0, 0.0]
