"""Models that cannot be read are run and written down; own code stands for what layers lack."""

import msgspec
import pytest
import torch
from torch import Tensor, nn

from engine.diagnostics import DiagnosticError
from engine.graph import codec
from engine.graph.block import block_name
from engine.graph.check import check
from engine.graph.code import code_symbol
from engine.graph.model import Graph
from engine.importer.module import from_module, require_same_results
from engine.importer.record import record
from engine.model.module import to_module


def _imported(module: nn.Module, *inputs: Tensor) -> Graph:
    graph = from_module(module, inputs)
    require_same_results(graph, module, inputs)
    assert set(to_module(graph).state_dict()) == set(module.state_dict())
    assert not check(graph)
    return graph


class Cell(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate, self.out = nn.Linear(6, 6), nn.Linear(6, 2)

    def forward(self, state: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        state = torch.tanh(self.gate(state) + x)
        return state, self.out(state)


class Loop(nn.Module):
    """Asks for sizes, so that it cannot be read; calls one module again and again."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = Cell()

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        assert x.shape[2] == 6
        state = x.new_zeros(x.shape[0], 6)
        found: list[Tensor] = []
        for step in range(int(x.shape[1])):
            state, out = self.cell(state, x[:, step])
            found.append(out)
        return torch.stack(found, dim=1), state


@pytest.mark.row("P11")
def test_that_a_loop_over_sizes_is_recorded_with_the_sizes_of_the_example() -> None:
    graph = _imported(Loop(), torch.randn(4, 3, 6))
    uses = [node for node in graph.nodes.values() if block_name(node) == "Cell"]
    assert [node.shares for node in uses] == ["", "cell", "cell"]


def test_that_a_recorded_model_holds_for_every_number_of_samples() -> None:
    module = Loop()
    built = to_module(from_module(module, torch.randn(4, 3, 6)))
    built.load_state_dict(module.state_dict())
    x = torch.randn(7, 3, 6)
    assert all(map(torch.equal, built(x), module(x)))


class Writing(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 2:
            raise ValueError(x.shape)
        y = x * 2
        y[:, 1:3] = 0
        y.add_(x)
        return y[:, ::2] + y.T.shape[0]


def test_that_parts_that_are_written_into_become_own_code() -> None:
    graph = _imported(Writing(), torch.randn(3, 5))
    assert any(code_symbol(node.type) for node in graph.nodes.values())
    assert "out[:, 1:3] = 0" in graph.code["writing.py"]


class Peeking(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x if float(x.sum()) > 0 else -x


def test_that_what_depends_on_values_is_refused() -> None:
    with pytest.raises(DiagnosticError) as caught:
        record(Peeking(), [torch.randn(2, 3)])
    assert caught.value.problems[0].code == "I002"


class Wobbling(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        y = nn.functional.dropout(self.fc(x), 0.4, self.training)
        return y * (0.5 if self.training else 2.0)


def test_that_constants_of_the_mode_are_kept() -> None:
    graph = _imported(Wobbling(), torch.randn(3, 4))
    assert [n.params for n in graph.nodes.values() if n.type == "Dropout"] == [{"p": 0.4}]
    assert "self.training" in graph.code["wobbling.py"]


class Pyramid(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convs = nn.ModuleList([nn.Linear(4, 4), Pooled(), Pooled()])

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([conv(x) for conv in self.convs], dim=1)


class Pooled(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Linear(4, 3), nn.ReLU())

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - as the class above names it
        found = input
        for part in self:
            found = part(found)
        return found * 2


def test_that_branches_in_a_list_keep_their_numbers() -> None:
    graph = _imported(Pyramid(), torch.randn(3, 4))
    names = [node.name for node in graph.nodes.values()]
    assert [name for name in names if name.startswith("convs")] == ["convs.0", "convs.1", "convs.2"]
    written = msgspec.json.encode(codec.to_document(graph))
    assert codec.from_document(msgspec.json.decode(written)) == graph


@pytest.mark.row("P11", "S118")
@pytest.mark.parametrize("name", ["swin_t", "efficientnet_b0"])
def test_that_models_with_own_code_are_the_same_to_the_last_bit(name: str) -> None:
    from torchvision.models import get_model

    torch.manual_seed(0)
    _imported(get_model(name, weights=None), torch.randn(2, 3, 64, 64))
