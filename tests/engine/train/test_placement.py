"""Parts of a model on devices of their own. The devices are fake ones, which know where a tensor is
without having it.
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.utils.rnn import PackedSequence
from torch.utils._python_dispatch import TorchDispatchMode

from engine.train.follower import broadcast_start
from engine.train.placement import place_parts
from engine.train.training import TrainingState

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


class Named(NamedTuple):
    """What a layer of own code may give."""

    value: torch.Tensor
    number: int


class Copies(TorchDispatchMode):
    """Notes what is copied to which device without waiting for it."""

    def __init__(self) -> None:
        super().__init__()
        self.hasty: list[torch.device] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten._to_copy.default and kwargs.get("non_blocking"):
            self.hasty.append(kwargs["device"])
        return func(*args, **(kwargs or {}))


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


@pytest.mark.row("S256")
def test_that_tensors_within_what_is_passed_are_copied_too() -> None:
    model = nn.Sequential(Twice())
    place_parts(model, {"0": FIRST}, CPU)
    outputs, number = model({"x": torch.randn(3, 4)})
    assert model[0].seen == [FIRST]
    assert (outputs.device, number) == (CPU, 1)


def test_that_what_is_copied_back_to_the_cpu_is_waited_for() -> None:
    model = nn.Sequential(nn.Linear(4, 4))
    place_parts(model, {"0": FIRST}, CPU)
    batch = torch.randn(3, 4)
    with Copies() as copies:
        model(batch)
    assert copies.hasty == [FIRST]


@pytest.mark.parametrize(
    ("kind", "rest"), [(Named, 2), (PackedSequence, torch.tensor([2, 1]))], ids=["named", "packed"]
)
def test_that_tuples_of_a_kind_of_their_own_stay_of_that_kind(kind: Any, rest: Any) -> None:
    model = nn.Sequential(nn.Identity())
    place_parts(model, {"0": FIRST}, CPU)
    taken: list[Any] = []
    model[0].register_forward_pre_hook(lambda _, inputs: taken.extend(inputs))
    outputs = model(kind(torch.randn(3), rest))
    assert type(taken[0]) is type(outputs) is kind
    assert (taken[0][0].device, outputs[0].device) == (FIRST, CPU)


def test_that_a_model_without_placements_has_no_hooks() -> None:
    model = nn.Sequential(nn.Linear(4, 8))
    place_parts(model, {"head": SECOND, "0": CPU}, CPU)
    assert not model[0]._forward_pre_hooks


@pytest.mark.row("S237")
@pytest.mark.row("S244")
def test_that_the_other_processes_get_what_a_run_begins_with_on_the_cpu() -> None:
    model = put(nn.Sequential(nn.Linear(4, 4)), FIRST)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    optimizer.state[model[0].weight]["momentum_buffer"] = model[0].weight.detach().clone()
    given: list[Any] = []
    training = SimpleNamespace(
        world=SimpleNamespace(size=2, broadcast=lambda value, _: given.append(value)),
        state=lambda: TrainingState(
            model.state_dict(), optimizer.state_dict(), {}, {}, {}, {}, {}, {}
        ),
        shard=lambda: None,
    )
    broadcast_start(SimpleNamespace(training=training, position="here", length=3))  # pyright: ignore[reportArgumentType]
    (told,) = given
    assert (told.position, told.length) == ("here", 3)
    assert {str(weight.device) for weight in told.state.model.values()} == {"cpu"}
    assert told.state.optimizer["state"][0]["momentum_buffer"].device == CPU
    assert model[0].weight.device == FIRST
