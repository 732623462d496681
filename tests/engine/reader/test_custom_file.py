"""Pieces of a text that no layer stands for are nodes of own code; the text stays as typed."""

import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.custom.trust import set_trust
from engine.diagnostics import DiagnosticError
from engine.graph.check import check
from engine.graph.code import MODEL_FILE, PARTS_FILE, TEXT_FILES
from engine.graph.edit.code_edits import SetCode
from engine.graph.edit.edits import AddNode, RemoveNodes, RenameNode, apply
from engine.graph.model import Graph
from engine.graph.query import make_node
from engine.model.module import to_module
from tests.engine.graph.builder import add, wire
from tests.engine.reader.test_follow import ANALYSER, typed, written

HEAD = """\
import math

import torch
import torch.nn.functional as F
from torch import nn

SCALE = 0.5


def gate(x):
    return x * x.mean() if x.sum() > 0 else x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.register_buffer("shift", torch.ones(6))
        self.heads = 2

    def forward(self, x):
"""
BODIES = {
    "index": """
y = x[:, [1, 0, 2, 2]] * torch.special.xlogy(x.abs(), SCALE + x.abs())
return self.fc(y)
""",
    "layer in it": """
y = torch.logaddexp2(self.fc(x)[..., ::2], x[..., ::2])
return y + self.fc(x).mean()
""",
    "argument": """
x = self.fc(x[:, -2:])  # the last two
return x
""",
    "sizes": """
b, n, c = x.shape
half = n // self.heads
x = self.fc(x)
return x[:, :half].cumprod(1)
""",
    "if": """
if x.sum() > 0:
    # positive
    x = x * 2
else:
    x = -x
return self.fc(x)
""",
    "loop": """
for i in range(x.size(1)):
    x = x + x[:, i : i + 1] * i
return x
""",
    "list": """
outs = []
for i in range(x.size(1)):
    outs.append(x[:, i].cumsum(0))
h = torch.stack(outs, 1)
return self.fc(h) + 1
""",
    "list of a comprehension": """
outs = [t * k for k, t in enumerate(x.unbind(1))]
return torch.stack(outs, 1)
""",
    "while": """
n = x.shape[1]
while n > 1:
    n //= 2
    x = x + n
return self.fc(x)
""",
    "sizes by index": """
dy = x.size()[1] - x[:, 1:].size()[1]
return F.pad(self.fc(x), [0, 0, dy // 2, dy - dy // 2]) + x.shape[1]
""",
    "same layer again": """
y = torch.logaddexp2(self.fc(x), x) + self.fc(x)
relu = F.relu(y).mean(1)
return relu * 2
""",
    "same line again": """
z = x * 2
y = self.fc(x) + z
y = self.fc(x) + z
return y * 1
""",
    "in place": """
y = x * 1
y[:, 0] = 0
y[:, 1] += 1
y.clamp_(0)
return self.fc(y)
""",
    "helper": """
y = gate(x)
return y + gate(y)[:, :1]
""",
    "nested": """
def twice(t, n):
    return t if n == 0 else twice(t * 2, n - 1)
y = twice(x, 3)[:, ::2]
return y
""",
    "lambda": """
act = lambda t: t * math.sqrt(2)
y = act(x).cumprod(1)
return y
""",
    "several": """
m, e = torch.frexp(x)
return m, e.float() + m
""",
    "with": """
with torch.no_grad():
    y = x.detach() * 2
return y + x
""",
    "training": """
y = F.dropout(x, 0.5, self.training)
return self.fc(y)
""",
    "buffer": """
return (x + self.shift)[:, None, ..., :3]
""",
    "alias": """
act = F.softplus
return act(x)[..., [0]]
""",
    "settings": """
y = x.sum(1, dtype=torch.float64)
return y.to(x.dtype)
""",
    "silent": """
import warnings
warnings.warn('seen') if False else None
return self.fc(x)
""",
}


def text_with(body: str) -> str:
    return HEAD + "".join(f"        {line}\n" for line in body.strip().splitlines())


def read(text: str) -> Graph:
    graph = typed(add(Graph(), "Input", "x", shape=(4, 6))[0], text)
    for code in (graph.code, without_text(graph).code):
        set_trust(code, trusted=True)
    return graph


def without_text(graph: Graph) -> Graph:
    return replace(graph, code={n: t for n, t in graph.code.items() if n not in TEXT_FILES})


def outputs(module: torch.nn.Module, weights: dict, x: torch.Tensor) -> list[torch.Tensor]:
    found = {name: value for name, value in weights.items() if name in module.state_dict()}
    module.load_state_dict(found)
    module.eval()
    result = module(x.clone())
    return list(result) if isinstance(result, tuple) else [result]


def require_same(text: str) -> None:
    graph = read(text)
    assert graph.code[MODEL_FILE] == text
    assert written(graph).source == text
    assert not [problem for problem in check(graph) if problem.code.startswith("U")]
    namespace: dict = {}
    exec(compile(text, "<typed>", "exec"), namespace)
    own = namespace["Net"]()
    x = torch.randn(2, 4, 6)
    wanted = outputs(own, own.state_dict(), x)
    for each in (graph, without_text(graph)):
        found = outputs(to_module(each), own.state_dict(), x)
        assert [one.shape for one in found] == [one.shape for one in wanted]
        assert all(torch.equal(a, b) for a, b in zip(found, wanted, strict=True))


@pytest.mark.row("N03")
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_that_what_no_layer_computes_becomes_a_node_that_computes_the_same(body: str) -> None:
    require_same(text_with(body))


LINES = (
    "{a} = {b}[..., [0, 1, 2, 3, 4, 5]] * {c}",
    "{a} = self.fc({b}) + {c}",
    "{a} = torch.logaddexp({b}, {c})",
    "{a} = gate({b}) - {c}",
    "n = {a}.shape[1] // self.heads",
    "{a} = {b} * n",
    "if {b}.sum() > {c}.sum():\n            {a} = {b} + 1",
    "for i in range(n):\n            {a} = {a} + {b} * i",
    "{a}, {b} = {c}, {a} % 2",
    "{a} = F.dropout({b}, 0.25, self.training) + {c}",
    "{a} = {b}[:, :, 0, None] + torch.logaddexp(self.fc({c}), {a}) - self.fc({c})",
    "d = {b}.size()[1] - {c}.size()[2]\n        {a} = {b} + d",
)


@st.composite
def bodies(draw: st.DrawFn) -> str:
    name = st.sampled_from("xyz")
    lines = ["y = x", "z = x * 2", "n = 2"]
    for line in draw(st.lists(st.sampled_from(LINES), min_size=2, max_size=6)):
        names = dict(zip("abc", draw(st.permutations("xyz")), strict=True))
        lines.append(line.format(**names))
    return "".join(f"        {line}\n" for line in [*lines, f"return {draw(name)} * 1"])


@given(bodies())
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_that_typed_lines_stay_and_compute_the_same(body: str) -> None:
    require_same(HEAD + body)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@given(bodies())
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
def test_that_any_typed_lines_stay_and_compute_the_same(body: str) -> None:
    require_same(HEAD + body)


def lines_of(graph: Graph) -> list[str]:
    return [line.strip() for line in written(graph).source.splitlines()]


PIECES = (
    "y = F.dropout(x, 0.5, self.training)  # noisy\nz = y[:, [1, 0]]  # turned\nreturn self.fc(z)"
)


def test_that_pieces_stay_as_they_are_when_the_canvas_changes_beside_them() -> None:
    graph = read(text_with(PIECES))
    after = apply(RenameNode(id="fc", name="head"), graph)
    assert written(after).source == text_with(PIECES).replace("self.fc", "self.head")
    after = apply(AddNode(node=make_node(graph, "ReLU", (0.0, 0.0))), graph)
    after = wire(wire(after, "z", "relu"), "relu", "fc")
    lines = lines_of(after)
    assert "y = F.dropout(x, 0.5, self.training)  # noisy" in lines
    assert "z = y[:, [1, 0]]  # turned" in lines
    assert "self.relu = nn.ReLU()" in lines
    assert "def compute_z(y):" not in lines


def test_that_a_function_that_is_edited_is_called_in_the_text() -> None:
    graph = read(text_with(PIECES))
    changed = graph.code[PARTS_FILE].replace("[1, 0]", "[0, 1]")
    after = apply(SetCode(file=PARTS_FILE, text=changed), graph)
    lines = lines_of(after)
    assert "z = compute_z(y)  # turned" in lines
    assert "return y[:, [0, 1]]" in lines
    assert "y = F.dropout(x, 0.5, self.training)  # noisy" in lines
    typed_in = typed(after, written(after).source.replace("[0, 1]", "[2, 1]"))
    assert "return y[:, [2, 1]]" in typed_in.code[PARTS_FILE]
    assert typed_in.nodes["z"].type == "code.model_parts.compute_z"


def test_that_a_piece_that_is_changed_keeps_its_node_and_one_that_goes_takes_it_along() -> None:
    graph = read(text_with(PIECES))
    node = replace(graph.nodes["z"], position=(70.0, 90.0), pinned=True)
    graph = replace(graph, nodes={**graph.nodes, "z": node})
    after = typed(graph, graph.code[MODEL_FILE].replace("[1, 0]", "[2, 3, 0]"))
    assert after.nodes["z"] == node
    assert "[2, 3, 0]" in after.code[PARTS_FILE]
    assert "[1, 0]" not in after.code[PARTS_FILE]
    gone = typed(after, text_with("return self.fc(x)"))
    assert PARTS_FILE not in gone.code
    assert "z" not in gone.nodes


def test_that_removing_a_piece_on_the_canvas_takes_its_line_along() -> None:
    graph = apply(RemoveNodes(ids=("z",)), read(text_with(PIECES)))
    graph = wire(graph, "y", "fc")
    lines = lines_of(graph)
    assert not any("[1, 0]" in line for line in lines)
    assert "return self.fc(y)" in lines


@pytest.mark.parametrize(
    ("body", "code", "line"),
    [
        ("y = torch.frobnicate(x)\nreturn y", "T035", 22),
        ("y = x[nothing]\nreturn y", "T013", 22),
        ("return self.fc(x, x, x)", "T018", 22),
    ],
)
def test_that_a_mistake_is_told_at_its_line(body: str, code: str, line: int) -> None:
    with pytest.raises(DiagnosticError) as caught:
        read(text_with(body))
    problem = caught.value.problems[0]
    assert (problem.code, problem.params["line"]) == (code, line)


UNLISTED = """\
from torch import nn

SIDE = 3


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.error = nn.MSELoss(reduction="none")  # as in the paper
        self.norms = nn.Sequential(nn.CrossMapLRN2d(SIDE), nn.ReLU())

    def forward(self, x):
        return self.error(self.fc(x), x)
"""


@pytest.mark.row("N03")
def test_that_a_module_which_the_palette_does_not_have_is_a_node_of_own_code() -> None:
    graph, _ = add(Graph(), "Input", "x", shape=(6,))
    graph = typed(graph, UNLISTED)
    assert written(graph).source == UNLISTED
    assert graph.nodes["error"].type == "code.model_parts.ComputeMSELoss"
    chain = graph.blocks["Norms"].nodes
    assert [node.type for node in chain.values()][1:3] == [
        "code.model_parts.ComputeCrossMapLRN2d",
        "ReLU",
    ]
    renamed = written(apply(RenameNode(id="error", name="other"), graph)).source
    assert 'self.other = nn.MSELoss(reduction="none")  # as in the paper' in renamed
    bare = replace(graph, code={k: t for k, t in graph.code.items() if k != MODEL_FILE})
    for one in (graph, bare):
        set_trust(one.code, trusted=True)
    modules = [to_module(one) for one in (graph, bare)]
    values = torch.randn(4, 6)
    modules[1].load_state_dict(modules[0].state_dict(), strict=False)
    assert torch.equal(*(module(values) for module in modules))


def test_that_a_lazy_module_is_told_in_the_text_and_in_own_code() -> None:
    graph, _ = add(Graph(), "Input", "x", shape=(6,))
    text = UNLISTED.replace('nn.MSELoss(reduction="none")', "nn.LazyLinear(3)")
    whole = typed(graph, text)
    assert whole.nodes["net"].type == "code.model_parts.Net"
    set_trust(whole.code, trusted=True)
    assert [problem.code for problem in ANALYSER.analyse(whole).problems] == ["U013"]
    own = {"lazy.py": "from torch import nn\n\n\nclass Late(nn.LazyLinear):\n"
           "    def __init__(self):\n        super().__init__(3)\n"}  # fmt: skip
    graph, late = add(replace(graph, code=own), "code.lazy.Late", "late")
    set_trust(own, trusted=True)
    found = ANALYSER.analyse(wire(graph, "x", late.id)).problems
    assert "U013" in [problem.code for problem in found]
