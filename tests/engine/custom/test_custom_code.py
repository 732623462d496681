"""Own code in the generated source and on tensors without values."""

import pytest
import torch
from msgspec.structs import replace

from engine.custom import watchdog
from engine.custom.trust import set_trust
from engine.diagnostics import DiagnosticError, sentence
from engine.graph.block import entry_of
from engine.graph.check import check
from engine.graph.model import Block, Edge, Graph, Initial, Node
from engine.model.analysis import Analyser, analyse
from engine.model.module import to_module
from engine.model.source import generate, to_source
from engine.query.gradient.answer import check_gradient
from engine.query.gradient.request import CheckGradient
from engine.shape.custom_loss import check_custom_losses
from engine.shape.custom_node import CustomNode
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.loss_rule import check_losses
from engine.spec.run import Choice, LossTerm, RunSpec

TOOLS = "import math\n\n\ndef centred(x):\n    return x - x.mean()\n"
LAYERS = '''"""My layers."""
from __future__ import annotations
import math, os
import numpy as np
import torch
import torch.nn as nn
from .tools import centred as middle


class Norm(nn.Module):
    def __init__(self, eps: float = 1e-5):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        return middle(x) / (x.std() + self.eps)  # MARK


def blend(x, y, *, k: float = 0.5):
    return x * k + y * (1 - k)


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor: float, shift: torch.Tensor | None = None):
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad, None, None


def make(width: int) -> nn.Module:
    return nn.Linear(width, width)


def both(x):
    return x, x.sum(1)


def fill_(tensor, value: float = 3.0):
    with torch.no_grad():
        return tensor.fill_(value)


if __name__ == "__main__":
    print("hello")
'''


def node(name: str, key: str, **params) -> Node:
    return Node(id=name, type=key, name=name, params=params)


def wired(nodes: list[Node], *wires: str, **code: str) -> Graph:
    """Return a graph with wires ``a -> b.port`` or ``a.output.1 -> b.port``."""
    edges = []
    for wire in wires:
        source, _, target = wire.partition(" -> ")
        source, _, source_port = source.partition(".")
        target, _, port = target.partition(".")
        edges.append(
            Edge(
                source=source,
                source_port=source_port or "output",
                target=target,
                target_port=port,
            )
        )
    texts = {f"{name}.py": text for name, text in code.items()}
    return Graph(nodes={n.id: n for n in nodes}, edges=tuple(edges), code=texts)


@pytest.fixture(name="graph")
def _graph():
    made = wired(
        [
            node("x", "Input", shape=(4,)),
            node("norm", "code.layers.Norm", eps=0.1),
            node("scale", "code.layers.Scale", factor=2.0),
            node("blend", "code.layers.blend"),
            node("own", "code.layers.make", width=4),
            node("y", "Output"),
        ],
        "x -> norm.x",
        "norm -> scale.x",
        "norm -> blend.x",
        "scale -> blend.y",
        "blend -> own.input",
        "own -> y.input",
        layers=LAYERS,
        tools=TOOLS,
    )
    set_trust(made.code, trusted=True)
    yield made
    set_trust(made.code, trusted=False)


def test_that_the_source_holds_the_files_and_stands_alone(graph):
    source = to_source(graph)
    head = source.partition("def centred")[0].splitlines()
    assert [line for line in head if line] == [
        "from __future__ import annotations",
        "import math",
        "import os",
        "import numpy as np",
        "import torch",
        "from torch import nn",
    ]
    assert source.count("import math") == 1
    assert "middle = centred" in source
    assert "hello" not in source
    assert "scale = Scale.apply(norm, 2.0)" in source
    assert "blend2 = blend(norm, scale)" in source, "no variable hides a function"
    assert "self.own = make(width=4)" in source
    compile(source, "model.py", "exec")


def test_that_lines_lead_back_to_nodes_and_to_files(graph):
    generated = generate(graph)
    lines = generated.source.splitlines()
    marked = next(n for n, line in enumerate(lines, 1) if "MARK" in line)
    assert generated.code_lines[marked] == ("layers.py", 16)
    assert LAYERS.splitlines()[15] == lines[marked - 1]
    assert marked not in generated.lines
    called = next(n for n, line in enumerate(lines, 1) if "Scale.apply" in line)
    assert generated.lines[called] == "scale"
    assert called not in generated.code_lines


def test_that_the_module_computes_what_the_code_says(graph):
    model = to_module(graph)
    x = torch.randn(3, 4)
    norm = (x - x.mean()) / (x.std() + 0.1)
    expected = model.own(norm * 0.5 + norm * 2.0 * 0.5)
    assert torch.equal(model(x), expected)
    assert list(model.state_dict()) == ["own.weight", "own.bias"]


def test_that_several_outputs_and_initialisers_of_own_code_are_written():
    linear = replace(
        node("fc", "Linear", in_features=4, out_features=2),
        init={"weight": Initial(type="code.layers.fill_", params={"value": 5.0})},
    )
    graph = wired(
        [
            node("x", "Input", shape=(4,)),
            linear,
            node("both", "code.layers.both"),
            node("a", "Output"),
            node("b", "Output"),
        ],
        "x -> fc.input",
        "fc -> both.x",
        "both.output.0 -> a.input",
        "both.output.1 -> b.input",
        layers=LAYERS,
        tools=TOOLS,
    )
    set_trust(graph.code, trusted=True)
    analysis = analyse(graph)
    assert analysis.problems == ()
    assert analysis.nodes["both"].outputs["output.1"].shape == ("N",)
    model = to_module(graph)
    assert bool((model.fc.weight == 5.0).all())
    assert "fill_(self.fc.weight, value=5.0)" in to_source(graph)


def test_that_a_class_called_like_the_model_keeps_its_name():
    text = "class Model(nn.Module):\n    def forward(self, x):\n        return x + 1\n"
    nodes = [node("x", "Input", shape=(2,)), node("m", "code.net.Model"), node("y", "Output")]
    graph = wired(nodes, "x -> m.x", "m -> y.input", net=text)
    set_trust(graph.code, trusted=True)
    assert "class Model2(nn.Module):" in to_source(graph)
    assert to_module(graph)(torch.zeros(1, 2)).tolist() == [[1.0, 1.0]]


def test_that_own_code_works_inside_blocks_and_repeats():
    inner = wired(
        [node("a", "BlockInput"), node("n", "code.layers.Norm"), node("b", "BlockOutput")],
        "a -> n.x",
        "n -> b.input",
    )
    block = Block(nodes=inner.nodes, edges=inner.edges)
    use = replace(node("use", "block.Unit"), repeat=2)
    graph = wired(
        [node("x", "Input", shape=(4,)), use, node("y", "Output")],
        "x -> use.a",
        "use.b -> y.input",
        layers=LAYERS,
        tools=TOOLS,
    )
    graph = replace(graph, blocks={"Unit": block})
    set_trust(graph.code, trusted=True)
    analysis = analyse(graph)
    assert [p.code for p in analysis.problems] == []
    assert analysis.nodes["use"].outputs["b"].shape == ("N", 4)
    assert to_module(graph)(torch.randn(2, 4)).shape == (2, 4)


def test_that_an_output_that_is_none_is_known_also_through_a_block_and_no_loss_takes_it():
    text = "def split(x):\n    return x, None\n"
    inner = wired(
        [
            node("a", "BlockInput"),
            node("s", "code.parts.split"),
            node("b", "BlockOutput"),
            node("c", "BlockOutput"),
        ],
        "a -> s.x",
        "s.output.0 -> b.input",
        "s.output.1 -> c.input",
    )
    graph = wired(
        [
            node("x", "Input", shape=(4,)),
            node("use", "block.Unit"),
            node("y", "Output"),
            node("z", "Output"),
        ],
        "x -> use.a",
        "use.b -> y.input",
        "use.c -> z.input",
        parts=text,
    )
    graph = replace(graph, blocks={"Unit": Block(nodes=inner.nodes, edges=inner.edges)})
    set_trust(graph.code, trusted=True)
    analysis = analyse(graph)
    assert analysis.problems == ()
    assert analysis.nodes["use/s"].absent == ("output.1",)
    assert analysis.nodes["use"].absent == ("c",)
    terms = [
        LossTerm(loss=Choice(type="MSELoss"), inputs={"input": f"model.{name}", "target": "data.a"})
        for name in ("y", "z")
    ]
    found = list(check_losses(RunSpec(losses=tuple(terms)), graph, analysis, None))
    assert [(each.code, each.field) for each in found] == [("R048", "losses.1.inputs.input")]


@pytest.mark.parametrize(
    ("files", "code", "symbol"),
    [
        ({"tools": TOOLS + "\n\ndef blend(x):\n    return x\n"}, "U005", "blend"),
        ({"tools": "import torch.nn.functional as np\n" + TOOLS}, "U006", "np"),
        (
            {"layers": LAYERS.replace("from .tools import centred as middle", "import tools")},
            "U026",
            "",
        ),
    ],
)
def test_that_what_cannot_be_one_file_is_told(graph, files, code, symbol):
    code_files = {**graph.code, **{f"{name}.py": text for name, text in files.items()}}
    found = [problem for problem in check(replace(graph, code=code_files)) if problem.code == code]
    assert len(found) == 1
    assert found[0].params.get("symbol", "") == symbol


def test_that_a_block_and_a_class_of_one_name_are_told(graph):
    nodes = {**graph.nodes, "use": node("use", "block.Norm")}
    block = Block(nodes={"b": node("b", "BlockOutput")})
    found = check(replace(graph, nodes=nodes, blocks={"Norm": block}))
    assert "U028" in [problem.code for problem in found]


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("raise ValueError('no')", "U014", "ValueError: no (“layers.py”, line 16)"),
        ("return missing(x)", "U014", "NameError"),
        ("return 3", "U017", "returned int"),
        ("import sys; sys.exit(3)", "U014", "SystemExit"),
        ("return self.forward(x)", "U014", "RecursionError"),
    ],
)
def test_that_what_own_code_raises_is_told_at_its_node_and_line(graph, body, code, words):
    text = LAYERS.replace("return middle(x) / (x.std() + self.eps)  # MARK", body)
    broken = replace(graph, code={**graph.code, "layers.py": text})
    set_trust(broken.code, trusted=True)
    problems = analyse(broken).problems
    assert [(problem.code, problem.node) for problem in problems] == [(code, "norm")]
    assert words in sentence(problems[0])
    assert problems[0].params["file"] == "layers.py"


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("self.eps = eps", "raise OSError('x')", "U013"),
        ("class Norm", "raise OSError('x')\n\n\nclass Norm", "U012"),
        ("import numpy as np", "import no_such_module", "U012"),
    ],
)
def test_that_code_that_cannot_be_made_is_told(graph, old, new, code):
    broken = replace(graph, code={**graph.code, "layers.py": LAYERS.replace(old, new, 1)})
    set_trust(broken.code, trusted=True)
    found = [(problem.code, problem.node) for problem in analyse(broken).problems]
    assert (code, "norm") in found


def test_that_code_that_looks_at_values_is_computed_with_some(graph):
    loop = "while x.abs().sum() > 1:\n            x = x / 2\n"
    body = f"{loop}        return x[:, : int(x.shape[1] / 2)]"
    text = LAYERS.replace("return middle(x) / (x.std() + self.eps)  # MARK", body)
    loose = replace(graph, code={**graph.code, "layers.py": text})
    set_trust(loose.code, trusted=True)
    before = torch.get_rng_state()
    assert analyse(loose).nodes["norm"].outputs["output"].shape == ("N", 2)
    assert torch.equal(torch.get_rng_state(), before)


def test_that_trust_and_text_decide_and_answers_are_kept(graph):
    analyser = Analyser()
    assert analyser.analyse(graph).is_ok()
    runs = analyser.runs
    assert analyser.analyse(graph).is_ok()
    assert analyser.runs == runs
    set_trust(graph.code, trusted=False)
    untrusted = analyser.analyse(graph)
    assert {p.code for p in untrusted.problems} == {"U011"}
    assert "class Norm" in untrusted.source
    with pytest.raises(DiagnosticError) as raised:
        to_module(graph)
    assert raised.value.problems[0].code == "U027"


LOSSES = """
def fine(input, target):
    return (input - target).abs().mean()


def wide(input, target):
    return input - target


def broken(input, target):
    return (input - target.mm(input)).mean()
"""


@pytest.mark.parametrize(
    ("name", "codes"), [("fine", []), ("wide", ["U032"]), ("broken", ["U014"])]
)
def test_that_an_own_loss_is_tried_before_the_run(name, codes):
    nodes = [node("x", "Input", shape=(3,), field="features"), node("y", "Output")]
    graph = wired(nodes, "x -> y.input", losses=LOSSES)
    set_trust(graph.code, trusted=True)
    inputs = {"input": "model.y", "target": "data.target"}
    term = LossTerm(loss=Choice(type=f"code.losses.{name}"), inputs=inputs)
    target = FieldInfo(name="target", role="target", kind="vector", shape=(3,), dtype="float32")
    info = DataInfo(source="random", task="regression", fields=(target,), samples=9)
    found = list(check_custom_losses(RunSpec(losses=(term,)), graph, analyse(graph), info))
    assert [problem.code for problem in found] == codes
    assert all(problem.field == "losses.0.loss" for problem in found)
    assert all("{" not in sentence(problem) for problem in found)


def test_that_what_hung_once_is_not_made_or_checked_again(graph, monkeypatch):
    monkeypatch.setattr(watchdog, "_banned", {})
    analysis = analyse(graph)
    assert analysis.is_ok()
    norm = graph.nodes["norm"]
    entry = entry_of(graph, norm)
    assert entry is not None
    name = CustomNode(entry, {"eps": 0.1}, graph.code, entry.outputs).name
    definition = name.partition(watchdog.SEPARATOR)[0]
    watchdog.ban({definition: "stuck"})
    found = [(problem.code, problem.node) for problem in analyse(graph).problems]
    assert found == [("U015", "norm")]
    with pytest.raises(DiagnosticError) as raised:
        to_module(graph)
    assert [problem.code for problem in raised.value.problems] == ["U015"]
    monkeypatch.setattr(watchdog, "_banned", {})
    watchdog.ban({f"gradient of {definition}": "crashed"})
    with pytest.raises(DiagnosticError) as raised:
        check_gradient(CheckGradient(graph=graph, place="norm"))
    assert raised.value.problems[0].code == "U016"
