"""What operations gave, at the Functions of the graph that they left behind."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine.runs.record.autograd_graph import AutogradGraph
from tests.engine.inspect.test_backward import loss_of, network, step


def values(graph: AutogradGraph) -> dict[str, list[tuple[float, ...]]]:
    found: dict[str, list[tuple[float, ...]]] = {}
    for node in graph.nodes:
        key = node.parameter or node.name
        found.setdefault(key, []).extend(each.values for each in node.values)
    return found


class _Worked(nn.Module):
    """The example of the notes: l1 = x·w1, l2 = l1 + w2, l3 = l1·w3, l4 = l2·l3."""

    def __init__(self) -> None:
        super().__init__()
        self.w1, self.w2, self.w3 = (
            nn.Parameter(torch.tensor([number])) for number in (2.0, 3.0, 4.0)
        )

    def forward(self, x: Tensor) -> Tensor:
        first = x * self.w1
        return (first + self.w2) * (first * self.w3)


@pytest.mark.row("S225", "S040")
def test_that_every_node_of_the_worked_example_has_its_value_and_its_gradient() -> None:
    graph = step(_Worked(), lambda model: model(torch.tensor([1.0])).mean())
    assert values(graph) == {
        "MeanBackward0": [(40.0,)],
        "MulBackward0": [(40.0,), (8.0,), (2.0,)],
        "AddBackward0": [(5.0,)],
        "w1": [(2.0,)],
        "w2": [(3.0,)],
        "w3": [(4.0,)],
    }
    names = {node.id: node.parameter for node in graph.nodes}
    arrived = {names[call.id]: call.arrived for call in graph.calls}
    gradients = {name: arrived[name][0] for name in ("w1", "w2", "w3")}
    assert [each and each.values for each in gradients.values()] == [(28.0,), (8.0,), (10.0,)]


@pytest.mark.row("S225")
def test_that_values_are_those_of_a_plain_forward_pass() -> None:
    model = network()
    graph = step(model)
    expected: dict[str, Tensor] = {}
    for part, name in zip(model, ("Convolution", "NativeBatchNorm", "", "", "Addmm"), strict=True):
        part.register_forward_hook(
            lambda _, __, given, name=name: expected.update({name: given.detach().clone()})
        )
    loss = loss_of(model).detach()
    found = {node.name: node.values for node in graph.nodes}
    for name in ("Convolution", "NativeBatchNorm", "Addmm"):
        norm = float(expected[name].norm())
        assert math.isclose(found[f"{name}Backward0"][0].norm, norm, rel_tol=1e-5)
    assert found["AddmmBackward0"][0].values == tuple(expected["Addmm"].flatten().tolist())
    assert math.isclose(found["NllLossBackward0"][0].norm, float(loss), rel_tol=1e-5)


@pytest.mark.parametrize("operation", [torch.std_mean, torch.linalg.qr])
def test_that_what_an_operation_keeps_of_its_outputs_hides_no_value(
    operation: Callable[..., Any],
) -> None:
    graph = step(nn.Linear(3, 2), lambda model: operation(model.weight)[0].sum())
    (kept,) = (node for node in graph.nodes if len(node.outputs) == 2)
    assert len(kept.values) == 2


def test_that_a_view_changed_in_place_has_no_value_rather_than_a_wrong_one() -> None:
    def make(model: nn.Module) -> Tensor:
        whole = model(torch.ones(3, 1))
        whole[0].mul_(2)
        return whole.sum()

    graph = step(nn.Linear(1, 2), make)
    (slices,) = (node for node in graph.nodes if node.name == "CopySlices")
    assert slices.values == ()
    assert all(node.values for node in graph.nodes if node.name == "SumBackward0")


class _Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx: object, x: Tensor) -> Tensor:
        return x * x * x

    @staticmethod
    def backward(ctx: object, *incoming: Tensor) -> Tensor:
        return incoming[0]


def test_that_a_function_of_your_own_has_the_value_that_it_gave() -> None:
    graph = step(nn.Linear(1, 1), lambda model: _Cube.apply(model.weight * 0 + 2).sum())
    assert values(graph)["_CubeBackward"] == [(8.0,)]
