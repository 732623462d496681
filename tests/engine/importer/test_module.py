"""Modules become graphs that compute the same to the last bit, with the same keys of weights."""

import warnings

import msgspec
import pytest
import torch
from torch import Tensor, nn
from torch.autograd import Variable

from engine.catalog.zoo import zoo
from engine.diagnostics import DiagnosticError
from engine.graph import codec
from engine.graph.block import block_name
from engine.graph.check import check
from engine.graph.model import BlockStyle, Graph
from engine.importer.module import from_module, require_same_results
from engine.model.module import to_module
from engine.runtime.importing.torchvision_model import untrained, usual_inputs


def _codes(module: nn.Module, *inputs: Tensor) -> list[str]:
    with pytest.raises(DiagnosticError) as caught:
        from_module(module, inputs)
    return [problem.code for problem in caught.value.problems]


def _require_same(module: nn.Module, graph: Graph, *inputs: Tensor) -> None:
    require_same_results(graph, module, inputs)
    assert set(to_module(graph).state_dict()) == set(module.state_dict())
    assert not check(graph)
    written = msgspec.json.encode(codec.to_document(graph))
    assert codec.from_document(msgspec.json.decode(written)) == graph


class Stage(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(width, 8, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        y = self.act(self.norm(self.conv(x)))
        y += 1
        return self.act(2 * y - y.mean((2, 3), keepdim=True))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stages = nn.ModuleList([Stage(3), Stage(8), Stage(8)])
        self.head = nn.Sequential(nn.Dropout(0.5), nn.Linear(4 * 36, 5))

    def forward(self, x: Tensor) -> Tensor:
        for stage in self.stages:
            x = stage(x)
        batch, channels, height, width = x.shape
        left, _ = x.view(batch, 2, channels // 2, height, width).chunk(2, dim=1)
        return self.head(torch.flatten(left, 1))


@pytest.mark.row("P11", "N04")
def test_that_an_own_class_gives_the_same_results_with_its_weights() -> None:
    module, x = Net(), torch.randn(4, 3, 6, 6)
    graph = from_module(module, [x])
    _require_same(module, graph, x)


def test_that_modules_become_blocks_and_the_same_inside_is_one_block() -> None:
    graph = from_module(Net(), torch.randn(2, 3, 6, 6))
    assert set(graph.blocks) == {"Stage", "Stages", "Head"}
    assert graph.blocks["Stages"].style is BlockStyle.SEQUENTIAL
    uses = [node for node in graph.blocks["Stages"].nodes.values() if block_name(node)]
    assert [(node.name, node.type) for node in uses] == [
        (str(index), "block.Stage") for index in range(3)
    ]


def test_that_a_layer_called_again_shares_the_weights_of_the_first_call() -> None:
    graph = from_module(Net(), torch.randn(2, 3, 6, 6))
    stage = graph.blocks["Stage"]
    assert [node.shares for node in stage.nodes.values() if node.type == "ReLU"] == ["", "act"]


def test_that_sizes_that_follow_from_the_wires_are_left_on_auto() -> None:
    stage = from_module(Net(), torch.randn(2, 3, 6, 6)).blocks["Stage"]
    assert stage.nodes["conv"].params["in_channels"] == "auto"
    assert stage.nodes["norm"].params == {"num_features": "auto"}


class Twice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, 4), nn.Tanh())

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(self.inner(x))


def test_that_a_block_called_twice_has_its_weights_once() -> None:
    module, x = Twice(), torch.randn(3, 4)
    graph = from_module(module, x)
    _require_same(module, graph, x)
    assert [n.shares for n in graph.nodes.values() if block_name(n)] == ["", "inner"]


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 6, batch_first=True)
        self.fc = nn.Linear(6, 2)

    def forward(self, x: Tensor, scale: Tensor, flag: bool = False) -> tuple[Tensor, Tensor]:
        out, (hidden, _) = self.lstm(x)
        return self.fc(out[:, 1]) * scale, 1 - hidden[0]


def test_that_tuples_and_several_inputs_and_outputs_go_through() -> None:
    module, inputs = Recurrent(), (torch.randn(3, 5, 4), torch.randn(3, 2))
    graph = from_module(module, inputs)
    _require_same(module, graph, *inputs)
    names = [node.name for node in graph.nodes.values() if node.type in ("Input", "Output")]
    assert names == ["x", "scale", "output1", "output2"]


class Scaled(nn.Module):
    count: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.randn(4))
        self.register_buffer("count", torch.tensor([3, 5, 7, 9]))
        self.inner = nn.Sequential(nn.Linear(4, 4), Shifted())

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) * self.scale + self.scale * self.count


class Shifted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.shift = nn.Parameter(torch.randn(4))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.shift


def test_that_parameters_and_buffers_of_a_forward_are_nodes_with_their_names() -> None:
    module, x = Scaled(), torch.randn(3, 4)
    graph = from_module(module, x)
    _require_same(module, graph, x)
    assert [n.name for n in graph.nodes.values() if n.type == "Parameter"] == ["scale"]


class Attending(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Parameter(torch.randn(1, 1, 8))
        self.attention = nn.MultiheadAttention(8, 2, dropout=0.1, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1)
        return self.attention(x, x, x, need_weights=False)[0][:, 0]


def test_that_a_class_token_and_attention_without_weights_go_through() -> None:
    module, x = Attending(), torch.randn(3, 5, 8)
    _require_same(module, from_module(module, x), x)


class Headed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleDict({"first": nn.Linear(8, 8), "last-one": nn.Linear(8, 4)})
        self.middle = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
        self.heads = nn.ModuleDict({"left": nn.Linear(4, 2), "right": nn.Linear(4, 3)})

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = self.parts["last-one"](self.middle(self.parts["first"](x)))
        return self.heads["left"](x), self.heads["right"](x)


@pytest.mark.row("S072")
def test_that_layers_of_a_dictionary_with_others_between_them_keep_their_keys() -> None:
    module, x = Headed(), torch.rand(3, 8)
    graph = from_module(module, [x])
    _require_same(module, graph, x)
    assert {"parts.first", "parts.last-one"} < {node.name for node in graph.nodes.values()}


class Strange(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = [torch.ones(4)]
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.special.i0(self.fc(x))
        return torch.fft.fft(x).real * self.scale[0]


def test_that_what_the_catalogue_lacks_becomes_own_code() -> None:
    module, x = Strange(), torch.randn(2, 4)
    graph = from_module(module, x)
    _require_same(module, graph, x)
    assert list(graph.code) == ["strange.py"]
    types = {node.type for node in graph.nodes.values()}
    assert {"code.strange.i0", "code.strange.fft"} <= types


class Laden(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.large, self.other = [torch.rand(400)], [torch.rand(500)]

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x * self.large[0], x[:, :1] * self.other[0]


def test_that_everything_that_would_be_lost_is_told_at_once() -> None:
    assert _codes(Laden(), torch.randn(2, 400)) == ["I013", "I013"]


class Branching(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x if x.sum() > 0 else -x


class Moody(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2 if self.training else x


class Forgotten(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.used, self.unused = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.used(x)


class Overwriting(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x.abs()
        z = y.view(-1)
        y.add_(1)
        return z + y.view(-1)


@pytest.mark.parametrize(
    ("kind", "code"),
    [(Branching, "I002"), (Moody, "I006"), (Forgotten, "I005"), (Overwriting, "I008")],
)
def test_that_what_would_not_be_the_same_is_refused(kind: type[nn.Module], code: str) -> None:
    assert _codes(kind(), torch.randn(2, 4)) == [code]


class Aliasing(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x.abs()
        z = y.view(-1)
        y += 1
        return z * 2


def test_that_other_results_are_found_when_both_are_computed() -> None:
    x = torch.randn(2, 4)
    graph = from_module(Aliasing(), x)
    with pytest.raises(DiagnosticError) as caught:
        require_same_results(graph, Aliasing(), [x])
    assert caught.value.problems[0].code == "I009"


def test_that_inputs_that_do_not_fit_are_told_with_the_place() -> None:
    assert _codes(Forgotten(), torch.randn(2, 7)) == ["I010"]


def test_that_the_modes_of_the_module_stay_as_they_were() -> None:
    module = Net()
    module.stages[1].norm.eval()  # pyright: ignore[reportAttributeAccessIssue]
    before = [part.training for part in module.modules()]
    from_module(module, torch.randn(2, 3, 6, 6))
    assert [part.training for part in module.modules()] == before


@pytest.mark.row("P11", "S118", "S121", "N04")
@pytest.mark.parametrize(
    "name",
    ["resnet18", "squeezenet1_1", "mobilenet_v2", "mobilenet_v3_small", "shufflenet_v2_x0_5"],
)
def test_that_models_of_torchvision_are_the_same_to_the_last_bit(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = untrained(name, {})
    x = torch.randn(2, 3, 64, 64)
    _require_same(module, from_module(module, x), x)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", list(zoo()))
def test_that_all_models_are_the_same(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = untrained(name, {})
        inputs = [torch.randn(2, *size.shape) for size in usual_inputs(name)]
        _require_same(module, from_module(module, inputs), *inputs)


class OldNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = Variable(x, requires_grad=False)
        return Variable(torch.relu(self.fc(x)))


@pytest.mark.row("S054")
def test_that_a_variable_of_old_models_is_the_tensor_in_it() -> None:
    graph = from_module(OldNet(), (torch.zeros(2, 4),))
    assert [node.type for node in graph.nodes.values()] == ["Input", "Linear", "relu", "Output"]
    assert Variable(torch.ones(1)) == 1
