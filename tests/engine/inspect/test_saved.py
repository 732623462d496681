"""What Functions keep, in cases where looking at it may mislead or change something."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from engine.inspect.autograd import capture
from engine.inspect.graph_observer import GraphObserver
from engine.runs.record.autograd_graph import AutogradNode, saved_size


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, value: Tensor) -> Tensor:
        result = value * value
        ctx.save_for_backward(value, result)
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        value, _ = ctx.saved_tensors
        return 2 * value * gradient


class Checkpointed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inside = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Tanh())
        self.calls = 0

    def run(self, x: Tensor) -> Tensor:
        self.calls += 1
        return self.inside(x)

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.run, x, use_reentrant=False)


def only(tensor: Tensor, name: str) -> AutogradNode:
    (found,) = [node for node in capture(tensor).nodes if node.name == name]
    return found


@pytest.mark.row("S050")
def test_that_a_function_written_in_python_tells_which_saved_tensor_was_changed() -> None:
    value = torch.ones(3, requires_grad=True) * 1
    squared = Square.apply(value)
    value.add_(1)
    node = only(squared, "SquareBackward")
    assert not node.is_freed
    assert [(s.name, s.version, s.expected) for s in node.saved] == [("0", 1, 0), ("1", 0, 0)]
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        squared.sum().backward()


@pytest.mark.row("N01", "S050")
def test_that_a_changed_tensor_takes_its_memory_still() -> None:
    hidden = torch.zeros(4, 4, requires_grad=True).exp()
    product = hidden.mm(torch.ones(4, 2, requires_grad=True))
    hidden.add_(1)
    graph = capture(product)
    found = {node.name: [s.size for s in node.saved if s.is_changed] for node in graph.nodes}
    assert (found["MmBackward0"], found["ExpBackward0"]) == ([64], [64])
    assert saved_size(graph.nodes) == 64 + 32  # both keep the same
    places = torch.arange(3)
    taken = torch.ones(9, requires_grad=True)[places]
    places.add_(1)
    (saved,) = [each for each in only(taken, "IndexBackward0").saved if each.tensor is not None]
    assert (saved.name, saved.size, saved.is_changed) == ("indices[0]", 24, True)


def test_that_tensors_in_a_list_are_saved_tensors() -> None:
    taken = torch.randn(9, 2, requires_grad=True)[torch.arange(5)]
    node = only(taken, "IndexBackward0")
    (saved,) = [each for each in node.saved if each.tensor is not None]
    assert (saved.name, saved.size) == ("indices[0]", 40)
    assert saved.tensor is not None
    assert (saved.tensor.shape, saved.tensor.dtype) == ((5,), "int64")
    taken.sum().backward()
    assert only(taken, "IndexBackward0").is_freed


def stepped(model: Checkpointed, observer: GraphObserver) -> Checkpointed:
    with observer.forward(model):
        loss = model(torch.linspace(-1, 1, 32).reshape(8, 4)).sum()
    observer.built((loss,), model)
    with observer.backward():
        loss.backward()
    observer.gradients(model)
    return model


@pytest.mark.row("N01", "N23")
def test_that_a_checkpointed_layer_is_not_run_again_by_looking() -> None:
    torch.manual_seed(0)
    plain, watched = Checkpointed(), Checkpointed()
    watched.load_state_dict(plain.state_dict())
    blind, observer = GraphObserver(), GraphObserver()
    blind.is_done = True
    stepped(plain, blind)
    stepped(watched, observer)
    assert watched.calls == plain.calls == 2
    assert all(map(torch.equal, plain.buffers(), watched.buffers()))
    assert observer.graph is not None
    assert {"TanhBackward0", "AddmmBackward0"} <= {
        n.name for n in observer.graph.nodes if n.is_freed
    }


def test_that_what_a_hook_keeps_is_told_in_the_place_of_the_tensor() -> None:
    value = torch.ones(4, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t.float()):
        halved = value.exp()
    (saved,) = only(halved, "ExpBackward0").saved
    assert saved.is_packed
    assert saved.tensor is not None
    assert (saved.tensor.dtype, saved.size) == ("float16", 8)
    tanh = checkpoint(torch.tanh, value, use_reentrant=False)
    (saved,) = only(tanh, "TanhBackward0").saved
    assert (saved.is_packed, saved.tensor, saved.size) == (True, None, 0)


def expanded(value: Tensor) -> Tensor:
    return value * torch.ones(1).expand(1000)


def halves(value: Tensor) -> Tensor:
    (one, other) = torch.ones(2000).chunk(2)
    return value * one * other


@pytest.mark.row("N12")
@pytest.mark.parametrize(("compute", "size"), [(expanded, 4), (halves, 8000)])
def test_that_memory_is_what_is_kept_not_what_the_shapes_would_take(
    compute: Callable[[Tensor], Tensor], size: int
) -> None:
    result = compute(torch.ones(1000, requires_grad=True))
    assert saved_size(capture(result).nodes) == size
