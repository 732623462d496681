"""What the text makes with other packages, or in classes that nodes cannot show, is own code."""

import pytest
import torch
from msgspec.structs import replace

from engine.custom.trust import set_trust
from engine.graph.check import check
from engine.graph.code import MODEL_FILE, PARTS_FILE
from engine.graph.edit.edits import RenameNode, SetParam, apply
from engine.graph.model import Graph
from engine.model.module import to_module
from tests.engine.graph.builder import add
from tests.engine.reader.test_custom_file import outputs, without_text
from tests.engine.reader.test_follow import typed, written

HEAD = """\
import math

import numpy as np
import torch
import torch.nn.functional as F
import torchvision
from torch import nn
from torchvision.ops import StochasticDepth

"""
MODEL = """
class Net(nn.Module):
    def __init__(self, p=0.25):
        super(Net, self).__init__()
        self.fc = nn.Linear(6, 6)
{init}

    def forward(self, x):
{forward}
"""


def model(init: str, forward: str = "return self.made(self.fc(x))") -> str:
    made = "".join(f"        {line}\n" for line in init.splitlines())
    called = "".join(f"        {line}\n" for line in forward.splitlines())
    return HEAD + MODEL.format(init=made.rstrip("\n"), forward=called.rstrip("\n"))


def read(text: str, code: dict[str, str] | None = None) -> Graph:
    graph, _ = add(Graph(code=code or {}), "Input", "x", shape=(4, 6))
    return typed(graph, text)


def kinds(graph: Graph) -> list[str]:
    nodes = (node.type for node in graph.nodes.values())
    return [
        one.removeprefix("code.model_parts.") for one in nodes if one not in ("Input", "Output")
    ]


def require_whole(text: str) -> Graph:
    """Require that a text stays and computes the same as one node."""
    graph = require_same(text, has_bare=False)
    assert kinds(graph) == ["Net"]
    return graph


def require_same(text: str, *, has_bare: bool = True) -> Graph:
    """Require that a text stays, and that it and the code of its canvas compute the same."""
    graph = read(text)
    assert graph.code[MODEL_FILE] == written(graph).source == text
    assert not [problem for problem in check(graph) if problem.code.startswith("U")]
    namespace: dict = {}
    exec(compile(text, "<typed>", "exec"), namespace)
    own = namespace["Net"]()
    x = torch.randn(2, 4, 6)
    wanted = outputs(own, own.state_dict(), x)
    for each in (graph, without_text(graph)) if has_bare else (graph,):
        set_trust(each.code, trusted=True)
        module = to_module(each)
        assert set(module.state_dict()) == set(own.state_dict())
        found = outputs(module, own.state_dict(), x)
        assert all(torch.equal(a, b) for a, b in zip(found, wanted, strict=True))
    return graph


@pytest.mark.row("N03")
@pytest.mark.parametrize(
    ("init", "node"),
    [
        ('self.made = torchvision.ops.StochasticDepth(p, "row")', "ComputeStochasticDepth"),
        ("self.made = torchvision.ops.MLP(6, [8, 6], activation_layer=nn.GELU)", "ComputeMLP"),
        ("self.made = nn.utils.parametrizations.weight_norm(nn.Linear(6, 6))", "compute_made"),
        ('kind = getattr(nn, "ReLU")\nself.made = kind()', "compute_made"),
        ("self.made = nn.Linear(6, 6, device=None)", "ComputeLinear"),
    ],
)
def test_that_a_module_of_another_package_is_one_node_of_own_code(init: str, node: str) -> None:
    assert kinds(require_same(model(init))) == ["Linear", node]


def test_that_modules_of_other_packages_stand_among_others() -> None:
    layers = 'self.made = nn.Sequential(nn.Linear(6, 6), StochasticDepth(0.5, "row"), nn.ReLU())'
    graph = require_same(model(layers))
    inside = [node.type for node in graph.blocks["Made"].nodes.values()][1:-1]
    assert inside == ["Linear", "code.model_parts.ComputeStochasticDepth", "ReLU"]
    listed = 'self.made = nn.ModuleList([StochasticDepth(0.1 * i, "row") for i in range(2)])'
    require_same(model(listed, "x = self.fc(x)\nfor one in self.made:\n    x = one(x)\nreturn x"))
    graph = require_same(model("self.scale = np.sqrt(6)", "return self.fc(x) * self.scale"))
    assert kinds(graph) == ["Linear", "compute_result"]


def test_that_a_package_that_is_not_there_is_read_without_running_anything() -> None:
    text = model(
        "import nowhere\nself.made = nowhere.Gate(p)",
        "a, b = self.made(x, self.fc(x), mode=2)\nc, d = self.made(a, b, mode=2)\nreturn c + d",
    )
    graph = read(text)
    assert written(graph).source == text
    assert kinds(graph) == ["Linear", "ComputeGate", "ComputeGate", "add"]
    assert graph.nodes["made"].params == {"p": 0.25}
    assert "class ComputeGate(nowhere.Gate, nn.Module):" in graph.code[PARTS_FILE]
    renamed = apply(RenameNode(id="made", name="gate"), graph)
    assert written(renamed).source == text.replace("self.made", "self.gate")


@pytest.mark.parametrize(
    ("init", "forward"),
    [
        ("self.made = torchvision.Wrap(self.fc)", "return self.made(x)"),
        ("self.made = torchvision.wrap(2)", "return self.made(x, x)"),
        ("self.made = torchvision.Gate()", "return self.made(self.made(x), x)"),
        ("self.made = torchvision.Gate()", "return x * self.made.scale"),
        ("pass", "for one in self.children():\n    x = one(x)\nreturn x"),
    ],
)
def test_that_a_model_that_other_packages_decide_on_is_one_node(init: str, forward: str) -> None:
    text = model(init, forward)
    graph = read(text)
    assert kinds(graph) == ["Net"]
    assert graph.nodes["net"].type == "code.model_parts.Net"
    assert written(graph).source == text


WHOLE = {
    "loop over steps": """
STEPS = 2


def mixed(x, y):
    if x.sum() > 1e9:
        return x
    return x + y * STEPS


class Inner(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.cell = nn.GRUCell(width, width)

    def forward(self, x):
        h, found = torch.zeros(x.size(0), 6), []
        # one step after the other
        for step in range(x.size(1)):
            h = self.cell(x[:, step], h)
            found.append(mixed(h, x[:, step]))
        return torch.stack(found, 1)
""",
    "positions": """
class Inner(nn.Module):
    def __init__(self, d_model, length=50):
        super().__init__()
        pe = torch.zeros(length, d_model)
        place = torch.arange(0, length, dtype=torch.float).unsqueeze(1)
        pe[:, 0::2] = torch.sin(place)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]
""",
    "inherited": """
class Inner(nn.Linear):
    def __init__(self, width):
        super().__init__(width, width)

    def forward(self, x):
        return F.linear(x, self.weight * 2, self.bias)
""",
}


@pytest.mark.row("N03")
@pytest.mark.parametrize("inner", WHOLE.values(), ids=WHOLE)
def test_that_a_class_which_nodes_cannot_show_is_a_layer_as_a_whole(inner: str) -> None:
    text = model("self.made = Inner(6)").replace("\nclass Net", f"{inner}\n\nclass Net")
    graph = require_same(text)
    assert kinds(graph) == ["Linear", "Inner"]
    changed = text.replace("        return ", "        return 2 * ", 1)
    after = typed(graph, changed)
    assert after.nodes["made"] == graph.nodes["made"]
    assert "return 2 * " in after.code[PARTS_FILE]


def test_that_a_model_that_wants_arguments_is_a_node_with_settings() -> None:
    text = model("self.width = width", "return self.fc(x) * self.width")
    text = text.replace("p=0.25", "width: int")
    graph = read(text)
    assert kinds(graph) == ["Net"]
    assert written(graph).source == text
    after = written(apply(SetParam(id="net", name="width", value=4), graph))
    assert after.is_complete
    assert after.source.startswith(text)
    assert "self.net = Net(width=4)" in after.source.removeprefix(text)


OWN = {
    "mine.py": "from torch import nn\n\n\nclass Act(nn.Module):\n"
    "    def __init__(self, p: float = 1.0):\n        super().__init__()\n        self.p = p\n\n"
    "    def forward(self, x):\n        return x * self.p\n"
}


def test_that_a_layer_of_a_file_of_the_project_can_be_imported_in_the_text() -> None:
    text = model("self.made = Act(p)").replace(
        "import math\n", "import math\nfrom mine import Act\n"
    )
    graph = read(text, OWN)
    assert kinds(graph) == ["Linear", "code.mine.Act"]
    assert graph.nodes["made"].params == {"p": 0.25}
    set_trust(graph.code, trusted=True)
    assert "made" in dict(to_module(graph).named_modules())
    assert read(model("self.made = Act(p)"), OWN).nodes == graph.nodes


def test_that_typed_classes_may_be_written_as_usual() -> None:
    block = """
@dataclass
class Config:
    width: int = 6
    rates: tuple = (1, 2)


class Block(nn.Module):
    scale = 2

    def __init__(self, config, rate):
        super().__init__()
        self.conv = nn.Conv1d(4, 4, 3, padding=rate, dilation=rate)
        self.body = nn.Sequential()
        self.body.add_module("act", nn.ReLU())

    def forward(self, x, *, bias=0.5):
        rows = x.size()[1] - x.size()[1]
        x = self.body(self.conv(x)) * Block.scale + bias
        return x + rows


class Net"""
    init = """\
self.add_module("last", nn.Linear(config.width, 2))
self.blocks = nn.ModuleList([Block(config, rate) for rate in config.rates])
self.heads = nn.ModuleDict({f"h{i}": nn.Linear(2, 2) for i in range(2)})
self.shift = nn.Parameter(torch.randn(1, 1, 6) * 0.02)"""
    forward = """\
x = self.fc(x) + self.shift.expand(x.shape[0], -1, -1)
for block in self.blocks:
    x = block(x)
x = self.last(x)
return torch.cat([self.heads[key](x) for key in self.heads], 1)"""
    text = model(init, forward).replace("p=0.25", "config=Config(width=6)")
    text = text.replace("\nclass Net", block).replace(
        "import math\n", "import math\nfrom dataclasses import dataclass\n"
    )
    graph = read(text)
    assert written(graph).source == text
    assert graph.nodes["shift"].params == {"shape": (1, 1, 6), "fill": "normal", "std": 0.02}
    assert [node.name for node in graph.nodes.values() if node.type.startswith("block.")] == [
        "blocks.0",
        "blocks.1",
    ]
    set_trust(graph.code, trusted=True)
    assert to_module(graph)(torch.randn(3, 4, 6)).shape == (3, 8, 2)


def test_that_numbers_put_on_a_filled_tensor_are_settings_of_it() -> None:
    fills = {
        "2 * torch.rand(6) - 1": {"fill": "uniform", "low": -1.0},
        "torch.ones(6) / 4": {"fill": "constant", "value": 0.25},
        "torch.zeros(6) + 1e-6": {"fill": "constant", "value": 1e-6},
        "torch.randn(6) / 10 + 1": {"fill": "normal", "mean": 1.0, "std": 0.1},
    }
    for text, params in fills.items():
        graph = read(model(f"self.made = nn.Parameter({text})", "return self.fc(x) + self.made"))
        assert graph.nodes["made"].params == {"shape": (6,), **params}
    require_whole(model("self.made = nn.Parameter(1 - torch.ones(6))", "return x * self.made"))


def test_that_a_place_in_the_canvas_is_kept_by_a_layer_of_another_package() -> None:
    graph = read(model('self.made = StochasticDepth(0.5, "row")'))
    node = replace(graph.nodes["made"], position=(7.0, 9.0), pinned=True)
    graph = replace(graph, nodes={**graph.nodes, "made": node})
    after = typed(graph, graph.code[MODEL_FILE].replace("0.5", "0.25"))
    assert after.nodes["made"] == node
    assert "0.25" in after.code[PARTS_FILE]
    assert "0.5" not in after.code[PARTS_FILE]


def test_that_numbers_of_an_inner_module_and_names_of_a_star_are_known() -> None:
    text = model("self.made = Inner()\nself.last = Linear(self.made.width, 2)")
    inner = """
class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.width = 6

    def forward(self, x):
        return x * 2
"""
    text = text.replace("\nclass Net", f"{inner}\n\nclass Net").replace("self.made(", "self.last(")
    text = text.replace("from torch import nn\n", "from torch import nn\nfrom torch.nn import *\n")
    graph = require_same(text)
    assert graph.nodes["last"].params == {"in_features": 6, "out_features": 2}
