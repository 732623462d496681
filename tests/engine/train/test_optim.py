"""What the loop does to an optimizer by itself."""

import pytest
import torch
from torch import nn, optim

from engine.train.optim import clear_gradients


@pytest.mark.row("S330")
def test_that_clearing_leaves_no_gradient_in_any_group() -> None:
    first, second = nn.Linear(2, 2), nn.Linear(2, 1)
    groups = [{"params": list(layer.parameters())} for layer in (first, second)]
    optimizer = optim.SGD(groups, lr=0.1)
    second(first(torch.ones(1, 2))).sum().backward()
    clear_gradients(optimizer)
    assert all(p.grad is None for group in optimizer.param_groups for p in group["params"])


def test_that_no_optimizer_of_pytorch_clears_in_a_way_of_its_own() -> None:
    kinds = [kind for kind in vars(optim).values() if isinstance(kind, type)]
    own = [
        kind for kind in kinds if issubclass(kind, optim.Optimizer) and "zero_grad" in vars(kind)
    ]
    assert own == [optim.Optimizer]
