import re

import pytest
import torch

from engine.inspect.autograd import capture
from engine.runs.derivative import derivative

MADE = {re.sub(r"Backward\d*$", "", name) for name in dir(torch._C._functions)}


@pytest.mark.row("S052")
def test_that_every_formula_is_of_a_function_that_pytorch_makes() -> None:
    from engine.runs.derivative import _derivatives

    known = _derivatives()
    assert len(known) >= 100
    assert set(known) - {"AccumulateGrad"} <= MADE
    assert all(each.forward and each.backward for each in known.values())


@pytest.mark.row("S051", "S052")
def test_that_every_function_of_a_small_classifier_has_its_formula() -> None:
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3),
        torch.nn.BatchNorm2d(2),
        torch.nn.Tanh(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(18, 3),
    )
    loss = torch.nn.functional.cross_entropy(model(torch.rand(2, 1, 8, 8)), torch.tensor([0, 1]))
    for node in capture(loss, model).nodes:
        assert derivative(node.name) is not None, node.name


def test_that_the_suffix_is_left_out_and_an_unknown_function_has_no_formula() -> None:
    found = derivative("TanhBackward0")
    assert found is not None
    assert found.backward == "∂a = g ⊙ (1 − y²)"
    assert derivative("MineBackward") is None
