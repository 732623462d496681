"""What a run sets for its whole process, and puts back."""

import pytest
import torch
from msgspec.structs import replace

from engine.spec.run import ComputeSpec
from engine.train.devices import run_settings
from tests.tiny_run import iris_spec


@pytest.mark.row("S292", "S301")
@pytest.mark.parametrize("is_searching", [False, True])
@pytest.mark.parametrize("is_deterministic", [False, True])
def test_that_the_switches_of_a_run_hold_while_it_computes(
    monkeypatch: pytest.MonkeyPatch, is_searching: bool, is_deterministic: bool
) -> None:
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", not is_searching)
    compute = ComputeSpec(cudnn_benchmark=is_searching)
    spec = replace(iris_spec(compute=compute), deterministic=is_deterministic)
    before = torch.are_deterministic_algorithms_enabled()
    with run_settings(spec):
        assert torch.backends.cudnn.benchmark is is_searching
        assert torch.are_deterministic_algorithms_enabled() is is_deterministic
        first = torch.rand(3)
    assert torch.backends.cudnn.benchmark is not is_searching
    assert torch.are_deterministic_algorithms_enabled() is before
    with run_settings(spec):
        assert torch.equal(first, torch.rand(3))
