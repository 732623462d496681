"""Statistics of the tensors of a step agree with those of PyTorch, and change nothing."""

import numpy as np
import pytest
import torch
from torch import nn

from engine.inspect.statistics_observer import StatisticsObserver, measure
from engine.runs.record.statistic import BINS, Kind, Statistic


class Small(nn.Module):
    """A convolution whose second channel never fires, and a layer after it."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.act = nn.ReLU(inplace=True)
        self.head = nn.Linear(4 * 36, 3)
        with torch.no_grad():
            self.conv.bias[1] = -1000.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.act(self.conv(x)).flatten(1))


def watched_step(model: nn.Module, x: torch.Tensor) -> StatisticsObserver:
    observer = StatisticsObserver()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with observer.forward(model):
        loss = model(x).square().sum()
    loss.backward()
    observer.gradients(model)
    optimizer.step()
    observer.updated(model, optimizer)
    return observer


@pytest.mark.row("P17")
def test_that_numbers_are_those_of_the_tensors() -> None:
    model = Small()
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    observer = watched_step(model, torch.randn(5, 1, 8, 8))
    found = observer.sample()
    assert found is not None
    assert observer.is_done
    rows = dict(zip(found.keys, found.numbers, strict=True))
    for name, weight in before.items():
        gradient = model.get_parameter(name).grad
        change = model.get_parameter(name).detach() - weight
        tensors = {Kind.WEIGHT: weight, Kind.GRADIENT: gradient, Kind.UPDATE: change}
        for kind, tensor in tensors.items():
            row = rows[kind, name]
            wanted = {
                Statistic.MEAN: tensor.mean(),
                Statistic.DEVIATION: tensor.std(correction=0),
                Statistic.MINIMUM: tensor.min(),
                Statistic.MAXIMUM: tensor.max(),
                Statistic.NORM: tensor.norm(),
                Statistic.ZEROS: (tensor == 0).float().mean(),
                Statistic.BROKEN: torch.zeros(()),
            }
            for measured, value in wanted.items():
                expected = pytest.approx(float(value), rel=1e-4, abs=1e-5)
                assert row[measured] == expected, (kind, name, measured)
    assert rows[Kind.ACTIVATION, "act"][Statistic.DEAD] >= 0.25
    assert rows[Kind.ACTIVATION, "conv"][Statistic.MINIMUM] < -900  # as it was before the ReLU


def test_that_no_hook_stays_behind_and_the_state_of_random_numbers_is_the_same() -> None:
    model = Small()
    torch.manual_seed(1)
    x = torch.randn(2, 1, 8, 8)
    state = torch.get_rng_state()
    watched_step(model, x)
    assert torch.equal(torch.get_rng_state(), state)
    assert not any(module._forward_hooks for module in model.modules())


def test_that_large_tensors_are_thinned_and_their_norm_is_of_all_elements() -> None:
    model = nn.Linear(300, 300)
    norm, deviation = float(model.weight.detach().norm()), float(model.weight.detach().std())
    found = watched_step(model, torch.randn(4, 300)).sample()
    assert found is not None
    row = dict(zip(found.keys, found.numbers, strict=True))[Kind.WEIGHT, "weight"]
    assert row[Statistic.NORM] == pytest.approx(norm, rel=1e-5)
    assert row[Statistic.DEVIATION] == pytest.approx(deviation, rel=0.05)


def test_that_numbers_that_are_not_finite_are_counted_and_left_out() -> None:
    flat = np.asarray([1, np.nan, 3, np.inf, np.nan, np.nan], np.float32)
    numbers, counts = measure(flat, np.asarray([4, 2]))
    assert numbers[0, Statistic.BROKEN] == 0.5
    assert numbers[1, Statistic.BROKEN] == 1.0
    assert numbers[0, Statistic.MEAN] == 2.0
    assert (numbers[0, Statistic.MINIMUM], numbers[0, Statistic.MAXIMUM]) == (1.0, 3.0)
    assert counts.shape == (2, BINS)
    assert counts[0, 0] == counts[0, -1] == round(65_535 / 2)
    assert counts[1].sum() == 0


def test_that_layers_without_decimal_numbers_are_passed_over() -> None:
    model = nn.Sequential(nn.Embedding(5, 4, sparse=True), nn.LSTM(4, 3))
    observer = StatisticsObserver()
    with observer.forward(model):
        loss = model(torch.tensor([[1, 2], [3, 1]]))[0].sum()
    loss.backward()
    observer.gradients(model)
    observer.updated(model, torch.optim.SGD(model.parameters()))
    found = observer.sample()
    assert found is not None
    assert (Kind.GRADIENT, "0.weight") in found.keys
    assert (Kind.ACTIVATION, "1") in found.keys
