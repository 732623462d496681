"""Values that leave the graph in a forward pass, and the Functions on both sides of that."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine.inspect.graph_observer import GraphObserver
from engine.inspect.probe import Probe
from engine.inspect.reading import snapshot

SHIFTED = 0.5


class Net(nn.Module):
    """Two layers with something between them and beside them."""

    def __init__(self, between: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.head = nn.Linear(3, 1)
        self.between = between

    def forward(self, x: Tensor) -> Tensor:
        """Return a number for each sample."""
        x = self.first(x)
        x = self.between(x)
        return self.head(x)


class Tripled(torch.autograd.Function):
    """One with a context of its own."""

    @staticmethod
    def forward(value: Tensor) -> Tensor:
        return value * 3

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep nothing."""

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient * 3


class Doubled(torch.autograd.Function):
    """A Function of one's own."""

    @staticmethod
    def forward(ctx: Any, value: Tensor) -> Tensor:
        return value * 2

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient * 2


class Product(torch.autograd.Function):
    """One that reads two tensors."""

    @staticmethod
    def forward(ctx: Any, value: Tensor, scale: Tensor) -> Tensor:
        ctx.save_for_backward(scale)
        return value * scale

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient * ctx.saved_tensors[0], None


def added(x: Tensor) -> Tensor:
    kept = x.detach().clone()
    kept.add_(x)
    return kept.mul_(2)


def centred(x: Tensor) -> Tensor:
    with torch.no_grad():
        mean = x.mean() * SHIFTED
    return x - mean


def scaled(x: Tensor) -> Tensor:
    with torch.no_grad():
        scale = torch.ones_like(x)
    return x * scale


def averaged(x: Tensor) -> Tensor:
    return x - x.mean(0).detach()


def unread(x: Tensor) -> Tensor:
    x.detach().square()
    return x * 2


class Looked(nn.Linear):
    """A layer that another observer looks at."""

    def __init__(self) -> None:
        super().__init__(3, 3)
        self.register_forward_hook(lambda _layer, _given, result: snapshot(result) and None)


def cuts_of(between: Callable[[Tensor], Tensor]) -> list[tuple[str, int, list[str], list[str]]]:
    torch.manual_seed(1)
    model = Net(between)
    probe, observer = Probe(), GraphObserver()
    probe.add(observer)
    with probe.forward(model):
        loss = model(torch.ones(2, 3)).sum()
    probe.built(loss, model)
    with probe.backward():
        loss.backward()
    probe.gradients(model)
    graph = observer.graph
    assert graph is not None
    names = {node.id: node.parameter or node.name for node in graph.nodes}
    return [
        (cut.kind, cut.line, [names[n] for n in cut.sources], [names[n] for n in cut.readers])
        for cut in graph.cuts
    ]


LINE = Net.forward.__code__.co_firstlineno + 3


@pytest.mark.row("S046", "S047", "N01")
@pytest.mark.parametrize(
    ("between", "cut"),
    [
        (centred, ("no_grad", 2, ["AddmmBackward0"], ["SubBackward0"])),
        (averaged, ("detach", 1, ["AddmmBackward0"], ["SubBackward0"])),
        (unread, ("detach", 1, ["AddmmBackward0"], [])),
        (lambda x: x * x.data, ("detach", 0, ["AddmmBackward0"], ["MulBackward0"])),
        (
            lambda x: x + 2 * x.detach(),
            ("detach", 0, ["AddmmBackward0"], ["AddBackward0"]),
        ),
        (
            lambda x: Product.apply(x, x.detach().exp()),
            ("detach", 0, ["AddmmBackward0"], ["ProductBackward"]),
        ),
        (added, ("detach", 1, ["AddmmBackward0"], ["AddBackward0"])),
    ],
)
def test_that_a_value_taken_out_of_the_graph_is_followed_to_who_reads_it(between, cut) -> None:
    kind, line, *ends = cut  # the line counts from the function that forward calls
    assert cuts_of(between) == [(kind, between.__code__.co_firstlineno + line, *ends)]


def test_that_the_beginning_before_a_detach_is_not_in_the_graph_but_its_reader_is() -> None:
    assert cuts_of(Tensor.detach) == [("detach", LINE, [], ["AddmmBackward0"])]


@pytest.mark.parametrize(
    "between",
    [
        nn.BatchNorm1d(3),
        nn.functional.gelu,
        Looked(),
        Doubled.apply,
        Tripled.apply,
        scaled,
        lambda x: x.take_along_dim(x.argsort(1), 1),
    ],
)
def test_that_what_only_shapes_or_chooses_cuts_nothing(between) -> None:
    assert cuts_of(between) == []


def test_that_a_parameter_read_under_no_grad_is_a_source() -> None:
    weight = nn.Parameter(torch.ones(3))

    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = weight

        def forward(self, x: Tensor) -> Tensor:
            with torch.no_grad():
                scale = self.weight.abs()
            return x * scale * self.weight

    assert cuts_of(Scaled())[0][2:] == (["between.weight"], ["MulBackward0"])
