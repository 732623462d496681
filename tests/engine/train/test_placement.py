"""Parts of a model on devices of their own. The devices are fake ones, which know where a tensor is
without having it.
"""

from collections.abc import Iterator

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from engine.train.placement import place_parts

CPU, FIRST, SECOND = (torch.device(name) for name in ("cpu", "cuda:0", "cuda:1"))


class Twice(nn.Module):
    """Takes and gives tensors in a dictionary and a tuple."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.seen: list[torch.device] = []

    def forward(self, given: dict[str, torch.Tensor]) -> tuple[torch.Tensor, int]:
        self.seen.append(given["x"].device)
        return self.layer(given["x"]), 1


def put(module: nn.Module, device: torch.device) -> nn.Module:
    """Do what ``Module.to`` does, which refuses fake tensors."""
    for part in module.modules():
        for name, weight in part.named_parameters(recurse=False):
            setattr(part, name, nn.Parameter(weight.detach().to(device)))
    return module


@pytest.fixture(autouse=True)
def _fake_devices(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(nn.Module, "to", put)
    with FakeTensorMode():
        yield


def devices(model: nn.Module) -> dict[str, str]:
    return {name: str(weight.device) for name, weight in model.named_parameters()}


@pytest.mark.row("S284")
def test_that_a_batch_goes_over_to_another_device_and_back() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Sequential(nn.Linear(8, 2)))
    place_parts(model, {"2": SECOND}, CPU)
    assert devices(model) == {
        "0.weight": "cpu",
        "0.bias": "cpu",
        "2.0.weight": "cuda:1",
        "2.0.bias": "cuda:1",
    }
    assert model(torch.randn(3, 4)).device == CPU


def test_that_a_part_of_a_part_gives_back_to_the_device_around_it() -> None:
    model = nn.Sequential(nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)), nn.Linear(4, 2))
    place_parts(model, {"0.0": FIRST, "0": SECOND}, CPU)
    assert set(devices(model).values()) == {"cpu", "cuda:0", "cuda:1"}
    assert model(torch.randn(3, 4)).device == CPU


def test_that_tensors_within_what_is_passed_are_copied_too() -> None:
    model = nn.Sequential(Twice())
    place_parts(model, {"0": FIRST}, CPU)
    outputs, number = model({"x": torch.randn(3, 4)})
    assert model[0].seen == [FIRST]
    assert (outputs.device, number) == (CPU, 1)


def test_that_a_model_without_placements_has_no_hooks() -> None:
    model = nn.Sequential(nn.Linear(4, 8))
    place_parts(model, {"head": SECOND, "0": CPU}, CPU)
    assert not model[0]._forward_pre_hooks
