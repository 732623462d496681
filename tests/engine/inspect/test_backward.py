import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from engine.inspect.graph_observer import GraphObserver
from engine.inspect.probe import Probe
from engine.runs.record.autograd_graph import AutogradGraph, BackwardCall


def network() -> nn.Sequential:
    torch.manual_seed(3)
    return nn.Sequential(
        nn.Conv2d(1, 4, 3),
        nn.BatchNorm2d(4),
        nn.ReLU(inplace=True),
        nn.Flatten(),
        nn.Linear(144, 3),
    )


def loss_of(model: nn.Module) -> Tensor:
    given = torch.linspace(-1, 1, 2 * 64).reshape(2, 1, 8, 8)
    return nn.functional.cross_entropy(model(given), torch.tensor([0, 2]))


def step(model: nn.Module, make: Callable[[nn.Module], Tensor] = loss_of) -> AutogradGraph:
    """Go through a step as the training loop does, watched."""
    probe, observer = Probe(), GraphObserver()
    probe.add(observer)
    with probe.forward(model):
        loss = make(model)
    probe.built(loss, model)
    with probe.backward():
        loss.backward()
    probe.gradients(model)
    assert observer.graph is not None
    return observer.graph


def gradients(model: nn.Module) -> list[Tensor]:
    return [value.grad for value in model.parameters() if value.grad is not None]


def by_name(graph: AutogradGraph) -> dict[str, BackwardCall]:
    names = {node.id: node.parameter or node.name for node in graph.nodes}
    return {names[call.id]: call for call in graph.calls}


def test_that_gradients_of_a_watched_step_are_those_of_a_plain_script_to_the_last_bit() -> None:
    plain, watched = network(), network()
    loss_of(plain).backward()
    step(watched)
    assert len(gradients(plain)) == 6
    for one, other in zip(gradients(plain), gradients(watched), strict=True):
        assert torch.equal(one, other)


@pytest.mark.row("N02", "S051")
def test_that_calls_are_told_in_the_order_in_which_the_engine_made_them() -> None:
    graph = step(network())
    done: set[str] = set()
    sources: dict[str, set[str]] = {}
    for source, target, _ in graph.edges:
        sources.setdefault(target, set()).add(source)
    for call in graph.calls:
        assert sources.get(call.id, set()) <= done
        done.add(call.id)
    assert done == {node.id for node in graph.nodes}
    starts = [call.start_s for call in graph.calls]
    assert starts == sorted(starts)
    assert all(call.took_s >= 0 for call in graph.calls)


@pytest.mark.row("S051")
def test_that_the_order_is_the_one_in_which_gradients_are_accumulated() -> None:
    model = network()
    reached: list[str] = []
    for name, value in model.named_parameters():
        value.register_post_accumulate_grad_hook(lambda _, name=name: reached.append(name))
    graph = step(model)
    leaves = {node.id: node.parameter for node in graph.nodes if node.parameter}
    assert [leaves[call.id] for call in graph.calls if call.id in leaves] == reached


@pytest.mark.row("N01", "S052")
def test_that_norms_and_small_gradients_are_the_numbers_that_went_through() -> None:
    model = nn.Linear(3, 1, bias=False)
    graph = step(model, lambda module: module(torch.tensor([[1.0, 2.0, 2.0]])).sum())
    calls = by_name(graph)
    arrived = calls["weight"].arrived[0]
    assert arrived is not None
    assert arrived.values == (1.0, 2.0, 2.0)
    assert arrived.norm == 3.0
    assert calls["weight"].norm == 3.0
    left = calls["TBackward0"].left[0]
    assert left is not None
    assert left.values == arrived.values


def test_that_rows_of_a_sparse_gradient_are_added_up_for_its_norm() -> None:
    model = nn.Embedding(40, 3, sparse=True)
    graph = step(model, lambda module: module(torch.tensor([1, 1])).sum())
    arrived = by_name(graph)["weight"].arrived[0]
    assert arrived is not None
    assert math.isclose(arrived.norm, math.sqrt(12), rel_tol=1e-6)
    assert arrived.values == ()


@pytest.mark.row("S043")
def test_that_the_pass_frees_what_was_saved_and_leaves_no_hook() -> None:
    model = network()
    graph = step(model)
    kept = {node.name for node in graph.nodes if node.is_freed}
    assert graph.is_freed
    assert {"ConvolutionBackward0", "NativeBatchNormBackward0", "ReluBackward0"} <= kept
    assert "AccumulateGrad" not in kept
    count = len(graph.calls)
    loss_of(model).backward()
    assert len(graph.calls) == count


@pytest.mark.row("S044")
def test_that_a_graph_that_is_retained_is_not_told_as_freed() -> None:
    model = network()
    observer = GraphObserver()
    loss = loss_of(model)
    observer.built((loss,), model)
    with observer.backward():
        loss.backward(retain_graph=True)
    observer.gradients(model)
    assert observer.graph is not None
    assert not observer.graph.is_freed
    assert observer.graph.calls


def test_that_of_a_step_with_several_passes_the_first_is_kept() -> None:
    model, observer = network(), GraphObserver()
    for _ in range(2):
        loss = loss_of(model)
        observer.built((loss,), model)
        with observer.backward():
            loss.backward()
        observer.gradients(model)
    assert observer.graph is not None
    assert len(observer.graph.calls) == len(observer.graph.nodes)
